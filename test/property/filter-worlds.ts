// Small environments made for filters: set rules whose conditions read rows, roles on instances and relations, few keys
// that lie in two tenants, and somebody who asks without a role in the tenant, so that the row decides.
import type { PolicyChange } from '../../src/log/delta.ts'
import type { AttributeType, JsonObject } from '../../src/model/objects.ts'
import { EVERYBODY } from '../reference/everybody.ts'
import type { Request } from '../reference/request.ts'
import { putsOf } from '../support/ways/objects.ts'
import { type Operation, World } from '../support/world.ts'
import { numbers } from './numbers.ts'
import type { Pool } from './pool.ts'
import { makeWords, writable } from './set-edits.ts'
import { withTimes } from './times.ts'
import {
  ATTRIBUTES,
  conditions,
  drawAttributes,
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
  world.runAll([...drawPolicy(next), ...drawFacts(next)])
  const words = makeWords(world, FILTER_POOL)
  world.runAll(drawSets(next, words))
  const written = [...world.policy.condition_set.values()].map((set) => set.conditions)
  world.runAll(attributesFor(next, words, world, written))
  return { world, requests: filterQuestions(world, next, count) }
}

/** Such a world alone; with times of its grants, where there is a seed for them. */
export function makeFilterWorld(next: Next, times?: number): World {
  const { world } = filterWorld(next, 0)
  if (times === undefined) return world
  const timed = new World()
  timed.runAll(withTimes([...putsOf(world)], times))
  return timed
}

/**
 * Adds to such a world what only a share of worlds has: suspended users (D16), and set rules for roles on instances (D17),
 * which mostly have no other permission of `doc:read`. From numbers of their own, so that the rest is as it was.
 */
export function addMore(world: World, seed: number): void {
  const next = numbers(seed)
  const { user, resource_instance, resource_role, set_rule } = world.policy
  const suspended = [...user].filter(() => next(8) === 0)
  world.runAll(suspended.map(([key, value]): Operation => ['put', 'user', { ...value, key, suspension: {} }]))
  if (next(4) === 0) return
  const { reader, owner } = { reader: resource_role.get('doc/reader')!, owner: resource_role.get('doc/owner')! }
  const when = () => ({ no_direct_roles_on_object: next(3) === 0 })
  const derived = { role: 'viewer', on_resource: 'folder', linked_by_relation: 'parent', when: when() }
  if (next(3) > 0) world.run(['put', 'resource_role', { ...reader, permissions: [] }])
  if (next(2) === 0)
    world.run(['put', 'resource_role', { ...owner, granted_to: { when: when(), users_with_role: [derived] } }])
  if (next(2) === 0) world.runAll([...set_rule.values()].map((rule): Operation => ['delete', 'set_rule', rule]))
  world.runAll(
    [...resource_instance].flatMap(([resource_instance, { tenant }]): Operation[] => {
      const roles = resource_instance.startsWith('doc:') ? ['reader', 'owner'] : ['editor', 'viewer']
      return FILTER_POOL.users
        .filter(() => next(2) === 0)
        .map((user) => ['put', 'role_assignment', { user, role: any(next, roles), tenant, resource_instance }])
    }),
  )
  for (let count = 1 + next(2); count > 0; count--) {
    const key = `if${count}`
    const conditions = aboutRow(next, makeWords(world, FILTER_POOL))
    const sets = [...world.policy.condition_set].filter(([, { resource }]) => resource === 'doc')
    const others = ['__autogen_doc', '__autogen_doc', ...sets.map(([each]) => each)]
    world.runAll([
      ['put', 'condition_set', { key, type: 'resourceset', resource: 'doc', conditions }],
      [
        'put',
        'set_rule',
        {
          user_set: `__autogen_doc#${any(next, ['reader', 'owner'])}`,
          permission: 'doc:read',
          resource_set: next(3) > 0 ? key : any(next, others),
        },
      ],
    ])
  }
}

/** Documents that everybody may read, around the number of values that a where object of Prisma may have. */
const CROWD = { seldom: 300, least: 850, more: 300 }

/**
 * Gives roles to everybody (D16) in such a world: in tenants, on documents, and on folders from which documents derive
 * theirs; seldom on hundreds of documents. From numbers of their own, so that the rest is as it was.
 */
export function shareWithEverybody(world: World, seed: number): void {
  const next = numbers(seed)
  const { tenant, resource_instance, role } = world.policy
  const share = (role: string, tenant: string, resource_instance?: string): Operation => [
    'put',
    'role_assignment',
    { user: EVERYBODY, role, tenant, ...(resource_instance === undefined ? {} : { resource_instance }) },
  ]
  if (next(3) === 0) {
    if (next(3) === 0) world.run(['put', 'role', { ...role.get('guest')!, key: 'guest', permissions: ['doc:read'] }])
    world.runAll([...tenant.keys()].filter(() => next(2) === 0).map((key) => share('guest', key)))
  }
  const instances = [...resource_instance]
  const seldom = 2 + next(3)
  world.runAll(
    instances
      .filter((_, at) => at === seed % instances.length || next(seldom) === 0)
      .map(([key, { tenant }]) => {
        const ofDocument = next(6) === 0 ? 'owner' : 'reader'
        const ofFolder = next(6) === 0 ? 'viewer' : 'editor'
        return share(key.startsWith('doc:') ? ofDocument : ofFolder, tenant, key)
      }),
  )
  if (next(CROWD.seldom) > 0) return
  const home = any(next, FILTER_POOL.tenants)
  for (let left = CROWD.least + next(CROWD.more); left > 0; left--) {
    world.run(['put', 'resource_instance', { resource: 'doc', instance: `public-${left}`, tenant: home }])
    world.run(share('reader', home, `doc:public-${left}`))
  }
}

/** The questions; some of them are about who is not stored, or no one is signed in (D16). */
export function askedByAnybody(questions: readonly Request[], seed: number): Request[] {
  const next = numbers(seed)
  return questions.map((each) => ({ ...each, user: ['nobody', 'nobody', EVERYBODY][next(8)] ?? each.user }))
}

function drawPolicy(next: Next): Operation[] {
  const declared = (): Record<string, AttributeType> =>
    Object.fromEntries(ATTRIBUTES.filter(() => next(2) === 0).map((name) => [name, any(next, TYPES)]))
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
    readerRole(next),
    ['put', 'resource_role', { resource: 'doc', role: 'owner', extends: next(2) === 0 ? ['reader'] : [] }],
  ]
}

/** The role that rows get from the folder that they are in. */
function readerRole(next: Next): Operation {
  const when = () => ({ no_direct_roles_on_object: next(3) === 0 })
  const rule = { role: 'editor', on_resource: 'folder', linked_by_relation: 'parent', when: when() }
  return [
    'put',
    'resource_role',
    {
      resource: 'doc',
      role: 'reader',
      permissions: ['doc:read'],
      granted_to: { when: when(), users_with_role: [rule] },
    },
  ]
}

function drawFacts(next: Next): Operation[] {
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
function drawSets(next: Next, words: Words): Operation[] {
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
      ...(next(3) === 0 ? drawAttributes(next, words) : {}),
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

/**
 * Makes one to three edits of such a world: of its rules, roles and declared types, and of what is stored.
 * @param kinds names of EDITS; all of them unless some are looked for
 */
export function filterEdits(world: World, next: Next, kinds: readonly string[] = Object.keys(EDITS)): PolicyChange[] {
  const changes: PolicyChange[] = []
  for (let count = 1 + next(2) * next(3); count > 0; count--) {
    changes.push(...world.runAll(filterEdit(world, next, kinds)))
    if (!world.policy.resource.get('doc')!.actions.includes('read')) break // the other edits are about it
  }
  return changes
}

/** One edit of such a world. */
export const filterEdit = (world: World, next: Next, kinds: readonly string[] = Object.keys(EDITS)) =>
  EDITS[any(next, kinds)]!(world, next)

/** Questions about `doc:read` in such a world. */
export function filterQuestions(world: World, next: Next, count: number): Request[] {
  const words = makeWords(world, FILTER_POOL)
  const written = [...world.policy.condition_set.values()].map((set) => set.conditions)
  return Array.from({ length: count }, () => drawQuestion(next, words, written))
}

const drawAtMostOne = <T>(next: Next, from: Iterable<T>): readonly T[] => {
  const all = [...from]
  return all.length === 0 ? [] : [any(next, all)]
}

const drawUser = ({ policy }: World, next: Next): string => any(next, [...policy.user.keys()])
const drawTenant = ({ policy }: World, next: Next): string => any(next, [...policy.tenant.keys()])

const EDITS: Readonly<Record<string, (world: World, next: Next) => readonly Operation[]>> = {
  set: ({ policy }, next) =>
    drawAtMostOne(next, policy.condition_set).map(([key, { type, resource, parent, conditions: old }]): Operation => {
      const words = makeWords({ policy } as World, FILTER_POOL)
      const drawn = type === 'resourceset' ? aboutRow(next, words) : next(3) === 0 ? {} : conditions(next, words, 1)
      const more = [drawn, { allOf: [old, drawn] }, { anyOf: [old, drawn] }, { and: [old] }][next(4)]!
      return ['put', 'condition_set', { key, type, resource, parent: next(3) === 0 ? null : parent, conditions: more }]
    }),
  parentSet: ({ policy }, next) => {
    const parents = new Set([...policy.condition_set.values()].map(({ parent }) => parent))
    return drawAtMostOne(
      next,
      [...policy.condition_set].filter(([key]) => parents.has(key)),
    ).map(([key, set]): Operation => {
      const drawn = aboutRow(next, makeWords({ policy } as World, FILTER_POOL))
      return ['put', 'condition_set', { ...set, key, conditions: drawn }]
    })
  },
  sets: (_, next) =>
    drawSets(next, {
      users: FILTER_POOL.users,
      roles: FILTER_POOL.roles,
      tenants: FILTER_POOL.tenants,
      resources: FILTER_POOL.resources,
      instances: KEYS.doc,
    }),
  rule: ({ policy }, next) =>
    drawAtMostOne(next, policy.set_rule.values()).map((rule): Operation => ['delete', 'set_rule', rule]),
  roleRule: (_, next) => [
    [
      'put',
      'set_rule',
      {
        user_set: '__autogen_guest',
        permission: 'doc:read',
        resource_set: any(next, ['__autogen_doc', '__autogen_folder']),
      },
    ],
  ],
  declared: ({ policy }, next) =>
    [any(next, ['doc', 'folder', '__user', '__tenant'])].map((key): Operation => {
      const attributes = Object.fromEntries(
        ATTRIBUTES.filter(() => next(2) === 0).map((name) => [name, any(next, TYPES)]),
      )
      return ['put', 'resource', { key, actions: policy.resource.get(key)?.actions ?? [], attributes }]
    }),
  actions: ({ policy }, next) => [
    [
      'put',
      'resource',
      { ...policy.resource.get('doc')!, key: 'doc', actions: any(next, [['write'], ['read', 'write']]) },
    ],
  ],
  guest: (_, next) => [['put', 'role', { key: 'guest', permissions: next(2) === 0 ? ['doc:read'] : [] }]],
  reader: (_, next) => {
    const [op, kind, role] = readerRole(next) as Extract<Operation, readonly ['put', 'resource_role', unknown]>
    return [[op, kind, next(3) === 0 ? { ...role, granted_to: null } : role]]
  },
  keeper: (_, next) => [
    ['put', 'relation', { resource: 'folder', relation: 'inside', subject_resource: 'folder' }],
    [
      'put',
      'resource_role',
      {
        resource: 'folder',
        role: 'editor',
        granted_to: {
          users_with_role: [
            { role: any(next, ['editor', 'viewer']), on_resource: 'folder', linked_by_relation: 'inside' },
          ],
        },
      },
    ],
  ],
  assign: (world, next) => [
    ['put', 'role_assignment', { user: drawUser(world, next), role: 'guest', tenant: drawTenant(world, next) }],
  ],
  unassign: ({ policy }, next) =>
    drawAtMostOne(next, policy.role_assignment.values()).map((each): Operation => ['delete', 'role_assignment', each]),
  assignOn: (world, next) =>
    drawAtMostOne(next, world.policy.resource_instance).map(([key, { tenant }]): Operation => {
      const role = any(next, key.startsWith('doc:') ? ['reader', 'owner'] : ['editor', 'viewer'])
      return ['put', 'role_assignment', { user: drawUser(world, next), role, tenant, resource_instance: key }]
    }),
  relate: ({ policy }, next) =>
    drawAtMostOne(next, policy.resource_instance).flatMap(([subject, { tenant }]) =>
      drawAtMostOne(
        next,
        [...policy.resource_instance].filter(([key, each]) => key.startsWith('doc:') && each.tenant === tenant),
      )
        .filter(() => subject.startsWith('folder:'))
        .map(([object]): Operation => ['put', 'relationship_tuple', { subject, relation: 'parent', object }]),
    ),
  unrelate: ({ policy }, next) =>
    drawAtMostOne(next, policy.relationship_tuple.values()).map(
      (each): Operation => ['delete', 'relationship_tuple', each],
    ),
  member: (world, next) => [['put', 'membership', { user: drawUser(world, next), tenant: drawTenant(world, next) }]],
  newUser: (_, next) => [['put', 'user', { key: 'cyd', attributes: someAttributes(next) }]],
  noUser: (world, next) => (world.policy.user.size > 1 ? [['delete', 'user', { key: drawUser(world, next) }]] : []),
  newTenant: (_, next) => [['put', 'tenant', { key: 'nova', attributes: someAttributes(next) }]],
  noTenant: (world, next) =>
    world.policy.tenant.size > 1 ? [['delete', 'tenant', { key: drawTenant(world, next) }]] : [],
  newInstance: (world, next) => {
    const resource = any(next, ['doc', 'folder'] as const)
    const tenant = drawTenant(world, next)
    return [
      [
        'put',
        'resource_instance',
        { resource, instance: any(next, ['n', ...KEYS[resource]]), tenant, attributes: someAttributes(next) },
      ],
    ]
  },
  noInstance: ({ policy }, next) =>
    drawAtMostOne(next, policy.resource_instance.keys()).map((key): Operation => {
      const [resource = '', instance = ''] = key.split(':')
      return ['delete', 'resource_instance', { resource, instance }]
    }),
  attributes: (world, next) => {
    const words = makeWords(world, FILTER_POOL)
    const sets = [...world.policy.condition_set.values()].map((set) => set.conditions)
    return drawAtMostOne(next, attributesFor(next, words, world, sets))
  },
}

const someAttributes = (next: Next): JsonObject => {
  const words = {
    users: FILTER_POOL.users,
    roles: FILTER_POOL.roles,
    tenants: FILTER_POOL.tenants,
    resources: FILTER_POOL.resources,
    instances: KEYS.doc,
  }
  return writable(drawAttributes(next, words)) as JsonObject
}

function drawQuestion(next: Next, words: Words, sets: readonly JsonObject[]): Request {
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
