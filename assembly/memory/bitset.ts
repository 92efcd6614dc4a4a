// Bitset rows over permission ids: ROW_PAGES addresses of pages of 2,048 bits, 0 for a page of zeros. A row is an
// address of ROW_BYTES; it may lie inside a role record.
import { PAGE_BYTES, PAGE_SHIFT, ROW_PAGES, Row } from '../abi'
import { assertPage } from './checked'
import { allocate, release } from './memory'

function wordAddress(page: u32, bit: u32): u32 {
  return page + ((bit >>> 3) & (PAGE_BYTES - 4))
}

/** The address of a page of a row, 0 for a page of zeros. */
export function pageAddress(row: u32, index: u32): u32 {
  return index === 0 ? row + Row.FirstPage : load<u32>(row + index * 4, Row.Pages)
}

export function hasBit(row: u32, bit: u32): bool {
  return readBit(row, bit) !== 0
}

/** A bit, 1 or 0: for several at once, without a branch for each. */
export function readBit(row: u32, bit: u32): u32 {
  const page = pageAddress(row, bit >>> PAGE_SHIFT)
  if (!ASC_NO_ASSERT) assertPage(page)
  if (page === 0) return 0
  return (load<u32>(wordAddress(page, bit)) >>> (bit & 31)) & 1
}

/** Sets a bit; true when it was clear. */
export function setBit(row: u32, bit: u32): bool {
  let page = pageAddress(row, bit >>> PAGE_SHIFT)
  if (!ASC_NO_ASSERT) assertPage(page)
  if (page === 0) {
    page = allocate(PAGE_BYTES)
    store<u32>(row + (bit >>> PAGE_SHIFT) * 4, page, Row.Pages)
  }
  const word = wordAddress(page, bit)
  const mask = (1 as u32) << (bit & 31)
  const old = load<u32>(word)
  store<u32>(word, old | mask)
  return (old & mask) === 0
}

/** Clears a bit; true when it was set. A page that becomes empty is freed. */
export function clearBit(row: u32, bit: u32): bool {
  if (!hasBit(row, bit)) return false
  const index = bit >>> PAGE_SHIFT
  const page = pageAddress(row, index)
  const word = wordAddress(page, bit)
  store<u32>(word, load<u32>(word) & ~((1 as u32) << (bit & 31)))
  dropPageIfEmpty(row, index)
  return true
}

/** Frees a page of zeros; page 0 stays where it is. */
export function dropPageIfEmpty(row: u32, index: u32): void {
  if (index === 0) return
  const page = load<u32>(row + index * 4, Row.Pages)
  if (page === 0 || !isEmptyPage(page)) return
  store<u32>(row + index * 4, 0, Row.Pages)
  release(page, PAGE_BYTES)
}

export function isEmptyPage(page: u32): bool {
  for (let offset: u32 = 0; offset < (PAGE_BYTES as u32); offset += 8) {
    if (load<u64>(page + offset) !== 0) return false
  }
  return true
}

/** Frees every page of a row and leaves it empty. */
export function clearRow(row: u32): void {
  memory.fill(row + Row.FirstPage, 0, PAGE_BYTES)
  for (let index: u32 = 1; index < (ROW_PAGES as u32); index++) {
    const page = load<u32>(row + index * 4, Row.Pages)
    if (page === 0) continue
    store<u32>(row + index * 4, 0, Row.Pages)
    release(page, PAGE_BYTES)
  }
}
