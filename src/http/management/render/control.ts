// How the objects of an organization print: projects, environments, API keys, PDP configurations and their history.
// Nothing here decides or reads more than it must.

import type { ApiKey } from '../../../kinds/api-key.ts'
import type { Environment } from '../../../kinds/environment.ts'
import { operationSentence, summarySentence } from '../../../kinds/history-words.ts'
import type { Organization } from '../../../kinds/organization.ts'
import type { PdpConfig } from '../../../kinds/pdp-config.ts'
import type { Project } from '../../../kinds/project.ts'
import type { Tenant } from '../../../kinds/tenant.ts'
import type { HistoryEntry } from '../../../log/change.ts'
import { actorId, actorType } from '../../../management/rules/actor.ts'
import type { ApiKeyRead } from '../../../management/schemas/api-keys.ts'
import type {
  EnvironmentRead,
  EnvironmentStats,
  EnvironmentWithEmail,
  PdpConfigRead,
} from '../../../management/schemas/environments.ts'
import type { OrganizationRead, OrganizationStats } from '../../../management/schemas/organizations.ts'
import type { ProjectRead } from '../../../management/schemas/projects.ts'
import { isEnded } from '../../../model/key-end.ts'
import { parseId } from '../../../model/keys.ts'
import type { View } from '../../../store/view.ts'
import type { Scope } from '../auth.ts'
import { place, printTime, times } from './stamps.ts'

export function organizationRead({ id, key, name, settings, ...stamps }: Organization): OrganizationRead {
  return { id, key, name, is_enterprise: false, usage_limits: null, settings, ...times(stamps) }
}

/** Nobody counts monthly users here: the figures of usage are there for the clients, and zero. */
export function organizationStats(
  organization: Organization,
  stats: { readonly projects: number; readonly environments: number; readonly users: number },
  now: Date,
): OrganizationStats {
  const usage = (monthsAgo: number) => {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo))
    return { mau: 0, tenants: 0, monthly_tenants: [], month: month.getUTCMonth() + 1, year: month.getUTCFullYear() }
  }
  const historical_usage = { current_month: usage(0), previous_month: usage(1), two_months_ago: usage(2) }
  return { ...organizationRead(organization), stats, historical_usage }
}

export function environmentStatistics(view: View, has_decision_logs: boolean): EnvironmentStats['stats'] {
  return {
    roles: view.count('role'),
    users: view.count('user'),
    policies: view.count('set_rule'),
    resources: view.count('resource'),
    tenants: view.count('tenant'),
    has_decision_logs,
    members: [],
    mau: 0,
  }
}

export function projectRead(organization_id: string, project: Project): ProjectRead {
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

export function environmentRead({ organization, project, environment }: Scope): EnvironmentRead {
  const { id, environment: key, name, description, custom_branch_name, jwks, settings } = environment
  const { require_reason, require_approval } = environment
  return {
    id,
    key,
    name,
    description,
    custom_branch_name,
    jwks,
    settings,
    ...(require_reason === undefined ? {} : { require_reason }),
    ...(require_approval === undefined ? {} : { require_approval }),
    avp_policy_store_id: null,
    organization_id: organization,
    project_id: project.id,
    ...times(environment),
  }
}

export function environmentReadWithEmail(scope: Scope): EnvironmentWithEmail {
  return { ...environmentRead(scope), email_configuration: null }
}

/** `within` is the project of the key, its environment and its tenant, as far as it has them. */
export function apiKeyRead(
  key: ApiKey,
  within: {
    readonly project: Project | undefined
    readonly environment: Environment | undefined
    readonly tenant: Tenant | undefined
  },
  secret: string | null,
): ApiKeyRead {
  const { id, level, access, owner, name, organization_id, project_id, environment_id, created_at } = key
  const { project, environment, tenant } = within
  const { old_secret, last_used_at, expires_at } = key
  const oldEnd = old_secret === undefined || isEnded(old_secret, Date.now()) ? null : old_secret.expires_at
  return {
    id,
    organization_id,
    project_id,
    environment_id,
    ...(key.tenant_id === undefined ? {} : { tenant_id: key.tenant_id, tenant: tenant ? tenantBlock(tenant) : null }),
    object_type: level,
    access_level: access,
    owner_type: owner,
    name,
    secret,
    created_at: printTime(created_at),
    created_by_member: null,
    last_used_at: last_used_at === undefined ? null : printTime(last_used_at),
    expires_at: expires_at == null ? null : printTime(expires_at),
    ...(level === 'directory' ? { user_key: key.user_key ?? 'user_name' } : {}),
    old_secret_expires_at: oldEnd === null ? null : printTime(oldEnd),
    env: project && environment ? environmentRead({ organization: organization_id, project, environment }) : null,
    project: project ? projectRead(organization_id, project) : null,
  }
}

const tenantBlock = ({ id, key, name }: Tenant) => ({ id, key, name })

/** `secret` is empty when the caller may not see it, or it does not exist. */
export function pdpConfigRead(scope: Scope, { id, name }: PdpConfig, secret: string): PdpConfigRead {
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

/** Where a log belongs; the log of an organization has no project. */
export interface LogPlace {
  readonly org_id: string
  readonly project_id: string | null
  readonly project_key: string | null
  readonly env_id: string | null
  readonly env_key: string | null
}

/** The id of who did it when neither an API key nor a user did. */
const NOBODY = '0'.repeat(32)

function eventRead({ id, at, by }: HistoryEntry, place: LogPlace | undefined, name: string) {
  return {
    id,
    timestamp: printTime(at),
    client_ip: by.address ?? '',
    actor_type: actorType(by),
    actor_id: actorId(by) ?? NOBODY,
    actor_display_name: name,
    actor_user: by.user ?? null,
    reason: by.reason ?? null,
    ticket: by.ticket ?? null,
    ...place,
  }
}

/** `request_id` is a UUID for the clients; `correlation_id` is what was sent. */
export function historyRead(entry: HistoryEntry, place: LogPlace | undefined, name: string) {
  const { at, by, status, summary = null, revision } = entry
  return {
    ...eventRead(entry, place, name),
    timestamp_utc: printTime(at),
    method: by.method ?? '',
    path: by.path ?? '',
    success: true,
    status,
    request_id: parseId(by.request_id ?? '') ?? null,
    correlation_id: by.request_id,
    operation: by.operation,
    summary,
    revision,
  }
}

export function activityRead(entry: HistoryEntry, place: LogPlace | undefined, name: string) {
  const { operation } = entry.by
  const activity_description =
    entry.summary === undefined ? operationSentence(operation) : summarySentence(entry.summary)
  return { ...eventRead(entry, place, name), activity_id: operation, activity_description, activity_details: {} }
}
