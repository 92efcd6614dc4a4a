// Runs commands of `zerohop` in this process: one of its own costs a third of a second of processor time, most of it to
// load what is loaded here already. That they work as processes is asked in test/cli/commands.test.ts; commands that
// serve are never run here.
import { Command } from 'commander'
import { vi } from 'vitest'
import { addData } from '../../src/cli/commands/data-commands.ts'
import { addDatabase } from '../../src/cli/commands/database-commands.ts'
import { addHistory } from '../../src/cli/commands/history-commands.ts'
import { addImage } from '../../src/cli/commands/image-commands.ts'
import { addAdministration } from '../../src/cli/commands/operator-commands.ts'
import { addPlans } from '../../src/cli/commands/plan-commands.ts'
import { addPolicyFiles } from '../../src/cli/commands/policy-commands.ts'
import { addTest } from '../../src/cli/commands/test-command.ts'
import { addTypes } from '../../src/cli/commands/types-command.ts'
import { addWhy } from '../../src/cli/commands/why-command.ts'
import { pointToHelp, speak } from '../../src/cli/terminal/command-line.ts'
import { addMigrate } from '../../src/v1/migrate/commands/migrate-commands.ts'
import type { Ran } from './run-command.ts'

const ALL = [
  ...[addAdministration, addData, addDatabase, addHistory, addImage, addMigrate, addPlans, addPolicyFiles],
  ...[addTest, addTypes, addWhy],
]

/** What `process.exit` throws meanwhile. */
class Exit extends Error {}

/** Commands share the output of this process: one after the other. */
let last: Promise<unknown> = Promise.resolve()

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
  const program = speak(new Command('zerohop'), '0.0.0')
  for (const add of ALL) add(program)
  pointToHelp(program)
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
  const before = { env: process.env, cwd: process.cwd(), isTTY: process.stdin.isTTY }
  process.env = { ...before.env, ...env }
  process.stdin.isTTY = false
  process.chdir(cwd)
  try {
    await program.parseAsync(args, { from: 'user' })
    ended.code ??= Number(process.exitCode ?? 0)
  } catch (error) {
    if (!(error instanceof Exit)) throw error
  } finally {
    process.exitCode = undefined
    process.env = before.env
    process.stdin.isTTY = before.isTTY
    process.chdir(before.cwd)
    for (const each of [exit, out!.spy, err!.spy]) each.mockRestore()
  }
  return { code: ended.code!, out: out!.written.join(''), err: err!.written.join('') }
}
