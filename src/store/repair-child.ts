// The child process of repair-data.ts: fills the new file, and reports as JSON texts, one on each line. A damaged page
// of the old file may kill it.
import { writeSync } from 'node:fs'
import { repair } from './repair.ts'
import { openTables } from './tables.ts'

const [folder, target] = process.argv.slice(2)
if (folder === undefined || target === undefined) throw new Error('usage: repair-child.js FOLDER TARGET')

const report = (text: string): void => void writeSync(1, `${JSON.stringify(text)}\n`)
try {
  const from = openTables(folder, 'read')
  const to = openTables(target, 'create')
  repair(from, to, report)
  await to.root.close()
  await from.root.close()
} catch (error) {
  report(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
