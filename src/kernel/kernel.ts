// One kernel on one memory: the only owner of views on it. Keys go in as bytes in the scratch area, ids and lists come
// out. Growing the memory detaches every view, so no one else may keep one. One thread per kernel.
import { HEADER, HEADER_BYTES, HEAP, Header, SCRATCH, SymbolRecord } from '../../assembly/abi.ts'
import { KEY_BYTES_MAX, SCRATCH_BYTES } from '../../assembly/limits.ts'
import { ZerohopError } from '../model/errors.ts'
import { instantiate, type KernelExports, type KernelMemory, type KernelSource } from './module.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Bytes of a key of two names at most: `resource:action`, `type:key`, `type/role`. */
const PAIR_BYTES_MAX = 2 * KEY_BYTES_MAX + 1

export class Kernel {
  readonly calls: KernelExports
  /** counts what was encoded for a question: reading a value may run code of the caller, which may ask another one */
  encodings = 0
  readonly #memory: KernelMemory
  #bytes: Uint8Array
  #words: Uint32Array
  #floats: DataView
  #now = Number.NaN
  #isOwnAlone = false

  /** A kernel with room for an image of `bytes`; its memory holds no image yet (`calls.create` or `fill`). */
  constructor(source: KernelSource, bytes = 0) {
    const { exports, memory } = instantiate(source, bytes)
    this.calls = exports
    this.#memory = memory
    this.#bytes = new Uint8Array(memory.buffer)
    this.#words = new Uint32Array(memory.buffer)
    this.#floats = new DataView(memory.buffer)
  }

  /**
   * The instant of the questions (D15), in ms since 1970; NaN, as at first: none. Whoever sets it sets it back in the same
   * turn, so that no later question is answered at it.
   */
  get now(): number {
    return this.#now
  }

  set now(now: number) {
    this.#now = now
    this.calls.setNow(now)
  }

  /** Whether questions are about what users hold themselves, without what everybody does (D16). Set back as `now` is. */
  get isOwnAlone(): boolean {
    return this.#isOwnAlone
  }

  set isOwnAlone(on: boolean) {
    this.#isOwnAlone = on
    this.calls.setOwnAlone(on ? 1 : 0)
  }

  /** The whole memory, valid until the next call into the kernel that may grow it. */
  get bytes(): Uint8Array {
    if (this.#bytes.length === 0) this.#renew()
    return this.#bytes
  }

  #renew(): void {
    this.#bytes = new Uint8Array(this.#memory.buffer)
    this.#words = new Uint32Array(this.#memory.buffer)
    this.#floats = new DataView(this.#memory.buffer)
  }

  /** The u32 at an address that is a multiple of 4. */
  word(address: number): number {
    if (this.#words.length === 0) this.#renew()
    return this.#words[address >>> 2]!
  }

  /** The f64 at an address. */
  float(address: number): number {
    if (this.#words.length === 0) this.#renew()
    return this.#floats.getFloat64(address, true)
  }

  /** Writes a u32 to an address of the scratch area, a multiple of 4. */
  setWord(address: number, value: number): void {
    if (this.#words.length === 0) this.#renew()
    this.#words[address >>> 2] = value
  }

  /** Writes an f64 to an address of the scratch area. */
  setFloat(address: number, value: number): void {
    if (this.#words.length === 0) this.#renew()
    this.#floats.setFloat64(address, value, true)
  }

  /**
   * The records of a list, each linked to the next by its word at `next`. @throws IMAGE_DAMAGED when it comes back to
   * where it was, as in a forged image: by Brent's way, after at most three times as many steps as it has records
   */
  *chain(first: number, next: number): Generator<number, void, undefined> {
    let [mark, steps, power] = [0, 0, 1]
    for (let at = first; at !== 0; at = this.word(at + next)) {
      if (at === mark) throw new ZerohopError('IMAGE_DAMAGED', { reason: 'a list in it has no end' })
      if (++steps === power) {
        mark = at
        power *= 2
        steps = 0
      }
      yield at
    }
  }

  field(field: Header): number {
    return this.word(HEADER + field)
  }

  setField(field: Header, value: number): void {
    if (this.#words.length === 0) this.#renew()
    this.#words[(HEADER + field) >>> 2] = value
  }

  /** The bytes of the header and those of the heap: together an image. */
  get parts(): [header: Uint8Array, heap: Uint8Array] {
    const bytes = this.bytes
    return [bytes.subarray(HEADER, HEADER + HEADER_BYTES), bytes.subarray(HEAP, this.field(Header.Top))]
  }

  /** A room of the memory to read an image's heap into. */
  heapBytes(length: number): Uint8Array {
    return this.bytes.subarray(HEAP, HEAP + length)
  }

  /** The bytes of a header field. */
  headerBytes(field: Header, length: number): Uint8Array {
    return this.bytes.subarray(HEADER + field, HEADER + field + length)
  }

  /**
   * Writes a key to the scratch area. Returns its bytes, or -1 when it is too long or not well-formed: then nothing has
   * this name.
   */
  writeKey(key: string): number {
    return this.#write(key, KEY_BYTES_MAX)
  }

  #write(key: string, limit: number): number {
    const length = key.length
    if (length > limit) return -1
    const bytes = this.bytes
    for (let index = 0; index < length; index++) {
      const code = key.charCodeAt(index)
      if (code > 0x7f) return this.#writeEncoded(key, limit)
      bytes[SCRATCH + index] = code
    }
    return length
  }

  /** Writes `left:right` to the scratch area, as `writeKey`. */
  writePair(left: string, right: string): number {
    const length = left.length
    if (length > KEY_BYTES_MAX || right.length > KEY_BYTES_MAX) return -1
    const bytes = this.bytes
    let at = SCRATCH
    for (let index = 0; index < length; index++) {
      const code = left.charCodeAt(index)
      if (code > 0x7f) return this.#writeEncoded(`${left}:${right}`, PAIR_BYTES_MAX)
      bytes[at++] = code
    }
    bytes[at++] = 0x3a
    for (let index = 0; index < right.length; index++) {
      const code = right.charCodeAt(index)
      if (code > 0x7f) return this.#writeEncoded(`${left}:${right}`, PAIR_BYTES_MAX)
      bytes[at++] = code
    }
    return at - SCRATCH
  }

  /** Writes a key that is itself made of two with a sign between them, as `writeKey`. */
  writeWhole(key: string): number {
    return this.#write(key, PAIR_BYTES_MAX)
  }

  /** Writes a long key (a path of attributes) to the scratch area; its length is bounded by what conditions may be. */
  writeLong(key: string): number {
    return this.#writeEncoded(key, SCRATCH_BYTES)
  }

  /** Writes the beginning of any text: enough to say where it stands among keys. */
  writeStart(text: string): number {
    return encoder.encodeInto(text, this.bytes.subarray(SCRATCH, SCRATCH + 2 * PAIR_BYTES_MAX)).written
  }

  /** All of the memory as numbers, valid as `bytes` is. */
  get words(): Uint32Array {
    if (this.#words.length === 0) this.#renew()
    return this.#words
  }

  #writeEncoded(key: string, limit: number): number {
    if (!key.isWellFormed()) return -1 // D9: a lone surrogate is unknown
    const { read, written } = encoder.encodeInto(key, this.bytes.subarray(SCRATCH, SCRATCH + limit))
    return read === key.length ? written : -1
  }

  /** Writes numbers to the scratch area, as the list argument of a call. */
  writeList(list: readonly number[]): number {
    if (this.#words.length === 0) this.#renew()
    this.#words.set(list, SCRATCH >>> 2)
    return list.length
  }

  /** Copies `count` results out of the scratch area. */
  readList(count: number): Uint32Array {
    if (this.#words.length === 0) this.#renew()
    return this.#words.slice(SCRATCH >>> 2, (SCRATCH >>> 2) + count)
  }

  /** The key of a symbol whose key begins `offset` bytes into its record. */
  key(record: number, offset: number): string {
    const length = this.word(record + SymbolRecord.Meta) & 0xffff
    const start = record + offset
    return decoder.decode(this.bytes.subarray(start, start + length))
  }

  /** Writes the key of a symbol of another kernel to the scratch area; returns its bytes. */
  copyKey(from: Kernel, record: number, offset: number): number {
    const length = from.word(record + SymbolRecord.Meta) & 0xffff
    const [bytes, source] = [this.bytes, from.bytes]
    const start = record + offset
    for (let index = 0; index < length; index++) bytes[SCRATCH + index] = source[start + index]!
    return length
  }

  isLive(record: number): boolean {
    return this.word(record + SymbolRecord.Meta) >>> 24 !== 0
  }
}
