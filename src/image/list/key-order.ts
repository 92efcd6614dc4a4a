// The order of keys in listings: that of their UTF-8 bytes (D9: how values compare), as in the kernel.

/** Below 0 when left comes first, by UTF-8 bytes (D9). */
export function compareKeys(left: string, right: string): number {
  if (left === right) return 0
  if (OUT_OF_ORDER.test(left) || OUT_OF_ORDER.test(right)) return Buffer.compare(Buffer.from(left), Buffer.from(right))
  return left < right ? -1 : 1
}

/** UTF-16 code units sort like UTF-8 bytes, except for these. */
const OUT_OF_ORDER = /[\ud800-\uffff]/

/** Sorts in place, by UTF-8 bytes. */
export function sortKeys(keys: string[]): string[] {
  return keys.some((key) => OUT_OF_ORDER.test(key)) ? keys.sort(compareKeys) : keys.sort()
}
