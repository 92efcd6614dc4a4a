// Room in linear memory: a bump pointer and free lists, all state in the header. Never moves a block; never shrinks.
//
//   free block   │ next u32 │ (unused) │
//
// A block of up to 512 bytes has its exact size (a multiple of 4); a larger one is a power of two, aligned to 64.
// INVARIANT: a block on a list has the size of that list; Header.Free is the sum over all lists.
import { FreeBlock, HEADER, HEAP, Header } from '../abi'
import { IMAGE_BYTES_MAX } from '../limits'
import { assertBlock } from './checked'

const SMALL_MAX: u32 = 512

export function field(offset: u32): u32 {
  return load<u32>(HEADER + offset)
}

export function setField(offset: u32, value: u32): void {
  store<u32>(HEADER + offset, value)
}

export function addToField(offset: u32, amount: i32): void {
  store<u32>(HEADER + offset, load<u32>(HEADER + offset) + amount)
}

/** Bytes that a block for `bytes` takes. */
export function blockBytes(bytes: u32): u32 {
  if (bytes <= SMALL_MAX) return (bytes + 3) & ~3
  return (1 as u32) << (32 - clz<u32>(bytes - 1))
}

function freeListAddress(bytes: u32): u32 {
  if (bytes <= SMALL_MAX) return HEADER + Header.FreeSmall + (bytes - 4)
  return HEADER + Header.FreeLarge + (ctz<u32>(bytes) - 9) * 4
}

/**
 * A zeroed block of at least `bytes`. Traps when the memory cannot grow; `reserve` beforehand makes that impossible.
 */
export function allocate(bytes: u32): u32 {
  const size = blockBytes(bytes)
  const list = freeListAddress(size)
  let block = load<u32>(list)
  if (block !== 0) {
    if (!ASC_NO_ASSERT) {
      assertBlock(block, size)
      assert(
        load<u32>(block, FreeBlock.Next) !== block && field(Header.Free) >= size,
        'a list of free blocks is broken',
      )
    }
    store<u32>(list, load<u32>(block, FreeBlock.Next))
    addToField(Header.Free, -(size as i32))
  } else {
    block = field(Header.Top)
    if (size > SMALL_MAX) block = (block + 63) & ~63
    if (!growTo(block + size)) unreachable()
    setField(Header.Top, block + size)
  }
  memory.fill(block, 0, size)
  return block
}

/** Gives a block back; `bytes` as it was asked for. */
export function release(block: u32, bytes: u32): void {
  const size = blockBytes(bytes)
  const list = freeListAddress(size)
  if (!ASC_NO_ASSERT) {
    assertBlock(block, size)
    assert(load<u32>(list) !== block, 'a block is freed twice')
    assert(field(Header.Free) + size <= field(Header.Top) - HEAP, 'more is free than there is')
  }
  store<u32>(block, load<u32>(list), FreeBlock.Next)
  store<u32>(list, block)
  addToField(Header.Free, size as i32)
}

/** Makes `bytes` more than now allocatable without fail. False when the memory cannot grow that far. */
export function reserveBytes(bytes: u32): bool {
  const top = field(Header.Top)
  if (bytes > (IMAGE_BYTES_MAX as u32) - top) return false
  return growTo(top + bytes)
}

function growTo(end: u32): bool {
  if (end > (IMAGE_BYTES_MAX as u32)) return false
  const pages = (end + 0xffff) >>> 16
  const have = memory.size() as u32
  if (pages <= have) return true
  // An eighth more than needed: a stream of small deltas must not call the host's allocator each time.
  const wanted = pages + (pages >>> 3)
  const most = ((IMAGE_BYTES_MAX as u32) + 0xffff) >>> 16
  if (memory.grow(((wanted < most ? wanted : most) - have) as i32) >= 0) return true
  return memory.grow((pages - have) as i32) >= 0
}
