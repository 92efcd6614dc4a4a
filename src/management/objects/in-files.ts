// How each kind that policy files hold is written: plans, files, reverts and prune use these entries. They are apart from
// those of other kinds, so that reading a policy loads nothing of theirs.

import type { Fields, RegularName } from '../../kinds/fields.ts'
import type { KINDS, WholeKind } from '../../kinds/index.ts'
import { TENANT_TYPE, USER_TYPE } from '../../model/condition-reads.ts'
import type { PolicyKind } from '../../model/policy-kinds.ts'
import type { View } from '../../store/view.ts'
import { type Changed, makeWrites } from '../rules/collection.ts'
import { isWhole } from '../rules/kinds-in-files.ts'
import { ActionGroupCreate, ActionGroupUpdate } from '../schemas/action-groups.ts'
import { ConditionSetCreate, ConditionSetUpdate } from '../schemas/condition-sets.ts'
import { InstanceCreate, InstanceUpdate } from '../schemas/instances.ts'
import { PLAIN_SCHEMAS } from '../schemas/plain-kinds.ts'
import { RelationCreate, RelationUpdate } from '../schemas/relations.ts'
import { ResourceRoleCreate, ResourceRoleUpdate } from '../schemas/resource-roles.ts'
import {
  ActionCreate,
  ActionUpdate,
  AttributeCreate,
  type AttributeReplace,
  AttributeUpdate,
  ResourceCreate,
  ResourceUpdate,
} from '../schemas/resources.ts'
import { MembershipCreate, RoleAssignmentCreate } from '../schemas/role-assignments.ts'
import { RoleCreate, RoleUpdate } from '../schemas/roles.ts'
import { SetRuleCreate } from '../schemas/set-rules.ts'
import { TupleCreate } from '../schemas/tuples.ts'
import { UserCreate, UserUpdate } from '../schemas/users.ts'
import { actionGroups } from './action-groups.ts'
import { conditionSets, createConditionSet, replaceConditionSet, updateConditionSet } from './condition-sets.ts'
import { createInstance, deleteInstance, replaceInstance, updateInstance } from './instances.ts'
import { relations } from './relations.ts'
import {
  createAction,
  createAttribute,
  deleteAction,
  deleteAttribute,
  replaceAction,
  replaceAttribute,
  updateAction,
  updateAttribute,
} from './resource-parts.ts'
import { addResourceRole, resourceRoles } from './resource-roles.ts'
import { createResource, deleteResource, replaceResource, updateResource } from './resources.ts'
import { assign, joinTenant, unassign } from './role-assignments.ts'
import { roles } from './roles.ts'
import { createSetRule, deleteSetRule, exactRule } from './set-rules.ts'
import { removeTenantUser, tenants } from './tenants.ts'
import { createTuple, deleteTuple } from './tuples.ts'
import { createUser, replaceUser, users } from './users.ts'
import {
  CONNECTING_KEY,
  ofResource,
  type Ref,
  type SentWrites,
  type WritesOfKind,
  withBodies,
  withBody,
  withPayload,
} from './writes.ts'

/** An update is missing only while no field of the kind can be sent: without one, a plan skips objects that exist. */
type WritesFor<K extends WholeKind> = (typeof KINDS)[K] extends { readonly fields: infer F extends Fields }
  ? [RegularName<F>] extends [never]
    ? WritesOfKind
    : WritesOfKind & { readonly update: NonNullable<WritesOfKind['update']> }
  : WritesOfKind

/** Kinds of stored objects that policy files hold. */
export const WRITES_IN_FILES = {
  resource: withBodies(
    { create: ResourceCreate, update: ResourceUpdate },
    { create: createResource, update: updateResource, replace: replaceResource, remove: deleteResource },
  ),
  role: withBodies({ create: RoleCreate, update: RoleUpdate }, makeWrites(roles)),
  user: withBodies(
    { create: UserCreate, update: UserUpdate },
    { ...makeWrites(users), create: createUser, replace: replaceUser },
  ),
  /* canary: writes-of-plain-kind */ tenant: withBodies(PLAIN_SCHEMAS.tenant, makeWrites(tenants)),
  role_assignment: withPayload('role_assignment', RoleAssignmentCreate, {
    create: assign,
    remove: (view: View, { ref }: Ref, mint) => {
      const { user, role, tenant, resource_instance } = view.require('role_assignment', ref, CONNECTING_KEY)
      return unassign(view, { user, role, tenant, resource_instance }, mint)
    },
  }),
  membership: withPayload('membership', MembershipCreate, {
    create: joinTenant,
    remove: (view, { ref }, mint) => {
      const { user, tenant } = view.require('membership', ref, CONNECTING_KEY)
      return removeTenantUser(view, { user, tenant }, mint)
    },
  }),
  resource_role: withBodies(
    { create: ResourceRoleCreate, update: ResourceRoleUpdate },
    { ...makeWrites(resourceRoles), create: addResourceRole },
    ofResource,
  ),
  relation: withBodies({ create: RelationCreate, update: RelationUpdate }, makeWrites(relations), ofResource),
  action_group: withBodies(
    { create: ActionGroupCreate, update: ActionGroupUpdate },
    makeWrites(actionGroups),
    ofResource,
  ),
  condition_set: withBodies(
    { create: ConditionSetCreate, update: ConditionSetUpdate },
    {
      ...makeWrites(conditionSets),
      create: createConditionSet,
      update: updateConditionSet,
      replace: replaceConditionSet,
    },
  ),
  set_rule: withBody(SetRuleCreate, {
    create: createSetRule,
    update: null,
    replace: null,
    remove: (view, { ref }, mint) =>
      deleteSetRule(view, exactRule(view.require('set_rule', ref, CONNECTING_KEY)), mint),
  }),
  resource_instance: withBodies(
    { create: InstanceCreate, update: InstanceUpdate },
    {
      create: (view: View, input: InstanceCreate, mint) => createInstance(view, input, mint),
      update: updateInstance,
      replace: replaceInstance,
      remove: deleteInstance,
    },
  ),
  relationship_tuple: withPayload('relationship_tuple', TupleCreate, {
    create: createTuple,
    remove: (view, { ref }, mint) => deleteTuple(view, view.require('relationship_tuple', ref, CONNECTING_KEY), mint),
  }),
} as const satisfies { readonly [K in WholeKind]: WritesFor<K> }

const action = withBodies(
  { create: ActionCreate, update: ActionUpdate },
  {
    create: (view: View, one: ActionCreate, mint, of = '') => createAction(view, { resource: of, action: one }, mint),
    update: (view, input: Changed<ActionUpdate>, mint, of = '') => updateAction(view, { resource: of, ...input }, mint),
    replace: (view, input: Changed<ActionUpdate>, mint, of = '') =>
      replaceAction(view, { resource: of, ...input }, mint),
    remove: (view, { ref }: Ref, mint, of = '') => deleteAction(view, { resource: of, ref }, mint),
  },
)

/** Of declared attributes; `fixed` is the built-in type that declares them, by default what they belong to. */
const makeAttributeWrites = (fixed?: string) =>
  withBodies(
    { create: AttributeCreate, update: AttributeUpdate },
    {
      create: (view: View, attribute: AttributeCreate, mint, of = '') =>
        createAttribute(view, { resource: fixed ?? of, attribute }, mint),
      update: (view, input: Changed<AttributeUpdate>, mint, of = '') =>
        updateAttribute(view, { resource: fixed ?? of, ...input }, mint),
      replace: (view, input: Changed<AttributeReplace>, mint, of = '') =>
        replaceAttribute(view, { resource: fixed ?? of, ...input }, mint),
      remove: (view, { ref }: Ref, mint, of = '') => deleteAttribute(view, { resource: fixed ?? of, ref }, mint),
    },
  )

/** Kinds of a policy file that are a part of a stored object. */
export const WRITES_OF_PARTS = {
  user_attribute: makeAttributeWrites(USER_TYPE),
  tenant_attribute: makeAttributeWrites(TENANT_TYPE),
  action,
  attribute: makeAttributeWrites(),
} as const satisfies { readonly [K in Exclude<PolicyKind, WholeKind>]: WritesOfKind }

/** How a kind of a policy file is written by bodies of the API. */
export const sentWrites = (kind: PolicyKind): SentWrites =>
  isWhole(kind) ? WRITES_IN_FILES[kind].sent : WRITES_OF_PARTS[kind].sent
