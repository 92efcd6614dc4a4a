// Users and instances that are alike to the set rules of a permission: what the rules read of them is stored with the
// same values. A rule that reads nothing else of them is evaluated once for all that are alike.
import { createHash } from 'node:crypto'
import { Source } from '../../../assembly/limits.ts'
import { cellAt, cellName, countCells, formatIdentity, textAt } from '../../kernel/decode.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { principalAttributes } from '../records/principal.ts'
import type { Meter } from './meter.ts'
import type { ReadingRule } from './side.ts'

/** Sources that differ between users, instances and tenants with the same attributes. */
const OF_ONE =
  (1 << Source.UserKey) |
  (1 << Source.UserRoles) |
  (1 << Source.UserTenants) |
  (1 << Source.ResourceKey) |
  (1 << Source.ResourceTenant) |
  (1 << Source.TenantKey) |
  (1 << Source.Tenant)

/** Whether the rule reads nothing but attributes of the user and the resource, so that those alike share its truth. */
export const readsAttributesAlone = ({ userReads, resourceReads }: ReadingRule): boolean =>
  /* canary: alike-by-keys */ ((userReads | resourceReads) & OF_ONE) === 0

/** The work of reading a record, and of reading its attributes. */
const LOOK_WORK = 4
const ATTRIBUTES_WORK = 32
/** Texts longer than this are kept as their digest. */
const TEXT_MAX = 64

/** It has no values either, but is asked about by its key. */
const NOT_STORED = '-'

/** A user or an instance: its number, and its record in the image, 0 where it is not stored there. */
export type Numbered = readonly [number: number, record: number]

/**
 * Numbers of objects, those together that have the same values in these attributes; those that are not stored are
 * alike.
 * @param names of attributes
 */
export function alike(
  kernel: Kernel,
  meter: Meter,
  objects: Iterable<Numbered>,
  names: readonly string[],
): readonly (readonly number[])[] {
  const groups = new Map<string, number[]>()
  const fingerprints = new Fingerprints(kernel, names)
  for (const [number, record] of objects) {
    meter.spend(LOOK_WORK)
    const text = record === 0 ? NOT_STORED : fingerprints.of(record)
    if (record !== 0 && text !== '') meter.spend(ATTRIBUTES_WORK)
    const group = groups.get(text)
    if (group === undefined) groups.set(text, [number])
    else group.push(number)
  }
  return [...groups.values()]
}

/**
 * Texts that are the same for users, or instances, with the same values in some attributes; of one image, to which no
 * delta is applied meanwhile.
 */
export class Fingerprints {
  readonly #kernel: Kernel
  readonly #names: readonly string[]
  /** by the address of a name: its place among the names; -1 for others. An image has each name once */
  readonly #places = new Map<number, number>()
  readonly #values: string[] = []

  constructor(kernel: Kernel, names: readonly string[]) {
    this.#kernel = kernel
    this.#names = names
  }

  /** Empty where it has no such attribute. */
  of(record: number): string {
    const kernel = this.#kernel
    const stored = this.#names.length === 0 ? 0 : principalAttributes(kernel, record)
    if (stored === 0) return ''
    const values = this.#values
    values.length = 0
    const count = countCells(kernel, stored)
    for (let index = 0; index < count; index++) {
      const cell = cellAt(stored, index)
      const place = this.#findPlace(cellName(kernel, cell))
      if (place !== -1) values.push(`${place} ${formatIdentity(kernel, cell)}`)
    }
    if (/* canary: alike-by-values */ values.length === 0) return ''
    const text = values.length === 1 ? values[0]! : values.sort().join(' ')
    return text.length <= TEXT_MAX ? text : createHash('sha256').update(text).digest('base64')
  }

  #findPlace(name: number): number {
    let place = this.#places.get(name)
    if (place === undefined) {
      place = this.#names.indexOf(textAt(this.#kernel, name))
      this.#places.set(name, place)
    }
    return place
  }
}
