// Who may do what: one table from an operation to the narrowest key level and the least access level that it needs. Which objects a
// key reaches is decided elsewhere: outside its own organization, project or environment everything is missing (404), never
// forbidden. A `read` key may read, follow and check; it never writes and never sees a secret.
import { ZerohopError } from '../model/errors.ts'
import type { AccessLevel, ApiKey, KeyLevel } from '../model/objects.ts'

interface Need {
  readonly level: KeyLevel
  readonly access: AccessLevel
  /** completes "this API key may not …" */
  readonly what: string
}

export const ACCESS = {
  'scope.read': { level: 'env', access: 'no_access', what: 'read its own scope' },
  'organization.read': { level: 'env', access: 'read', what: 'read the organization' },
  'project.read': { level: 'env', access: 'read', what: 'read projects' },
  'environment.read': { level: 'env', access: 'read', what: 'read environments' },
  'secret.read': { level: 'env', access: 'write', what: 'see API keys' },
  'schema.read': { level: 'env', access: 'read', what: 'read the policy' },
  'schema.write': { level: 'env', access: 'write', what: 'change the policy' },
  'facts.read': { level: 'env', access: 'read', what: 'read the facts' },
  'facts.write': { level: 'env', access: 'write', what: 'change the facts' },
  'feed.read': { level: 'env', access: 'read', what: 'follow the environment' },
} as const satisfies Record<string, Need>

export type Operation = keyof typeof ACCESS

const LEVELS: Readonly<Record<KeyLevel, number>> = { env: 0, project: 1, org: 2 }
const ACCESSES: Readonly<Record<AccessLevel, number>> = { no_access: 0, read: 1, write: 2, admin: 3 }

/** @throws KEY_TOO_NARROW when a key of this level and access may not do it anywhere */
export function requireAccess(key: Pick<ApiKey, 'level' | 'access'>, operation: Operation): void {
  const { level, access, what }: Need = ACCESS[operation]
  if (LEVELS[key.level] >= LEVELS[level] && ACCESSES[key.access] >= ACCESSES[access]) return
  throw new ZerohopError('KEY_TOO_NARROW', { what })
}

/** True when the key reaches into the project; an environment key reaches into the one that holds its environment. */
export function reachesProject(key: ApiKey, project: { readonly id: string }): boolean {
  return key.level === 'org' || key.project_id === project.id
}

/** True when the key reaches into the environment, of which `project` is the project. */
export function reachesEnvironment(
  key: ApiKey,
  project: { readonly id: string },
  environment: { readonly id: string },
): boolean {
  return reachesProject(key, project) && (key.level !== 'env' || key.environment_id === environment.id)
}
