// Small environments in which what is given meets: grants for a time (D15), roles for everybody (D16), and set rules for roles
// on instances (D17), which also follow over relations.
import { EVERYBODY } from '../reference/everybody.ts'
import type { Request } from '../reference/request.ts'
import { type Operation, World } from '../support/world.ts'
import { numbers } from './numbers.ts'
import type { Pool } from './pool.ts'
import { withTimes } from './times.ts'

export const GRANT_POOL: Pool = {
  users: ['ana', 'ben'],
  tenants: ['acme'],
  roles: [],
  resources: ['doc', 'folder'],
  actions: ['read', 'edit'],
}

const [DOCS, FOLDERS] = [
  ['doc:1', 'doc:2', 'doc:3'],
  ['folder:a', 'folder:b'],
]

/** Who may read may edit by a set rule alone. */
export function makeGrantWorld(seed: number): World {
  const next = numbers(seed)
  const when = () => ({ no_direct_roles_on_object: next(4) === 0 })
  const from = (role: string) => ({ role, on_resource: 'folder', linked_by_relation: 'parent', when: when() })
  const reader = { permissions: ['doc:read'], granted_to: { when: when(), users_with_role: [from('viewer')] } }
  const owner = { extends: ['reader'], granted_to: { when: when(), users_with_role: [from('keeper')] } }
  const [tenant, extending] = ['acme', next(2) === 0 ? ['viewer'] : []]
  const some = <T>(all: readonly T[], of: number): T[] => all.filter(() => next(of) === 0)
  const pairs = <A, B>(left: readonly A[], right: readonly B[]) =>
    left.flatMap((one) => right.map((other) => [one, other] as const))
  const holders = [...GRANT_POOL.users, EVERYBODY]
  const assign = (places: readonly string[], roles: readonly string[]) =>
    some(pairs(pairs(holders, places), roles), 5).map(
      ([[user, resource_instance], role]): Operation => [
        'put',
        'role_assignment',
        { user, role, tenant, resource_instance },
      ],
    )
  const operations: Operation[] = [
    ['put', 'tenant', { key: tenant }],
    ...GRANT_POOL.users.map((key): Operation => ['put', 'user', { key }]),
    ['put', 'resource', { key: 'doc', actions: ['read', 'edit'] }],
    ['put', 'resource', { key: 'folder', actions: [] }],
    ['put', 'relation', { resource: 'doc', relation: 'parent', subject_resource: 'folder' }],
    ['put', 'resource_role', { resource: 'folder', role: 'viewer' }],
    ['put', 'resource_role', { resource: 'folder', role: 'keeper', extends: extending }],
    ['put', 'resource_role', { resource: 'doc', role: 'reader', ...reader }],
    ['put', 'resource_role', { resource: 'doc', role: 'owner', ...owner }],
    ['put', 'condition_set', { key: 'any', type: 'resourceset', resource: 'doc', conditions: {} }],
    ...some(pairs(['reader', 'owner'], ['any', '__autogen_doc']), 2).map(
      ([role, resource_set]): Operation => [
        'put',
        'set_rule',
        { user_set: `__autogen_doc#${role}`, permission: 'doc:edit', resource_set },
      ],
    ),
    ...[...DOCS, ...FOLDERS].map((each): Operation => {
      const [resource, instance] = each.split(':') as [string, string]
      return ['put', 'resource_instance', { resource, instance, tenant }]
    }),
    ...some(pairs(FOLDERS, DOCS), 2).map(
      ([subject, object]): Operation => ['put', 'relationship_tuple', { subject, relation: 'parent', object }],
    ),
    ...assign(DOCS, ['reader', 'owner']),
    ...assign(FOLDERS, ['viewer', 'keeper']),
  ]
  const world = new World()
  world.runAll(withTimes(operations, seed))
  return world
}

/** All questions about what is stored there. */
export const GRANT_QUESTIONS: readonly Request[] = ['ana', 'ben', 'nobody', EVERYBODY].flatMap((user) =>
  DOCS.flatMap((doc) =>
    GRANT_POOL.actions.map((action) => ({ user, action, resource: { type: 'doc', key: doc.split(':')[1]! } })),
  ),
)
