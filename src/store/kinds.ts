// The numbers of kinds of objects in keys, and the table of each kind.
import type { Kind } from '../model/objects.ts'

/** The number of each kind in keys. A number is never reused for another kind. */
export const KIND_NUMBERS: Readonly<Record<Kind, number>> = {
  resource: 1,
  role: 2,
  user: 3,
  tenant: 4,
  role_assignment: 5,
  membership: 6,
  resource_role: 7,
  relation: 8,
  action_group: 9,
  condition_set: 10,
  set_rule: 11,
  resource_instance: 12,
  relationship_tuple: 13,
  user_invite: 14,
  proxy_config: 15,
  built_in: 16,
  group: 17,
  applied_object: 18,
  organization: 128,
  project: 129,
  environment: 130,
  api_key: 131,
  pdp_config: 132,
  deleted_environment: 133,
}

export const KINDS = Object.keys(KIND_NUMBERS) as readonly Kind[]

const BY_NUMBER = new Map(KINDS.map((kind) => [KIND_NUMBERS[kind], kind]))

/** The kind that a key names; undefined when there is none of that number. */
export const kindOfNumber = (number: number | undefined): Kind | undefined =>
  number === undefined ? undefined : BY_NUMBER.get(number)

/** Kinds whose objects are never looked up by id. */
export const WITHOUT_IDS: ReadonlySet<Kind> = new Set<Kind>(['role_assignment', 'membership'])

/**
 * Kinds of which there may be very many have a table of their own, where a new object is always the last one: pages
 * that are only appended to fill up, while pages split in the middle of a table stay half empty.
 */
export const OWN_TABLES = ['user', 'membership', 'role_assignment', 'resource_instance', 'relationship_tuple'] as const
