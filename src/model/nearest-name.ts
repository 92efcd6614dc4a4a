// The name that was probably meant: what an error about an unknown name suggests. Bounded: long names and long lists
// are not searched to the end. A suggestion is never used to decide.
import { NEAREST_CHARS_MAX, NEAREST_NAMES_MAX } from './limits.ts'

/**
 * The name of the list with the fewest edits from `name`; of several the first in the order of their characters.
 * Undefined when none is near: more than one edit in three characters is another name. The name itself is never
 * suggested.
 */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  if (name.length > NEAREST_CHARS_MAX) return undefined
  const wanted = name.toLowerCase()
  let nearest: string | undefined
  let fewest = Math.max(1, Math.floor(name.length / 3))
  for (const each of names.slice(0, NEAREST_NAMES_MAX)) {
    if (each === name || Math.abs(each.length - name.length) > fewest) continue
    const count = edits(wanted, each.toLowerCase())
    if (count > fewest || (count === fewest && nearest !== undefined && nearest < each)) continue
    fewest = count
    nearest = each
  }
  return nearest
}

/** Insertions, deletions, replacements and swaps of neighbours that make `left` the same as `right`. */
function edits(left: string, right: string): number {
  let before: number[] = []
  let last = Array.from({ length: right.length + 1 }, (_, at) => at)
  for (let i = 1; i <= left.length; i++) {
    const row = [i]
    for (let j = 1; j <= right.length; j++) {
      const isSame = left[i - 1] === right[j - 1]
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]
      const least = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1))
      row.push(isSwap ? Math.min(least, before[j - 2]! + 1) : least)
    }
    before = last
    last = row
  }
  return last[right.length]!
}
