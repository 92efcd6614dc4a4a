// Maps operations to use cases of management, given the objects that exist.

import { typeOfInstance } from '../../src/kinds/kind.ts'
import type { ManagementUseCases } from '../../src/management/host/registry.ts'
import { parseConditions } from '../../src/model/condition.ts'
import { resourceAttributes } from '../../src/model/condition-reads.ts'
import type { AttributeType } from '../../src/model/objects.ts'
import { EVERYBODY } from '../reference/everybody.ts'
import { attributeSteps, isBuiltIn } from './built-in.ts'
import { type Operation, type OperationKind, operationKey, type World } from './world.ts'

/** A use case by name with its input. */
export type Commit = {
  [N in keyof ManagementUseCases]: readonly [name: N, input: Parameters<ManagementUseCases[N]>[1]]
}[keyof ManagementUseCases]
type Of<K extends OperationKind> = Extract<Operation, readonly [unknown, K, unknown]>

/** In operations a bare key means the set if one exists; management asks which is meant where a role has the same key. */
const withSetFlags = ({ policy }: World, rule: Of<'set_rule'>[2]) => ({
  ...rule,
  is_set: policy.condition_set.get(rule.user_set)?.type === 'userset',
  is_resource_set: policy.condition_set.get(rule.resource_set)?.type === 'resourceset',
})

/** The use cases to commit, in order; none when the operation changes nothing. */
export function commitsFor(world: World, operation: Operation): readonly Commit[] {
  switch (operation[1]) {
    case 'role_assignment':
      if (operation[0] === 'delete') return [['unassign', operation[2]], ...closing(world, operation[2])]
      return [
        ...opening(operation[2]),
        ...granting(world.policy.role_assignment.get(operationKey(operation)), operation[2], (grant, isNew) => [
          isNew ? 'assign' : 'putAssignment',
          grant,
        ]),
      ]
    case 'set_rule':
      return [[operation[0] === 'put' ? 'createSetRule' : 'deleteSetRule', withSetFlags(world, operation[2])]]
    case 'membership': {
      const { user, tenant } = operation[2]
      if (operation[0] === 'put') return [['addTenantUser', { tenant, user: { key: user } }]]
      return [['removeTenantUser', { tenant, user }]]
    }
    case 'relationship_tuple':
      if (operation[0] === 'delete') return [['deleteTuple', operation[2]]]
      return granting(world.policy.relationship_tuple.get(operationKey(operation)), operation[2], (grant, isNew) => [
        isNew ? 'createTuple' : 'putTuple',
        grant,
      ])
    case 'relation':
      return relation(world, operation as Of<'relation'>)
    case 'resource':
      return isBuiltIn(operation[2].key) ? builtIn(world, operation) : resource(world, operation as Of<'resource'>)
    case 'tenant_role':
      return tenantRole(world, operation as Of<'tenant_role'>)
    case 'resource_role':
      return resourceRole(world, operation as Of<'resource_role'>)
    case 'resource_instance':
      return instance(world, operation as Of<'resource_instance'>)
    case 'condition_set':
      return conditionSet(world, operation as Of<'condition_set'>)
    default:
      return party(world, operation as Of<'user' | 'tenant' | 'role'>)
  }
}

type Assignment = Of<'role_assignment'>[2]

/** Management gives a role to everybody only where it says that it may be (D16). */
const opening = (assignment: Assignment): readonly Commit[] =>
  assignment.user === EVERYBODY ? [openTo(assignment, true)] : []

/** Once everybody has the role nowhere it says so no longer, which management takes only then. */
function closing({ policy }: World, assignment: Assignment): readonly Commit[] {
  if (assignment.user !== EVERYBODY) return []
  const [key, of] = [operationKey(['delete', 'role_assignment', assignment]), ofRole(assignment)]
  const isElsewhere = [...policy.role_assignment].some(
    ([each, held]) => each !== key && held.user === EVERYBODY && ofRole(held) === of,
  )
  return isElsewhere ? [] : [openTo(assignment, false)]
}

const ofRole = ({ role, resource_instance: instance }: Assignment): string =>
  instance ? `${typeOfInstance(instance)}/${role}` : role

function openTo({ role, resource_instance: instance }: Assignment, everybody: boolean): Commit {
  const fields = { everybody }
  return instance
    ? ['updateResourceRole', { resource: typeOfInstance(instance), ref: role, fields }]
    : ['updateRole', { ref: role, fields }]
}

interface Times {
  readonly valid_from?: number | null
  readonly valid_until?: number | null
}

/** What is there already gets the times of the operation: management keeps those that are not sent (D11). */
function granting<T extends Times>(
  stored: Times | undefined,
  grant: T,
  commit: (grant: T, isNew: boolean) => Commit,
): readonly Commit[] {
  const { valid_from = null, valid_until = null } = grant
  const isSame = (stored?.valid_from ?? null) === valid_from && (stored?.valid_until ?? null) === valid_until
  if (stored === undefined) return [commit(grant, true)]
  return isSame ? [] : [commit({ ...grant, valid_from, valid_until }, false)]
}

/** A relation never changes its ends, so that it is written once. */
function relation({ relations }: World, [op, , object]: Of<'relation'>): readonly Commit[] {
  const { resource, relation: key } = object
  if (op === 'delete') return [['deleteRelation', { resource, ref: key }]]
  if (relations.has(`${resource}/${key}`)) return []
  return [['createRelation', { resource, relation: { key, subject_resource: object.subject_resource } }]]
}

function resource({ policy }: World, [op, , object]: Of<'resource'>): readonly Commit[] {
  const { key } = object
  if (op === 'delete') return [['deleteResource', { ref: key }]]
  const actions = Object.fromEntries(object.actions.map((action) => [action, {}]))
  const attributes = declarations(key, object.attributes, policy.condition_set.values())
  if (policy.resource.has(key)) return [['updateResource', { ref: key, fields: { actions, attributes } }]]
  return [['createResource', { key, actions, attributes }]]
}

type ReadingSet = Pick<Extract<Of<'condition_set'>, readonly ['put', ...unknown[]]>[2], 'resource' | 'conditions'>
type Types = Readonly<Record<string, AttributeType>>

/**
 * What management must declare on a resource type: `types`, and as `json` the other attributes that the sets read of
 * it. To decisions `json` is the same as no declaration, which is what a policy may have where management asks for one.
 */
function declarations(resource: string, types: Types = {}, sets: Iterable<ReadingSet>) {
  const all = new Map<string, AttributeType>()
  for (const { conditions, resource: of } of sets)
    for (const { type, attribute } of resourceAttributes(parseConditions(conditions), of ?? null))
      if (type === resource) all.set(attribute, 'json')
  for (const [name, type] of Object.entries(types)) all.set(name, type)
  return Object.fromEntries([...all].map(([name, type]) => [name, { type }]))
}

function builtIn(world: World, operation: Operation): readonly Commit[] {
  return attributeSteps(world, operation as Of<'resource'>).map(({ op, resource: type, attribute, as }): Commit => {
    if (as === undefined) return ['deleteAttribute', { resource: type, ref: attribute }]
    if (op === 'update') return ['updateAttribute', { resource: type, ref: attribute, fields: { type: as } }]
    return ['createAttribute', { resource: type, attribute: { key: attribute, type: as } }]
  })
}

function resourceRole({ policy }: World, [op, , object]: Of<'resource_role'>): readonly Commit[] {
  const { resource: of, role } = object
  if (op === 'delete') return [['deleteResourceRole', { resource: of, ref: role }]]
  const { permissions = [], extends: parents = [], granted_to = null } = object
  const fields = { permissions, extends: parents, granted_to }
  if (!policy.resource_role.has(`${of}/${role}`)) {
    return [['createResourceRole', { resource: of, role: { key: role, ...fields } }]]
  }
  return [['updateResourceRole', { resource: of, ref: role, fields }]]
}

function instance({ policy }: World, [op, , object]: Of<'resource_instance'>): readonly Commit[] {
  const { resource: type, instance: key } = object
  const ref = `${type}:${key}`
  if (op === 'delete') return [['deleteInstance', { ref }]]
  const { tenant, attributes = {} } = object
  if (!policy.resource_instance.has(ref)) return [['createInstance', { key, resource: type, tenant, attributes }]]
  return [['replaceInstance', { ref, fields: { tenant, attributes } }]]
}

function conditionSet({ policy }: World, [op, , object]: Of<'condition_set'>): readonly Commit[] {
  const { key } = object
  if (op === 'delete') return [['deleteConditionSet', { ref: key }]]
  const { type, resource: resource_id = null, conditions, parent: parent_id = null } = object
  const declared = declarationsFor(policy, object)
  if (policy.condition_set.has(key))
    return [...declared, ['replaceConditionSet', { ref: key, fields: { conditions, parent_id } }]]
  return [...declared, ['createConditionSet', { key, type, resource_id, conditions, parent_id }]]
}

/** Declares on each resource type what the set reads of it and the policy does not declare. */
function declarationsFor(policy: World['policy'], set: ReadingSet): readonly Commit[] {
  const read = [...resourceAttributes(parseConditions(set.conditions), set.resource ?? null)]
  const missing = read.filter(({ type, attribute }) => {
    const { attributes = {} } = policy.resource.get(type) ?? {}
    return policy.resource.has(type) && !Object.hasOwn(attributes, attribute)
  })
  return [...new Set(missing.map(({ type }) => type))].map((ref): Commit => {
    const attributes = declarations(ref, policy.resource.get(ref)?.attributes, [...policy.condition_set.values(), set])
    return ['updateResource', { ref, fields: { attributes } }]
  })
}

interface Suspendable {
  readonly suspension?: Times
}

/** Null resumes, because what is not sent stays (D16). */
const suspending = (suspension: Times | undefined) =>
  suspension === undefined
    ? null
    : { reason: 'left', valid_from: suspension.valid_from ?? null, valid_until: suspension.valid_until ?? null }

/** Management gives a tenant only what is offered to it (D18). */
function tenantRole({ policy }: World, [op, , object]: Of<'tenant_role'>): readonly Commit[] {
  const { tenant, role: key } = object
  if (op === 'delete') return [['deleteTenantRole', { tenant, ref: key }]]
  const { permissions = [], extends: parents = [] } = object
  const fields = { permissions, extends: parents }
  const offered = permissions.map((permission): Commit => {
    const [resource = '', ref = ''] = permission.split(':')
    return ['updateAction', { resource, ref, fields: { grantable: true } }]
  })
  const extendable = parents
    .filter((parent) => policy.role.has(parent))
    .map((ref): Commit => ['updateRole', { ref, fields: { extendable: true } }])
  const isStored = policy.tenant_role.has(`${key}@${tenant}`)
  const write: Commit = isStored
    ? ['updateTenantRole', { tenant, ref: key, fields }]
    : ['createTenantRole', { tenant, role: { key, ...fields } }]
  return [...offered, ...extendable, write]
}

/** Those that a key alone names. */
function party({ policy }: World, operation: Of<'user' | 'tenant' | 'role'>): readonly Commit[] {
  const [op, kind, object] = operation
  const { key } = object
  if (op === 'delete') {
    return [[({ user: 'deleteUser', role: 'deleteRole', tenant: 'deleteTenant' } as const)[kind], { ref: key }]]
  }
  const exists = policy[kind].has(key)
  if (kind === 'role') {
    const { permissions = [], extends: parents = [] } = object
    const fields = { permissions, extends: parents }
    return exists ? [['replaceRole', { ref: key, fields }]] : [['createRole', { key, ...fields }]]
  }
  const { attributes = {} } = object
  if (kind === 'tenant')
    return exists ? [['replaceTenant', { ref: key, fields: { attributes } }]] : [['createTenant', { key, attributes }]]
  const fields = { attributes, suspension: suspending((object as Suspendable).suspension) }
  return exists ? [['replaceUser', { ref: key, fields }]] : [['createUser', { key, ...fields }]]
}
