// Entry of the worker thread that exports an environment with its facts: reads the folder beside the store, in one
// consistent state, and writes one file.
import { writeFileSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { ZerohopError } from '../../model/errors.ts'
import { openReader } from '../../store/reader.ts'
import type { View } from '../../store/view.ts'
import { serveSlow } from '../../threads/worker-host.ts'
import { exportEverything } from './export.ts'
import type { ExportQuestion } from './export-task.ts'
import { writeFacts } from './write-facts.ts'

const { data } = workerData as { readonly data: string }
const reader = openReader(data)

serveSlow(async ({ environment, file, lines }: ExportQuestion): Promise<boolean> => {
  try {
    const view = reader.view(environment)
    const { revision } = view.position
    if (lines?.revision !== undefined && lines.revision !== revision) return false
    if (lines === undefined) writePolicy(view, file)
    else writeFacts(view, file, { revision, skip: lines.skip })
    return true
  } finally {
    await reader.close()
  }
})

/** Schema and facts as one JSON. @throws CONFIG_INVALID */
function writePolicy(view: View, file: string): void {
  try {
    writeFileSync(file, JSON.stringify(exportEverything(view)), { mode: 0o600 })
  } catch (error) {
    const trouble = error instanceof Error ? error.message : String(error)
    throw new ZerohopError('CONFIG_INVALID', { reason: `\`${file}\` cannot be written: ${trouble}` })
  }
}
