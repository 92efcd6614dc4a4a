// Each kind of stored object with the names that `moved` gives to it and to what it names. A kind that is not here does
// not compile, unless it is plain: then it names nothing but itself.

import type { Field } from '../../kinds/fields.ts'
import { type EnvironmentKind, isPlain, KINDS, type KindName, type Objects, type PlainKind } from '../../kinds/index.ts'
import {
  assignmentKey,
  instanceKey,
  membershipKey,
  parseTenantRole,
  partKey,
  setRuleKey,
  tenantRoleKey,
  tupleKey,
} from '../../model/objects.ts'
import { compareText } from '../../model/text-order.ts'
import type { Names } from './moved-names.ts'
import { renamedConditions } from './renamed-conditions.ts'

type Rewrite<K extends KindName> = (object: Objects[K], names: Names) => Objects[K]

/**
 * The object as it is called, and as it calls others, after the moves.
 * @param at the time of the write, in ms since 1970
 */
export function rewritten<K extends KindName>(kind: K, object: Objects[K], names: Names, at: number): Objects[K] {
  if (isPlain(kind)) return renamed(kind, object as Objects[PlainKind], names, at) as Objects[K]
  const rewrites: { readonly [N in KindName]?: Rewrite<N> | null } = REWRITE
  return rewrites[kind]?.(object, names) ?? object
}

/** A name that is the key by default stays so. */
const renameDefault = (name: string, before: string, now: string): string => (name === before ? now : name)

const instanceType = (instance: string): string => instance.slice(0, instance.indexOf(':'))

const REWRITE: { readonly [K in Exclude<EnvironmentKind, PlainKind>]: Rewrite<K> | null } = {
  resource: (resource, names) => {
    const key = names.resource(resource.key)
    return {
      ...resource,
      key,
      name: renameDefault(resource.name, resource.key, key),
      actions: resource.actions.map((action) => {
        const now = names.part('action', resource.key, action.key)
        return { ...action, key: now, name: renameDefault(action.name, action.key, now) }
      }),
      attributes: attributes(resource, names),
    }
  },
  built_in: (resource, names) => ({ ...resource, attributes: attributes(resource, names) }),
  role: (role, names) => {
    const key = names.of('role', role.key)
    const parents = role.extends.map((parent) => names.of('role', parent))
    return {
      ...role,
      key,
      name: renameDefault(role.name, role.key, key),
      permissions: permissions(role, names),
      extends: parents,
      ...approvers(role, names),
    }
  },
  resource_role: (role, names) => {
    const resource = names.resource(role.resource)
    const name = (key: string) => names.part('resource_role', role.resource, key)
    const granted_to = role.granted_to && {
      ...role.granted_to,
      users_with_role: role.granted_to.users_with_role.map((rule) => ({
        ...rule,
        role: names.part('resource_role', rule.on_resource, rule.role),
        on_resource: names.resource(rule.on_resource),
        linked_by_relation: names.part('relation', role.resource, rule.linked_by_relation),
      })),
    }
    const now = name(role.role)
    return {
      ...role,
      key: partKey(resource, now),
      resource,
      role: now,
      name: renameDefault(role.name, role.role, now),
      permissions: permissions(role, names),
      extends: role.extends.map(name),
      ...approvers(role, names),
      granted_to,
    }
  },
  relation: (relation, names) => {
    const resource = names.resource(relation.resource)
    const now = names.part('relation', relation.resource, relation.relation)
    const of = { resource, relation: now, subject_resource: names.resource(relation.subject_resource) }
    return {
      ...relation,
      ...of,
      key: partKey(resource, now),
      name: renameDefault(relation.name, relation.relation, now),
    }
  },
  action_group: (group, names) => {
    const resource = names.resource(group.resource)
    const now = names.part('action_group', group.resource, group.group)
    const actions = group.actions.map((action) => names.part('action', group.resource, action))
    const name = renameDefault(group.name, group.group, now)
    return { ...group, key: partKey(resource, now), resource, group: now, name, actions }
  },
  condition_set: (set, names) => {
    const key = names.of('condition_set', set.key)
    return {
      ...set,
      key,
      name: renameDefault(set.name, set.key, key),
      resource: set.resource === null ? null : names.resource(set.resource),
      parent: set.parent === null ? null : names.of('condition_set', set.parent),
      conditions: renamedConditions(set.conditions, set.resource, names),
    }
  },
  set_rule: (rule, names) => {
    const user_set = names.userSet(rule.user_set)
    const resource_set = names.resourceSet(rule.resource_set)
    const permission = names.permission(rule.permission)
    return { ...rule, key: setRuleKey(user_set, permission, resource_set), user_set, permission, resource_set }
  },
  user: (user, names) => ({ ...user, key: names.of('user', user.key) }),
  membership: (membership, names) => {
    const [user, tenant] = [names.of('user', membership.user), names.of('tenant', membership.tenant)]
    return { ...membership, key: membershipKey(tenant, user), user, tenant }
  },
  role_assignment: (assignment, names) => {
    const [user, tenant] = [names.of('user', assignment.user), names.of('tenant', assignment.tenant)]
    const { role, instance } = roleHeld(assignment.role, assignment.resource_instance, names)
    const key = assignmentKey(user, role, tenant, instance)
    return { ...assignment, key, user, role, tenant, resource_instance: instance }
  },
  tenant_role: (role, names) => {
    const tenant = names.of('tenant', role.tenant)
    const key = tenantRoleKey(role.role, tenant)
    const parents = role.extends.map((parent) => roleInTenants(parent, names))
    const named = { permissions: permissions(role, names), extends: parents, ...approvers(role, names) }
    return { ...role, key, tenant, ...named }
  },
  resource_instance: placed,
  group: placed,
  relationship_tuple: (tuple, names) => {
    const [subject, object] = [names.instance(tuple.subject), names.instance(tuple.object)]
    const relation = names.part('relation', instanceType(tuple.object), tuple.relation)
    const tenant = names.of('tenant', tuple.tenant)
    return { ...tuple, key: tupleKey(subject, relation, object), subject, relation, object, tenant }
  },
  user_invite: (invite, names) => {
    const { role, instance } = roleHeld(invite.role, invite.resource_instance, names)
    return { ...invite, role, tenant: names.of('tenant', invite.tenant), resource_instance: instance }
  },
  access_request: (request, names) => {
    const { role, instance } = roleHeld(request.role, request.resource_instance, names)
    const [user, tenant] = [names.of('user', request.user), names.of('tenant', request.tenant)]
    return { ...request, user, role, tenant, resource_instance: instance }
  },
  proxy_config: (config, names) => ({
    ...config,
    mapping_rules: config.mapping_rules.map((rule) => ({
      ...rule,
      resource: names.resource(rule.resource),
      action: rule.action === null ? null : names.part('action', rule.resource, rule.action),
    })),
  }),
  applied_object: null,
  proposal: null,
  sync: null,
  directory_user: null,
  directory_group: null,
  directory_member: null,
  group_rule: null,
}

/** An object of a plain kind, which names nothing but itself; it has its key since now. */
function renamed(kind: PlainKind, object: Objects[PlainKind], names: Names, at: number): Objects[PlainKind] {
  const key = names.of(kind, object.key)
  if (key === object.key) return object
  const { name } = object as { readonly name?: string }
  const moments = Object.entries<Field>(KINDS[kind].fields).flatMap(([field, { form }]) =>
    form === 'moment' ? [[field, at] as const] : [],
  )
  const named = name === undefined ? {} : { name: renameDefault(name, object.key, key) }
  return { ...object, key, ...named, ...Object.fromEntries(moments) }
}

const permissions = (role: Objects['role' | 'resource_role' | 'tenant_role'], names: Names): string[] =>
  role.permissions.map((permission) => names.permission(permission))

/** Who approves requests for the role. */
const approvers = ({ requestable }: Objects['role' | 'resource_role' | 'tenant_role'], names: Names) =>
  requestable && {
    requestable: {
      ...requestable,
      approvers: requestable.approvers
        .map((one) => {
          const slash = one.indexOf('/')
          if (slash < 0) return roleInTenants(one, names)
          const type = one.slice(0, slash)
          return partKey(names.resource(type), names.part('resource_role', type, one.slice(slash + 1)))
        })
        .sort(compareText),
    },
  }

const attributes = (type: Objects['resource'], names: Names) =>
  type.attributes.map((attribute) => ({ ...attribute, key: names.attribute(type.key, attribute.key) }))

function roleHeld(role: string, instance: string | null, names: Names): { role: string; instance: string | null } {
  if (instance === null) return { role: roleInTenants(role, names), instance }
  return { role: names.part('resource_role', instanceType(instance), role), instance: names.instance(instance) }
}

function roleInTenants(role: string, names: Names): string {
  const own = parseTenantRole(role)
  return own === undefined ? names.of('role', role) : tenantRoleKey(own.role, names.of('tenant', own.tenant))
}

function placed<T extends Objects['resource_instance' | 'group']>(object: T, names: Names): T {
  const now = names.instance(object.key)
  const colon = now.indexOf(':')
  const [resource, instance] = [now.slice(0, colon), now.slice(colon + 1)]
  return {
    ...object,
    key: instanceKey(resource, instance),
    resource,
    instance,
    tenant: names.of('tenant', object.tenant),
  }
}
