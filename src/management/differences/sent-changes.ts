// Changes in the form of the API, as the console and copies of environments send them to be planned: one list, in the
// order in which they would be sent one by one. Each is the use case of the single write.

import { TENANT_TYPE, USER_TYPE } from '../../model/condition-reads.ts'
import { ZerohopError } from '../../model/errors.ts'
import { PLAN_CHANGES_MAX } from '../../model/limits.ts'
import type { JsonObject } from '../../model/objects.ts'
import type { PolicyKind } from '../../model/policy-kinds.ts'
import type { Draft } from '../../store/draft.ts'
import type { Decided, Mint, UseCase, View } from '../../store/view.ts'
import { createActionGroup, deleteActionGroup, updateActionGroup } from '../objects/action-groups.ts'
import { createConditionSet, deleteConditionSet, updateConditionSet } from '../objects/condition-sets.ts'
import { createInstance, deleteInstance, updateInstance } from '../objects/instances.ts'
import { eachOf } from '../objects/items.ts'
import {
  createAction,
  createAttribute,
  deleteAction,
  deleteAttribute,
  updateAction,
  updateAttribute,
} from '../objects/parts.ts'
import { createRelation, deleteRelation, updateRelation } from '../objects/relations.ts'
import { createResourceRole, deleteResourceRole, updateResourceRole } from '../objects/resource-roles.ts'
import { createResource, deleteResource, updateResource } from '../objects/resources.ts'
import { assign, join, unassign } from '../objects/role-assignments.ts'
import { createRole, deleteRole, updateRole } from '../objects/roles.ts'
import { createSetRule, deleteSetRule, exactRule } from '../objects/set-rules.ts'
import { createTenant, deleteTenant, removeTenantUser, updateTenant } from '../objects/tenants.ts'
import { createTuple, deleteTuple } from '../objects/tuples.ts'
import { createUser, deleteUser, updateUser } from '../objects/users.ts'
import { requireShape } from '../policy-file/shape.ts'
import { BODY, type Path } from '../rules/fields.ts'
import { isConnecting, isPart } from '../rules/kinds-in-files.ts'
import { BODIES, type SentChange } from '../schemas/plan.ts'

type Body = JsonObject & { readonly key: string }
/** What the use cases of a kind take; `of` is the resource type of a part. */
interface Writes {
  readonly create: (view: View, body: Body, mint: Mint, of: string) => Decided<unknown>
  /** absent where the API changes nothing of such an object */
  readonly update?: (view: View, ref: string, fields: JsonObject, mint: Mint, of: string) => Decided<unknown>
  readonly delete: (view: View, ref: string, mint: Mint, of: string) => Decided<unknown>
}

/** Stages the changes, in their order. @throws what single writes throw, with the place in the list */
export function stageSent(view: View, sent: readonly SentChange[], mint: Mint): Draft {
  const changes = { items: sent, path: [...BODY, 'changes'], what: 'changes', limit: PLAN_CHANGES_MAX }
  return eachOf(view, changes, (draft, change) => decided(draft, change, mint))
}

function decided(view: View, { op, kind, key, value }: SentChange, mint: Mint): Decided<unknown> {
  const writes = WRITES[kind]
  const slash = key.indexOf('/')
  if (isPart(kind) && slash < 0) throw invalid('the key of a part is `resource/part`', [...BODY, 'key'])
  const [of, ref] = isPart(kind) ? [key.slice(0, slash), key.slice(slash + 1)] : [kindType(kind), key]
  if (op === 'delete') return writes.delete(view, ref, mint, of)
  const fields = value ?? {}
  const path = [...BODY, 'value']
  const body = BODIES[kind][op === 'create' ? 'create' : 'update']
  if (body === undefined || (op === 'update' && writes.update === undefined))
    throw invalid(`nothing of a ${kind.replaceAll('_', ' ')} can be changed: delete it and make another one`, [
      ...BODY,
      'op',
    ])
  requireShape(body, op === 'create' && !isConnecting(kind) ? { ...fields, key: bodyKey(kind, ref) } : fields, path)
  if (op === 'update' && writes.update !== undefined) return writes.update(view, ref, fields, mint, of)
  return writes.create(view, { ...fields, key: bodyKey(kind, ref) }, mint, of)
}

/** Deletes an object of the file, as its single delete. @throws what that throws */
export function deleteNamed(view: View, kind: PolicyKind, key: string, mint: Mint): Decided<unknown> {
  return decided(view, { op: 'delete', kind, key }, mint)
}

/** The built-in type that declares the attributes. */
const kindType = (kind: PolicyKind): string =>
  kind === 'user_attribute' ? USER_TYPE : kind === 'tenant_attribute' ? TENANT_TYPE : ''

/** Of an instance the body has the key without its type. */
const bodyKey = (kind: PolicyKind, ref: string): string =>
  kind === 'resource_instance' ? ref.slice(ref.indexOf(':') + 1) : ref

const named = (create: UseCase, update: UseCase, remove: UseCase): Writes => ({
  create: (view, body, mint) => create(view, body as never, mint),
  update: (view, ref, fields, mint) => update(view, { ref, fields } as never, mint),
  delete: (view, ref, mint) => remove(view, { ref } as never, mint),
})

const part = (name: string, create: UseCase, update: UseCase, remove: UseCase): Writes => ({
  create: (view, body, mint, resource) => create(view, { resource, [name]: body } as never, mint),
  update: (view, ref, fields, mint, resource) => update(view, { resource, ref, fields } as never, mint),
  delete: (view, ref, mint, resource) => remove(view, { resource, ref } as never, mint),
})

/** Found by the key of the stored object, deleted by what it connects. */
const connecting = (create: UseCase, remove: (view: View, ref: string, mint: Mint) => Decided<unknown>): Writes => ({
  create: (view, { key: _, ...body }, mint) => create(view, body as never, mint),
  delete: remove,
})

const attribute = part('attribute', createAttribute, updateAttribute, deleteAttribute)

const WRITES: Readonly<Record<PolicyKind, Writes>> = {
  user_attribute: attribute,
  tenant_attribute: attribute,
  resource: named(createResource, updateResource, deleteResource),
  action: part('action', createAction, updateAction, deleteAction),
  attribute,
  action_group: part('group', createActionGroup, updateActionGroup, deleteActionGroup),
  relation: part('relation', createRelation, updateRelation, deleteRelation),
  resource_role: part('role', createResourceRole, updateResourceRole, deleteResourceRole),
  role: named(createRole, updateRole, deleteRole),
  condition_set: named(createConditionSet, updateConditionSet, deleteConditionSet),
  set_rule: connecting(createSetRule, (view, ref, mint) => {
    const rule = view.require('set_rule', ref, [...BODY, 'key'])
    return deleteSetRule(view, exactRule(rule), mint)
  }),
  tenant: named(createTenant, updateTenant, deleteTenant),
  user: named(createUser, updateUser, deleteUser),
  membership: connecting(joinUser, (view, ref, mint) => removeTenantUser(view, requireMember(view, ref), mint)),
  resource_instance: named(createInstance, updateInstance, deleteInstance),
  relationship_tuple: connecting(createTuple, (view, ref, mint) =>
    deleteTuple(view, view.require('relationship_tuple', ref, [...BODY, 'key']), mint),
  ),
  role_assignment: connecting(assign, (view, ref) =>
    unassign(view, view.require('role_assignment', ref, [...BODY, 'key'])),
  ),
}

function joinUser(view: View, sent: { readonly user: string; readonly tenant: string }, mint: Mint): Decided<null> {
  const user = view.require('user', sent.user, [...BODY, 'user']).key
  const tenant = view.require('tenant', sent.tenant, [...BODY, 'tenant']).key
  return { changes: join(view, { user, tenant }, true, mint), result: null }
}

function requireMember(view: View, ref: string): { readonly user: string; readonly tenant: string } {
  const { user, tenant } = view.require('membership', ref, [...BODY, 'key'])
  return { user, tenant }
}

function invalid(reason: string, path: Path): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason }, { path })
}
