// Checkpoints of a data folder: the whole state of an environment at a revision, from which the entries after it lead
// to later ones (docs/adr/0023-past-revisions.md). A file is written under another name and renamed when it is
// complete.
//
//   <data>/checkpoints/<environment>/<revision>.<time>      time: that of the entry of the revision, in ms since 1970
//   file     about, one line of JSON │ parts │ u32 0 │ SHA-256 of everything before
//   part     length u32 │ deflated rows (object-rows.ts)
import { createHash, type Hash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { LogId, Position } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import { FOR_ITS_OWNER, makeFolder } from '../model/folder.ts'
import { CHECKPOINT_LINE_BYTES_MAX } from '../model/limits.ts'
import { syncFile } from './disk.ts'
import type { PlacedObject } from './load-snapshot.ts'
import { packParts, unpackPart } from './object-rows.ts'

const FORMAT = 1
const DIGEST_BYTES = 32

/** A complete file. */
export interface Checkpoint {
  readonly revision: number
  /** when the entry of the revision was written, in ms since 1970 */
  readonly at: number
  readonly path: string
  readonly bytes: number
}

interface About extends Position {
  readonly format: number
  readonly environment: LogId
}

const checkpointFolder = (data: string, environment: LogId): string => join(data, 'checkpoints', environment)

/** The checkpoints of an environment, the oldest first. */
export function listCheckpoints(data: string, environment: LogId): Checkpoint[] {
  const folder = checkpointFolder(data, environment)
  const found: Checkpoint[] = []
  for (const name of namesIn(folder)) {
    const [, revision, at] = /^(\d{1,15})\.(\d{1,15})$/.exec(name) ?? []
    const path = join(folder, name)
    const bytes = revision === undefined ? undefined : statSync(path, { throwIfNoEntry: false })?.size
    if (bytes !== undefined) found.push({ revision: Number(revision), at: Number(at), path, bytes })
  }
  return found.sort((one, other) => one.revision - other.revision)
}

/** Environments that have checkpoints. */
export const withCheckpoints = (data: string): string[] => namesIn(join(data, 'checkpoints'))

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // it does not exist yet
  }
}

/** Removes the checkpoints of an environment. */
export function removeCheckpoints(data: string, environment: LogId): void {
  rmSync(checkpointFolder(data, environment), { recursive: true, force: true })
}

/**
 * Writes the state at a revision. @param at time of the entry of the revision, in ms since 1970
 * @throws what the disk says
 */
export function writeCheckpoint(
  data: string,
  environment: LogId,
  { revision, chain, at }: Position & { readonly at: number },
  objects: Iterable<PlacedObject>,
): Checkpoint {
  const folder = checkpointFolder(data, environment)
  makeFolder(folder, FOR_ITS_OWNER)
  // what a process left that ended meanwhile
  for (const name of namesIn(folder)) if (name.endsWith('.new')) rmSync(join(folder, name), { force: true })
  const path = join(folder, `${revision}.${at}`)
  const file = openSync(`${path}.new`, 'w', 0o600)
  try {
    const about: About = { format: FORMAT, environment, revision, chain }
    const hash = createHash('sha256')
    let bytes = append(file, hash, Buffer.from(`${JSON.stringify(about)}\n`))
    for (const part of packParts(objects)) {
      const packed = deflateRawSync(part.bytes, { level: 1 })
      bytes += append(file, hash, encodeLength(packed)) + append(file, hash, packed)
    }
    bytes += append(file, hash, Buffer.alloc(4))
    bytes += append(file, undefined, hash.digest())
    syncFile(`${path}.new`)
    renameSync(`${path}.new`, path)
    syncFile(folder)
    return { revision, at, path, bytes }
  } catch (error) {
    rmSync(`${path}.new`, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

function append(file: number, hash: Hash | undefined, bytes: Uint8Array): number {
  hash?.update(bytes)
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
  return bytes.length
}

function encodeLength(packed: Buffer): Buffer {
  const length = Buffer.allocUnsafe(4)
  length.writeUInt32BE(packed.length)
  return length
}

/** A checkpoint that was compared with its digest. */
export interface OpenedCheckpoint {
  readonly position: Position
  /** Its objects, part by part: never more than one is in memory. */
  objects(): Iterable<PlacedObject>
}

/**
 * Compares a file with its digest, and reads its position.
 * @throws DATA_DAMAGED when it is not what was written
 */
export function openCheckpoint({ path, revision }: Checkpoint, environment: LogId): OpenedCheckpoint {
  const file = openSync(path, 'r')
  try {
    const { about, begin, end } = verify(file, path)
    if (about.format !== FORMAT) throw damaged(path, `its format is ${about.format}`)
    if (about.environment !== environment || about.revision !== revision) throw damaged(path, 'it has another name')
    return { position: { revision, chain: about.chain }, objects: () => objectsIn(path, begin, end) }
  } finally {
    closeSync(file)
  }
}

/** Reads a whole file in pieces. `begin` and `end` are where its parts lie. */
function verify(file: number, path: string): { about: About; begin: number; end: number } {
  const size = statSync(path).size
  const hash = createHash('sha256')
  const end = size - DIGEST_BYTES
  const piece = Buffer.allocUnsafe(1024 * 1024)
  let line: Buffer | undefined
  for (let at = 0; at < end; ) {
    const read = readSync(file, piece, 0, Math.min(piece.length, end - at), at)
    if (read === 0) throw damaged(path, 'it is cut off')
    hash.update(piece.subarray(0, read))
    line ??= Buffer.from(piece.subarray(0, Math.min(read, CHECKPOINT_LINE_BYTES_MAX)))
    at += read
  }
  const digest = Buffer.alloc(DIGEST_BYTES)
  const isWhole = end > 0 && readSync(file, digest, 0, DIGEST_BYTES, end) === DIGEST_BYTES
  if (!isWhole || !digest.equals(hash.digest())) throw damaged(path, 'it does not match its digest')
  const begin = (line?.indexOf('\n') ?? -1) + 1
  // what matches its digest was written by writeCheckpoint
  return { about: JSON.parse(line?.toString('utf8', 0, begin) ?? '') as About, begin, end }
}

function* objectsIn(path: string, begin: number, end: number): Generator<PlacedObject> {
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(4)
    for (let at = begin; at < end; ) {
      readSync(file, head, 0, 4, at)
      const length = head.readUInt32BE()
      if (length === 0) return
      const packed = Buffer.allocUnsafe(length)
      readSync(file, packed, 0, length, at + 4)
      yield* unpackPart(inflateRawSync(packed))
      at += 4 + length
    }
  } finally {
    closeSync(file)
  }
}

const damaged = (path: string, reason: string): ZerohopError =>
  new ZerohopError('DATA_DAMAGED', { what: `checkpoint \`${path}\``, reason })
