// The child process of data-file.ts: reads every page of the data file once, so that damage kills this process and not the server.
import { openTables } from './tables.ts'

const folder = process.argv[2]
if (folder === undefined) throw new Error('usage: probe.js FOLDER')

try {
  const { root, ...tables } = openTables(folder, 'read')
  for (const table of Object.values(tables)) {
    for (const entry of table.getRange()) void entry // reads and decodes each value
  }
  await root.close()
} catch (error) {
  const isForeign = error instanceof Error && 'code' in error && error.code === 'DATA_FOREIGN'
  if (!isForeign) {
    process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
