// What the routes of members show: only what a customer's administrator may see of members, roles and requests, named
// field by field.
import type { components } from '../../../build/management-api.ts'
import type {
  AccessRequest,
  OfferedPermission,
  RequestableRole,
  TenantInvite,
  TenantMember,
  TenantRole,
} from '../../model/members.ts'

type Schemas = components['schemas']

/** A user of the tenant as its administrators see it: no attributes, no other tenant, no ids. */
export function memberRead({
  key,
  email,
  first_name,
  last_name,
  roles,
  associated_tenants,
}: Schemas['User']): TenantMember {
  const onInstances = associated_tenants.flatMap(({ resource_instance_roles }) => resource_instance_roles)
  return {
    key,
    email,
    first_name: first_name ?? null,
    last_name: last_name ?? null,
    roles: [
      ...roles.map(({ role, ...times }) => ({ role, resource_instance: null, ...span(times) })),
      ...onInstances.map(({ role, resource, resource_instance, ...times }) => ({
        role,
        resource_instance: `${resource}:${resource_instance}`,
        ...span(times),
      })),
    ],
  }
}

interface Span {
  readonly valid_from?: string | null
  readonly valid_until?: string | null
}

const span = ({ valid_from, valid_until }: Span) => ({
  ...(valid_from == null ? {} : { valid_from }),
  ...(valid_until == null ? {} : { valid_until }),
})

export function tenantRole(role: Schemas['AssignableRole']): TenantRole {
  const { key, tenant, resource, name, description, permissions, default_duration, max_duration } = role
  return {
    key,
    is_own: tenant !== null,
    resource,
    name,
    description,
    permissions,
    extends: role.extends,
    ...(default_duration == null ? {} : { default_duration }),
    ...(max_duration == null ? {} : { max_duration }),
  }
}

export function inviteRead(invite: Schemas['TenantInvite']): TenantInvite {
  const { id, email, user, first_name, last_name, status, role, resource_instance } = invite
  return { id, email, user, first_name, last_name, status, role, resource_instance, ...span(invite) }
}

export function offeredPermission({ key, resource, action }: Schemas['OfferedPermission']): OfferedPermission {
  return { key, resource: resource.name, action: action.name, description: action.description }
}

/** A request as `user` sees it. */
export function accessRequest(request: Schemas['AccessRequest'], user: string): AccessRequest {
  const { id, state, role, resource_instance, created_at, may = [] } = request
  const { duration, until, reason, ticket, auto, expires_at, approved_by, decided_by, decided_at } = request
  const { decision_reason, valid_until } = request
  const optional = { duration, until, reason, ticket, auto, expires_at, approved_by, decided_by, decided_at }
  return {
    id,
    state,
    user: request.user,
    is_own: request.user === user,
    role,
    resource_instance,
    created_at,
    may,
    ...present({ ...optional, decision_reason, valid_until }),
  }
}

export function requestableRole(role: Schemas['RequestableRole']): RequestableRole {
  const { key, resource, name, description, max_duration, reason, auto = false } = role
  return { key, resource, name, description, max_duration, needs_reason: reason === 'required', at_once: auto }
}

/** The fields that have a value. */
const present = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as {
    [N in keyof T]?: NonNullable<T[N]>
  }
