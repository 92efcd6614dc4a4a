// Users and instances that are alike to the set rules of a permission: what the rules read of them is stored with the
// same values. A rule that reads nothing else of them is evaluated once for all that are alike.
import { createHash } from 'node:crypto'
import { Source } from '../../../assembly/limits.ts'
import { objectAt } from '../../kernel/decode.ts'
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
  for (const [number, record] of objects) {
    meter.spend(LOOK_WORK)
    const text = record === 0 ? NOT_STORED : names.length === 0 ? '' : fingerprintValues(kernel, record, names)
    if (record !== 0 && text !== '') meter.spend(ATTRIBUTES_WORK)
    const group = groups.get(text)
    if (group === undefined) groups.set(text, [number])
    else group.push(number)
  }
  return [...groups.values()]
}

/** The same for users, or instances, with the same values in these attributes; empty where they have no such attribute. */
export function fingerprintValues(kernel: Kernel, record: number, names: readonly string[]): string {
  const stored = principalAttributes(kernel, record)
  const attributes = stored === 0 ? undefined : objectAt(kernel, stored)
  if (attributes === undefined) return ''
  const values = names.map((name) => (Object.hasOwn(attributes, name) ? [attributes[name]] : []))
  if (/* canary: alike-by-values */ values.every(({ length }) => length === 0)) return ''
  const text = JSON.stringify(values)
  return text.length <= TEXT_MAX ? text : createHash('sha256').update(text).digest('base64')
}
