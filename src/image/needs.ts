// Which attributes the set rules of a permission read, and the encoding of those that were sent with a question: no others are looked at.
// What is remembered is derived from the image alone, bounded, and forgotten when a delta changes rules or conditions.
import {
  AttributePath,
  ConditionSet,
  Op,
  Program,
  READ_TEXTS,
  RIGHT_PATH,
  SCRATCH,
  SENT,
  Source,
  STEP_BYTES,
  Step,
  Table,
} from '../../assembly/abi.ts'
import { textAt } from '../kernel/decode.ts'
import { Encoder } from '../kernel/encode.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { NEEDS_MAX } from '../model/limits.ts'
import { tableOf } from './read.ts'

/** Attributes sent with a question. They hide stored ones of the same name (D8). */
export interface Sent {
  readonly user?: object | null | undefined
  readonly action?: object | null | undefined
  readonly resource?: object | null | undefined
  readonly context?: object | null | undefined
}

interface Need {
  /** index of the path's place in the area of what was sent, among the words of the memory */
  readonly place: number
  readonly from: keyof Sent | 'key'
  /** the attribute, and the names of members inside it */
  readonly name: string
  readonly inside: readonly string[]
  /** texts that it is compared with, by their address in the image: what is sent equal to one of them need not be encoded again */
  readonly texts: Map<string, number> | undefined
}

const FROM: Readonly<Partial<Record<Source, Need['from']>>> = {
  [Source.User]: 'user',
  [Source.Resource]: 'resource',
  [Source.Context]: 'context',
  [Source.Now]: 'context',
  [Source.Action]: 'action',
  [Source.ResourceKey]: 'key',
}

export class Needs {
  readonly #kernel: Kernel
  readonly #encoder: Encoder
  readonly #known = new Map<number, readonly Need[]>()
  /** what the rules of a permission read, as a set of bits */
  readonly #reads = new Map<number, number>()
  /** how often the area was begun: reading a value may run code of the caller, and that may ask, too */
  #begun = 0

  constructor(kernel: Kernel) {
    this.#kernel = kernel
    this.#encoder = new Encoder(kernel)
  }

  /** Rules or conditions changed. */
  forget(): void {
    this.#known.clear()
    this.#reads.clear()
  }

  /**
   * Encodes what the rules of the permission read of what was sent; returns where it ends.
   * @throws INPUT_INVALID, TEXT_INVALID, NUMBER_INVALID, JSON_TOO_DEEP on what no value can be; UNDECIDED on too much of it
   */
  encode(permission: number, key: string | undefined, sent: Sent | undefined): number {
    const needs = this.#known.get(permission) ?? this.#find(permission)
    const encoder = this.#encoder
    const begun = ++this.#begun
    encoder.begin()
    const { words } = this.#kernel
    try {
      for (let index = 0; index < needs.length; index++) {
        const need = needs[index]!
        words[need.place] = need.from === 'key' ? keyCell(encoder, key) : sentCell(encoder, sent, need)
      }
    } catch (cause) {
      if (isZerohopError(cause)) throw cause
      throw new ZerohopError('INPUT_INVALID', { reason: 'the attributes cannot be read' }, { cause })
    }
    // There is one area, and another question was written over this one.
    if (begun !== this.#begun) throw new ZerohopError('INPUT_INVALID', { reason: ASKS_ITSELF })
    return encoder.end
  }

  /** What the rules of the permission read, as a set of bits: `1 << source`. */
  reads(permission: number): number {
    const known = this.#reads.get(permission)
    if (known !== undefined) return known
    this.#find(permission)
    return this.#reads.get(permission)!
  }

  #find(permission: number): readonly Need[] {
    const kernel = this.#kernel
    const count = kernel.calls.listReads(permission)
    const needs = new Map<number, Need & { texts: Map<string, number> | undefined }>()
    let reads = 0
    for (let at = 0; at < count; at++) {
      const path = kernel.word(SCRATCH + at * 4)
      const source: Source = kernel.word(path + AttributePath.Source)
      reads |= 1 << source
      const from = FROM[source]
      if (from !== undefined) needs.set(path, this.#need(path, from))
    }
    for (let left = kernel.word(READ_TEXTS), pair = READ_TEXTS + 4; left > 0; left--, pair += 8) {
      const need = needs.get(kernel.word(pair))
      const text = kernel.word(pair + 4)
      if (need === undefined) continue
      need.texts ??= new Map()
      need.texts.set(textAt(kernel, text), text)
    }
    const found = [...needs.values()]
    if (this.#known.size >= NEEDS_MAX) this.forget()
    this.#known.set(permission, found)
    this.#reads.set(permission, reads)
    return found
  }

  #need(path: number, from: NonNullable<Need['from']>): Need {
    const kernel = this.#kernel
    const [name = '', ...inside] = kernel.key(path, AttributePath.Key).split('.').slice(1)
    return { place: (SENT >>> 2) + kernel.word(path + AttributePath.Number), from, name, inside, texts: undefined }
  }
}

const ASKS_ITSELF = 'an attribute asks a question of its own while it is read: send its value'

/** What is not the same on each instance of a tenant. */
export const READS_INSTANCE = (1 << Source.Resource) | (1 << Source.ResourceKey)
/** What is not the same in each tenant, beside roles. */
export const READS_TENANT =
  (1 << Source.UserRoles) | (1 << Source.ResourceTenant) | (1 << Source.TenantKey) | (1 << Source.Tenant)

/** What one side of a rule reads, as a set of bits. */
export function readsOfSide(kernel: Kernel, side: number): number {
  const seen = new Set<number>()
  let reads = 0
  for (let set = side; set !== 0 && !seen.has(set); set = kernel.word(set + ConditionSet.Parent)) {
    if (tableOf(kernel, set) !== Table.Sets) break
    seen.add(set)
    const program = kernel.word(set + ConditionSet.Program)
    const count = program === 0 ? 0 : kernel.word(program + Program.Count)
    for (let index = 0; index < count; index++) {
      const step = program + Program.Steps + index * STEP_BYTES
      const word = kernel.word(step + Step.Op)
      const op = word & 0xffff
      if (op <= Op.Always || op >= Op.ItemTrue) continue
      reads |= 1 << kernel.word(kernel.word(step + Step.Left) + AttributePath.Source)
      if (((word >>> 16) & RIGHT_PATH) === 0) continue
      reads |= 1 << kernel.word(kernel.word(step + Step.Right) + AttributePath.Source)
    }
  }
  return reads
}

function attributesFrom(from: Need['from'], sent: Sent | undefined): object | null | undefined {
  if (sent === undefined) return undefined
  switch (from) {
    case 'user':
      return sent.user
    case 'resource':
      return sent.resource
    case 'context':
      return sent.context
    case 'action':
      return sent.action
    case 'key':
      return undefined
  }
}

function keyCell(encoder: Encoder, key: string | undefined): number {
  // D9: a key with a lone surrogate is unknown; it is no text that a condition could compare.
  return key === undefined || !key.isWellFormed() ? 0 : encoder.cell(key)
}

/** 0 when the attribute was not sent; a missing value when it was, without the member. */
function sentCell(encoder: Encoder, sent: Sent | undefined, { from, name, inside, texts }: Need): number {
  const attributes = attributesFrom(from, sent)
  if (attributes === null || attributes === undefined) return 0
  let value = ownMember(attributes, name)
  if (value === undefined) return 0
  for (let index = 0; index < inside.length; index++) {
    value =
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? ownMember(value, inside[index]!)
        : undefined
  }
  if (texts !== undefined && typeof value === 'string') {
    const text = texts.get(value)
    if (text !== undefined) return encoder.storedText(text)
  }
  return encoder.cell(value)
}

function ownMember(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined
}
