// Random edit histories for the laws: what fast-check draws are small numbers (so that it can shrink them), and
// `listOperations` turns them into operations that management would accept in the world as it stands. Aimed at edges: few
// keys used again and again, many roles in one grant, role sets that many share, deletes and re-creations, `extends`
// turned about, permissions around page borders.

import fc from 'fast-check'
import { EXTENDS_DEPTH_MAX } from '../../src/model/limits.ts'
import type { Operation, World } from '../support/world.ts'
import { withEverybody } from './everybody.ts'
import type { Pool } from './pool.ts'
import { RELATION_VERBS, relationEdits } from './relation-edits.ts'
import { plainSetEdits, SET_VERBS, setEdits, typesIn } from './set-edits.ts'
import { withTimes } from './times.ts'

export { numbers } from './numbers.ts'

const series = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)

export const POOLS = {
  small: {
    users: ['ana', 'ben', 'cyd', 'dan'],
    tenants: ['default', 'acme', 'umbra'],
    roles: ['admin', 'editor', 'viewer', 'guest', 'owner'],
    resources: ['doc', 'image'],
    actions: ['read', 'write', 'share'],
  },
  odd: {
    users: ['__proto__', 'a', 'aa', 'A', 'auth0|x', 'constructor', 'k'.repeat(256)],
    tenants: ['default', 'a', '__proto__', 't'.repeat(255)],
    roles: ['a', 'aa', 'A', '__proto__', 'toString', 'r'.repeat(256)],
    resources: ['a', 'aa', '__proto__', 's'.repeat(256)],
    actions: ['a', 'aa', 'constructor', 'c'.repeat(256)],
  },
  wide: {
    users: series('user-', 40),
    tenants: ['default', ...series('tenant-', 6)],
    roles: series('role-', 140),
    resources: series('resource-', 40),
    actions: series('action-', 64),
  },
  /** Tables that split and directories that grow. */
  large: {
    users: series('user-', 1500),
    tenants: ['default', ...series('tenant-', 40)],
    roles: series('role-', 24),
    resources: series('resource-', 12),
    actions: series('action-', 8),
  },
} as const satisfies Record<string, Pool>
export type PoolName = keyof typeof POOLS

type Numbers = readonly number[]
/** One edit as drawn: what to do, and numbers that choose the objects. */
export type Edit = readonly [verb: Verb, ...numbers: number[]]
type Verb = keyof typeof VERBS | keyof typeof RELATION_VERBS | keyof typeof SET_VERBS

/** A history: its pool, and revisions of one or more edits each. */
export interface History {
  readonly pool: PoolName
  readonly revisions: readonly (readonly Edit[])[]
  /** seed of the times of grants (times.ts); absent: they have none */
  readonly times?: number
  /** seed of the roles for everybody (everybody.ts); absent: there are none */
  readonly everybody?: number
}

/** What the history draws from. */
export const findPool = ({ pool, times, everybody }: Pick<History, 'pool' | 'times' | 'everybody'>): Pool => ({
  ...POOLS[pool],
  ...(times === undefined ? {} : { times }),
  ...(everybody === undefined ? {} : { everybody }),
})

const pick = <T>(from: readonly T[], number: number): T | undefined => from[number % from.length]
const listKeys = (map: ReadonlyMap<string, unknown>) => [...map.keys()]
const some = <T>(from: readonly T[], number: number, most: number): T[] => {
  const count = number % (most + 1)
  return from.length === 0
    ? []
    : Array.from({ length: count }, (_, index) => from[(number + index * (1 + (number % 7))) % from.length]!)
}
const run = <T>(from: readonly T[], first: number, count: number): T[] =>
  from.slice(first % Math.max(from.length, 1)).slice(0, count)

const VERBS = {
  user: (_, pool, [n = 0]) => [['put', 'user', { key: pick(pool.users, n)! }]],
  users: (_, pool) => pool.users.map((key) => ['put', 'user', { key }] as const),
  tenants: (_, pool) => pool.tenants.map((key) => ['put', 'tenant', { key }] as const),
  tenant: (_, pool, [n = 0]) => [['put', 'tenant', { key: pick(pool.tenants, n)! }]],
  resource: (_, pool, [n = 0, first = 0, count = 0]) => [
    ['put', 'resource', { key: pick(pool.resources, n)!, actions: run(pool.actions, first, count) }],
  ],
  /** Everything there is to permit, so that permissions are many at once. */
  resources: (_, pool) => pool.resources.map((key) => ['put', 'resource', { key, actions: pool.actions }] as const),
  role: (world, pool, [n = 0, permissions = 0, parents = 0]) => {
    const key = pick(pool.roles, n)!
    const from = permissionsIn(world)
    const held = [...new Set(some(from, permissions, Math.min(from.length, 12)))]
    return [['put', 'role', { key, permissions: held, extends: parentsFor(world, key, parents) }]]
  },
  /** Many roles, each with its own permission. */
  roles: (world, pool, [first = 0, count = 0]) => {
    const permissions = permissionsIn(world)
    return run(pool.roles, first, count).map((key, index) => {
      const permission = pick(permissions, first + index)
      return ['put', 'role', { key, permissions: permission ? [permission] : [] }] as const
    })
  },
  assign: (world, _, [u = 0, r = 0, t = 0]) => assignments(world, 'put', u, t, some(listKeys(world.policy.role), r, 1)),
  assignMany: (world, _, [u = 0, t = 0, first = 0, count = 0]) =>
    assignments(world, 'put', u, t, run(listKeys(world.policy.role), first, count)),
  /** As many roles for one user as the pool has and the number says, each with a permission of its own. */
  roleRun: (world, pool, [u = 0, t = 0, count = 0]) => {
    const permissions = permissionsIn(world)
    const keys = pool.roles.slice(0, count)
    const roles = keys
      .filter((key) => !world.policy.role.has(key))
      .map((key, index) => {
        const permission = pick(permissions, index)
        return ['put', 'role', { key, permissions: permission ? [permission] : [] }] as const
      })
    return [...roles, ...assignments(world, 'put', u, t, keys)]
  },
  /** The same roles for many users: one shared role set. */
  assignSame: (world, _, [t = 0, first = 0, count = 0]) =>
    listKeys(world.policy.user).flatMap((_, u) =>
      assignments(world, 'put', u, t, run(listKeys(world.policy.role), first, count)),
    ),
  unassign: (world, _, [n = 0]) => {
    const assignment = pick([...world.policy.role_assignment.values()], n)
    return assignment ? [['delete', 'role_assignment', assignment]] : []
  },
  unassignMany: (world, _, [first = 0, count = 0]) =>
    run([...world.policy.role_assignment.values()], first, count).map(
      (each) => ['delete', 'role_assignment', each] as const,
    ),
  /** A grant that is there is written again: in a history with times, with others. */
  retime: (world, _, [n = 0, kind = 0]) => {
    const { role_assignment, relationship_tuple } = world.policy
    const assignment = pick([...role_assignment.values()], n)
    const tuple = pick([...relationship_tuple.values()], n)
    if (tuple !== undefined && (kind % 2 === 0 || assignment === undefined))
      return [['put', 'relationship_tuple', tuple]]
    return assignment === undefined ? [] : [['put', 'role_assignment', assignment]]
  },
  /** A user is suspended (D16), or resumed: in a history with times, for a time. */
  suspend: (world, _, [n = 0, kind = 0]) => {
    const key = pick(listKeys(world.policy.user), n)
    if (key === undefined) return []
    const { suspension: _suspension, ...user } = world.policy.user.get(key)!
    return [['put', 'user', { key, ...user, ...(kind % 4 === 0 ? {} : { suspension: {} }) }]]
  },
  deleteUser: (world, _, [n = 0]) => deletion('user', pick(listKeys(world.policy.user), n)),
  deleteRole: (world, _, [n = 0]) => deletion('role', pick(listKeys(world.policy.role), n)),
  deleteTenant: (world, _, [n = 0]) => deletion('tenant', pick(listKeys(world.policy.tenant), n)),
  deleteResource: (world, _, [n = 0]) => deletion('resource', pick(typesIn(world), n)),
} satisfies Record<string, (world: World, pool: Pool, numbers: Numbers) => readonly Operation[]>

const ALL_VERBS = { ...VERBS, ...RELATION_VERBS, ...SET_VERBS }

/** The operations of the edit in this world; none when there is nothing to edit. */
export function listOperations(world: World, pool: Pool, [verb, ...numbers]: Edit): readonly Operation[] {
  const { times, everybody } = pool
  const seed = (first: number) => numbers.reduce((sum, number) => (Math.imul(sum, 31) + number) | 0, first)
  const drawn: readonly Operation[] = ALL_VERBS[verb](world, pool, numbers)
  const operations = everybody === undefined ? drawn : withEverybody(drawn, seed(everybody))
  return times === undefined ? operations : withTimes(operations, seed(times))
}

function assignments(world: World, op: 'put' | 'delete', u: number, t: number, roles: readonly string[]): Operation[] {
  const user = pick(listKeys(world.policy.user), u)
  const tenant = pick(listKeys(world.policy.tenant), t)
  if (user === undefined || tenant === undefined) return []
  return roles.map((role) => [op, 'role_assignment', { user, role, tenant }])
}

function deletion(kind: 'user' | 'role' | 'tenant' | 'resource', key: string | undefined): Operation[] {
  return key === undefined ? [] : [['delete', kind, { key }]]
}

function permissionsIn(world: World): string[] {
  return [...world.policy.resource].flatMap(([key, { actions }]) => actions.map((action) => `${key}:${action}`))
}

/** Up to three roles that `key` may extend without extending itself and without too long a chain. */
function parentsFor(world: World, key: string, number: number): string[] {
  const candidates = some(listKeys(world.policy.role), number, 3).filter(
    (each) => each !== key && !reaches(world, each, key),
  )
  const below = depth(world, key, 'children')
  return [...new Set(candidates)].filter((parent) => below + depth(world, parent, 'parents') <= EXTENDS_DEPTH_MAX)
}

function listParents(world: World, key: string): readonly string[] {
  return world.policy.role.get(key)?.extends ?? []
}

function listChildren(world: World, key: string): readonly string[] {
  return listKeys(world.policy.role).filter((child) => listParents(world, child).includes(key))
}

function reaches(world: World, from: string, to: string): boolean {
  const reached = new Set([from])
  for (const each of reached) for (const parent of listParents(world, each)) reached.add(parent)
  return reached.has(to)
}

/** Roles on the longest chain upwards or downwards, `key` included. */
function depth(world: World, key: string, way: 'parents' | 'children'): number {
  let level = [key]
  let levels = 0
  while (level.length > 0) {
    levels++
    level = [
      ...new Set(level.flatMap((each) => (way === 'parents' ? listParents(world, each) : listChildren(world, each)))),
    ]
  }
  return levels
}

const number = fc.nat(1000)
const count = fc.constantFrom(0, 1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 130)
const many = fc.constantFrom(31, 32, 33, 63, 64, 65, 130)
const roleEdit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('user' as const), number) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('users' as const)) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('tenant' as const), number) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('tenants' as const)) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('resource' as const), number, number, count) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('resources' as const)) },
  { weight: 9, arbitrary: fc.tuple(fc.constant('role' as const), number, number, number) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('roles' as const), number, count) },
  { weight: 9, arbitrary: fc.tuple(fc.constant('assign' as const), number, number, number) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('assignMany' as const), number, number, number, count) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('roleRun' as const), number, number, many) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('assignSame' as const), number, number, fc.nat(4)) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('unassign' as const), number) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('unassignMany' as const), number, count) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('deleteUser' as const), number) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('deleteRole' as const), number) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('deleteTenant' as const), number) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('deleteResource' as const), number) },
)

const edit: fc.Arbitrary<Edit> = fc.oneof(roleEdit, relationEdits)

/** Begins with something to work on, so that most questions are about things that exist. */
const beginning: readonly Edit[] = [['users'], ['tenant', 1], ['resources'], ['role', 0, 11, 0], ['role', 1, 23, 1]]
const related: readonly Edit[] = [
  ['resourceRoles', 0, 0, 1],
  ['resourceRoles', 1, 1, 0],
  ['instances', 1],
  ['relateMany', 0, 0],
  ['relateMany', 1, 0],
  ['assignOn', 0, 0, 0],
  ['assignOn', 0, 1, 1],
  ['assignOn', 1, 2, 1],
]

const pool = fc.oneof(
  { weight: 25, arbitrary: fc.constant('small' as const) },
  { weight: 15, arbitrary: fc.constant('odd' as const) },
  { weight: 7, arbitrary: fc.constant('wide' as const) },
  { weight: 1, arbitrary: fc.constant('large' as const) },
)

function makeHistories(
  from: fc.Arbitrary<Edit>,
  first: readonly Edit[],
  then: fc.Arbitrary<readonly Edit[]> = fc.constant([]),
): fc.Arbitrary<History> {
  return fc.record({
    pool,
    revisions: fc
      .tuple(
        then,
        fc.array(fc.array(from, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 16, size: 'max' }),
      )
      .map(([second, revisions]) => [[...first, ...second], ...revisions]),
  })
}

/** Roles in tenants only. */
export const roleHistories = makeHistories(roleEdit, beginning)
/** Roles in tenants, and roles on instances: each by itself, and both. */
const histories = fc.oneof(
  { weight: 1, arbitrary: roleHistories },
  { weight: 1, arbitrary: makeHistories(edit, beginning) },
  { weight: 3, arbitrary: makeHistories(edit, [...beginning, ...related]) },
)
/** Rules about what there is, and stored attributes that they ask for. */
const anySets = (verb: 'sets' | 'plainSets') =>
  fc.nat(100_000).map((seed): readonly Edit[] => {
    const declared: Edit[] = seed % 3 === 0 ? [['declareMany', seed]] : []
    const crowded: Edit[] = verb === 'sets' && seed % 2 === 0 ? [['crowd', seed]] : []
    return [[verb, seed], ...crowded, ...declared, ['member', 0, 0], ['member', 1, 1], ['everyAttribute', seed]]
  })

/**
 * Roles in tenants, roles on instances and set rules, none of them for a time: for what knows no times yet. Whoever learns
 * them asks about `mixedHistories`.
 */
export const untimedHistories = fc.oneof(
  { weight: 1, arbitrary: histories },
  { weight: 2, arbitrary: makeHistories(fc.oneof(roleEdit, setEdits), beginning, anySets('sets')) },
  {
    weight: 4,
    arbitrary: makeHistories(fc.oneof(roleEdit, relationEdits, setEdits), [...beginning, ...related], anySets('sets')),
  },
)
/** The same, in which grants are for a time, and are written again with other times; users are suspended and resumed. */
export const timedHistories = fc
  .record({ history: untimedHistories, times: fc.nat() })
  .map(({ history, times }): History => {
    const again = (at: number): Edit[] => [
      ['retime', times + at, at],
      ['retime', times + 7 * at, at + 1],
      ...((times + at) % 3 === 0 ? [['suspend', times + at, times + 5 * at] as const] : []),
    ]
    const ties: Edit = ['tieSets', times]
    const revisions = history.revisions.map((edits, at) => [...edits, ...(at === 0 ? [ties] : again(at))])
    return { ...history, times, revisions }
  })

/** Of so many random histories in a hundred the grants have times (D15). ZEROHOP_TEST_TIMED says another number. */
const TIMED = Number(process.env.ZEROHOP_TEST_TIMED ?? 40)

/** Both, by that share. */
export const byShare = <T>(untimed: fc.Arbitrary<T>, timed: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 100 - TIMED, arbitrary: untimed }, { weight: TIMED, arbitrary: timed })

/** Of so many of them in a hundred some roles are for everybody (D16). */
const SHARED = 25

const asIs = byShare(untimedHistories, timedHistories)
/** The same histories; in a share of them some roles are for everybody. */
export const withEverybodyToo = (histories: fc.Arbitrary<History>): fc.Arbitrary<History> =>
  fc.oneof(
    { weight: 100 - SHARED, arbitrary: histories },
    {
      weight: SHARED,
      arbitrary: fc
        .record({ history: histories, everybody: fc.nat() })
        .map(({ history, everybody }): History => ({ ...history, everybody })),
    },
  )
export const mixedHistories = withEverybodyToo(asIs)

/** The same of whatever else is drawn: a share of it has a seed for times. */
export const withTimedToo = <T extends object>(drawn: fc.Arbitrary<T>): fc.Arbitrary<T & { readonly times?: number }> =>
  byShare<T & { readonly times?: number }>(
    drawn,
    fc.tuple(drawn, fc.nat()).map(([each, times]) => ({ ...each, times })),
  )
/** The same without times, with conditions that can only become true when somebody gets more. */
export const plainHistories = makeHistories(
  fc.oneof(roleEdit, relationEdits, plainSetEdits),
  [...beginning, ...related],
  anySets('plainSets'),
)
