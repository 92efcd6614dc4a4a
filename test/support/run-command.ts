// Runs the built command as an operator would, in a process of its own.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { SHORT_LIVED } from './short-lived.ts'

export const COMMAND = fileURLToPath(new URL('../../dist/bundle/zerohop.js', import.meta.url))

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Starts `zerohop` with nothing in its environment but what is given. */
export function startCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd: string = process.cwd(),
): ChildProcessByStdio<null, Readable, Readable> {
  const { PATH = '', HOME = '' } = process.env
  return spawn(process.execPath, [...SHORT_LIVED, COMMAND, ...args], {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Runs `zerohop` to its end. */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd: string = process.cwd(),
): Promise<Ran> {
  const child = startCommand(args, env, cwd)
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString()
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out, err }
}
