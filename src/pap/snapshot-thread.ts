// Entry of the worker thread that builds the image of a large environment: reads the folder beside the store, writes one file, and answers
// where in the log it stands. Where the disk refuses the file (full, read-only) the image itself is the answer: followers still get one.
import { createHash } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { answerTask } from '../model/thread.ts'
import { openReader } from '../store/reader.ts'
import { buildSnapshot } from './snapshot.ts'
import type { BuiltSnapshot, SnapshotTask } from './snapshot-task.ts'

const { data, environment, path } = workerData as SnapshotTask
const reader = openReader(data)
const answer = answerTask((): BuiltSnapshot => {
  const { bytes, position } = buildSnapshot(reader.view(environment))
  const built = { position, length: bytes.length, digest: createHash('sha256').update(bytes).digest() }
  return isWritten(bytes) ? built : { ...built, bytes }
})
await reader.close()
const bytes = 'result' in answer ? answer.result.bytes : undefined
parentPort?.postMessage(answer, bytes === undefined ? [] : [bytes.buffer as ArrayBuffer])

function isWritten(bytes: Uint8Array): boolean {
  try {
    writeFileSync(path, bytes, { mode: 0o600 })
    return true
  } catch {
    rmSync(path, { force: true })
    return false
  }
}
