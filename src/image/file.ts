// The image file: header ++ heap, exactly as they lie in memory, with length and CRC-32 filled in. Nothing of it is believed
// before magic, ABI, length, CRC-32 and roots hold. docs/kernel-memory.md draws it.
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import {
  ABI_VERSION,
  HEADER_BYTES,
  HEAP,
  Header,
  IMAGE_BYTES_MAX,
  MAGIC,
  Root,
  TABLE_BYTES,
  TABLES,
} from '../../assembly/abi.ts'
import { Kernel } from '../kernel/kernel.ts'
import type { KernelSource } from '../kernel/module.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'

/** The bytes of the file of this kernel's image. */
export function saveKernel(kernel: Kernel): Uint8Array {
  const [header, heap] = kernel.parts
  const file = new Uint8Array(header.length + heap.length)
  file.set(header)
  file.set(heap, header.length)
  const view = new DataView(file.buffer)
  view.setUint32(Header.Length, file.length, true)
  view.setUint32(Header.Crc, 0, true)
  view.setUint32(Header.Crc, crc32(file), true)
  return file
}

/** SHA-256 of a saved image without what two equal contents may differ in: revision, chain and checksum. 64 hex digits. */
export function hashImage(file: Uint8Array): string {
  const header = file.slice(0, HEADER_BYTES)
  header.fill(0, Header.RevisionLow, Header.Chain + 32)
  header.fill(0, Header.Crc, Header.Crc + 4)
  return createHash('sha256').update(header).update(file.subarray(HEADER_BYTES)).digest('hex')
}

/** Bytes read and summed at a time: they are still in the cache when the checksum reads them again. */
const CHUNK_BYTES = 256 * 1024

/** Where the bytes of an image come from: `read` fills the target from the position on, or fails. */
interface Source {
  readonly length: number
  read(target: Uint8Array, position: number): void
}

/** A kernel on the image in `input`: its bytes, or the path of its file. @throws IMAGE_DAMAGED, IMAGE_FOREIGN, IMAGE_FULL */
export function loadKernel(input: Uint8Array | string, source: KernelSource): Kernel {
  if (typeof input !== 'string') return loadFrom(bytesSource(input), source)
  let file: number | undefined
  try {
    file = openSync(input, 'r')
    return loadFrom(fileSource(file), source)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    throw isZerohopError(error) || code === undefined ? error : damaged(`the file cannot be read (${code})`, error)
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

function loadFrom(input: Source, source: KernelSource): Kernel {
  if (input.length < HEADER_BYTES) throw damaged(`${input.length} bytes are fewer than a header has`)
  const header = new Uint8Array(HEADER_BYTES)
  input.read(header, 0)
  const view = new DataView(header.buffer)
  const field = (at: Header): number => view.getUint32(at, true)
  if (field(Header.Magic) !== MAGIC) throw damaged('it does not begin like an image')
  if (field(Header.Abi) !== ABI_VERSION) {
    throw new ZerohopError('IMAGE_FOREIGN', {
      reason: `it has ABI ${field(Header.Abi)}, this version reads ${ABI_VERSION}`,
    })
  }
  const heapBytes = input.length - HEADER_BYTES
  if (field(Header.Length) !== input.length)
    throw damaged(`it says ${field(Header.Length)} bytes and has ${input.length}`)
  if (field(Header.Top) !== HEAP + heapBytes || input.length > IMAGE_BYTES_MAX)
    throw damaged('its heap has another length than it says')
  requireRoots(field, field(Header.Top))
  const kernel = new Kernel(source, input.length)
  const heap = kernel.heapOf(heapBytes)
  const expected = field(Header.Crc)
  view.setUint32(Header.Crc, 0, true)
  let sum = crc32(header)
  for (let start = 0; start < heapBytes; start += CHUNK_BYTES) {
    const chunk = heap.subarray(start, start + CHUNK_BYTES)
    input.read(chunk, HEADER_BYTES + start)
    sum = crc32(chunk, sum)
  }
  if (sum !== expected) throw damaged('its checksum is wrong')
  kernel.headerBytes(Header.Magic, HEADER_BYTES).set(header)
  return kernel
}

function requireRoots(field: (at: number) => number, top: number): void {
  for (let table = 0; table < TABLES; table++) {
    const root = Header.Tables + table * TABLE_BYTES
    const directory = field(root + Root.Directory)
    if (directory < HEAP || directory + field(root + Root.Capacity) * 4 > top)
      throw damaged(`the root of table ${table} lies outside`)
  }
}

function damaged(reason: string, cause?: unknown): ZerohopError {
  return new ZerohopError('IMAGE_DAMAGED', { reason }, { cause })
}
