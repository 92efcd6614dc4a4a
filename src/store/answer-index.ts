// Places by the tags of what lies there, in memory: a table with open addressing, eight bytes for each slot. A tag is 32
// bits of a hash, so several places can have one: who asks compares what lies at each. Places are at most 2^32 below the
// next one, and are kept as their lower 32 bits.

const SLOTS_MIN = 1_024
/** Slots are doubled when more than this share of them is taken. */
const FILLED_MAX = 0.6
const PLACES = 2 ** 32

export class AnswerIndex {
  /** 0: the slot is free */
  #tags: Uint32Array
  #places: Uint32Array
  #size = 0

  /** @param expected how many are added at once */
  constructor(expected = 0) {
    const slots = Math.max(SLOTS_MIN, 2 ** Math.ceil(Math.log2(expected / FILLED_MAX + 1)))
    this.#tags = new Uint32Array(slots)
    this.#places = new Uint32Array(slots)
  }

  /** @param tag not 0 */
  add(tag: number, place: number): void {
    if (this.#size >= this.#tags.length * FILLED_MAX) this.#grow()
    this.#put(tag, place % PLACES)
    this.#size++
  }

  /** The first place with this tag that the test accepts. @param next a place above all that were added */
  find<T>(tag: number, next: number, test: (place: number) => T | undefined): T | undefined {
    const mask = this.#tags.length - 1
    for (let slot = tag & mask; this.#tags[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#tags[slot] !== tag) continue
      const found = test(next - ((next - this.#places[slot]!) >>> 0))
      if (found !== undefined) return found
    }
    return undefined
  }

  remove(tag: number, place: number): void {
    const mask = this.#tags.length - 1
    const low = place % PLACES
    for (let slot = tag & mask; this.#tags[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#tags[slot] !== tag || this.#places[slot] !== low) continue
      this.#free(slot)
      this.#size--
      return
    }
  }

  /** Moves what lies behind a slot to the front, as if the slot had never been taken. */
  #free(slot: number): void {
    const mask = this.#tags.length - 1
    let hole = slot
    for (let at = (hole + 1) & mask; this.#tags[at] !== 0; at = (at + 1) & mask) {
      const home = this.#tags[at]! & mask
      if (((at - home) & mask) < ((at - hole) & mask)) continue
      this.#tags[hole] = this.#tags[at]!
      this.#places[hole] = this.#places[at]!
      hole = at
    }
    this.#tags[hole] = 0
  }

  #grow(): void {
    const [tags, places] = [this.#tags, this.#places]
    this.#tags = new Uint32Array(tags.length * 2)
    this.#places = new Uint32Array(tags.length * 2)
    for (let slot = 0; slot < tags.length; slot++) if (tags[slot] !== 0) this.#put(tags[slot]!, places[slot]!)
  }

  #put(tag: number, low: number): void {
    const mask = this.#tags.length - 1
    let slot = tag & mask
    while (this.#tags[slot] !== 0) slot = (slot + 1) & mask
    this.#tags[slot] = tag
    this.#places[slot] = low
  }
}
