// The child process of data-file.ts: reads the data file once, so that damage kills this process and not the server.
// `pages` walks the trees, about 0.1 µs for each entry; `values` also reads every record and compares its checksum,
// about 1 µs.
import { isShortage } from './disk.ts'
import { openTables } from './tables.ts'

const [folder, depth] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: environment-check.js FOLDER pages|values')

try {
  const tables = openTables(folder, 'read')
  const { root, keys, ids, indexes, search, log, hashes, secrets, objectTables } = tables
  tables.heads.all()
  for (const table of [keys, ids, indexes, search, log, ...objectTables]) table.walk()
  if (depth === 'values')
    for (const table of [log, search, ...objectTables]) for (const entry of table.range()) void entry
  for (const table of [hashes, secrets]) for (const entry of table.all()) void entry
  await root.close()
} catch (error) {
  const isForeign = error instanceof Error && 'code' in error && error.code === 'DATA_FOREIGN'
  if (!isForeign) {
    const reason = error instanceof Error ? error.message : String(error)
    // what the machine lacks is not told as something of the data
    ;(isShortage(error) ? process.stderr : process.stdout).write(`${reason}\n`)
    process.exitCode = 1
  }
}
