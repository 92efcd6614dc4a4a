// Small environments made for filters: set rules whose conditions read rows, roles on instances and relations, few keys
// that lie in two tenants, and somebody who asks without a role in the tenant, so that the row decides.
import type { AttributeType, JsonObject } from '../../src/model/objects.ts'
import type { Request } from '../reference/request.ts'
import { type Operation, World } from '../support/world.ts'
import type { Pool } from './pool.ts'
import { wordsOf, writable } from './set-edits.ts'
import {
  ATTRIBUTES,
  attributesOf,
  conditions,
  hintsFor,
  MIDNIGHT,
  type Next,
  sentFrom,
  TYPES,
  type Words,
} from './values.ts'

export const FILTER_POOL: Pool = {
  users: ['ana', 'ben'],
  tenants: ['acme', 'umbra'],
  roles: ['guest'],
  resources: ['doc', 'folder'],
  actions: ['read'],
}

const KEYS = { doc: ['1', '2', '3', 'a'], folder: ['a', 'b', '1'] }

const any = <T>(next: Next, from: readonly T[]): T => from[next(from.length)]!

/** A world, and questions about `doc:read`. */
export function filterWorld(next: Next, count: number): { world: World; requests: Request[] } {
  const world = new World()
  world.runAll([...policyOf(next), ...factsOf(next)])
  const words = wordsOf(world, FILTER_POOL)
  const sets = setsOf(next, words)
  world.runAll(sets)
  const written = [...world.policy.condition_set.values()].map((set) => set.conditions)
  world.runAll(attributesFor(next, words, world, written))
  return { world, requests: Array.from({ length: count }, () => questionOf(next, words, written)) }
}

function policyOf(next: Next): Operation[] {
  const declared = (): Record<string, AttributeType> =>
    Object.fromEntries(ATTRIBUTES.filter(() => next(2) === 0).map((name) => [name, any(next, TYPES)]))
  const when = () => ({ no_direct_roles_on_object: next(3) === 0 })
  return [
    ...FILTER_POOL.tenants.map((key): Operation => ['put', 'tenant', { key, attributes: {} }]),
    ...FILTER_POOL.users.map((key): Operation => ['put', 'user', { key }]),
    ['put', 'resource', { key: 'doc', actions: ['read'], attributes: declared() }],
    ['put', 'resource', { key: 'folder', actions: [], attributes: declared() }],
    ...(next(2) === 0 ? [['put', 'resource', { key: '__user', actions: [], attributes: declared() }] as const] : []),
    ['put', 'role', { key: 'guest', permissions: next(12) === 0 ? ['doc:read'] : [] }],
    ['put', 'resource_role', { resource: 'folder', role: 'editor' }],
    ['put', 'resource_role', { resource: 'folder', role: 'viewer' }],
    ['put', 'relation', { resource: 'doc', relation: 'parent', subject_resource: 'folder' }],
    [
      'put',
      'resource_role',
      {
        resource: 'doc',
        role: 'reader',
        permissions: ['doc:read'],
        granted_to: {
          when: when(),
          users_with_role: [{ role: 'editor', on_resource: 'folder', linked_by_relation: 'parent', when: when() }],
        },
      },
    ],
    ['put', 'resource_role', { resource: 'doc', role: 'owner', extends: next(2) === 0 ? ['reader'] : [] }],
  ]
}

function factsOf(next: Next): Operation[] {
  const tenants = FILTER_POOL.tenants
  const objects = Object.entries(KEYS).flatMap(([resource, keys]) =>
    keys.filter(() => next(4) > 0).map((instance) => ({ resource, instance, tenant: any(next, tenants) })),
  )
  const named = ({ resource, instance }: (typeof objects)[number]) => `${resource}:${instance}`
  const docs = objects.filter(({ resource }) => resource === 'doc')
  const folders = objects.filter(({ resource }) => resource === 'folder')
  const pairs = docs.flatMap((doc) => folders.map((folder) => [folder, doc] as const))
  return [
    ...objects.map((object): Operation => ['put', 'resource_instance', object]),
    ...pairs
      .filter(([folder, doc]) => folder.tenant === doc.tenant && next(3) === 0)
      .map(
        ([folder, doc]): Operation => [
          'put',
          'relationship_tuple',
          { subject: named(folder), relation: 'parent', object: named(doc) },
        ],
      ),
    ...objects
      .filter(() => next(4) === 0)
      .map((object): Operation => {
        const role = any(next, object.resource === 'doc' ? ['reader', 'owner'] : ['editor', 'viewer'])
        const [user, tenant] = [any(next, FILTER_POOL.users), object.tenant]
        return ['put', 'role_assignment', { user, role, tenant, resource_instance: named(object) }]
      }),
    ...tenants
      .filter(() => next(3) > 0)
      .map((tenant): Operation => ['put', 'role_assignment', { user: 'ana', role: 'guest', tenant }]),
  ]
}

/** Set rules of `doc:read`; the conditions of at least one side read the row. */
function setsOf(next: Next, words: Words): Operation[] {
  const operations: Operation[] = []
  for (let rule = next(5) === 0 ? 0 : 1 + next(2); rule > 0; rule--) {
    const resource = { resource: 'doc', type: 'resourceset' } as const
    const user = { type: 'userset' } as const
    const readsRow = next(5) === 0
    const parent = next(5) === 0 ? `parent${rule}` : null
    if (parent !== null)
      operations.push(['put', 'condition_set', { key: parent, ...resource, conditions: aboutRow(next, words) }])
    operations.push(
      [
        'put',
        'condition_set',
        {
          key: `who${rule}`,
          ...user,
          conditions: readsRow ? aboutRow(next, words) : next(2) === 0 ? {} : conditions(next, words, 1),
        },
      ],
      ['put', 'condition_set', { key: `what${rule}`, ...resource, conditions: aboutRow(next, words), parent }],
      ['put', 'set_rule', { user_set: `who${rule}`, permission: 'doc:read', resource_set: `what${rule}` }],
    )
  }
  return operations
}

/** Conditions that read the row: several are drawn until one does. */
function aboutRow(next: Next, words: Words): JsonObject {
  const kind = next(6)
  if (kind < 2) {
    const operator = any(next, ['less-than', 'less-than-equals', 'equals', 'not-equals', 'greater-than-equals'])
    return {
      [`resource.${any(next, ['a', 'b'])}`]: { [operator]: kind === 0 ? { ref: 'context.now' } : any(next, [0, 1, 2]) },
    }
  }
  for (;;) {
    const drawn = conditions(next, words, 1 + next(3))
    if (JSON.stringify(drawn).includes('"resource.')) return drawn
  }
}

/** What is stored of users and instances, so that conditions are often true or nearly so. */
function attributesFor(next: Next, words: Words, world: World, sets: readonly JsonObject[]): Operation[] {
  const drawn = (root: 'user' | 'resource' | 'tenant') =>
    writable({
      ...(next(3) === 0 ? attributesOf(next, words) : {}),
      ...hintsFor(next, words, sets)[root],
    }) as JsonObject
  return [
    ...FILTER_POOL.users.map((key): Operation => ['put', 'user', { key, attributes: drawn('user') }]),
    ...FILTER_POOL.tenants.map((key): Operation => ['put', 'tenant', { key, attributes: drawn('tenant') }]),
    ...[...world.policy.resource_instance].map(([whole, { tenant }]): Operation => {
      const [resource = '', instance = ''] = whole.split(':')
      return ['put', 'resource_instance', { resource, instance, tenant, attributes: drawn('resource') }]
    }),
  ]
}

function questionOf(next: Next, words: Words, sets: readonly JsonObject[]): Request {
  const { user, action, context } = sentFrom(next, words, hintsFor(next, words, sets))
  const now = next(2) === 0
  const sent = {
    ...(user && next(2) === 0 ? { user } : {}),
    ...(action ? { action } : {}),
    ...(context || now ? { context: { ...context, ...(now ? { now: MIDNIGHT } : {}) } } : {}),
  }
  const tenant = next(12) === 0 ? 'default' : any(next, FILTER_POOL.tenants)
  return { user: next(4) === 0 ? 'ben' : 'ana', action: 'read', resource: { type: 'doc', tenant }, sent }
}
