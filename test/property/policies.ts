// Random policy files that management accepts, over few keys, so that two of them meet: the same objects with other
// fields, other parents, other types.
import type { PolicyFile, PolicyResource } from '../../src/management/schemas/policy-file.ts'
import { numbers } from './numbers.ts'

type Next = (below: number) => number

const RESOURCES = ['doc', 'folder', 'team']
const ACTIONS = ['read', 'write', 'share']
const ROLES = ['admin', 'editor', 'viewer', 'owner']
const RESOURCE_ROLES = ['lead', 'member', 'guest']
const RELATIONS = ['parent', 'peer']
const SETS = ['staff', 'night', 'near']
const ATTRIBUTES = ['level', 'region']
const USERS = ['ana', 'ben', 'cyd']
const TENANTS = ['acme', 'umbra']

/**
 * @param seed the same one gives the same file
 * @param isSteady types of sets and ends of relations are those of every other steady file
 */
export function randomPolicy(seed: number, withFacts: boolean, isSteady = false): PolicyFile {
  const next: Next = numbers(seed)
  const some = <T>(from: readonly T[]): T[] => from.filter(() => next(3) > 0)
  const user_attributes = declared(next, some(ATTRIBUTES))
  const keys = isSteady ? RESOURCES : some(RESOURCES)
  const outlines = keys.map((key) => ({
    key,
    actions: some(ACTIONS),
    roles: some(RESOURCE_ROLES),
    relations: some(RELATIONS),
  }))
  const resources = outlines.map((outline) => drawResource(next, outline, outlines, isSteady))
  const permissions = outlines.flatMap(({ key, actions }) => actions.map((action) => `${key}:${action}`))
  const roleKeys = some(ROLES)
  // a role extends roles before it in a random order, so that two files reverse who extends whom
  const order = next(2) === 0 ? roleKeys : roleKeys.toReversed()
  const roles = order.map((key, at) => ({
    key,
    ...about(next),
    permissions: some(permissions),
    extends: some(order.slice(0, at)),
  }))
  const sets = some(SETS).map((key) =>
    drawSet(next, key, isSteady ? keys.slice(0, key.length % 2) : keys, user_attributes),
  )
  const condition_sets = sets.map((set, at) => {
    const fitting = sets.slice(0, at).filter((one) => one.type === set.type && one.resource === set.resource)
    return { ...set, parent: fitting.at(next(2) === 0 ? -1 : 5)?.key ?? null }
  })
  const userSets = [...sets.filter(({ type }) => type === 'userset').map(({ key }) => key), ...roleKeys]
  const resourceSets = [...sets.filter(({ type }) => type === 'resourceset').map(({ key }) => key), ...keys]
  const set_rules = some(userSets).flatMap((user_set) =>
    some(resourceSets).flatMap((resource_set) =>
      some(permissions)
        .slice(0, 1)
        .map((permission) => ({ user_set, permission, resource_set })),
    ),
  )
  const schema = { user_attributes, resources, roles, condition_sets, set_rules }
  return { zerohop: 2, ...schema, ...(withFacts ? facts(next, outlines, roleKeys) : {}) } as PolicyFile
}

interface Outline {
  readonly key: string
  readonly actions: readonly string[]
  readonly roles: readonly string[]
  readonly relations: readonly string[]
}

const about = (next: Next) => (next(3) === 0 ? { description: `text ${next(3)}` } : {})

function declared(next: Next, keys: readonly string[]): Record<string, { type: 'number' | 'string' }> {
  return Object.fromEntries(keys.map((key) => [key, { type: next(2) === 0 ? 'number' : 'string' }]))
}

/** Where the relation of that place comes from: any type, which two files say differently. */
const pickSubject = (outlines: readonly Outline[], at: number): Outline => outlines[at % outlines.length]!

function drawResource(
  next: Next,
  { key, actions, roles, relations }: Outline,
  outlines: readonly Outline[],
  isSteady: boolean,
): object {
  const end = (relation: string) => pickSubject(outlines, isSteady ? relation.length : next(7))
  const subjects = relations.map((relation) => [relation, end(relation)] as const)
  const of: PolicyResource['roles'] = Object.fromEntries(
    roles.map((role, at) => {
      const [relation, subject] = subjects[next(3)] ?? []
      const held = subject?.roles[next(4)]
      const isDerived = relation !== undefined && subject !== undefined && held !== undefined && next(2) === 0
      const rule = { role: held ?? '', on_resource: subject?.key ?? '', linked_by_relation: relation ?? '' }
      return [
        role,
        {
          permissions: actions.filter(() => next(2) === 0).map((action) => `${key}:${action}`),
          extends: roles.slice(0, at).filter(() => next(3) === 0),
          ...(isDerived ? { granted_to: { users_with_role: [rule] } } : {}),
        },
      ]
    }),
  )
  return {
    key,
    ...about(next),
    actions: Object.fromEntries(actions.map((action) => [action, about(next)])),
    attributes: declared(next, ['level']),
    action_groups: next(2) === 0 ? { all: { actions } } : {},
    relations: Object.fromEntries(subjects.map(([relation, subject]) => [relation, subject.key])),
    roles: of,
  }
}

function drawSet(
  next: Next,
  key: string,
  resources: readonly string[],
  attributes: Readonly<Record<string, { type: 'number' | 'string' }>>,
) {
  const isUsers = resources.length === 0 || (resources.length > 1 && next(2) === 0)
  const [attribute, { type } = { type: 'number' }] = Object.entries(attributes)[next(2)] ?? []
  const test = { equals: type === 'number' ? next(3) : `r${next(3)}` }
  const conditions = attribute === undefined ? {} : { [`user.${attribute}`]: test }
  const resource = isUsers ? null : resources[next(resources.length)]!
  return { key, type: isUsers ? ('userset' as const) : ('resourceset' as const), resource, conditions }
}

function facts(next: Next, outlines: readonly Outline[], roles: readonly string[]) {
  const instances = outlines.flatMap(({ key }) =>
    TENANTS.map((tenant, at) => ({ key: `i${at}`, resource: key, tenant })),
  )
  const inTenants = roles.flatMap((role) =>
    USERS.filter(() => next(2) === 0).map((user) => ({ user, role, tenant: TENANTS[next(2)] })),
  )
  const onInstances = instances.flatMap(({ key, resource, tenant }) =>
    (outlines.find((one) => one.key === resource)?.roles ?? [])
      .filter(() => next(2) === 0)
      .map((role) => ({ user: USERS[next(3)], role, tenant, resource_instance: `${resource}:${key}` })),
  )
  return {
    tenants: TENANTS.map((key) => ({ key })),
    users: USERS.map((key) => ({ key, attributes: next(2) === 0 ? { rank: next(3) } : {} })),
    memberships: [{ user: USERS[next(3)], tenant: TENANTS[next(2)] }],
    resource_instances: instances,
    role_assignments: [...inTenants, ...onInstances],
  }
}
