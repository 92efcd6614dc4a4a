// Writes values into the encoded area of a kernel: attributes that were sent with a question, and values on their way
// into the image. One bump pointer, moved back before each use: nothing grows. Every value is checked before it is
// believed; recursion is bounded by depth.
import { CELL_BYTES, Cell, Composite, ENCODED, Program, STEP_BYTES, Text } from '../../assembly/abi.ts'
import { ENCODED_BYTES, Kind } from '../../assembly/limits.ts'
import { ZerohopError } from '../model/errors.ts'
import { JSON_DEPTH_MAX } from '../model/limits.ts'
import type { Kernel } from './kernel.ts'

const encoder = new TextEncoder()
const double = new Float64Array(1)
/** Bits of two characters side by side that ASCII does not have. */
const NOT_ASCII = 0xff80_ff80 | 0
const halves = new Uint32Array(double.buffer)

/** Where a cell fits for the last time. */
const LAST_CELL = ENCODED + ENCODED_BYTES - CELL_BYTES

/** A member of an object that conditions read. */
export interface Wanted {
  /** where the address of its cell goes, among the words of the memory */
  readonly place: number
  readonly name: string
  /** the names of members inside it, one in the other */
  readonly inside: readonly string[]
}

/** A step as the kernel has it. */
export interface EncodedStep {
  readonly op: number
  readonly flags: number
  readonly left: number
  readonly right: number
  readonly whenTrue: number
  readonly whenFalse: number
}

/** No call into the kernel that may grow its memory is allowed between `begin` and the last write. */
export class Encoder {
  readonly #kernel: Kernel
  #words: Uint32Array
  #bytes: Uint8Array
  #at = ENCODED

  constructor(kernel: Kernel) {
    this.#kernel = kernel
    this.#words = kernel.words
    this.#bytes = kernel.bytes
  }

  /** Forgets everything that was written, from `at` on. */
  begin(at: number = ENCODED): void {
    this.#words = this.#kernel.words
    this.#bytes = this.#kernel.bytes
    this.#at = at
  }

  /** The first byte that is not written. */
  get end(): number {
    return this.#at
  }

  /** @throws UNDECIDED when the area is full (D13) */
  #take(bytes: number): number {
    const at = this.#at
    if (at + bytes > ENCODED + ENCODED_BYTES) {
      throw new ZerohopError('UNDECIDED', { what: `attributes of more than ${ENCODED_BYTES} bytes` })
    }
    this.#at = at + ((bytes + 3) & ~3)
    return at
  }

  /**
   * The address of a cell that holds the value; undefined is a missing one. @throws INPUT_INVALID and others on what no
   * value can be
   */
  cell(value: unknown): number {
    const at = this.#take(CELL_BYTES)
    this.#write(at, 0, value, 1)
    return at
  }

  /**
   * Encodes the wanted ones of an object's own members; the address of each goes to its place. It is 0 when the object
   * does not have the member, and a missing value when the member has nothing of this name inside. Numbers and texts,
   * the usual values in questions, are written right here: a call less for each is a tenth of the question (W4).
   */
  members(wanted: readonly Wanted[], object: object | null | undefined): void {
    const words = this.#words
    for (let index = 0; index < wanted.length; index++) {
      const { place, name, inside } = wanted[index]!
      const value = object === null || object === undefined ? undefined : ownMember(object, name)
      const at = this.#at
      const word = at >>> 2
      if (value === undefined) words[place] = 0
      else if (inside.length > 0 || at > LAST_CELL) words[place] = this.cell(innerMember(value, inside))
      else if (typeof value === 'number' && Number.isFinite(value)) {
        this.#at = at + CELL_BYTES
        words[place] = at
        words[word + Cell.Name / 4] = 0
        words[word + Cell.Kind / 4] = Kind.Number
        double[0] = value + 0 // -0 is 0
        words[word + Cell.Value / 4] = halves[0]!
        words[word + Cell.Value / 4 + 1] = halves[1]!
      } else if (typeof value === 'string') {
        this.#at = at + CELL_BYTES
        words[place] = at
        words[word + Cell.Name / 4] = 0
        words[word + Cell.Kind / 4] = Kind.Text
        words[word + Cell.Value / 4] = this.text(value)
      } else words[place] = this.cell(value)
    }
  }

  /**
   * Encodes the key of an instance to a place. D9: one with a lone surrogate is unknown, and no text that a condition
   * could compare.
   */
  key(place: number, key: string | undefined): void {
    this.#words[place] = key === undefined || !key.isWellFormed() ? 0 : this.cell(key)
  }

  /** The address of a composite: a list, or an object with its members in the order of their names. */
  composite(value: readonly unknown[] | object): number {
    return Array.isArray(value) ? this.#list(value, 1) : this.#object(value, 1, true)
  }

  text(value: string): number {
    const length = value.length
    if (length > 64) return this.#longText(value)
    const at = this.#take(Text.Bytes + length)
    const words = this.#words
    let word = (at + Text.Bytes) >>> 2
    let index = 0
    // Four characters at a time: a text begins at a multiple of 4.
    for (; index + 4 <= length; index += 4) {
      const low = value.charCodeAt(index) | (value.charCodeAt(index + 1) << 16)
      const high = value.charCodeAt(index + 2) | (value.charCodeAt(index + 3) << 16)
      if (((low | high) & NOT_ASCII) !== 0) return this.#again(at, value)
      words[word++] = (low & 0x7f) | ((low >>> 8) & 0x7f00) | ((high & 0x7f) << 16) | ((high & 0x7f0000) << 8)
    }
    let rest = 0
    for (let shift = 0; index < length; index++, shift += 8) {
      const code = value.charCodeAt(index)
      if (code > 0x7f) return this.#again(at, value)
      rest |= code << shift
    }
    if ((length & 3) !== 0) words[word] = rest
    return this.#finishText(at, length)
  }

  #again(at: number, value: string): number {
    this.#at = at
    return this.#longText(value)
  }

  /** By the encoder of the platform, for what is long or has more than ASCII in it. */
  #longText(value: string): number {
    if (!value.isWellFormed()) throw new ZerohopError('TEXT_INVALID') // D9
    const at = this.#take(Text.Bytes)
    const room = this.#bytes.subarray(at + Text.Bytes, ENCODED + ENCODED_BYTES)
    const { read, written } = encoder.encodeInto(value, room)
    if (read < value.length) this.#take(ENCODED_BYTES)
    return this.#finishText(at, written)
  }

  #finishText(at: number, length: number): number {
    this.#words[(at + Text.References) >>> 2] = 0
    this.#words[(at + Text.Length) >>> 2] = length
    this.#at = (at + Text.Bytes + length + 3) & ~3
    return at
  }

  #write(at: number, name: number, value: unknown, depth: number): void {
    const words = this.#words
    words[(at + Cell.Name) >>> 2] = name
    let kind = Kind.Missing
    let payload = 0
    switch (typeof value) {
      case 'undefined':
        break
      case 'boolean':
        kind = value ? Kind.True : Kind.False
        break
      case 'number':
        if (!Number.isFinite(value)) throw new ZerohopError('NUMBER_INVALID', { number: String(value) }) // D9
        words[(at + Cell.Kind) >>> 2] = Kind.Number
        double[0] = value + 0 // -0 is 0
        words[(at + Cell.Value) >>> 2] = halves[0]!
        words[(at + Cell.Value + 4) >>> 2] = halves[1]!
        return
      case 'string':
        kind = Kind.Text
        payload = this.text(value)
        break
      case 'object':
        if (value === null) kind = Kind.Null
        else if (Array.isArray(value)) {
          kind = Kind.List
          payload = this.#list(value, depth)
        } else {
          kind = Kind.Object
          payload = this.#object(value, depth, false)
        }
        break
      default:
        throw new ZerohopError('INPUT_INVALID', { reason: `a ${typeof value} is no value of an attribute` })
    }
    words[(at + Cell.Kind) >>> 2] = kind
    words[(at + Cell.Value) >>> 2] = payload
    words[(at + Cell.Value + 4) >>> 2] = 0
  }

  #list(items: readonly unknown[], depth: number): number {
    const { length } = items // once: reading an item may run code of the caller, that makes the list longer
    const at = this.#open(length, depth)
    for (let index = 0; index < length; index++) {
      this.#write(at + Composite.Cells + index * CELL_BYTES, 0, items[index] ?? null, depth + 1)
    }
    return at
  }

  #object(value: object, depth: number, sorted: boolean): number {
    const names = Object.keys(value).filter((name) => (value as Record<string, unknown>)[name] !== undefined)
    if (sorted || depth > 1) names.sort()
    const at = this.#open(names.length, depth)
    for (const [index, name] of names.entries()) {
      const cell = at + Composite.Cells + index * CELL_BYTES
      this.#write(cell, this.text(name), (value as Record<string, unknown>)[name], depth + 1)
    }
    return at
  }

  #open(count: number, depth: number): number {
    if (depth > JSON_DEPTH_MAX) throw new ZerohopError('JSON_TOO_DEEP', { limit: JSON_DEPTH_MAX })
    const at = this.#take(Composite.Cells + count * CELL_BYTES)
    this.#words[(at + Composite.Count) >>> 2] = count
    this.#words[(at + Composite.Queue) >>> 2] = 0
    return at
  }

  /** The address of a program with its constants, as it is where it is stored. */
  program(steps: readonly EncodedStep[], constants: readonly unknown[]): number {
    const values = constants.length === 0 ? 0 : this.composite(constants)
    const at = this.#take(Program.Steps)
    this.#words[(at + Program.Count) >>> 2] = steps.length
    this.#words[(at + Program.Constants) >>> 2] = values
    this.steps(steps)
    return at
  }

  /** The address of the steps. */
  steps(steps: readonly EncodedStep[]): number {
    const at = this.#take(steps.length * STEP_BYTES)
    let word = at >>> 2
    for (const { op, flags, left, right, whenTrue, whenFalse } of steps) {
      this.#words[word++] = op | (flags << 16)
      this.#words[word++] = left
      this.#words[word++] = right
      this.#words[word++] = whenTrue | (whenFalse << 16)
    }
    return at
  }
}

/**
 * Bytes that a value takes in the encoded area, at most.
 * @throws TEXT_INVALID, NUMBER_INVALID, JSON_TOO_DEEP, INPUT_INVALID on what no stored value can be
 */
export function encodedBytes(value: unknown, depth = 1): number {
  switch (typeof value) {
    case 'number':
      if (!Number.isFinite(value)) throw new ZerohopError('NUMBER_INVALID', { number: String(value) })
      return CELL_BYTES
    case 'string':
      return CELL_BYTES + textBytes(value)
    case 'object': {
      if (value === null) return CELL_BYTES
      if (depth > JSON_DEPTH_MAX) throw new ZerohopError('JSON_TOO_DEEP', { limit: JSON_DEPTH_MAX })
      let bytes = CELL_BYTES + Composite.Cells
      if (Array.isArray(value)) for (const item of value) bytes += encodedBytes(item ?? null, depth + 1)
      else for (const [name, inner] of Object.entries(value)) bytes += textBytes(name) + encodedBytes(inner, depth + 1)
      return bytes
    }
    case 'boolean':
    case 'undefined':
      return CELL_BYTES
    default:
      throw new ZerohopError('INPUT_INVALID', { reason: `a ${typeof value} is no value of an attribute` })
  }
}

function textBytes(text: string): number {
  if (!text.isWellFormed()) throw new ZerohopError('TEXT_INVALID')
  return Text.Bytes + 4 + Buffer.byteLength(text)
}

function ownMember(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined
}

/** The value at the end of the names; undefined when one of them is not a member of an object. */
function innerMember(value: unknown, names: readonly string[]): unknown {
  for (const name of names) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    value = ownMember(value, name)
  }
  return value
}
