// The whole policy at one revision as changes: a follower whose kernel has another ABI builds its own image from it.
// The changes have the form of those in deltas, which is independent of the ABI. Written and read frame by frame.
// Normative text: docs/feed.md.
//
//   frames of type 4 with about STATE_FRAME_BYTES of changes each, compressed │ one without changes: the end │ where states are signed, a tail
import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { invalid } from '../kinds/wire-values.ts'
import { ZerohopError } from '../model/errors.ts'
import { FRAME_BYTES_MAX, STATE_FRAME_BYTES } from '../model/limits.ts'
import type { LogId, Position } from './change.ts'
import { encodeFrame, FRAME_MAGIC, FrameDecoder, type PackedState, packChange, unpackChanges } from './codec.ts'
import type { PolicyChange } from './delta.ts'
import { isTail, TAIL_BYTES, type Trust } from './signature.ts'

export interface PolicyState {
  readonly environment: LogId
  readonly position: Position
  /** ordered so that no change refers to a later one */
  readonly changes: Iterable<PolicyChange>
}

/** Bytes handed to the decoder at a time. */
const CHUNK_BYTES = 1024 * 1024
/** Repetitions in a policy are close together: the fastest level gains most of the possible compression. */
const LEVEL = { level: 1 }

/** The frames of a state, one after the other: never more than one of them is in memory. */
export function* encodeState({ environment, position, changes }: PolicyState): Generator<Uint8Array> {
  const frame = (count: number, packed: Uint8Array): Uint8Array =>
    encodeFrame({ type: 'state', part: { environment, position, count, packed: deflateRawSync(packed, LEVEL) } })
  let pieces: Uint8Array[] = []
  let bytes = 0
  for (const change of changes) {
    const piece = packChange(change)
    pieces.push(piece)
    bytes += piece.length
    if (bytes < STATE_FRAME_BYTES) continue
    yield frame(pieces.length, Buffer.concat(pieces))
    pieces = []
    bytes = 0
  }
  if (pieces.length > 0) yield frame(pieces.length, Buffer.concat(pieces))
  yield frame(0, new Uint8Array())
}

/** True for the bytes of a state; an image begins differently. */
export function isState(bytes: Uint8Array): boolean {
  return bytes.length > 2 && bytes[0] === FRAME_MAGIC[0] && bytes[1] === FRAME_MAGIC[1]
}

/**
 * Reads a state. Its changes are unpacked lazily.
 * @throws FRAME_INVALID when the bytes are not a complete state, SIGNATURE_INVALID
 */
export function readState(bytes: Uint8Array, trust?: Trust): PolicyState {
  const end = bytes.subarray(-TAIL_BYTES)
  const tail = isTail(end) ? end : undefined
  const frames = tail === undefined ? bytes : bytes.subarray(0, -TAIL_BYTES)
  trust?.requireState(createHash('sha256').update(frames).digest(), tail)
  const parts = readParts(frames)
  const last = parts.pop()
  if (last?.count !== 0) throw invalid('the state ends before its last frame')
  const { environment, position } = last
  for (const part of parts) {
    const same = part.environment === environment && part.position.chain === position.chain
    if (!same || part.position.revision !== position.revision) throw invalid('the state is of two revisions')
    if (part.count === 0) throw invalid('the state goes on after its last frame')
  }
  return { environment, position, changes: eachChange(parts) }
}

function readParts(bytes: Uint8Array): PackedState[] {
  const decoder = new FrameDecoder()
  const parts: PackedState[] = []
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    for (const frame of decoder.push(bytes.subarray(at, at + CHUNK_BYTES))) {
      if (frame.type !== 'state') throw invalid(`a ${frame.type} frame is not part of a state`)
      parts.push(frame.part)
    }
  }
  if (decoder.waiting > 0) throw invalid('the state ends within a frame')
  return parts
}

function* eachChange(parts: readonly PackedState[]): Generator<PolicyChange> {
  for (const { count, packed } of parts) yield* unpackChanges(inflate(packed), count)
}

function inflate(packed: Uint8Array): Uint8Array {
  try {
    return inflateRawSync(packed, { maxOutputLength: FRAME_BYTES_MAX })
  } catch (cause) {
    throw new ZerohopError('FRAME_INVALID', { reason: 'its changes are not compressed as they should be' }, { cause })
  }
}
