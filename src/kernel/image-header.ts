// The header of an image file: identity, length, checksum and roots. An image is used only after its header was
// validated here and its checksum by whoever read the file. docs/kernel-memory.md draws it.
import {
  HEADER_BYTES,
  HEAP,
  Header,
  MAGIC,
  OrderRoot,
  Root,
  SEGMENT_BUCKETS,
  TABLE_BYTES,
  TABLES,
} from '../../assembly/abi.ts'
import { ABI_VERSION, IMAGE_BYTES_MAX, ORDER_HEIGHT_MAX, Order } from '../../assembly/limits.ts'
import type { LogId, Position } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import type { Kernel } from './kernel.ts'

/** Bytes of the header; the heap follows. */
export const IMAGE_HEADER_BYTES = HEADER_BYTES

/** Writes the length of a file into its header; its checksum is 0 until `writeChecksum`. */
export function writeLength(header: DataView, length: number): void {
  header.setUint32(Header.Length, length, true)
  header.setUint32(Header.Crc, 0, true)
}

/** Writes the CRC-32 of the file whose checksum was 0. */
export function writeChecksum(header: DataView, sum: number): void {
  header.setUint32(Header.Crc, sum, true)
}

/** The checksum of a file, which is 0 in the header afterwards. */
export function takeChecksum(header: DataView): number {
  const expected = header.getUint32(Header.Crc, true)
  header.setUint32(Header.Crc, 0, true)
  return expected
}

/** The length of the file, as its header says. */
export const statedLength = (header: DataView): number => header.getUint32(Header.Length, true)

/** The header in the memory of a kernel. */
export const readHeaderBytes = (kernel: Kernel): Uint8Array => kernel.headerBytes(Header.Magic, HEADER_BYTES)

/** Clears revision, chain and checksum, in which images with equal contents may differ. */
export function clearPosition(header: Uint8Array): void {
  header.fill(0, Header.RevisionLow, Header.Chain + 32)
  header.fill(0, Header.Crc, Header.Crc + 4)
}

/** The environment and the revision of an image. */
export function readIdentity(header: DataView): { readonly environment: LogId; readonly position: Position } {
  const hex = (at: number, bytes: number): string => Buffer.from(header.buffer, at, bytes).toString('hex')
  const revision = header.getUint32(Header.RevisionHigh, true) * 2 ** 32 + header.getUint32(Header.RevisionLow, true)
  return { environment: hex(Header.Environment, 16), position: { revision, chain: hex(Header.Chain, 32) } }
}

/** @throws IMAGE_DAMAGED, IMAGE_FOREIGN when the header is not that of a file of so many bytes */
export function requireHeader(header: DataView, length: number): void {
  const field = (at: number): number => header.getUint32(at, true)
  if (field(Header.Magic) !== MAGIC) throw damaged('it does not begin with the magic number of an image')
  if (field(Header.Abi) !== ABI_VERSION) {
    const reason = `it has ABI ${field(Header.Abi)}, this version reads ${ABI_VERSION}`
    throw new ZerohopError('IMAGE_FOREIGN', { reason })
  }
  if (field(Header.Length) !== length)
    throw damaged(`its header says ${field(Header.Length)} bytes, but it has ${length}`)
  if (field(Header.Top) !== HEAP + length - HEADER_BYTES || length > IMAGE_BYTES_MAX) {
    throw damaged('the length of its heap differs from its header')
  }
  requireRoots(field, field(Header.Top))
}

function requireRoots(field: (at: number) => number, top: number): void {
  for (let table = 0; table < TABLES; table++) {
    const root = Header.Tables + table * TABLE_BYTES
    const directory = field(root + Root.Directory)
    if (directory < HEAP || directory + field(root + Root.Capacity) * 4 > top)
      throw damaged(`the root of table ${table} is outside of the image`)
    if (field(root + Root.Buckets) > field(root + Root.Capacity) * SEGMENT_BUCKETS)
      throw damaged(`table ${table} has more buckets than room for them`)
  }
  for (const order of [Order.Users, Order.Instances, Order.Tenants]) {
    const height = field(Header.Orders + order * OrderRoot.Bytes + OrderRoot.Height)
    if (height > ORDER_HEIGHT_MAX) throw damaged(`an order of keys is ${height} steps high`)
  }
}

export function damaged(reason: string, cause?: unknown): ZerohopError {
  return new ZerohopError('IMAGE_DAMAGED', { reason }, { cause })
}
