// Small bounded memories from key strings to ids, in front of the kernel's symbol tables: an id belongs to its key as long as the
// image lives, so an entry is never wrong. They hold nothing that the kernel does not, and never remember "unknown" (design.md §4).
import { LOOKASIDE_ENTRIES } from '../model/limits.ts'

const MASK = LOOKASIDE_ENTRIES - 1

/** Where a key may be. Reads at most 12 characters: keys differ at their ends, or are random. Any function is correct, a good one is fast. */
function slotOf(key: string): number {
  const length = key.length
  let hash = length
  if (length <= 12) {
    for (let index = 0; index < length; index++) hash = (hash * 31 + key.charCodeAt(index)) | 0
  } else {
    for (let index = 0; index < 4; index++) hash = (hash * 31 + key.charCodeAt(index)) | 0
    for (let index = length - 8; index < length; index++) hash = (hash * 31 + key.charCodeAt(index)) | 0
  }
  return hash ^ (hash >>> 13)
}

/** From one key to an id. */
export class Lookaside {
  readonly #keys: string[] = new Array<string>(LOOKASIDE_ENTRIES).fill('')
  readonly #ids = new Int32Array(LOOKASIDE_ENTRIES)

  /** The id of the key when it is remembered, else 0. */
  find(key: string): number {
    const slot = slotOf(key) & MASK
    return this.#keys[slot] === key ? this.#ids[slot]! : 0
  }

  /** Remembers the id of a key, in place of what was there. */
  keep(key: string, id: number): void {
    const slot = slotOf(key) & MASK
    this.#keys[slot] = key
    this.#ids[slot] = id
  }
}

/** From two keys (resource type, action) to an id. */
export class PairLookaside {
  readonly #left: string[] = new Array<string>(LOOKASIDE_ENTRIES).fill('')
  readonly #right: string[] = new Array<string>(LOOKASIDE_ENTRIES).fill('')
  readonly #ids = new Int32Array(LOOKASIDE_ENTRIES)

  find(left: string, right: string): number {
    const slot = (slotOf(left) * 17 + slotOf(right)) & MASK
    return this.#left[slot] === left && this.#right[slot] === right ? this.#ids[slot]! : 0
  }

  keep(left: string, right: string, id: number): void {
    const slot = (slotOf(left) * 17 + slotOf(right)) & MASK
    this.#left[slot] = left
    this.#right[slot] = right
    this.#ids[slot] = id
  }
}
