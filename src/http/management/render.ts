// How stored objects print: the exact fields of contract §2.4, ids as 32 hex digits, times as `…+00:00`. Maps that are keyed by what a
// user named have no prototype, because `__proto__` is a legal key. Nothing here decides or reads more than it must.
import type {
  Action,
  ApiKey,
  AttributeDefinition,
  Environment,
  Organization,
  PdpConfig,
  Project,
  Resource,
  Role,
  RoleAssignment,
  Tenant,
  User,
} from '../../model/objects.ts'
import type { Assigned } from '../../pap/assignments.ts'
import type { View } from '../../store/view.ts'
import type { Scope } from '../auth.ts'

/** RFC 3339 with the offset that the clients know. */
export function printTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00')
}

const times = ({ created_at, updated_at }: { readonly created_at: number; readonly updated_at: number }) => ({
  created_at: printTime(created_at),
  updated_at: printTime(updated_at),
})

const place = ({ organization, project, environment }: Scope) => ({
  organization_id: organization,
  project_id: project.id,
  environment_id: environment.id,
})

function mapOf<T extends { readonly key: string }, P>(parts: readonly T[], print: (part: T) => P): Record<string, P> {
  const map: Record<string, P> = Object.create(null)
  for (const part of parts) map[part.key] = print(part)
  return map
}

export function organizationRead({ id, key, name, settings, ...stamps }: Organization) {
  return { id, key, name, is_enterprise: false, usage_limits: null, settings, ...times(stamps) }
}

/** Nobody counts monthly users here: the figures of usage are there for the clients, and zero. */
export function organizationStats(
  organization: Organization,
  stats: { readonly projects: number; readonly environments: number; readonly users: number },
  now: Date,
) {
  const usage = (monthsAgo: number) => {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo))
    return { mau: 0, tenants: 0, monthly_tenants: [], month: month.getUTCMonth() + 1, year: month.getUTCFullYear() }
  }
  const historical_usage = { current_month: usage(0), previous_month: usage(1), two_months_ago: usage(2) }
  return { ...organizationRead(organization), stats, historical_usage }
}

export function environmentStatistics(view: View) {
  return {
    roles: view.count('role'),
    users: view.count('user'),
    policies: view.count('set_rule'),
    resources: view.count('resource'),
    tenants: view.count('tenant'),
    has_decision_logs: false,
    members: [],
    mau: 0,
  }
}

export function projectRead(organization_id: string, project: Project) {
  const { id, key, name, description, urn_namespace, settings } = project
  return {
    id,
    key,
    name,
    description,
    urn_namespace,
    settings,
    active_policy_repo_id: null,
    organization_id,
    ...times(project),
  }
}

export function environmentRead({ organization, project, environment }: Scope) {
  const { id, environment: key, name, description, custom_branch_name, jwks, settings } = environment
  return {
    id,
    key,
    name,
    description,
    custom_branch_name,
    jwks,
    settings,
    avp_policy_store_id: null,
    organization_id: organization,
    project_id: project.id,
    ...times(environment),
  }
}

export function environmentReadWithEmail(scope: Scope) {
  return { ...environmentRead(scope), email_configuration: null }
}

/** `within` is the project of the key and its environment, as far as it has them. */
export function apiKeyRead(
  key: ApiKey,
  within: { readonly project: Project | undefined; readonly environment: Environment | undefined },
  secret: string | null,
) {
  const { id, level, access, owner, name, organization_id, project_id, environment_id, created_at } = key
  const { project, environment } = within
  return {
    id,
    organization_id,
    project_id,
    environment_id,
    object_type: level,
    access_level: access,
    owner_type: owner,
    name,
    secret,
    created_at: printTime(created_at),
    created_by_member: null,
    last_used_at: null,
    env: project && environment ? environmentRead({ organization: organization_id, project, environment }) : null,
    project: project ? projectRead(organization_id, project) : null,
  }
}

/** `secret` is empty for who may not see it, and when there is none. */
export function pdpConfigRead(scope: Scope, { id, name }: PdpConfig, secret: string) {
  return {
    id,
    name,
    client_secret: secret,
    opal_server_access_token: null,
    num_shards: 1,
    debug_audit_logs: false,
    min_pdp_version: null,
    ...place(scope),
  }
}

export function roleRead(scope: Scope, role: Role) {
  const { id, key, name, description, permissions, attributes } = role
  return {
    id,
    key,
    name,
    description,
    permissions,
    attributes,
    extends: role.extends,
    granted_to: null,
    v1compat_settings: null,
    v1compat_attributes: null,
    ...place(scope),
    ...times(role),
  }
}

function actionBlock({ id, key, name, description, attributes }: Action) {
  return { id, key, name, description, attributes, v1compat_path: null, v1compat_name: null }
}

function attributeBlock({ id, key, type, description }: AttributeDefinition) {
  return { id, key, type, description }
}

export function resourceRead(scope: Scope, resource: Resource) {
  const { id, key, name, urn, description, type_attributes, actions, attributes } = resource
  return {
    id,
    key,
    name,
    urn,
    description,
    actions: mapOf(actions, actionBlock),
    type_attributes,
    attributes: mapOf(attributes, attributeBlock),
    roles: {},
    relations: {},
    action_groups: {},
    v1compat_path: null,
    v1compat_type: null,
    v1compat_name: null,
    ...place(scope),
    ...times(resource),
  }
}

export function actionRead(scope: Scope, resource: Resource, action: Action) {
  return {
    ...actionBlock(action),
    v1compat_is_built_in: false,
    permission_name: `${resource.key}:${action.key}`,
    resource_id: resource.id,
    ...place(scope),
    ...times(action),
  }
}

export function attributeRead(scope: Scope, resource: Resource, attribute: AttributeDefinition) {
  return {
    ...attributeBlock(attribute),
    resource_id: resource.id,
    resource_key: resource.key,
    built_in: false,
    ...place(scope),
    ...times(attribute),
  }
}

export function tenantRead(scope: Scope, tenant: Tenant) {
  const { id, key, name, description, attributes, last_action_at } = tenant
  return {
    id,
    key,
    name,
    description,
    attributes,
    last_action_at: printTime(last_action_at),
    ...place(scope),
    ...times(tenant),
  }
}

/** A user with its roles and tenants, as the view has them. */
export function userRead(scope: Scope, view: View, user: User) {
  const { id, key, email, first_name, last_name, attributes } = user
  const roles: { role: string; tenant: string }[] = []
  const rolesOf = new Map<string, string[]>()
  for (const { tenant } of view.by('memberships_of_user', key)) rolesOf.set(tenant, [])
  for (const { role, tenant } of view.by('assignments_of_user', key)) {
    roles.push({ role, tenant })
    const list = rolesOf.get(tenant)
    if (list) list.push(role)
    else rolesOf.set(tenant, [role])
  }
  const associated_tenants = [...rolesOf].map(([tenant, held]) => {
    return { tenant, roles: held, status: 'active', resource_instance_roles: [] }
  })
  return {
    id,
    key,
    email,
    first_name,
    last_name,
    attributes,
    roles,
    associated_tenants,
    ...place(scope),
    ...times(user),
  }
}

export function assignmentRead(scope: Scope, { assignment, user_id, role_id, tenant_id }: Assigned) {
  const { id, user, role, tenant, created_at } = assignment
  return {
    id,
    user,
    role,
    tenant,
    resource_instance: null,
    resource_instance_id: null,
    user_id,
    role_id,
    tenant_id,
    ...place(scope),
    created_at: printTime(created_at),
  }
}

/** A stored assignment with the ids of what it joins. */
export function withIds(view: View, assignment: RoleAssignment): Assigned {
  const { user, role, tenant } = assignment
  return {
    assignment,
    user_id: view.require('user', user).id,
    role_id: view.require('role', role).id,
    tenant_id: view.require('tenant', tenant).id,
  }
}

export function assignmentDetailed(scope: Scope, view: View, assignment: RoleAssignment) {
  const user = view.require('user', assignment.user)
  const role = view.require('role', assignment.role)
  const tenant = view.require('tenant', assignment.tenant)
  const { email, first_name, last_name } = user
  return {
    id: assignment.id,
    user: { id: user.id, key: user.key, email, first_name, last_name, attributes: user.attributes },
    role: { id: role.id, key: role.key, name: role.name, permissions: role.permissions },
    tenant: { id: tenant.id, key: tenant.key, name: tenant.name, attributes: tenant.attributes ?? {} },
    resource_instance: null,
    ...place(scope),
    created_at: printTime(assignment.created_at),
  }
}
