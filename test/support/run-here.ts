// Runs `zerohop` in this process: one of its own costs a third of a second of processor time, most of it to load what is
// loaded here already. That it works as a process is asked in test/cli/commands.test.ts; commands that serve are
// started by serve-here.ts. Needs the build.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { vi } from 'vitest'
import { ROOT } from '../tidy/source.ts'
import type { Ran } from './run-command.ts'
import { UNBUNDLED } from './server.ts'

/** What `process.exit` throws meanwhile. */
class Exit extends Error {}

/** The file that a process begins with: as in vitest.config.ts of the build or, where lines are counted, the source. */
const ENTRY =
  process.env.ZEROHOP_TEST_COMPILED === undefined ? join(ROOT, 'src/cli/zerohop.ts') : String(pathToFileURL(UNBUNDLED))

/** What a command listens to until its process ends. */
const EVENTS = ['unhandledRejection', 'uncaughtException'] as const

/** Commands share the output of this process: one after the other. */
let last: Promise<unknown> = Promise.resolve()
let runs = 0

/** Runs a command to its end, with these variables beside those of the tests. */
export function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd: string = process.cwd(),
): Promise<Ran> {
  const ran = last.then(() => run(args, env, cwd))
  last = ran.catch(() => undefined)
  return ran
}

async function run(args: readonly string[], env: Readonly<Record<string, string>>, cwd: string): Promise<Ran> {
  const ended: { code?: number } = {}
  const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
    ended.code ??= Number(code ?? process.exitCode ?? 0)
    throw new Exit()
  })
  const [out, err] = [process.stdout, process.stderr].map((stream) => {
    const written: string[] = []
    const spy = vi.spyOn(stream, 'write').mockImplementation((chunk, ...more) => {
      // nothing is written by a process that has ended
      if (ended.code === undefined) written.push(String(chunk))
      const done = more.find((each) => typeof each === 'function') as (() => void) | undefined
      if (done !== undefined) process.nextTick(done)
      return true
    })
    return { written, spy }
  })
  const { env: envBefore, argv } = process
  const before = { cwd: process.cwd(), isTTY: process.stdin.isTTY }
  const [heard, errors] = [
    EVENTS.map((event) => (process as NodeJS.EventEmitter).listeners(event)),
    process.stdout.listeners('error'),
  ]
  process.env = { ...envBefore, ...env }
  process.argv = [process.execPath, UNBUNDLED, ...args]
  process.stdin.isTTY = false
  process.chdir(cwd)
  try {
    // again each time; what it imports is loaded once
    await import(/* @vite-ignore */ `${ENTRY}?${runs++}`)
    ended.code ??= Number(process.exitCode ?? 0)
  } catch (error) {
    if (!(error instanceof Exit)) throw error
  } finally {
    process.exitCode = undefined
    process.env = envBefore
    process.argv = argv
    process.stdin.isTTY = before.isTTY
    process.chdir(before.cwd)
    for (const [at, event] of EVENTS.entries()) restore(process, event, heard[at]!)
    restore(process.stdout, 'error', errors)
    for (const each of [exit, out!.spy, err!.spy]) each.mockRestore()
  }
  return { code: ended.code!, out: out!.written.join(''), err: err!.written.join('') }
}

/** Makes an emitter call these listeners alone. */
function restore(
  emitter: NodeJS.EventEmitter,
  event: string,
  listeners: ReturnType<NodeJS.EventEmitter['listeners']>,
): void {
  emitter.removeAllListeners(event)
  for (const listener of listeners) emitter.on(event, listener as () => void)
}
