// The child process of verify-data.ts: verifies a folder and says what it finds, one JSON text a line. A process of its own, because LMDB may end the
// one that reads a damaged page (SIGSEGV, SIGBUS).
import { writeSync } from 'node:fs'
import { isZerohopError } from '../model/errors.ts'
import { VERIFY_PROGRESS_MS } from '../model/limits.ts'
import { openTables } from './tables.ts'
import { verifyAll } from './verify.ts'
import type { FromVerifyChild } from './verify-data.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: verify-child.js FOLDER')

let checked = 0
let said = performance.now()

try {
  const tables = openTables(folder, 'read')
  const steps = verifyAll(tables, {
    damage: ({ log, error }) => say({ damage: { log: log ?? null, text: error.message } }),
    checked: (count) => {
      checked += count
      if (performance.now() - said < VERIFY_PROGRESS_MS) return
      said = performance.now()
      say({ checked })
    },
  })
  for (const _ of steps) tables.root.resetReadTxn()
  say({ checked, done: true })
  await tables.root.close()
} catch (error) {
  const text = error instanceof Error ? error.message : String(error)
  if (isZerohopError(error, 'DATA_FOREIGN')) say({ refused: text })
  else say({ damage: { log: null, text } })
  process.exitCode = 1
}

/** At once: the next page may end the process. */
function say(message: FromVerifyChild): void {
  writeSync(1, `${JSON.stringify(message)}\n`)
}
