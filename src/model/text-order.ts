// The order of texts (D9): that of their UTF-8 bytes, as in the kernel.

/** Below 0 when left comes first, above 0 when right does, 0 when they are equal. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0
  if (sortsByUnits(left) && sortsByUnits(right)) return left < right ? -1 : 1
  const end = Math.min(left.length, right.length)
  for (let at = 0; at < end; at++) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)]
    if (a !== b) return byteOrder(a) - byteOrder(b)
  }
  return left.length - right.length
}

/** Whether the UTF-16 code units of the text sort like its UTF-8 bytes: all but the highest do. */
export const sortsByUnits = (text: string): boolean => !/[\ud800-\uffff]/.test(text)

/** Code units sort like UTF-8 bytes when surrogates, the halves of characters beyond U+FFFF, come last. */
function byteOrder(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
