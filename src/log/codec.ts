// The wire form of the feed: frames of a fixed header and a msgpack body, and a decoder for a stream cut anywhere.
// Normative text: docs/feed.md. It does no I/O and keeps only the bytes of the frame that is arriving; every value is
// validated before use. Both directions are in this file on purpose: a field is written and read in one place.
//
//   ┌ magic u16 'ZF' ┬ version u8 ┬ type u8 ┬ body length u32 ┬ CRC-32 u32 ┬ body (msgpack) ┐   little endian
//   CRC-32 over the first eight bytes and the body. A delta's changes are a run of msgpack lists of at most
//   PACK_CHANGES changes each, inside one binary value, so that a large delta can be packed and unpacked piece by
//   piece. The code of a delete is the negative of the put's.
import { crc32 } from 'node:zlib'
import { Packr } from 'msgpackr/pack' // without its native part, which `openDecoder` loads
import { type PolicyKind, type PolicyObjects, PROJECTIONS } from '../kinds/index.ts'
import { invalid, list, text } from '../kinds/wire-values.ts'
import { counted } from '../model/counted.ts'
import { type ErrorCode, ZerohopError } from '../model/errors.ts'
import { DELTA_IN_TURN_MAX, FRAME_BYTES_MAX } from '../model/limits.ts'
import type { LogId, Position } from './change.ts'
import type { Delta, PackedDelta, PolicyChange } from './delta.ts'
import type { FeedEvent } from './feed.ts'
import type { Signer, Trust } from './signature.ts'

/** Raise when a frame changes meaning; a reader refuses a version or a type that it does not know. */
export const FEED_VERSION = 1
export const FRAME_HEADER_BYTES = 12
const MAGIC = 0x465a
/** The first bytes of every frame. */
export const FRAME_MAGIC = [MAGIC & 0xff, MAGIC >> 8] as const
/** Changes in one list of a packed delta: packing them takes well under a millisecond. */
const PACK_CHANGES = 1_000

enum FrameType {
  Delta = 1,
  Heartbeat = 2,
  /** The server ends the stream for a reason that arose after the 200: the body names the error code. */
  End = 3,
  /** A part of the whole policy (src/log/state-file.ts); never in a stream of deltas. */
  State = 4,
}

/** The reasons for which the server ends a stream after its headers. */
export type EndCode = Extract<
  ErrorCode,
  'FEED_GAP' | 'FEED_FORK' | 'KEY_UNKNOWN' | 'KEY_EXPIRED' | 'KEY_TOO_NARROW' | 'ENVIRONMENT_DELETED' | 'CLOSED'
>
const END_CODES: readonly string[] = [
  'FEED_GAP',
  'FEED_FORK',
  'KEY_UNKNOWN',
  'KEY_EXPIRED',
  'KEY_TOO_NARROW',
  'ENVIRONMENT_DELETED',
  'CLOSED',
] satisfies EndCode[]

/** A part of the whole policy at one revision; `packed` has its changes, compressed. The last part has none. */
export interface PackedState {
  readonly environment: LogId
  readonly position: Position
  readonly count: number
  readonly packed: Uint8Array
}

export type StreamFrame = FeedEvent | { readonly type: 'end'; readonly code: EndCode }
export type Frame = StreamFrame | { readonly type: 'state'; readonly part: PackedState }

/** Kinds by their code. */
const KINDS: (PolicyKind | undefined)[] = []
for (const kind of Object.keys(PROJECTIONS) as PolicyKind[]) {
  const { code, newer = [] } = PROJECTIONS[kind]
  for (const each of [{ code }, ...newer]) KINDS[each.code] = kind
}

const packr = new Packr({ useRecords: false, mapsAsObjects: true })

/**
 * The frame of an event.
 * @throws LIMIT_EXCEEDED when it would be longer than FRAME_BYTES_MAX: the follower has to take an image instead
 */
export function encodeFrame(frame: Frame, signer?: Signer): Uint8Array<ArrayBuffer> {
  switch (frame.type) {
    case 'delta':
      return seal(FrameType.Delta, packr.pack(deltaBody(packDelta(frame.delta), signer)))
    case 'packed':
      return seal(FrameType.Delta, packr.pack(deltaBody(frame.delta, signer)))
    case 'heartbeat':
      return seal(FrameType.Heartbeat, packr.pack([frame.revision]))
    case 'end':
      return seal(FrameType.End, packr.pack([frame.code]))
    case 'state': {
      const { environment, position, count, packed } = frame.part
      return seal(FrameType.State, packr.pack([environment, position.revision, position.chain, count, packed]))
    }
  }
}

function seal(type: FrameType, body: Uint8Array): Uint8Array<ArrayBuffer> {
  if (body.length > FRAME_BYTES_MAX)
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the frame', limit: FRAME_BYTES_MAX })
  const frame = new Uint8Array(FRAME_HEADER_BYTES + body.length)
  const view = new DataView(frame.buffer)
  view.setUint16(0, MAGIC, true)
  view.setUint8(2, FEED_VERSION)
  view.setUint8(3, type)
  view.setUint32(4, body.length, true)
  frame.set(body, FRAME_HEADER_BYTES)
  view.setUint32(8, checksum(frame), true)
  return frame
}

function checksum(frame: Uint8Array): number {
  return crc32(frame.subarray(FRAME_HEADER_BYTES), crc32(frame.subarray(0, 8)))
}

function deltaBody(delta: PackedDelta, signer?: Signer): unknown[] {
  const { environment, from, to, previous, chain, count, packed } = delta
  const body = [environment, from, to, previous, chain, count, packed]
  const signature = delta.signature ?? signer?.delta(delta)
  return signature === undefined ? body : [...body, signature]
}

/** Packs the changes of a delta. */
export function packDelta(delta: Delta): PackedDelta {
  const pieces = [...packChanges(delta.changes)]
  return makePackedDelta(delta, pieces)
}

/** `packDelta` in many turns of the event loop; `pause` is awaited between two pieces. */
export async function packDeltaSlowly(delta: Delta, pause: () => Promise<void>): Promise<PackedDelta> {
  const pieces: Uint8Array[] = []
  for (const piece of packChanges(delta.changes)) {
    pieces.push(piece)
    await pause()
  }
  return makePackedDelta(delta, pieces)
}

function makePackedDelta(delta: Delta, pieces: Uint8Array[]): PackedDelta {
  const { environment, from, to, previous, chain, changes } = delta
  return { environment, from, to, previous, chain, count: changes.length, packed: Buffer.concat(pieces) }
}

function* packChanges(changes: readonly PolicyChange[]): Generator<Uint8Array> {
  for (let at = 0; at < changes.length; at += PACK_CHANGES) {
    yield Uint8Array.from(packr.pack(changes.slice(at, at + PACK_CHANGES).map(changeBody)))
  }
}

/**
 * Unpacks the changes of a delta.
 * @throws FRAME_INVALID when the bytes are not `count` changes
 */
export function unpackDelta(delta: PackedDelta): Delta {
  const { environment, from, to, previous, chain, packed, count } = delta
  return { environment, from, to, previous, chain, changes: unpackChanges(packed, count) }
}

/** Packs a single change for `unpackChanges`. */
export function packChange(change: PolicyChange): Uint8Array {
  return packr.pack([changeBody(change)])
}

/** @throws FRAME_INVALID when the bytes are not so many changes */
export function unpackChanges(packed: Uint8Array, count: number): PolicyChange[] {
  const changes: PolicyChange[] = []
  for (const piece of count === 0 && packed.length === 0 ? [] : unpackPieces(packed)) {
    for (const change of list(piece, 'its changes')) changes.push(readChange(change))
  }
  if (changes.length !== count) throw invalid(`it holds ${counted(changes.length, 'change')} and announces ${count}`)
  return changes
}

function unpackPieces(bytes: Uint8Array): unknown[] {
  try {
    return packr.unpackMultiple(bytes) ?? []
  } catch (cause) {
    throw new ZerohopError('FRAME_INVALID', { reason: 'its changes are not msgpack' }, { cause })
  }
}

function changeBody(change: PolicyChange): unknown[] {
  if (change.op === 'delete') return [-PROJECTIONS[change.kind].code, change.key]
  return putFields(change.kind, change.value, change.key)
}

function putFields<K extends PolicyKind>(kind: K, value: PolicyObjects[K], key: string): unknown[] {
  const { code, newer, write } = PROJECTIONS[kind]
  const needed = newer?.find(({ isNeeded }) => isNeeded(value))
  return [needed?.code ?? code, ...write(value, key)]
}

/**
 * Turns the chunks of a stream into frames. Holds at most one incomplete frame, which is at most FRAME_BYTES_MAX long;
 * its bytes are copied and added to the checksum as they arrive, so that completing a large frame costs no more than
 * any other chunk.
 */
export class FrameDecoder {
  readonly #trust: Trust | undefined
  readonly #header = new Uint8Array(FRAME_HEADER_BYTES)
  #headerBytes = 0
  #body: Uint8Array | undefined
  #bodyBytes = 0
  #sum = 0

  /** With `trust` every delta must be signed. */
  constructor(trust?: Trust) {
    this.#trust = trust
  }

  /**
   * The frames that are complete with this chunk, in order.
   * @throws SIGNATURE_INVALID, FRAME_INVALID on a wrong magic, an unknown version or type, a length above the limit, a
   * wrong checksum, a malformed body
   */
  push(chunk: Uint8Array): Frame[] {
    const frames: Frame[] = []
    let at = 0
    while (at < chunk.length) {
      if (this.#body === undefined) {
        at += this.#takeHeader(chunk.subarray(at))
        if (this.#headerBytes < FRAME_HEADER_BYTES) break
        this.#body = new Uint8Array(readHeader(toDataView(this.#header)))
        this.#sum = crc32(this.#header.subarray(0, 8))
      }
      const piece = chunk.subarray(at, at + this.#body.length - this.#bodyBytes)
      this.#body.set(piece, this.#bodyBytes)
      this.#bodyBytes += piece.length
      this.#sum = crc32(piece, this.#sum)
      at += piece.length
      if (this.#bodyBytes === this.#body.length) frames.push(this.#finish(this.#body))
    }
    return frames
  }

  /** Bytes of a frame that has begun to arrive; 0 between frames. */
  get waiting(): number {
    return this.#headerBytes + this.#bodyBytes
  }

  #takeHeader(chunk: Uint8Array): number {
    const piece = chunk.subarray(0, FRAME_HEADER_BYTES - this.#headerBytes)
    this.#header.set(piece, this.#headerBytes)
    this.#headerBytes += piece.length
    return piece.length
  }

  #finish(body: Uint8Array): Frame {
    const view = toDataView(this.#header)
    if (view.getUint32(8, true) !== this.#sum) throw invalid('its checksum is wrong')
    this.#body = undefined
    this.#bodyBytes = 0
    this.#headerBytes = 0
    return readFrame(view.getUint8(3), body, this.#trust)
  }
}

/**
 * A decoder for many frames. It loads the native part of msgpackr: some 10 ms, after which reading takes half to two
 * thirds of the time.
 * @param trust as in the constructor
 */
export async function openDecoder(trust?: Trust): Promise<FrameDecoder> {
  await import('msgpackr')
  return new FrameDecoder(trust)
}

function toDataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

function readHeader(view: DataView): number {
  if (view.getUint16(0, true) !== MAGIC) throw invalid('it does not begin with the magic number')
  const version = view.getUint8(2)
  if (version !== FEED_VERSION) throw invalid(`it has version ${version}, this reader knows ${FEED_VERSION}`)
  const type = view.getUint8(3)
  if (type < FrameType.Delta || type > FrameType.State) throw invalid(`its type ${type} is not known`)
  const length = view.getUint32(4, true)
  if (length > FRAME_BYTES_MAX) throw invalid(`it is ${length} bytes long, the limit is ${FRAME_BYTES_MAX}`)
  return length
}

function readFrame(type: FrameType, bytes: Uint8Array, trust: Trust | undefined): Frame {
  let body: unknown
  try {
    body = packr.unpack(bytes)
  } catch (cause) {
    throw new ZerohopError('FRAME_INVALID', { reason: 'its body is not msgpack' }, { cause })
  }
  const fields = list(body, 'its body')
  switch (type) {
    case FrameType.Delta:
      return readDelta(fields, trust)
    case FrameType.Heartbeat:
      return { type: 'heartbeat', revision: revision(fields[0]) }
    case FrameType.State:
      return { type: 'state', part: readPart(fields) }
    default:
      return { type: 'end', code: endCode(fields[0]) }
  }
}

function readPart(fields: readonly unknown[]): PackedState {
  const [environment, at, chain, count, packed] = fields
  if (!(packed instanceof Uint8Array)) throw invalid('its changes are missing')
  const position = { revision: revision(at), chain: text(chain) }
  return { environment: text(environment), position, count: revision(count), packed }
}

function readDelta(fields: readonly unknown[], trust: Trust | undefined): Frame {
  const [environment, from, to, previous, chain, count, bytes, signature] = fields
  if (!(bytes instanceof Uint8Array)) throw invalid('its changes are missing')
  const delta: PackedDelta = {
    environment: text(environment),
    from: revision(from),
    to: revision(to),
    previous: text(previous),
    chain: text(chain),
    count: revision(count),
    packed: bytes,
    ...(signature instanceof Uint8Array ? { signature } : {}),
  }
  trust?.requireDelta(delta)
  if (delta.count > DELTA_IN_TURN_MAX) return { type: 'packed', delta }
  return { type: 'delta', delta: unpackDelta(delta), ...(trust === undefined ? {} : { signed: delta }) }
}

function readChange(value: unknown): PolicyChange {
  const fields = list(value, 'a change')
  const code = fields[0]
  if (typeof code !== 'number') throw invalid('a change has no code')
  const kind = KINDS[Math.abs(code)]
  if (kind === undefined) throw invalid(`change code ${code} is not known`)
  if (code < 0 && code !== -PROJECTIONS[kind].code) throw invalid(`change code ${code} is not known`)
  return code < 0 ? { op: 'delete', kind, key: text(fields[1]) } : PROJECTIONS[kind].read(fields)
}

function revision(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw invalid('a revision is not a whole number')
  return value
}

function endCode(value: unknown): EndCode {
  const code = text(value)
  if (!END_CODES.includes(code)) throw invalid(`end code ${code.slice(0, 40)} is not known`)
  return code as EndCode
}
