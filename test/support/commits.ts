// Operations as the use cases of management that they are, for what exists now.
import type { PapUseCases } from '../../src/pap/use-cases.ts'
import { attributeSteps, isBuiltIn } from './built-in.ts'
import { keyOf, type Operation, type OperationKind, type World } from './world.ts'

/** A use case by name with its input. */
export type Commit = {
  [N in keyof PapUseCases]: readonly [name: N, input: Parameters<PapUseCases[N]>[1]]
}[keyof PapUseCases]
type Of<K extends OperationKind> = Extract<Operation, readonly [unknown, K, unknown]>

/** What to commit, in its order; nothing when the operation writes what is there already. */
export function commitsFor(world: World, operation: Operation): readonly Commit[] {
  switch (operation[1]) {
    case 'role_assignment':
      if (operation[0] === 'delete') return [['unassign', operation[2]]]
      return world.policy.role_assignment.has(keyOf(operation)) ? [] : [['assign', operation[2]]]
    case 'set_rule':
      return [[operation[0] === 'put' ? 'createSetRule' : 'deleteSetRule', operation[2]]]
    case 'membership': {
      const { user, tenant } = operation[2]
      if (operation[0] === 'put') return [['addTenantUser', { tenant, user: { key: user } }]]
      return [['removeTenantUser', { tenant, user }]]
    }
    case 'relationship_tuple':
      if (operation[0] === 'delete') return [['deleteTuple', operation[2]]]
      return world.policy.relationship_tuple.has(keyOf(operation)) ? [] : [['createTuple', operation[2]]]
    case 'relation':
      return relation(world, operation as Of<'relation'>)
    case 'resource':
      return isBuiltIn(operation[2].key) ? builtIn(world, operation) : resource(world, operation as Of<'resource'>)
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
  const attributes = typed(object.attributes)
  if (policy.resource.has(key)) return [['updateResource', { ref: key, fields: { actions, attributes } }]]
  return [['createResource', { key, actions, attributes }]]
}

/** Declared attributes as management is told of them. */
const typed = (attributes: Extract<Of<'resource'>, readonly ['put', ...unknown[]]>[2]['attributes'] = {}) =>
  Object.fromEntries(Object.entries(attributes).map(([name, type]) => [name, { type }]))

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
  if (policy.condition_set.has(key)) return [['replaceConditionSet', { ref: key, fields: { conditions, parent_id } }]]
  return [['createConditionSet', { key, type, resource_id, conditions, parent_id }]]
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
  if (!exists) return [[kind === 'user' ? 'createUser' : 'createTenant', { key, attributes }]]
  return [[kind === 'user' ? 'replaceUser' : 'replaceTenant', { ref: key, fields: { attributes } }]]
}
