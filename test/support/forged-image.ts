// Saved images that somebody changed who knows how they are kept: the checksum is good, what they hold is not.
import { crc32 } from 'node:zlib'
import { HEADER_BYTES, HEAP, Header, Node, OrderRoot } from '../../assembly/abi.ts'
import type { Order } from '../../assembly/limits.ts'

/** A copy with one word changed, by its address in the memory, and a checksum that fits. */
export function withWord(saved: Uint8Array, address: number, value: number): Uint8Array {
  const bytes = saved.slice()
  new DataView(bytes.buffer).setUint32(address, value, true)
  return withChecksum(bytes)
}

/** Writes the checksum that fits. */
export function withChecksum(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer)
  view.setUint32(Header.Crc, 0, true)
  view.setUint32(Header.Crc, crc32(bytes), true)
  return bytes
}

/** A copy in which the first leaf of an order is followed by itself, or by what lies `offset` bytes behind it. */
export function inACircle(saved: Uint8Array, order: Order, offset = 0): Uint8Array {
  const leaf = new DataView(saved.buffer, saved.byteOffset).getUint32(Header.Orders + order * OrderRoot.Bytes, true)
  return withWord(saved, HEADER_BYTES + leaf - HEAP + Node.Next, leaf + offset)
}
