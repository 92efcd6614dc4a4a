// Entry of the worker thread that builds the image of a large environment: reads the folder beside the store and answers with one snapshot.
import { parentPort, workerData } from 'node:worker_threads'
import { openReader } from '../store/reader.ts'
import { buildSnapshot, type Snapshot } from './snapshot.ts'
import type { SnapshotAnswer, SnapshotTask } from './snapshot-task.ts'

const { data, environment } = workerData as SnapshotTask
const reader = openReader(data)
let snapshot: Snapshot | undefined
let answer: SnapshotAnswer
try {
  snapshot = buildSnapshot(reader.view(environment))
  answer = { snapshot }
} catch (error) {
  const { code, details, message } = error as { code?: string; details?: object; message?: string }
  answer = { failed: { code: code ?? 'INTERNAL', details: details ?? {}, message: message ?? String(error) } }
}
await reader.close()
parentPort?.postMessage(answer, snapshot === undefined ? [] : [snapshot.bytes.buffer as ArrayBuffer])
