// Entry of the worker thread that exports an environment with its facts: reads the folder beside the store, in one
// consistent state, and writes one JSON file.
import { writeFileSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { ZerohopError } from '../../model/errors.ts'
import { openReader } from '../../store/reader.ts'
import { serveSlow } from '../../threads/worker-host.ts'
import { exportEverything } from './export.ts'
import type { ExportQuestion } from './export-task.ts'

const { data } = workerData as { readonly data: string }
const reader = openReader(data)

serveSlow(async ({ environment, file }: ExportQuestion): Promise<void> => {
  try {
    writeFileSync(file, JSON.stringify(exportEverything(reader.view(environment))), { mode: 0o600 })
  } catch (error) {
    const trouble = error instanceof Error ? error.message : String(error)
    throw new ZerohopError('CONFIG_INVALID', { reason: `\`${file}\` cannot be written: ${trouble}` })
  } finally {
    await reader.close()
  }
})
