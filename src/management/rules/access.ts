// Who may do what: one table from an operation to the narrowest key level and the least access level that it needs.
// Which objects a key may reach is decided elsewhere: everything outside its own organization, project or environment
// is answered as missing (404), never as forbidden. A `read` key may read, follow and check; it never writes and never
// sees a secret. For the key of a tenant everything is missing that is not of level `tenant`: it is in the hands of a
// customer, who has nothing to do with the rest of the environment. The key of a directory is for SCIM, and SCIM takes no
// other key: a provider holds what does nothing else.

import type { AccessLevel, ApiKey, KeyLevel } from '../../kinds/api-key.ts'
import { ZerohopError } from '../../model/errors.ts'

interface Need {
  readonly level: KeyLevel
  /** set when keys of a wider level may not do it either */
  readonly widest?: KeyLevel
  readonly access: AccessLevel
  /** completes "this API key may not …" */
  readonly what: string
}

export const ACCESS = {
  'scope.read': { level: 'tenant', access: 'no_access', what: 'read its own scope' },
  'organization.read': { level: 'env', access: 'read', what: 'read the organization' },
  'project.read': { level: 'env', access: 'read', what: 'read projects' },
  'environment.read': { level: 'env', access: 'read', what: 'read environments' },
  'organization.stats': { level: 'org', access: 'read', what: 'read the statistics of the organization' },
  'organization.write': { level: 'org', access: 'write', what: 'change the organization' },
  'project.create': { level: 'org', access: 'write', what: 'create projects' },
  'project.write': { level: 'project', access: 'write', what: 'change projects' },
  'project.delete': { level: 'project', access: 'admin', what: 'delete projects' },
  'environment.create': { level: 'project', access: 'write', what: 'create environments' },
  'environment.write': { level: 'env', access: 'write', what: 'change environments' },
  // an environment's key is given to PDPs and back ends: it must not be able to delete the environment or to issue
  // other keys
  'environment.delete': { level: 'project', access: 'admin', what: 'delete environments' },
  // whoever may write what is required must not be able to turn it off
  'environment.require': { level: 'project', access: 'admin', what: 'change what an environment requires of writes' },
  'environment.copy': { level: 'project', access: 'write', what: 'copy environments' },
  'environment.planCopy': { level: 'project', access: 'read', what: 'plan copies of environments' },
  'key.read': { level: 'env', access: 'read', what: 'list API keys' },
  'key.reveal': { level: 'project', access: 'admin', what: 'read the secrets of API keys' },
  'key.write': { level: 'env', access: 'admin', what: 'manage API keys' },
  'elements.login': { level: 'env', access: 'write', what: 'log users in' },
  'decision.explain': { level: 'env', access: 'read', what: 'ask about decisions' },
  'audit.read': { level: 'env', access: 'read', what: 'read the audit log' },
  // only keys of an environment, as PDPs use them, with access `write`: each record is stored with the id of the
  // sending key
  'audit.write': { level: 'env', widest: 'env', access: 'write', what: 'send decisions' },
  // secrets of proxy configs: proxies that use the environment's key send them
  'secret.read': { level: 'env', access: 'write', what: 'see secrets' },
  'metrics.read': { level: 'env', access: 'read', what: 'read the metrics' },
  'history.read': { level: 'env', access: 'read', what: 'read the history' },
  'schema.read': { level: 'env', access: 'read', what: 'read the policy' },
  'schema.write': { level: 'env', access: 'write', what: 'change the policy' },
  /** access rules, which are policy below the paths of facts */
  'rules.write': { level: 'env', access: 'write', what: 'change access rules' },
  /** groups, which are facts below the paths of the policy */
  'groups.write': { level: 'env', access: 'write', what: 'change groups' },
  'proposal.read': { level: 'env', access: 'read', what: 'read proposals' },
  'proposal.write': { level: 'env', access: 'write', what: 'propose changes of the policy and decide on them' },
  'facts.read': { level: 'env', access: 'read', what: 'read the facts' },
  'facts.write': { level: 'env', access: 'write', what: 'change the facts' },
  /** access requests: what comes of one is decided by what the user may who acts */
  'request.write': { level: 'env', access: 'write', what: 'make access requests and decide on them' },
  /** what a tenant's own administrators may do in it; the path names the tenant */
  'members.read': { level: 'tenant', access: 'read', what: 'read the users of a tenant' },
  'members.write': { level: 'tenant', access: 'write', what: 'change the users of a tenant' },
  /** SCIM */
  'directory.read': { level: 'directory', widest: 'directory', access: 'read', what: 'read users and groups by SCIM' },
  'directory.write': {
    level: 'directory',
    widest: 'directory',
    access: 'write',
    what: 'change users and groups by SCIM',
  },
  'feed.read': { level: 'env', access: 'read', what: 'follow the environment' },
} as const satisfies Record<string, Need>

export type Operation = keyof typeof ACCESS

const LEVELS: Readonly<Record<KeyLevel, number>> = { directory: -1, tenant: 0, env: 1, project: 2, org: 3 }
const ACCESSES: Readonly<Record<AccessLevel, number>> = { no_access: 0, read: 1, write: 2, admin: 3 }

/** What writes into an environment, or the environment itself: what it requires of writes is asked of these. */
const ENVIRONMENT_WRITES: ReadonlySet<Operation> = new Set([
  'schema.write',
  'rules.write',
  'groups.write',
  'proposal.write',
  'facts.write',
  'request.write',
  'members.write',
  'environment.write',
  'environment.delete',
])
/** What writes policy, which an environment may require to be proposed. */
export const writesPolicy = (operation: Operation): boolean =>
  operation === 'schema.write' || operation === 'rules.write'

export const writesEnvironment = (operation: Operation): boolean => ENVIRONMENT_WRITES.has(operation)

const FACT_WRITES: ReadonlySet<Operation> = new Set(['facts.write', 'rules.write', 'request.write', 'members.write'])

/** What is asked about: a key, or a user of the console. */
export type Rights = Pick<ApiKey, 'level' | 'access'> & {
  /** writes are limited to facts */
  readonly only?: 'facts'
  /** a person who acts as a stored user: what comes of an access request is decided by what that user may */
  readonly actsAsUser?: true
}

/** True when a key of this level and access may do it on the objects that it reaches. */
export function hasAccess(key: Rights, operation: Operation): boolean {
  const { level, widest = 'org', access: usual }: Need = ACCESS[operation]
  const access = operation === 'request.write' && key.actsAsUser ? 'read' : usual
  if (key.only === 'facts' && ACCESSES[access] > ACCESSES.read && !FACT_WRITES.has(operation)) return false
  const fits = LEVELS[key.level] >= LEVELS[level] && LEVELS[key.level] <= LEVELS[widest]
  return fits && ACCESSES[key.access] >= ACCESSES[access]
}

/** True of what keys of level `tenant` may do. */
export const isForTenants = (operation: Operation): boolean => ACCESS[operation].level === 'tenant'

/** The keys that may do it, for operations that need another level of key and not only more access. */
const NEEDED_LEVEL: Readonly<Record<KeyLevel, string>> = {
  tenant: '',
  directory: ': it needs the key of a directory',
  env: ': it needs the key of an environment',
  project: ': it needs a key of the project or the organization',
  org: ': it needs a key of the organization',
}

/**
 * @throws KEY_TOO_NARROW when a key of this level and access may not do it anywhere; NOT_OF_TENANT, which is a 404, for
 * the key of a tenant and what tenants never do
 */
export function requireAccess(key: Rights, operation: Operation): void {
  if (hasAccess(key, operation)) return
  const { level, widest = 'org', what }: Need = ACCESS[operation]
  if (key.level === 'tenant' && level !== 'tenant') throw new ZerohopError('NOT_OF_TENANT')
  const isOtherLevel = LEVELS[key.level] < LEVELS[level] || LEVELS[key.level] > LEVELS[widest]
  const needed = isOtherLevel ? NEEDED_LEVEL[level] : ''
  throw new ZerohopError('KEY_TOO_NARROW', { what: what + needed })
}

/**
 * True when the other key reaches no further than this one: it may then be listed and managed, as far as access allows.
 */
export function reachesKey(key: ApiKey, other: ApiKey): boolean {
  if (key.level === 'org') return true
  if (key.level === 'project') return other.project_id === key.project_id
  return other.environment_id === key.environment_id
}

/** True when the key reaches into the project; an environment key reaches into the one that holds its environment. */
export function reachesProject(key: ApiKey, project: { readonly id: string }): boolean {
  return key.level === 'org' || key.project_id === project.id
}

/** True when the key reaches into the environment, which belongs to `project`. */
export function reachesEnvironment(
  key: ApiKey,
  project: { readonly id: string },
  environment: { readonly id: string },
): boolean {
  return reachesProject(key, project) && (key.environment_id === null || key.environment_id === environment.id)
}
