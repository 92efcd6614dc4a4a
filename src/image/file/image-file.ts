// The image file: header and heap, byte for byte as in memory, with length and CRC-32 filled in. Nothing of a file is
// used before its magic number, ABI, length, CRC-32 and roots are validated. docs/kernel-memory.md draws it.
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import {
  clearPosition,
  damaged,
  IMAGE_HEADER_BYTES,
  readHeaderBytes,
  readIdentity,
  requireHeader,
  statedLength,
  takeChecksum,
  writeChecksum,
  writeLength,
} from '../../kernel/image-header.ts'
import { Kernel } from '../../kernel/kernel.ts'
import type { KernelSource } from '../../kernel/module.ts'
import type { LogId, Position } from '../../log/change.ts'
import { isTail, TAIL_BYTES, type Trust } from '../../log/signature.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'

/** The bytes of the file of this kernel's image. */
export function saveKernel(kernel: Kernel): Uint8Array {
  const [header, heap] = kernel.parts
  const file = new Uint8Array(header.length + heap.length)
  file.set(header)
  file.set(heap, header.length)
  const view = new DataView(file.buffer)
  writeLength(view, file.length)
  writeChecksum(view, crc32(file))
  return file
}

/** Another kernel with the same image: its memory is copied. @throws IMAGE_FULL when the host gives no memory */
export function copyKernel(kernel: Kernel, source: KernelSource): Kernel {
  const [header, heap] = kernel.parts
  const copy = new Kernel(source, header.length + heap.length)
  readHeaderBytes(copy).set(header)
  copy.heapBytes(heap.length).set(heap)
  return copy
}

/** `copyKernel` in pieces: `pause` is awaited between them, and the image must not change meanwhile. */
export async function copyKernelSlowly(kernel: Kernel, source: KernelSource, pause: Pause): Promise<Kernel> {
  const [header, heap] = kernel.parts
  const copy = new Kernel(source, header.length + heap.length)
  readHeaderBytes(copy).set(header)
  const room = copy.heapBytes(heap.length)
  for (let start = 0; start < heap.length; start += PIECE_BYTES) {
    room.set(heap.subarray(start, start + PIECE_BYTES), start)
    await pause()
  }
  return copy
}

/** `saveKernel` in pieces: `pause` is awaited between them, and the image must not change meanwhile. */
export async function saveKernelSlowly(kernel: Kernel, pause: Pause): Promise<Uint8Array> {
  const [header, heap] = kernel.parts
  const file = new Uint8Array(header.length + heap.length)
  file.set(header)
  const view = new DataView(file.buffer)
  writeLength(view, file.length)
  let sum = crc32(file.subarray(0, header.length))
  for (let start = 0; start < heap.length; start += PIECE_BYTES) {
    const piece = heap.subarray(start, start + PIECE_BYTES)
    file.set(piece, header.length + start)
    sum = crc32(piece, sum)
    await pause()
  }
  writeChecksum(view, sum)
  return file
}

/**
 * SHA-256 of a saved image without revision, chain and checksum, in which images with equal contents may differ. 64 hex
 * digits.
 */
export function hashImage(file: Uint8Array): string {
  const header = file.slice(0, IMAGE_HEADER_BYTES)
  clearPosition(header)
  return createHash('sha256').update(header).update(file.subarray(IMAGE_HEADER_BYTES)).digest('hex')
}

/** The header of an image file and the digest of its bytes. */
export interface ImageHead {
  readonly environment: LogId
  readonly position: Position
  /** bytes of the file, including its signature */
  readonly length: number
  /** SHA-256 of the file without its signature */
  readonly digest: Uint8Array
  readonly tail: Uint8Array | undefined
}

/**
 * Reads an image file in pieces, without loading it: returns its head, and validates its checksum.
 * @throws IMAGE_UNREADABLE, IMAGE_DAMAGED, IMAGE_FOREIGN
 */
export async function inspectImageFile(path: string): Promise<ImageHead> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error)
  })
  try {
    const header = new Uint8Array(IMAGE_HEADER_BYTES)
    const { size: length } = await file.stat()
    const tail = readTail(fileSource(file.fd))
    const size = length - (tail?.length ?? 0)
    if (size < IMAGE_HEADER_BYTES) throw damaged(`${size} bytes are fewer than a header needs`)
    await file.read(header, 0, IMAGE_HEADER_BYTES, 0)
    const digest = createHash('sha256').update(header)
    const view = new DataView(header.buffer)
    requireHeader(view, size)
    const expected = takeChecksum(view)
    let sum = crc32(header)
    const piece = new Uint8Array(PIECE_BYTES)
    for (let at = IMAGE_HEADER_BYTES; at < size; ) {
      const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, size - at), at)
      if (bytesRead === 0) throw damaged('the file ends early')
      sum = crc32(piece.subarray(0, bytesRead), sum)
      digest.update(piece.subarray(0, bytesRead))
      at += bytesRead
    }
    if (sum !== expected) throw damaged('its checksum is wrong')
    return { ...readIdentity(view), length, digest: digest.digest(), tail }
  } finally {
    await file.close()
  }
}

/** Bytes read and added to the checksum at a time: they are still in the processor cache for the checksum. */
const CHUNK_BYTES = 256 * 1024
/** Bytes copied in one turn of the event loop where it must not be blocked: about a millisecond. */
const PIECE_BYTES = 1024 * 1024

/** Resolves after other work of the event loop had its turn. */
export type Pause = () => Promise<void>

/** A source of image bytes: `read` fills the target from the position on, or throws. */
interface Source {
  readonly length: number
  read(target: Uint8Array, position: number): void
}

/**
 * A kernel on the image in `input`: its bytes, or the path of its file. @throws IMAGE_UNREADABLE, IMAGE_DAMAGED,
 * IMAGE_FOREIGN, IMAGE_FULL
 */
export function loadKernel(input: Uint8Array | string, source: KernelSource, trust?: Trust): Kernel {
  if (typeof input !== 'string') return loadFrom(bytesSource(input), source, trust)
  let file: number | undefined
  try {
    file = openSync(input, 'r')
    return loadFrom(fileSource(file), source, trust)
  } catch (error) {
    throw isZerohopError(error) ? error : unreadable(input, error)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function bytesSource(bytes: Uint8Array): Source {
  return {
    length: bytes.length,
    read: (target, position) => target.set(bytes.subarray(position, position + target.length)),
  }
}

function fileSource(file: number): Source {
  return {
    length: fstatSync(file).size,
    read(target, position) {
      for (let done = 0; done < target.length; ) {
        const count = readSync(file, target, done, target.length - done, position + done)
        if (count === 0) throw damaged('the file ends early')
        done += count
      }
    },
  }
}

/** `loadKernel` for bytes, in pieces: `pause` is awaited between them. */
export async function loadKernelSlowly(
  bytes: Uint8Array,
  source: KernelSource,
  pause: Pause,
  trust?: Trust,
): Promise<Kernel> {
  const loading = new Loading(bytesSource(bytes), source, trust)
  while (!loading.read(PIECE_BYTES)) await pause()
  return loading.finish()
}

function loadFrom(input: Source, source: KernelSource, trust: Trust | undefined): Kernel {
  const loading = new Loading(input, source, trust)
  while (!loading.read(CHUNK_BYTES));
  return loading.finish()
}

/**
 * An image being loaded: the header is validated first, the checksum is computed while the heap is copied, and the
 * image is usable only at the end.
 */
class Loading {
  readonly #input: Source
  readonly #header = new Uint8Array(IMAGE_HEADER_BYTES)
  readonly #view = new DataView(this.#header.buffer)
  readonly #kernel: Kernel
  readonly #heap: Uint8Array
  readonly #expected: number
  readonly #tail: Uint8Array | undefined
  readonly #trust: Trust | undefined
  readonly #digest = createHash('sha256')
  #done = 0
  #sum: number

  /** With `trust` the image must be signed; without it a signature is ignored. */
  constructor(input: Source, source: KernelSource, trust: Trust | undefined) {
    this.#input = input
    this.#trust = trust
    this.#tail = readTail(input)
    const length = input.length - (this.#tail?.length ?? 0)
    if (length < IMAGE_HEADER_BYTES) throw damaged(`${length} bytes are fewer than a header needs`)
    input.read(this.#header, 0)
    requireHeader(this.#view, length)
    if (trust !== undefined) this.#digest.update(this.#header)
    this.#kernel = new Kernel(source, length)
    this.#heap = this.#kernel.heapBytes(length - IMAGE_HEADER_BYTES)
    this.#expected = takeChecksum(this.#view)
    this.#sum = crc32(this.#header)
  }

  /** Reads up to that many bytes; true when the image is complete. */
  read(bytes: number): boolean {
    const piece = this.#heap.subarray(this.#done, this.#done + bytes)
    this.#input.read(piece, IMAGE_HEADER_BYTES + this.#done)
    this.#sum = crc32(piece, this.#sum)
    if (this.#trust !== undefined) this.#digest.update(piece)
    this.#done += piece.length
    return this.#done === this.#heap.length
  }

  finish(): Kernel {
    if (this.#sum !== this.#expected) throw damaged('its checksum is wrong')
    this.#trust?.requireImage(this.#digest.digest(), this.#tail)
    readHeaderBytes(this.#kernel).set(this.#header)
    return this.#kernel
  }
}

/**
 * The signature behind an image; undefined when it is unsigned, that is, when the length in its header is that of the
 * whole file.
 */
function readTail(input: Source): Uint8Array | undefined {
  if (input.length < IMAGE_HEADER_BYTES + TAIL_BYTES) return undefined
  const end = new Uint8Array(TAIL_BYTES)
  input.read(end, input.length - TAIL_BYTES)
  if (!isTail(end)) return undefined
  const header = new Uint8Array(IMAGE_HEADER_BYTES)
  input.read(header, 0)
  const says = statedLength(new DataView(header.buffer))
  return says === input.length - TAIL_BYTES ? end : undefined
}

function unreadable(path: string, cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException
  return code === undefined ? cause : new ZerohopError('IMAGE_UNREADABLE', { path, reason: code }, { cause })
}
