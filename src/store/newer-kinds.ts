// What older versions do not know of an object, and must refuse: they would pass over the times of what is granted (D15) and
// over how long a role is given, and so make permanent what is to end, over the suspension of a user (D16), over a role of
// everybody (D16), which they take for one of a user, over a rule whose user set is a role on instances
// (D17), over who invited: what a tenant offers is looked at again when it is accepted, over what an environment requires
// of writes, over requests for access, roles of tenants (D18) and what directories own, which they do not know, or over the claims of others, which
// they would delete. So an object that has such a feature is written into logs, snapshots and
// checkpoints under a kind of its own, and the first one gives the data folder another format (tables.ts).
import type { Claimed } from '../kinds/claims.ts'
import { KIND_NAMES, KINDS, type KindName, type Objects } from '../kinds/index.ts'
import type { Feature, Kind } from '../kinds/kind.ts'
import { noteFields } from '../kinds/role-assignment.ts'
import { durationFields, timeFields } from '../kinds/times.ts'
import { EVERYBODY } from '../model/keys.ts'
import { resourceRoleOfSet } from '../model/objects.ts'
import { KIND_NUMBERS, kindOfNumber } from './kinds.ts'

/** What versions before times would pass over: they keep no index of tickets either. */
const FIELDS_OF_TIMES = Object.keys({ ...timeFields, ...durationFields, ...noteFields })

type AnyKind = Kind<KindName, Objects[KindName], unknown>

/** Each feature, the newest first: the kind of an object with several is that of the first one. */
const FEATURES: {
  readonly [F in Feature]: { readonly prefix: string; readonly isIn: (object: object) => boolean }
} = {
  directory: {
    prefix: 'scim',
    // all objects of a directory, and its keys
    isIn: (object) => ((object as Partial<Objects['api_key']>).level ?? 'directory') === 'directory',
  },
  claims: {
    prefix: 'claimed',
    isIn: (object) => (object as Claimed).claims !== undefined,
  },
  syncs: { prefix: 'leased', isIn: () => true },
  tenant_roles: { prefix: 'own', isIn: () => true },
  requests: { prefix: 'asked', isIn: () => true },
  requirements: {
    prefix: 'strict',
    // all proposals, and environments that require something
    isIn: (object) => {
      const { require_reason, require_approval, fingerprints } = object as Partial<
        Objects['environment'] & Objects['proposal']
      >
      return (require_reason ?? require_approval ?? fingerprints) !== undefined
    },
  },
  by_tenant: {
    prefix: 'tenants',
    isIn: (object) => (object as Partial<Objects['user_invite']>).by_tenant === true,
  },
  everybody: {
    prefix: 'everybodys',
    isIn: (object) => (object as Partial<Objects['role_assignment']>).user === EVERYBODY,
  },
  role_sets: {
    prefix: 'conditional',
    isIn: (object) => resourceRoleOfSet((object as Objects['set_rule']).user_set) !== undefined,
  },
  suspension: {
    prefix: 'suspended',
    isIn: (object) => (object as Partial<Objects['user']>).suspension !== undefined,
  },
  times: {
    prefix: 'timed',
    isIn: (object) => FIELDS_OF_TIMES.some((name) => ((object as Record<string, unknown>)[name] ?? null) !== null),
  },
}

interface NewerKind {
  readonly feature: Feature
  readonly number: number
  /** as entries of the log name it */
  readonly name: string
}

const NEWER = new Map<KindName, readonly NewerKind[]>()
const NUMBERS = new Map<number, KindName>()
const NAMES = new Map<string, KindName>()
for (const kind of KIND_NAMES) {
  const { newerNumbers = {} } = KINDS[kind] as AnyKind
  const newer = (Object.keys(FEATURES) as Feature[]).flatMap((feature) => {
    const number = newerNumbers[feature]
    return number === undefined ? [] : [{ feature, number, name: `${FEATURES[feature].prefix}_${kind}` }]
  })
  /* canary: newer-kinds */ if (newer.length === 0) continue
  NEWER.set(kind, newer)
  for (const { number, name } of newer) {
    NUMBERS.set(number, kind)
    NAMES.set(name, kind)
  }
}

function findNewer(kind: KindName, object: Objects[KindName]): NewerKind | undefined {
  return NEWER.get(kind)?.find(({ feature }) => FEATURES[feature].isIn(object))
}

/** What of an object older versions do not know; several of its features are the newest. */
export const findFeature = (kind: KindName, object: Objects[KindName]): Feature | undefined =>
  findNewer(kind, object)?.feature

/** The kind of an object as entries of the log name it. */
export const toEntryKind = (kind: KindName, object: Objects[KindName]): string => findNewer(kind, object)?.name ?? kind

/** The kind that an entry names; one that this version does not know stays as it is. */
export const fromEntryKind = (name: string): KindName => NAMES.get(name) ?? (name as KindName)

/** The number of an object as snapshots and checkpoints have it. */
export function toRowNumber(kind: KindName, json: string): number {
  const number = NEWER.has(kind) ? findNewer(kind, JSON.parse(json) as Objects[KindName])?.number : undefined
  return number ?? KIND_NUMBERS[kind]
}

/** The kind that a row names; undefined when this version does not know it. */
export const fromRowNumber = (number: number | undefined): KindName | undefined =>
  NUMBERS.get(number ?? 0) ?? kindOfNumber(number)
