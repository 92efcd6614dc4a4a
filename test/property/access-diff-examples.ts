// One environment in which every kind of change flips an answer in its own way, and one change of each kind. Random
// edits reach some of them rarely.
import { Image } from '../../src/image/image.ts'
import type { DerivationRule } from '../../src/kinds/resource-role.ts'
import { toPolicy } from '../reference/policy.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { type Operation, World } from '../support/world.ts'
import type { Step } from './access-diff-law.ts'
import { MIDNIGHT } from './values.ts'

const ACTIONS = ['read', 'write', 'share', 'lead', 'draft', 'gold', 'inside', 'follow', 'since', 'other']
const NEVER = { no_direct_roles_on_object: false }
const fromFolder: DerivationRule = { role: 'editor', on_resource: 'folder', linked_by_relation: 'parent', when: NEVER }

const set = (key: string, conditions: object, more: object = {}): Operation =>
  ['put', 'condition_set', { key, type: 'userset', conditions, ...more }] as Operation
const rule = (user_set: string, action: string, resource_set = '__autogen_doc'): Operation => {
  return ['put', 'set_rule', { user_set, permission: `doc:${action}`, resource_set }]
}
const instance = (resource: string, key: string, tenant: string, attributes = {}): Operation => {
  return ['put', 'resource_instance', { resource, instance: key, tenant, attributes }]
}
const reader = (granted: readonly DerivationRule[], permissions = ['doc:read']): Operation => {
  return [
    'put',
    'resource_role',
    { resource: 'doc', role: 'reader', permissions, granted_to: { users_with_role: granted } },
  ]
}
const user = (key: string, attributes = {}): Operation => ['put', 'user', { key, attributes }]

const WORLD: readonly Operation[] = [
  ...['acme', 'umbra', 'lone'].map((key): Operation => ['put', 'tenant', { key, attributes: { plan: 'free' } }]),
  user('ana'),
  user('ben', { doc: 'd1' }),
  user('cyd', { level: 9, since: 5 }),
  user('dan', { level: 1 }),
  ['put', 'user', { key: 'gus', attributes: { level: 9, since: 5 }, suspension: {} }],
  ['put', 'resource', { key: 'folder', actions: ['open'] }],
  ['put', 'resource', { key: 'doc', actions: ACTIONS }],
  ['put', 'role', { key: 'viewer', permissions: ['doc:read'] }],
  ['put', 'role', { key: 'editor', permissions: ['doc:write'], extends: ['viewer'] }],
  ['put', 'relation', { resource: 'folder', relation: 'parent', subject_resource: 'folder' }],
  ['put', 'relation', { resource: 'doc', relation: 'parent', subject_resource: 'folder' }],
  ['put', 'resource_role', { resource: 'folder', role: 'editor', granted_to: { users_with_role: [] } }],
  ['put', 'resource_role', { resource: 'folder', role: 'editor', granted_to: { users_with_role: [fromFolder] } }],
  reader([fromFolder]),
  ['put', 'resource_role', { resource: 'doc', role: 'writer', permissions: ['doc:write'], extends: ['reader'] }],
  ['put', 'resource_role', { resource: 'doc', role: 'author', granted_to: { users_with_role: [fromFolder] } }],
  ['put', 'resource_role', { resource: 'doc', role: 'chief', extends: [] }],
  instance('folder', 'root', 'acme'),
  instance('folder', 'f', 'acme'),
  instance('doc', 'd1', 'acme', { status: 'open' }),
  instance('doc', 'd2', 'acme', { status: 'draft' }),
  ['put', 'relationship_tuple', { subject: 'folder:root', relation: 'parent', object: 'folder:f' }],
  ['put', 'relationship_tuple', { subject: 'folder:f', relation: 'parent', object: 'doc:d1' }],
  ['put', 'role_assignment', { user: 'ana', role: 'editor', tenant: 'acme' }],
  ['put', 'role_assignment', { user: 'ben', role: 'editor', tenant: 'acme', resource_instance: 'folder:root' }],
  ['put', 'role_assignment', { user: 'dan', role: 'writer', tenant: 'acme', resource_instance: 'doc:d2' }],
  ['put', 'role_assignment', { user: 'gus', role: 'editor', tenant: 'umbra' }],
  ['put', 'role_assignment', { user: 'gus', role: 'editor', tenant: 'acme', resource_instance: 'folder:root' }],
  set('seniors', { 'user.level': { equals: 9 } }),
  set('leads', { 'user.key': { 'not-equals': 'nobody' } }, { parent: 'seniors' }),
  set('gold', { 'tenant.plan': { equals: 'gold' } }),
  set('insiders', { 'user.tenants': { array_contains: 'umbra' } }),
  set('followers', {
    'user.doc': { object_match: { match: { status: { equals: 'draft' } }, fk_resource_type: 'doc' } },
  }),
  set('since', { 'user.since': { equals: 5 } }),
  set('named', { 'user.key': { equals: 'ben' } }),
  set('all', { 'user.key': { 'not-equals': 'nobody' } }),
  set('drafts', { 'resource.status': { equals: 'draft' } }, { type: 'resourceset', resource: 'doc' }),
  set('others', { not: [{ 'resource.status': { equals: 'draft' } }] }, { type: 'resourceset', resource: 'doc' }),
  rule('leads', 'lead'),
  rule('gold', 'gold'),
  rule('insiders', 'inside'),
  rule('followers', 'follow'),
  rule('since', 'since'),
  rule('all', 'draft', 'drafts'),
  rule('doc#author', 'since', 'others'),
]

/** Changes of that environment, each by itself. */
const EXAMPLES: Readonly<Record<string, readonly Operation[]>> = {
  'a role that another extends gains a permission': [
    ['put', 'role', { key: 'viewer', permissions: ['doc:read', 'doc:share'] }],
  ],
  'a role loses a permission, also on instances': [['put', 'role', { key: 'viewer', permissions: [] }]],
  'a role is assigned': [['put', 'role_assignment', { user: 'dan', role: 'viewer', tenant: 'umbra' }]],
  'a role is no longer derived': [reader([])],
  'a derived role gains a permission': [reader([fromFolder], ['doc:read', 'doc:share'])],
  'a document leaves a folder': [
    ['delete', 'relationship_tuple', { subject: 'folder:f', relation: 'parent', object: 'doc:d1' }],
  ],
  'a role on a folder is assigned': [
    ['put', 'role_assignment', { user: 'cyd', role: 'editor', tenant: 'acme', resource_instance: 'folder:root' }],
  ],
  'a role whose holders a rule allows is assigned': [
    ['put', 'role_assignment', { user: 'dan', role: 'author', tenant: 'acme', resource_instance: 'doc:d1' }],
  ],
  'a role that extends it is assigned, and extends it': [
    ['put', 'role_assignment', { user: 'dan', role: 'chief', tenant: 'acme', resource_instance: 'doc:d1' }],
    ['put', 'resource_role', { resource: 'doc', role: 'chief', extends: ['author'] }],
  ],
  'a role whose holders a rule allows is no longer derived': [
    ['put', 'resource_role', { resource: 'doc', role: 'author', granted_to: { users_with_role: [] } }],
  ],
  'a rule for the holders of a role is new': [rule('doc#writer', 'share', 'drafts')],
  'a role whose holders a rule allows is deleted': [['delete', 'resource_role', { resource: 'doc', role: 'author' }]],
  'the parent of a set changes': [set('seniors', { 'user.level': { equals: 1 } })],
  'an attribute is declared': [['put', 'resource', { key: '__user', actions: [], attributes: { since: 'string' } }]],
  'an instance that a condition follows changes': [instance('doc', 'd1', 'acme', { status: 'draft' })],
  'attributes of a user change': [user('dan', { level: 9 })],
  'a user becomes a member': [['put', 'membership', { user: 'dan', tenant: 'umbra' }]],
  'attributes of a tenant change': [['put', 'tenant', { key: 'acme', attributes: { plan: 'gold' } }]],
  'a tenant is deleted': [['delete', 'tenant', { key: 'lone' }]],
  'a tenant is new': [['put', 'tenant', { key: 'fresh', attributes: {} }]],
  'an instance moves': [
    ['delete', 'role_assignment', { user: 'dan', role: 'writer', tenant: 'acme', resource_instance: 'doc:d2' }],
    instance('doc', 'd2', 'umbra', { status: 'draft' }),
  ],
  'an instance is new': [instance('doc', 'd3', 'umbra', { status: 'draft' })],
  'an instance is deleted': [['delete', 'resource_instance', { resource: 'doc', instance: 'd2' }]],
  'an instance is deleted, and a new set rule allows by its key': [
    ['delete', 'resource_instance', { resource: 'doc', instance: 'd2' }],
    set('by-key', { 'resource.key': { equals: 'd2' } }),
    rule('by-key', 'other'),
  ],
  'a set rule is deleted': [
    ['delete', 'set_rule', { user_set: 'since', permission: 'doc:since', resource_set: '__autogen_doc' }],
  ],
  'a set rule that a missing attribute makes true is new': [rule('all', 'other', 'others')],
  'a set rule for users with a value to resources with another is new': [rule('seniors', 'other', 'drafts')],
  'a set rule for a user by name to resources with a value is new': [rule('named', 'other', 'drafts')],
  'a user is new, with roles that give the same': [
    user('eve'),
    ['put', 'role_assignment', { user: 'eve', role: 'viewer', tenant: 'acme' }],
    ['put', 'role_assignment', { user: 'eve', role: 'editor', tenant: 'acme' }],
    ['put', 'role_assignment', { user: 'eve', role: 'editor', tenant: 'acme', resource_instance: 'folder:root' }],
  ],
  'a role in a tenant ends': [
    ['put', 'role_assignment', { user: 'ana', role: 'editor', tenant: 'acme', valid_until: MIDNIGHT }],
  ],
  'a role in a tenant begins, and others are to begin': [
    ['put', 'role_assignment', { user: 'dan', role: 'viewer', tenant: 'umbra', valid_from: MIDNIGHT }],
    ['put', 'role_assignment', { user: 'cyd', role: 'editor', tenant: 'umbra', valid_from: MIDNIGHT + 1 }],
  ],
  'a role on a folder ends': [
    [
      'put',
      'role_assignment',
      { user: 'ben', role: 'editor', tenant: 'acme', resource_instance: 'folder:root', valid_until: MIDNIGHT },
    ],
  ],
  'a document is in a folder until now': [
    ['put', 'relationship_tuple', { subject: 'folder:f', relation: 'parent', object: 'doc:d1', valid_until: MIDNIGHT }],
  ],
  'a document is in another folder from now on': [
    ['put', 'relationship_tuple', { subject: 'folder:f', relation: 'parent', object: 'doc:d2', valid_from: MIDNIGHT }],
  ],
  'a user is deleted': [['delete', 'user', { key: 'cyd' }]],
  'a user with a role in a tenant is suspended': [['put', 'user', { key: 'ana', attributes: {}, suspension: {} }]],
  'a user with a role on an instance is suspended': [
    ['put', 'user', { key: 'ben', attributes: { doc: 'd1' }, suspension: {} }],
  ],
  'a user to whom set rules allow something is suspended': [
    ['put', 'user', { key: 'cyd', attributes: { level: 9, since: 5 }, suspension: {} }],
  ],
  'a user is resumed': [user('gus', { level: 9, since: 5 })],
  'an action is deleted': [['put', 'resource', { key: 'doc', actions: ACTIONS.slice(1) }]],
}

/** The changes of the examples, each with a copy of the same image. */
export function* exampleSteps(): Iterable<readonly [name: string, step: Step]> {
  const world = new World()
  world.runAll(WORLD)
  const contents = world.contents()
  const before = toPolicy(contents)
  const image = Image.build(ENVIRONMENT, makePosition(1), contents)
  for (const [name, operations] of Object.entries(EXAMPLES)) {
    const changed = new World(world)
    const changes = changed.runAll(operations)
    const copy = image.clone()
    copy.apply(deltaTo(2, changes))
    yield [name, { before, after: toPolicy(changed.contents()), changes, images: [image, copy], t: MIDNIGHT }]
  }
}
