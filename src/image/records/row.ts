// The ids of permissions in a row of bits, and in the answers of the kernel about rows. assembly/memory/bitset.ts draws
// a row.
import { PAGE_BYTES, PAGE_SHIFT, ROW_PAGES, Row } from '../../../assembly/abi.ts'
import { SCRATCH_BYTES } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** Ids of the permissions whose bits are set in a row. */
export function rowIds(kernel: Kernel, row: number): number[] {
  const ids: number[] = []
  for (let index = 0; index < ROW_PAGES; index++) {
    const page = index === 0 ? row + Row.FirstPage : kernel.word(row + Row.Pages + index * 4)
    for (let offset = 0; page !== 0 && offset < PAGE_BYTES; offset += 4) {
      for (let bits = kernel.word(page + offset); bits !== 0; bits &= bits - 1)
        ids.push((index << PAGE_SHIFT) + offset * 8 + 31 - Math.clz32(bits & -bits))
    }
  }
  return ids
}

/** All ids of a call that lists those from `first` on, as many as fit into the scratch area. */
export function listIds(kernel: Kernel, list: (first: number) => number): number[] {
  const found: number[] = []
  for (let first = 1; ; ) {
    const ids = kernel.readList(list(first))
    for (const id of ids) found.push(id)
    if (ids.length < SCRATCH_BYTES / 4) return found
    first = ids[ids.length - 1]! + 1
  }
}
