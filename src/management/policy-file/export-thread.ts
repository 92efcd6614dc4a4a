// Entry of the worker thread that exports an environment with its facts: reads the folder beside the store, in one
// consistent state, and writes one JSON file.
import { writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { openReader } from '../../store/reader.ts'
import { exportEverything } from './export.ts'
import type { ExportTask } from './export-task.ts'

const { data, environment, file } = workerData as ExportTask
const reader = openReader(data)
let trouble: string | null = null
try {
  const bundle = exportEverything(reader.view(environment))
  writeFileSync(file, JSON.stringify(bundle), { mode: 0o600 })
} catch (error) {
  trouble = error instanceof Error ? error.message : String(error)
}
await reader.close()
parentPort?.postMessage(trouble)
