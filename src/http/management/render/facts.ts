// How facts print: users, assignments, instances, tuples, set rules, invites and proxy configs: the
// exact fields that clients read. Nothing here decides or reads more than it must.

import { presentFields } from '../../../kinds/fields.ts'
import type { Group } from '../../../kinds/group.ts'
import type { GroupRule } from '../../../kinds/group-rule.ts'
import type { ProxyConfig } from '../../../kinds/proxy-config.ts'
import { type RelationshipTuple, relationshipTupleFields } from '../../../kinds/relationship-tuple.ts'
import { type ResourceInstance, resourceInstanceFields } from '../../../kinds/resource-instance.ts'
import { noteFields, type RoleAssignment, roleAssignmentFields } from '../../../kinds/role-assignment.ts'
import type { SetRule } from '../../../kinds/set-rule.ts'
import { timeFields } from '../../../kinds/times.ts'
import { type User, userFields } from '../../../kinds/user.ts'
import type { UserInvite } from '../../../kinds/user-invite.ts'
import { shownPermissions } from '../../../management/objects/permission-form.ts'
import { type Assigned, findHolder } from '../../../management/objects/role-assignments.ts'
import type { Related } from '../../../management/objects/tuples.ts'
import { findRoleInTenants } from '../../../management/rules/tenant-roles.ts'
import { printClaims } from '../../../management/schemas/claims.ts'
import type { GroupRuleRead } from '../../../management/schemas/group-rules.ts'
import type { GroupBlock, GroupRoleRead } from '../../../management/schemas/groups.ts'
import type { InstanceDetailed, InstanceRead } from '../../../management/schemas/instances.ts'
import type { InviteRead, TenantInviteRead } from '../../../management/schemas/invites.ts'
import type { ProxyConfigRead } from '../../../management/schemas/proxy-configs.ts'
import type { RoleAssignmentDetailed, RoleAssignmentRead } from '../../../management/schemas/role-assignments.ts'
import type { SetRuleRead } from '../../../management/schemas/set-rules.ts'
import type { TupleDetailed, TupleRead } from '../../../management/schemas/tuples.ts'
import type { UserRead } from '../../../management/schemas/users.ts'
import { RELATIONSHIPS_SHOWN_MAX } from '../../../model/limits.ts'
import { assignmentKey, type Json, membershipKey, parseTenantRole, partKey } from '../../../model/objects.ts'
import type { StoredView, View } from '../../../store/view.ts'
import type { Scope } from '../auth.ts'
import { isMemberShown, isShown, notEnded, type Shown } from '../time-states.ts'
import { fieldPrinter } from './fields.ts'
import { place, printTime, times } from './stamps.ts'

const printUser = fieldPrinter(userFields)

/** How a user is shown; by default without the roles on instances, and with what has not ended. */
export interface UserForm {
  readonly withInstances?: boolean
  readonly shown?: Shown
  /** key of the tenant in which it is said who claims the membership and the roles; in every tenant it would cost too much */
  readonly claimsIn?: string
}

/** A user with its roles and tenants, as the view has them; the roles on instances only when they are asked for. */
export function userRead(
  scope: Scope,
  view: StoredView,
  user: User,
  { withInstances = false, shown = notEnded(), claimsIn }: UserForm = {},
): UserRead {
  const { id, key, email } = user
  const roles: UserRead['roles'][number][] = []
  const associated_tenants: UserRead['associated_tenants'][number][] = []
  for (const [tenant, held] of rolesByTenant(view, key, shown)) {
    const isOfTenant = tenant === claimsIn
    for (const role of held) roles.push(isOfTenant ? { ...role, ...claimsOfRole(view, key, role) } : role)
    const resource_instance_roles = withInstances ? instanceRoles(view, key, tenant, shown) : []
    const names = held.map(({ role }) => role)
    const membership = isOfTenant ? view.get('membership', membershipKey(tenant, key)) : undefined
    const claims = membership === undefined ? {} : printClaims(membership)
    associated_tenants.push({ tenant, roles: names, status: 'active', resource_instance_roles, ...claims })
  }
  const row = printUser({ id, key, email }, user, key)
  return Object.assign(row, { roles, associated_tenants }, place(scope), { ...times(user), ...printClaims(user) })
}

type TenantRole = UserRead['roles'][number]

function claimsOfRole(view: View, user: string, { role, tenant }: TenantRole) {
  const assignment = view.get('role_assignment', assignmentKey(user, role, tenant))
  return assignment === undefined ? {} : printClaims(assignment)
}

/** The tenants of a user with its roles there: in the order of the first role, then the tenants without one. */
function rolesByTenant(view: StoredView, user: string, shown: Shown): Map<string, TenantRole[]> {
  const tenants = new Map<string, TenantRole[]>()
  const timed = new Map(Array.from(view.by('timed_assignments_of_user', user), (one) => [one.key, one]))
  const showsOthers = shown.states.has('in_force')
  for (const { role, tenant } of view.tenantRoles(user)) {
    const assignment = timed.size === 0 ? undefined : timed.get(assignmentKey(user, role, tenant))
    if (assignment === undefined ? !showsOthers : !isShown(assignment, shown)) continue
    const one = assignment === undefined ? { role, tenant } : printTimes({ role, tenant }, assignment, '')
    const held = tenants.get(tenant)
    if (held === undefined) tenants.set(tenant, [one])
    else held.push(one)
  }
  // A role in a tenant makes a member: when the numbers are equal, every tenant is known.
  if (tenants.size === view.countBy('memberships_of_user', user)) return tenants
  const areAll = timed.size === 0 && showsOthers
  for (const membership of view.by('memberships_of_user', user)) {
    const { tenant } = membership
    if (!tenants.has(tenant) && (areAll || isMemberShown(view, membership, shown))) tenants.set(tenant, [])
  }
  return tenants
}

type InstanceRole = UserRead['associated_tenants'][number]['resource_instance_roles'][number]

function instanceRoles(view: View, user: string, tenant: string, shown: Shown): InstanceRole[] {
  const held: InstanceRole[] = []
  for (const assignment of view.by('instance_assignments_of_user_in_tenant', `${user}/${tenant}`)) {
    if (!isShown(assignment, shown)) continue
    const { role, resource_instance } = assignment
    const { type, key } = split(resource_instance ?? '')
    held.push(printTimes({ resource_instance: key, resource: type, role }, assignment, ''))
  }
  return held
}

const printTimes = fieldPrinter(timeFields)

const printAssignment = fieldPrinter(roleAssignmentFields)

export function assignmentRead(scope: Scope, assigned: Assigned): RoleAssignmentRead {
  const { assignment, user_id, role_id, tenant_id, resource_instance_id } = assigned
  const { id, user, role, tenant, resource_instance, created_at } = assignment
  return {
    id,
    user,
    role,
    tenant,
    resource_instance,
    resource_instance_id,
    user_id,
    role_id,
    tenant_id,
    ...printAssignment({}, assignment, ''),
    ...originIn(assignment),
    ...printClaims(assignment),
    ...place(scope),
    created_at: printTime(created_at),
  }
}

/** The access request that an assignment comes from. */
const originIn = ({ origin }: RoleAssignment): { readonly origin?: string } => (origin === undefined ? {} : { origin })

/** A stored assignment with the ids of what it joins. */
export function withIds(view: View, assignment: RoleAssignment): Assigned {
  const { user, tenant, resource_instance: instance } = assignment
  return {
    assignment,
    user_id: findHolder(view, user).id,
    role_id: requireRole(view, assignment).id,
    tenant_id: view.require('tenant', tenant).id,
    resource_instance_id: instance === null ? null : view.require('resource_instance', instance).id,
  }
}

export function assignmentDetailed(scope: Scope, view: View, assignment: RoleAssignment): RoleAssignmentDetailed {
  const role = requireRole(view, assignment)
  const tenant = view.require('tenant', assignment.tenant)
  return {
    id: assignment.id,
    user: holderBlock(view, assignment.user),
    role: { id: role.id, key: assignment.role, name: role.name, permissions: shownPermissions(role) },
    tenant: { id: tenant.id, key: tenant.key, name: tenant.name, attributes: tenant.attributes ?? {} },
    resource_instance:
      assignment.resource_instance === null ? null : requireInstanceBlock(view, assignment.resource_instance),
    ...printAssignment({}, assignment, ''),
    ...originIn(assignment),
    ...printClaims(assignment),
    ...place(scope),
    created_at: printTime(assignment.created_at),
  }
}

/** The user of an assignment; of everybody what has no value. */
function holderBlock(view: View, key: string): RoleAssignmentDetailed['user'] {
  const nothing = { email: null, first_name: null, last_name: null, attributes: {} }
  const { id, email, first_name, last_name, attributes } = { ...nothing, ...findHolder(view, key) }
  return { id, key, email, first_name, last_name, attributes }
}

function requireInstanceBlock(view: View, name: string) {
  const { id, instance, resource, attributes } = view.require('resource_instance', name)
  return { id, key: instance, resource, attributes }
}

function requireRole(view: View, { role, resource_instance: instance }: RoleAssignment) {
  if (instance === null) return view.require(parseTenantRole(role) === undefined ? 'role' : 'tenant_role', role)
  return view.require('resource_role', partKey(split(instance).type, role))
}

const printInstance = fieldPrinter(resourceInstanceFields)

/** With `detailed`, its relationships are listed: those where it is the object first. */
export function instanceRead(scope: Scope, view: View, stored: ResourceInstance, detailed: boolean): InstanceRead {
  const { id, instance, resource, tenant } = stored
  const resource_id = view.get('resource', resource)?.id ?? null
  const tenant_id = view.get('tenant', tenant)?.id ?? null
  const row = printInstance({ id, key: instance, resource, tenant, resource_id, tenant_id }, stored, instance)
  const relationships = detailed ? listRelationships(view, stored.key) : null
  return Object.assign(row, { relationships }, place(scope), { ...times(stored), ...printClaims(stored) })
}

function listRelationships(view: View, instance: string): InstanceDetailed['relationships'] {
  const listed: InstanceDetailed['relationships'][number][] = []
  const shown = notEnded()
  for (const index of ['tuples_of_object', 'tuples_of_subject'] as const) {
    if (listed.length >= RELATIONSHIPS_SHOWN_MAX) break
    for (const tuple of view.by(index, instance)) {
      const { subject, relation, object } = tuple
      const isOther = index === 'tuples_of_object' || subject !== object
      if (isOther && isShown(tuple, shown)) listed.push({ subject, relation, object })
      if (listed.length >= RELATIONSHIPS_SHOWN_MAX) break
    }
  }
  return listed
}

/** A tuple that was just written. */
export function tupleRead(scope: Scope, { tuple, ...ids }: Related): TupleRead {
  const { id, subject, relation, object, tenant } = tuple
  const row = printTuple({ id, subject, relation, object, tenant, ...ids, ...NO_DETAILS }, tuple, '')
  return Object.assign(row, place(scope), times(tuple), printClaims(tuple))
}

const printTuple = fieldPrinter(relationshipTupleFields)

const NO_DETAILS = { subject_details: null, relation_details: null, object_details: null, tenant_details: null }

/** A stored tuple with what it joins. */
export function tupleDetailed(scope: Scope, view: View, tuple: RelationshipTuple): TupleDetailed {
  const subject = view.require('resource_instance', tuple.subject)
  const object = view.require('resource_instance', tuple.object)
  const relation = view.require('relation', partKey(object.resource, tuple.relation))
  const tenant = view.require('tenant', tuple.tenant)
  const ids = { subject_id: subject.id, relation_id: relation.id, object_id: object.id, tenant_id: tenant.id }
  const { name, description } = relation
  return {
    ...tupleRead(scope, { tuple, ...ids }),
    subject_details: instanceBlock(subject),
    relation_details: { key: relation.relation, name, description },
    object_details: instanceBlock(object),
    tenant_details: {
      key: tenant.key,
      name: tenant.name,
      description: tenant.description,
      attributes: tenant.attributes,
    },
  }
}

function instanceBlock({ instance, resource, tenant, attributes }: ResourceInstance) {
  return { key: instance, resource, tenant, attributes }
}

export function setRuleRead(scope: Scope, rule: SetRule): SetRuleRead {
  const { id, user_set, permission, resource_set } = rule
  const { type, key: action } = split(permission)
  const key = `${user_set}_can_${action}_${type}_${resource_set}`
  return { id, key, user_set, permission, resource_set, ...place(scope), ...times(rule), ...printClaims(rule) }
}

export function inviteRead(scope: Scope, view: View, invite: UserInvite): InviteRead {
  const { id, key, status, email, first_name, last_name, role, tenant, resource_instance: instance } = invite
  const ofRole =
    instance === null ? findRoleInTenants(view, role) : view.get('resource_role', partKey(split(instance).type, role))
  return {
    id,
    key,
    status,
    email,
    first_name,
    last_name,
    role_id: ofRole?.id ?? null,
    tenant_id: view.get('tenant', tenant)?.id ?? null,
    resource_instance_id: instance === null ? null : (view.get('resource_instance', instance)?.id ?? null),
    ...printTimes({}, invite, ''),
    ...(invite.by_tenant && { by_tenant: true }),
    ...(invite.user !== undefined && { user: invite.user }),
    ...place(scope),
    ...times(invite),
    ...presentFields(noteFields, invite),
  }
}

/** An invite as its tenant sees it. One that the environment made is for the user of its key. */
export function tenantInviteRead(scope: Scope, invite: UserInvite): TenantInviteRead {
  const { id, key, status, email, first_name, last_name, role, tenant, resource_instance, user } = invite
  return {
    id,
    email: email === '' ? null : email,
    user: user ?? (key === id ? null : key),
    first_name,
    last_name,
    status,
    role,
    tenant,
    resource_instance,
    ...place(scope),
    ...times(invite),
    ...printTimes({}, invite, ''),
    ...presentFields(noteFields, invite),
  }
}

/** A group by itself. */
export function groupBlock({ id, resource, instance, tenant }: Group): GroupBlock {
  return { id, group_resource_type_key: resource, group_instance_key: instance, group_tenant: tenant }
}

/**
 * The role that a group has on an instance by a relation; undefined when the relation was not made for a role of
 * groups.
 */
export function groupRole(view: View, tuple: RelationshipTuple, prefix: string): GroupRoleRead | undefined {
  const { relation, object } = tuple
  const { type } = split(object)
  if (!relation.startsWith(prefix)) return undefined
  const role = view.get('resource_role', partKey(type, relation.slice(prefix.length)))
  if (role === undefined) return undefined
  const { id, name } = view.require('resource', type)
  const row = {
    id: role.id,
    key: role.role,
    name: role.name,
    resource: { id, key: type, name },
    resource_instance: requireInstanceBlock(view, object),
  }
  return printTimes(row, tuple, '')
}

/** `secret` is null for a key that may not see it. */
/** @param groups how many groups it selects */
export const groupRuleRead = (scope: Scope, rule: GroupRule, groups: number): GroupRuleRead => ({
  id: rule.id,
  key: rule.key,
  ...place(scope),
  ...times(rule),
  group: rule.group,
  role: rule.role,
  tenant: rule.tenant,
  resource_instance: rule.resource_instance,
  ...(rule.valid_from === undefined ? {} : { valid_from: printTime(rule.valid_from) }),
  ...(rule.valid_until === undefined ? {} : { valid_until: printTime(rule.valid_until) }),
  groups,
})

export function proxyConfigRead(scope: Scope, config: ProxyConfig, secret: Json): ProxyConfigRead {
  const { id, key, name, auth_mechanism, mapping_rules } = config
  return { id, key, name, auth_mechanism, mapping_rules, secret, ...place(scope), ...times(config) }
}

/** The parts of `type:key`. */
function split(text: string): { readonly type: string; readonly key: string } {
  const colon = text.indexOf(':')
  return { type: text.slice(0, colon), key: text.slice(colon + 1) }
}
