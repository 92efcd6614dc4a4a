// The child process of verify-process.ts: verifies a folder and reports what it finds as JSON texts, one on each line.
// It ends when its input ends: the parent stopped it or died.
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { isZerohopError } from '../model/errors.ts'
import { SCRUB_PERCENT, VERIFY_PROGRESS_MS } from '../model/limits.ts'
import { dataFolder, isShortage } from './disk.ts'
import { openTables, type Tables } from './tables.ts'
import { verifyAll } from './verify-folder.ts'
import type { Damage } from './verify-part.ts'
import type { FromVerifyChild } from './verify-process.ts'

const [folder, pace] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: verify-child.js FOLDER PACE')
const isPaced = pace === 'in the background'
let isStopped = false
process.stdin.on('end', () => {
  isStopped = true
})
process.stdin.resume()

try {
  if (isPaced) await turnToOpen()
  if (!isStopped) {
    const tables = openTables(folder, 'read')
    if (isPaced) {
      say({ opened: true })
      yieldToServer()
    }
    await verify(tables)
    await tables.root.close()
  }
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error)
  if (isZerohopError(error, 'DATA_FOREIGN')) say({ refused: reason })
  else if (isShortage(error)) say({ failed: reason })
  else say({ log: null, what: dataFolder(folder), reason })
}
process.stdin.destroy()

/** Ends when the parent says that no one writes, or that it is over. */
async function turnToOpen(): Promise<void> {
  const turn = Promise.race([once(process.stdin, 'data'), once(process.stdin, 'end')])
  say({ ready: true })
  await turn
}

/** Lowers the priority; not before the folder is open: the server waited for this process until then. */
function yieldToServer(): void {
  try {
    setPriority(constants.priority.PRIORITY_LOW)
  } catch {
    // where that is forbidden it works at the usual priority, a part of the time
  }
}

async function verify(tables: Tables): Promise<void> {
  const total = tables.rows()
  let checked = 0
  let reportedAt = performance.now()
  const reporter = {
    damage: ({ log = null, error }: Omit<Damage, 'log'> & { readonly log?: string | null | undefined }) =>
      say({ log, what: String(error.details.what), reason: String(error.details.reason) }),
    checked: (count: number) => {
      checked += count
      if (performance.now() - reportedAt < VERIFY_PROGRESS_MS) return
      reportedAt = performance.now()
      say({ checked, total })
    },
  }
  let begun = performance.now()
  for (const _ of verifyAll(tables, reporter)) {
    const spent = performance.now() - begun
    // The transaction of a step ends with it: a longer one would make the file grow under a server that writes.
    tables.root.resetReadTxn()
    await sleep(isPaced ? (spent * (100 - SCRUB_PERCENT)) / SCRUB_PERCENT : 0)
    reporter.checked(0)
    if (isStopped) return
    begun = performance.now()
  }
  say({ checked, total, done: true })
}

/** Written synchronously: the next page may kill the process. */
function say(message: FromVerifyChild): void {
  writeSync(1, `${JSON.stringify(message)}\n`)
}
