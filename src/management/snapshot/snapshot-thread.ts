// Entry of the worker thread that builds the image of a large environment, or the state as changes for followers of
// another ABI: reads the folder beside the store, writes one file, and returns its position in the log. When the disk
// refuses the file (full, read-only) the thread returns the bytes, so that followers still get them.
import { createHash } from 'node:crypto'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import type { LogId, Position } from '../../log/change.ts'
import { encodeState } from '../../log/state-file.ts'
import { openReader } from '../../store/reader.ts'
import type { View } from '../../store/view.ts'
import { serveSlow } from '../../threads/worker-host.ts'
import { buildSnapshot, policyOf } from './snapshot.ts'
import type { BuiltSnapshot, SnapshotQuestion } from './snapshot-task.ts'

const { data } = workerData as { readonly data: string }
const reader = openReader(data)

const build = async ({ environment, path, of }: SnapshotQuestion): Promise<BuiltSnapshot> => {
  try {
    const view = reader.view(environment)
    const { position } = view
    const pieces = of === 'image' ? writeImage(view) : () => writeState(view, environment, position)
    return { position, ...(writtenTo(path, pieces()) ?? inMemory(pieces())) }
  } finally {
    await reader.close()
  }
}
serveSlow(build, { transfer: ({ bytes }) => (bytes === undefined ? [] : [bytes.buffer as ArrayBuffer]) })

type Pieces = Iterable<Uint8Array>

function writeImage(view: View): () => Pieces {
  const { bytes } = buildSnapshot(view)
  return () => [bytes]
}

/** Written frame by frame, so that a state need not fit into memory. */
function writeState(view: View, environment: LogId, position: Position): Pieces {
  return encodeState({ environment, position, changes: policyOf(view) })
}

/** Undefined when the disk refuses them. */
function writtenTo(file: string, pieces: Pieces): { length: number; digest: Uint8Array } | undefined {
  const digest = createHash('sha256')
  let length = 0
  let fd: number | undefined
  try {
    fd = openSync(file, 'w', 0o600)
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at)
      digest.update(piece)
      length += piece.length
    }
    return { length, digest: digest.digest() }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    if (fd !== undefined) rmSync(file, { force: true })
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function inMemory(pieces: Pieces): { length: number; digest: Uint8Array; bytes: Uint8Array } {
  const all = [...pieces]
  const length = all.reduce((sum, piece) => sum + piece.length, 0)
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of all) {
    whole.set(piece, at)
    at += piece.length
  }
  return { length, digest: createHash('sha256').update(whole).digest(), bytes: whole }
}
