// The child process of data-file.ts: reads the data file once, so that damage kills this process and not the server. `pages` walks the
// trees, about 0.1 µs an entry; `values` also reads and decodes every value, ten times that.
import { openTables } from './tables.ts'

const [folder, depth] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: probe.js FOLDER pages|values')

try {
  const { root, objects: _objects, texts: _texts, objectTables, ...tables } = openTables(folder, 'read')
  for (const table of [...Object.values(tables), ...objectTables]) {
    if (depth === 'pages') table.getCount()
    else for (const entry of table.getRange()) void entry
  }
  await root.close()
} catch (error) {
  const isForeign = error instanceof Error && 'code' in error && error.code === 'DATA_FOREIGN'
  if (!isForeign) {
    process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
