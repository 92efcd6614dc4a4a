// Edits of attributes, declared types, condition sets and set rules for random histories. Few names, so that rules meet
// what is stored.
import fc from 'fast-check'
import type { Json, JsonObject } from '../../src/model/objects.ts'
import type { Operation, World } from '../support/world.ts'
import { crowd, crowdSet } from './crowd-edits.ts'
import { numbers } from './numbers.ts'
import type { Pool } from './pool.ts'
import {
  ATTRIBUTES,
  conditions,
  drawAttributes,
  EVERYTHING,
  type Hints,
  hintsFor,
  PLAIN,
  type Shape,
  TYPES,
  type Words,
} from './values.ts'

type Numbers = readonly number[]

const SETS = ['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7', 's8', 's9', '__proto__', 'constructor']
const TIES = ['tie0', 'tie1', 'tie2']
const pick = <T>(from: readonly T[], number: number): T | undefined => from[number % from.length]
const listKeys = (map: ReadonlyMap<string, unknown>) => [...map.keys()]
const BUILT_IN = ['__user', '__tenant']

/** The types that hold actions and instances: not those that only declare attributes of users and tenants. */
export const typesIn = ({ policy }: World) => listKeys(policy.resource).filter((key) => !BUILT_IN.includes(key))

export function makeWords({ policy }: World, pool: Pool): Words {
  return {
    users: pool.users.slice(0, 4),
    roles: pool.roles.slice(0, 6),
    tenants: pool.tenants.slice(0, 4),
    resources: pool.resources.slice(0, 4),
    instances: listKeys(policy.resource_instance)
      .slice(0, 12)
      .map((key) => key.slice(key.indexOf(':') + 1)),
  }
}

/** Attributes to store: those that some set asks for, nearly, and others. */
function drawn(world: World, pool: Pool, root: keyof Hints, seed: number): JsonObject {
  const next = numbers(seed)
  const words = makeWords(world, pool)
  const sets = [...world.policy.condition_set.values()].map((set) => set.conditions)
  const some = sets.filter(() => next(3) === 0)
  return writable({ ...drawAttributes(next, words), ...hintsFor(next, words, some)[root] }) as JsonObject
}

/** Without the numbers that management refuses (D9). */
export function writable(json: Json): Json {
  if (typeof json === 'number') return Math.abs(json) <= 2 ** 53 ? json : 0
  if (Array.isArray(json)) return json.map(writable)
  if (typeof json !== 'object' || json === null) return json
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, writable(value)]))
}

export const SET_VERBS = {
  userAttributes: (world, pool, [n = 0, seed = 0]) => {
    const key = pick(listKeys(world.policy.user), n)
    return key === undefined ? [] : [['put', 'user', { key, attributes: drawn(world, pool, 'user', seed) }]]
  },
  tenantAttributes: (world, pool, [n = 0, seed = 0]) => {
    const key = pick(listKeys(world.policy.tenant), n)
    return key === undefined ? [] : [['put', 'tenant', { key, attributes: drawn(world, pool, 'tenant', seed) }]]
  },
  instanceAttributes: (world, pool, [n = 0, seed = 0]) => {
    const [key, stored] = pick([...world.policy.resource_instance], n) ?? []
    if (key === undefined) return []
    const [resource = '', instance = ''] = key.split(':')
    const value = { resource, instance, tenant: stored!.tenant, attributes: drawn(world, pool, 'resource', seed) }
    return [['put', 'resource_instance', value]]
  },
  /** Something about everybody and everything. */
  everyAttribute: (world, pool, [seed = 0]) => {
    const { user, tenant, resource_instance } = world.policy
    const of = (root: keyof Hints, index: number) => drawn(world, pool, root, seed + index)
    return [
      ...listKeys(user)
        .slice(0, 6)
        .map((key, at): Operation => ['put', 'user', { key, attributes: of('user', at) }]),
      ...listKeys(tenant)
        .slice(0, 4)
        .map((key, at): Operation => ['put', 'tenant', { key, attributes: of('tenant', at) }]),
      ...[...resource_instance].slice(0, 12).map(([key, stored], at): Operation => {
        const [resource = '', instance = ''] = key.split(':')
        return [
          'put',
          'resource_instance',
          { resource, instance, tenant: stored.tenant, attributes: of('resource', at) },
        ]
      }),
    ]
  },
  declare: (world, _, [n = 0, attribute = 0, type = 0]) => {
    const key = pick([...BUILT_IN, ...typesIn(world).slice(0, 3)], n)!
    const stored = world.policy.resource.get(key)
    const types = new Map(Object.entries(stored?.attributes ?? {}))
    const [name, declared] = [pick(ATTRIBUTES, attribute)!, pick([...TYPES, undefined], type)]
    if (declared === undefined) types.delete(name)
    else types.set(name, declared)
    return [['put', 'resource', { key, actions: stored?.actions ?? [], attributes: Object.fromEntries(types) }]]
  },
  /** Most attributes of a type, of users and of tenants declared anew. */
  declareMany: (world, _, [seed = 0]) => {
    const next = numbers(seed)
    return [...BUILT_IN, ...typesIn(world).slice(0, 3)].map((key): Operation => {
      const names = ATTRIBUTES.filter(() => next(2) === 0)
      const types = names.map((name) => [name, next(3) === 0 ? 'time' : TYPES[next(TYPES.length)]!] as const)
      const actions = world.policy.resource.get(key)?.actions ?? []
      return ['put', 'resource', { key, actions, attributes: Object.fromEntries(types) }]
    })
  },
  set: (world, pool, choice) => conditionSet(world, pool, choice, EVERYTHING),
  plainSet: (world, pool, choice) => conditionSet(world, pool, choice, PLAIN),
  /** Every set anew, each about one or two things, and a rule for each: decisions that hang on one condition. */
  sets: (world, pool, [seed = 0]) => everySet(world, pool, seed, EVERYTHING),
  plainSets: (world, pool, [seed = 0]) => everySet(world, pool, seed, PLAIN),
  crowd: (world, pool, [seed = 0]) => crowd(world, pool, makeWords(world, pool), seed),
  crowdSet: (world, pool, [seed = 0]) => crowdSet(world, pool, makeWords(world, pool), seed),
  deleteSet: (world, _, [n = 0]) => {
    const parents = new Set([...world.policy.condition_set.values()].map(({ parent }) => parent))
    const key = pick(
      listKeys(world.policy.condition_set).filter((each) => !parents.has(each)),
      n,
    )
    return key === undefined ? [] : [['delete', 'condition_set', { key }]]
  },
  /** Rules that ask which roles and tenants the user has, or has not, which follow what is in force (D15). */
  tieSets: (world, pool, [seed = 0]) => {
    const next = numbers(seed)
    const words = makeWords(world, pool)
    const types = typesIn(world).filter((type) => world.policy.resource.get(type)!.actions.length > 0)
    if (types.length === 0) return []
    return TIES.flatMap((key, at): Operation[] => {
      const [path, keys] = at % 2 === 0 ? ['user.tenants', words.tenants] : ['user.roles', words.roles]
      const test: JsonObject = { [path]: { array_contains: keys[next(keys.length)]! } }
      const conditions = next(2) === 0 ? test : { not: test }
      const type = types[next(types.length)]!
      const { actions } = world.policy.resource.get(type)!
      const permission = `${type}:${actions[next(actions.length)]}`
      return [
        ['put', 'condition_set', { key, type: 'userset', conditions }],
        ['put', 'set_rule', { user_set: key, permission, resource_set: `__autogen_${type}` }],
      ]
    })
  },
  rule: (world, _, [u = 0, p = 0, r = 0]) => rule(world, u, p, r),
  unrule: (world, _, [n = 0]) => {
    const found = pick([...world.policy.set_rule.values()], n)
    return found === undefined ? [] : [['delete', 'set_rule', found]]
  },
  member: (world, _, [u = 0, t = 0]) => {
    const [user, tenant] = [pick(listKeys(world.policy.user), u), pick(listKeys(world.policy.tenant), t)]
    return user === undefined || tenant === undefined ? [] : [['put', 'membership', { user, tenant }]]
  },
  noMember: (world, _, [n = 0]) => {
    const found = pick([...world.policy.membership.values()], n)
    return found === undefined ? [] : [['delete', 'membership', found]]
  },
} satisfies Record<string, (world: World, pool: Pool, numbers: Numbers) => readonly Operation[]>

const SIZES = [0, 1, 1, 1, 1, 1, 2, 2, 2, 3, 4, 6]

function conditionSet(world: World, pool: Pool, choice: Numbers, shape: Shape): Operation[] {
  const [n = 0, about = 0, size = 0, seed = 0, above = 0] = choice
  const sets = world.policy.condition_set
  const key = pick(SETS, n)!
  // A set keeps its kind and its type: rules and children were written for them.
  const stored = sets.get(key)
  const resource =
    stored === undefined ? (about % 2 === 0 ? null : (pick(typesIn(world), about >> 1) ?? null)) : stored.resource
  const type = resource === null ? 'userset' : 'resourceset'
  const parents = [...sets].filter(([, set]) => set.type === type && set.resource === resource).map(([each]) => each)
  const candidate = above % 3 === 0 ? pick(parents, above) : undefined
  const parent = candidate !== undefined && !leadsTo(world, candidate, key) ? candidate : null
  const drawn = conditions(numbers(seed), makeWords(world, pool), SIZES[size % SIZES.length]!, shape)
  return [['put', 'condition_set', { key, type, resource, conditions: drawn, parent }]]
}

function everySet(world: World, pool: Pool, seed: number, shape: Shape): Operation[] {
  const next = numbers(seed)
  const types = typesIn(world).filter((type) => world.policy.resource.get(type)!.actions.length > 0)
  if (types.length === 0) return []
  const operations: Operation[] = [['put', 'condition_set', { key: 'everybody', type: 'userset', conditions: {} }]]
  /** the sets that this edit wrote already, by what they are about: as parents they make no circle */
  const written = new Map<string | null, string[]>()
  for (const key of SETS.slice(0, 10)) {
    const stored = world.policy.condition_set.get(key)
    const about = types[next(types.length)]!
    const resource = stored === undefined ? (next(2) === 0 ? about : null) : stored.resource
    const above = written.get(resource) ?? []
    const parent = above.length > 0 && next(3) === 0 ? above[next(above.length)]! : null
    written.set(resource, [...above, key])
    const type = resource === null ? 'userset' : 'resourceset'
    const drawn = conditions(next, makeWords(world, pool), 1 + next(2), shape)
    operations.push(['put', 'condition_set', { key, type, resource, conditions: drawn, parent }])
    const actions = world.policy.resource.get(resource ?? about)?.actions.slice(0, 4) ?? []
    if (actions.length === 0) continue
    const permission = `${resource ?? about}:${actions[next(actions.length)]}`
    const [user_set, resource_set] = resource === null ? [key, `__autogen_${about}`] : ['everybody', key]
    operations.push(['put', 'set_rule', { user_set, permission, resource_set }])
  }
  const roles = listKeys(world.policy.role)
  for (let count = roles.length > 0 ? 3 : 0; count > 0; count--) {
    const type = types[next(types.length)]!
    const permission = `${type}:${world.policy.resource.get(type)!.actions[0]}`
    const user_set = `__autogen_${roles[next(Math.min(roles.length, 6))]}`
    operations.push(['put', 'set_rule', { user_set, permission, resource_set: `__autogen_${type}` }])
  }
  return operations
}

function leadsTo({ policy }: World, from: string, to: string): boolean {
  for (let at: string | null = from; at !== null; at = policy.condition_set.get(at)!.parent) if (at === to) return true
  return false
}

function rule(world: World, u: number, p: number, r: number): Operation[] {
  const { policy } = world
  const permissions = [...policy.resource].flatMap(([key, { actions }]) =>
    actions.slice(0, 4).map((action) => `${key}:${action}`),
  )
  const permission = pick(permissions, p)
  if (permission === undefined) return []
  const type = permission.slice(0, permission.indexOf(':'))
  const sets = [...policy.condition_set]
  const userSets = sets.filter(([, set]) => set.type === 'userset').map(([key]) => key)
  const roles = listKeys(policy.role).slice(0, 4)
  const onInstances = [...policy.resource_role.values()].filter(({ resource }) => resource === type)
  const held = u % 17 === 2 ? pick(onInstances, u) : undefined // D17
  const others = u % 17 === 2 ? (pick(roles, u) ?? pick(userSets, u)) : (pick(userSets, u) ?? pick(roles, u))
  const user_set = held === undefined ? others : `__autogen_${type}#${held.role}`
  // Now and then of another type, which never matches.
  const about = sets
    .filter(([, set]) => set.type === 'resourceset' && (r % 7 === 0 || set.resource === type))
    .map(([key]) => key)
  const resource_set = (r % 3 === 0 ? undefined : pick(about, r)) ?? (r % 11 === 0 ? pick(typesIn(world), r)! : type)
  if (user_set === undefined) return []
  return [
    [
      'put',
      'set_rule',
      { user_set: named(user_set, roles), permission, resource_set: named(resource_set, typesIn(world)) },
    ],
  ]
}

/** A role or a type is written so that no set of the same key is meant. */
const named = (key: string, plain: readonly string[]) =>
  plain.includes(key) && !SETS.includes(key) ? `__autogen_${key}` : key

const number = fc.nat(100_000)
const verb = <V extends keyof typeof SET_VERBS>(name: V, weight: number) => ({
  weight,
  arbitrary: fc.tuple(fc.constant(name), number, number, number, number, number),
})

const besides = [
  verb('userAttributes', 6),
  verb('tenantAttributes', 3),
  verb('instanceAttributes', 6),
  verb('everyAttribute', 3),
  verb('declare', 3),
  verb('declareMany', 2),
  verb('deleteSet', 1),
  verb('rule', 10),
  verb('unrule', 1),
  verb('member', 3),
  verb('noMember', 1),
]
export const setEdits = fc.oneof(verb('set', 6), verb('sets', 6), verb('crowd', 2), verb('crowdSet', 6), ...besides)
/** Without anything in a condition that more assignments could turn to false. */
export const plainSetEdits = fc.oneof(verb('plainSet', 6), verb('plainSets', 6), ...besides)
