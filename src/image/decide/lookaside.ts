// Small bounded caches from key strings to ids, in front of the kernel's symbol tables. "Unknown" is never cached. An
// entry is wrong once its object is deleted: src/image/live-ids.ts, which alone uses these, drops it then.
//
// The caches are two-way: a key is in its slot or in the next one. Strings are not hashed: a few characters choose the
// slot, and comparing with the string there is cheap, above all when it is the same object. A cache begins small and
// doubles while keys evict each other, up to its limit.
import { LOOKASIDE_ENTRIES_FIRST, LOOKASIDE_ENTRIES_MAX } from '../../model/limits.ts'

// Reading a character costs as much as a whole probe of a small table, so for each kind of key as few as possible are
// read.

/**
 * 32 bits of a user key: there are many users, and their keys differ at the end (numbers, UUIDs) or shortly before it
 * (mail addresses).
 */
export function sampleUser(key: string): number {
  const length = key.length
  if (length < 4) return sampleName(key)
  const end =
    key.charCodeAt(length - 1) ^
    (key.charCodeAt(length - 2) << 8) ^
    (key.charCodeAt(length - 3) << 16) ^
    (key.charCodeAt(length - 4) << 24)
  const before = key.charCodeAt(length >> 1) ^ (key.charCodeAt(length >> 2) << 8) ^ (length << 16)
  return end ^ Math.imul(before, 0x85eb_ca6b)
}

/** 32 bits of a tenant key. */
function sampleTenant(key: string): number {
  const length = key.length
  if (length < 3) return sampleName(key)
  return sampleName(key) ^ (key.charCodeAt(length - 3) << 16)
}

/** 32 bits of the name of a type or an action. There are few of these. */
function sampleName(key: string): number {
  const length = key.length
  if (length < 2) return length === 0 ? 0 : key.charCodeAt(0)
  return (
    key.charCodeAt(length - 1) ^
    (key.charCodeAt(length - 2) << 8) ^
    (key.charCodeAt(length >> 2) << 22) ^
    (length << 26)
  )
}

/** The slot of 32 mixed bits: the high bits of a product depend on all of them. */
export function spread(bits: number, shift: number): number {
  const mixed = Math.imul(bits ^ (bits >>> 16), 0x85eb_ca6b)
  return Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35) >>> shift
}

/**
 * A cache from one key (of many users, or of fewer tenants) to an id. An entry is two elements of one array, key and
 * id, so that a hit touches one cache line.
 */
export class Lookaside {
  readonly #ofUsers: boolean
  #shift = Math.clz32(LOOKASIDE_ENTRIES_FIRST) + 1
  #entries: (string | number)[] = emptyEntries(LOOKASIDE_ENTRIES_FIRST * 2)
  #pushedOut = 0

  constructor(kind: 'users' | 'tenants') {
    this.#ofUsers = kind === 'users'
  }

  #slot(key: string): number {
    return spread(this.#ofUsers ? sampleUser(key) : sampleTenant(key), this.#shift)
  }

  /** The id of the key when it is cached, else 0. */
  find(key: string): number {
    const entries = this.#entries
    const at = this.#slot(key) * 2
    if (entries[at] === key) return entries[at + 1] as number
    return entries[at ^ 2] === key ? (entries[(at ^ 2) + 1] as number) : 0
  }

  /** Caches the id of a key that is not cached yet; the previous entry moves to the next slot. */
  keep(key: string, id: number): void {
    const entries = this.#entries
    const at = this.#slot(key) * 2
    if (entries[(at ^ 2) + 1] !== 0) this.#pushedOut++
    entries[at ^ 2] = entries[at]!
    entries[(at ^ 2) + 1] = entries[at + 1]!
    entries[at] = key
    entries[at + 1] = id
    const size = entries.length / 2
    if (this.#pushedOut * 4 <= size || size >= LOOKASIDE_ENTRIES_MAX) return
    this.#shift = Math.clz32(size * 4) + 1
    this.#entries = emptyEntries(size * 8)
    this.#pushedOut = 0
  }

  /** Takes a key out; nothing when it is not cached. */
  drop(key: string): void {
    const entries = this.#entries
    const slot = this.#slot(key) * 2
    for (const at of [slot, slot ^ 2]) if (entries[at] === key) entries.fill(0, at, at + 2)
  }
}

/**
 * A cache from two keys (resource type, action) to an id. An entry is four elements of one array: left, right, id,
 * unused.
 */
export class PairLookaside {
  #shift = Math.clz32(LOOKASIDE_ENTRIES_FIRST) + 1
  #entries: (string | number)[] = emptyEntries(LOOKASIDE_ENTRIES_FIRST * 4)
  #pushedOut = 0

  find(left: string, right: string): number {
    const entries = this.#entries
    const at = spread(samplePair(left, right), this.#shift) * 4
    if (entries[at + 1] === right && entries[at] === left) return entries[at + 2] as number
    const next = at ^ 4
    return entries[next + 1] === right && entries[next] === left ? (entries[next + 2] as number) : 0
  }

  keep(left: string, right: string, id: number): void {
    const entries = this.#entries
    const at = spread(samplePair(left, right), this.#shift) * 4
    if (entries[(at ^ 4) + 2] !== 0) this.#pushedOut++
    for (let place = 0; place < 3; place++) entries[(at ^ 4) + place] = entries[at + place]!
    entries[at] = left
    entries[at + 1] = right
    entries[at + 2] = id
    const size = entries.length / 4
    if (this.#pushedOut * 4 <= size || size >= LOOKASIDE_ENTRIES_MAX) return
    this.#shift = Math.clz32(size * 4) + 1
    this.#entries = emptyEntries(size * 16)
    this.#pushedOut = 0
  }
}

function samplePair(left: string, right: string): number {
  return sampleName(left) ^ Math.imul(sampleName(right), 0xc2b2_ae35)
}

/** Keys and ids share the array; 0 means empty. */
function emptyEntries(places: number): (string | number)[] {
  return new Array<string | number>(places).fill(0)
}
