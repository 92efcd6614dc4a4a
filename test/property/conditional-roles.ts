// Small environments in which set rules are for roles on instances (D17), and what an image answers beside what is
// defined: every check, listing and filter. And what an image forgets that is wrong about them.
import { holds, type RowReader } from '../../src/filters/evaluate.ts'
import type { Image } from '../../src/image/image.ts'
import type { KernelSource } from '../../src/kernel/module.ts'
import type { PolicyObjects } from '../../src/kinds/index.ts'
import { LISTING_PAGE_MAX } from '../../src/model/limits.ts'
import type { JsonObject } from '../../src/model/objects.ts'
import { check } from '../reference/check.ts'
import { instancesAllowed, usersAllowed } from '../reference/listing.ts'
import type { Policy } from '../reference/policy.ts'
import { byRelations } from '../reference/relations.ts'
import type { Request } from '../reference/request.ts'
import { byRoles } from '../reference/roles.ts'
import { bySets, hasUser, rulesFor } from '../reference/sets.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { type Operation, World } from '../support/world.ts'
import { numbers } from './numbers.ts'

/** Without one of them, a listing or a filter has too little. */
export const OF_HOLDERS = {
  'instances-of-role-sides': '...[]',
  'users-of-role-sides': '...[]',
  'rows-of-role-sides': 'if (isResourceRole(kernel, side)) return false',
}

type Next = (below: number) => number
const any = <T>(next: Next, from: readonly T[]): T => from[next(from.length)]!

const USERS = ['ana', 'ben', 'cyd', 'dan']
const TENANTS = ['acme', 'default']
const ROLES = ['viewer', 'editor', 'owner']
const DOCS = ['1', '2', '3', '4', '5']
const ACTIONS = ['read', 'write']
const FOLDERS = ['f', 'g']

/** @param seed the same one gives the same environment */
export function drawHolders(seed: number): World {
  const next = numbers(seed)
  const world = new World()
  const rule = () => {
    const when = { no_direct_roles_on_object: next(4) === 0 }
    return { role: any(next, ['in', 'over']), on_resource: 'folder', linked_by_relation: 'parent', when }
  }
  const role = (key: string, at: number): Operation => {
    const granted_to = next(2) === 0 ? null : { users_with_role: [rule()] }
    const permissions = next(6) === 0 ? ['doc:read'] : []
    const parents = ROLES.slice(0, at).filter(() => next(2) === 0)
    return ['put', 'resource_role', { resource: 'doc', role: key, permissions, extends: parents, granted_to }]
  }
  const homes = new Map(
    [...DOCS.map((key) => `doc:${key}`), ...FOLDERS.map((key) => `folder:${key}`)].map((key) => [
      key,
      any(next, TENANTS),
    ]),
  )
  const stored = [...homes].filter(() => next(5) > 0)
  const [docs, folders] = ['doc:', 'folder:'].map((type) => stored.filter(([key]) => key.startsWith(type)))
  world.runAll([
    ['put', 'tenant', { key: 'acme' }],
    ...USERS.map((key): Operation => ['put', 'user', { key, attributes: { level: next(3) } }]),
    ['put', 'resource', { key: 'folder', actions: [] }],
    ['put', 'resource', { key: 'doc', actions: ACTIONS, attributes: { archived: 'bool', level: 'number' } }],
    ['put', 'relation', { resource: 'doc', relation: 'parent', subject_resource: 'folder' }],
    ['put', 'resource_role', { resource: 'folder', role: 'in' }],
    ['put', 'resource_role', { resource: 'folder', role: 'over', extends: ['in'] }],
    ...ROLES.map(role),
    ['put', 'role', { key: 'editor', permissions: [] }],
    ...set('open', 'doc', { not: { 'resource.archived': { equals: true } } }),
    ...set('low', 'doc', { 'resource.level': { 'less-than': 2 } }),
    ...set('own', 'doc', { 'resource.level': { equals: { ref: 'user.level' } } }),
    ...set('here', 'doc', { 'context.place': { equals: 'here' } }),
    ...set('seniors', null, { 'user.level': { equals: 2 } }),
    ...stored.map(([key, tenant]): Operation => {
      const [resource = '', instance = ''] = key.split(':')
      const attributes: JsonObject = resource === 'doc' ? { archived: next(3) === 0, level: next(3) } : {}
      return ['put', 'resource_instance', { resource, instance, tenant, attributes }]
    }),
    ...folders!.flatMap(([subject, tenant]) =>
      docs!
        .filter(([, home]) => home === tenant && next(2) === 0)
        .map(([object]): Operation => ['put', 'relationship_tuple', { subject, relation: 'parent', object }]),
    ),
    ...stored.flatMap(([key, tenant]) => {
      const roles = key.startsWith('doc:') ? ROLES : ['in', 'over']
      return USERS.filter(() => next(4) === 0).map((user): Operation => {
        return ['put', 'role_assignment', { user, role: any(next, roles), tenant, resource_instance: key }]
      })
    }),
    ['put', 'role_assignment', { user: any(next, USERS), role: 'editor', tenant: any(next, TENANTS) }],
  ])
  for (let count = 1 + next(3); count > 0; count--) {
    const user_set = any(next, [
      ...ROLES.map((key) => `doc#${key}`),
      ...ROLES.map((key) => `doc#${key}`),
      'editor',
      'seniors',
    ])
    const resource_set = any(next, ['open', 'low', 'own', 'here', 'doc'])
    world.run(['put', 'set_rule', { user_set, permission: `doc:${any(next, ACTIONS)}`, resource_set }])
  }
  return world
}

const set = (key: string, resource: string | null, conditions: object): Operation[] => [
  ['put', 'condition_set', { key, type: resource === null ? 'userset' : 'resourceset', resource, conditions } as never],
]

type Definition = (policy: Policy, request: Request) => boolean
const withRoles =
  (alter: (role: PolicyObjects['resource_role']) => PolicyObjects['resource_role']): Definition =>
  (policy, request) => {
    const roles = [...policy.resource_role].map(([key, role]) => [key, alter(role)] as const)
    const wrong = { ...policy, resource_role: new Map(roles) }
    return byRoles(policy, request) || byRelations(policy, request) || bySets(wrong, request)
  }

/** Definitions that are wrong about roles as user sets in one point each. */
export const WRONG_ROLES: Readonly<Record<string, Definition>> = {
  'a role is exact, as one in tenants': withRoles((role) => ({ ...role, extends: [] })),
  'a role is one that is assigned': withRoles((role) => ({ ...role, granted_to: null })),
  'what is sent gives no role': (policy, { resource: { relations: _, ...resource }, ...request }) =>
    byRoles(policy, { ...request, resource }) ||
    byRelations(policy, { ...request, resource: { ...resource, ...(_ && { relations: _ }) } }) ||
    bySets(policy, { ...request, resource }),
  'the role alone is enough': (policy, request) =>
    check(policy, request) ||
    rulesFor(policy, request).some(({ user_set }) => user_set.includes('#') && hasUser(policy, request, user_set)),
  'a direct role switches nothing off': withRoles((role) => ({
    ...role,
    granted_to: role.granted_to && {
      when: OFF,
      users_with_role: role.granted_to.users_with_role.map((each) => ({ ...each, when: OFF })),
    },
  })),
}
const OFF = { no_direct_roles_on_object: false }

/** Whether some question about the environment tells the definition from the right one. */
export function isTold(wrong: Definition, { policy }: World): boolean {
  return questionsAbout().some((request) => check(policy, request) !== wrong(policy, request))
}

function questionsAbout(): Request[] {
  const keys = [...DOCS, 'none'].flatMap((key) => [{ key }, { key, relations: { parent: ['folder:f'] } }])
  return USERS.flatMap((user) =>
    ACTIONS.flatMap((action) => keys.map((of) => ({ user, action, resource: { type: 'doc', ...of }, sent: SENT }))),
  )
}

type ImageClass = Pick<typeof Image, 'build'>
const SENT = { context: { place: 'here' } }

/** The first answer that is not the one of the definition, or undefined. */
export function findDisagreement(images: ImageClass, world: World, kernel?: KernelSource): string | undefined {
  const image = images.build(ENVIRONMENT, makePosition(1), world.contents(), kernel === undefined ? {} : { kernel })
  image.verify()
  const { policy } = world
  const all = { limit: LISTING_PAGE_MAX }
  const differs = (what: string, is: unknown, defined: unknown): string | undefined =>
    JSON.stringify(is) === JSON.stringify(defined)
      ? undefined
      : `${what}: ${JSON.stringify(is)} is ${JSON.stringify(defined)}`
  const relations = { parent: ['folder:f'] }
  const found: (string | undefined)[] = []
  for (const action of ACTIONS) {
    for (const key of [undefined, ...DOCS, 'none']) {
      const resource = { type: 'doc', ...(key === undefined ? {} : { key }) }
      const users = USERS.filter((user) => check(policy, { user, action, resource, sent: SENT }))
      for (const user of USERS) {
        const request = { user, action, resource: { ...resource, relations }, sent: SENT }
        const sent = image.check(user, action, 'doc', undefined, key, SENT, [
          { relation: 'parent', subjects: relations.parent },
        ])
        found.push(
          differs(
            `${user} ${action} ${key}`,
            image.check(user, action, 'doc', undefined, key, SENT),
            users.includes(user),
          ),
        )
        found.push(differs(`${user} ${action} ${key} in f`, sent, check(policy, request)))
      }
      const about = { type: 'doc', key, tenant: undefined, sent: SENT }
      const listed = image.listings.users(action, about, all).keys
      found.push(differs(`users ${action} ${key}`, listed, usersAllowed(policy, { action, resource, sent: SENT })))
    }
    for (const user of USERS) {
      const about = { type: 'doc', key: undefined, tenant: undefined, sent: SENT }
      const listed = image.listings.resources(user, action, about, all).keys
      const request = { user, action, resource: { type: 'doc' }, sent: SENT }
      found.push(differs(`instances ${user} ${action}`, listed, instancesAllowed(policy, request)))
    }
  }
  for (const [user, action, tenant] of USERS.flatMap((each) =>
    ACTIONS.flatMap((action) => TENANTS.map((tenant) => [each, action, tenant] as const)),
  )) {
    const filter = image.filter({ user, action, type: 'doc', tenant, sent: SENT })
    for (const [at, key] of [...DOCS, 'none'].entries()) {
      const attributes = { archived: at % 2 === 0, level: at % 3 }
      const parent = at % 2 === 0 ? ['f'] : []
      const related = { parent: parent.map((each) => `folder:${each}`) }
      const reader: RowReader = {
        attribute: (name) => (attributes as JsonObject)[name] ?? null,
        key: () => key,
        related: () => related.parent,
        now: () => Number.NaN,
      }
      const is = filter.kind === 'when' ? holds(filter.where, reader) : filter.kind === 'always'
      const resource = { type: 'doc', key, tenant, isRow: true, relations: related }
      const defined = check(policy, { user, action, resource, sent: { ...SENT, resource: attributes } })
      found.push(differs(`row ${user} ${action} ${key} in ${tenant}`, is, defined))
    }
  }
  return found.find((each) => each !== undefined)
}
