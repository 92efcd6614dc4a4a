// The order of keys in listings: that of their UTF-8 bytes (D9: how values compare), as in the kernel.
import { compareText, sortsByUnits } from '../../model/text-order.ts'

/** Sorts in place, by UTF-8 bytes. */
export function sortKeys(keys: string[]): string[] {
  return keys.every(sortsByUnits) ? keys.sort() : keys.sort(compareText)
}
