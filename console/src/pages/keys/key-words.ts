// What a key is called, what it reaches, what it may do and when it ends, in words.
import type { ApiKey } from './key-queries.ts'

export const ACCESS_WORDS = {
  read: 'Read: load policies, check access and list objects',
  write: 'Write: also change policy and facts, and send decisions',
  admin: 'Full access, including API keys',
} as const

/** What becomes the key of a user whom a directory makes. */
export const USER_KEY_WORDS = {
  user_name: 'The user name, such as a login or an address',
  external_id: "The provider's own id, which stays when people are renamed",
} as const

export function nameOfKey({ name, owner_type, id }: Pick<ApiKey, 'name' | 'owner_type' | 'id'>): string {
  return name ?? (owner_type === 'pdp_config' ? 'PDP of the environment' : `key ${id.slice(0, 8)}`)
}

type Reach = Pick<ApiKey, 'object_type' | 'project' | 'env' | 'tenant'>

export function reachOfKey({ object_type, project, env, tenant }: Reach): string {
  if (object_type === 'org') return 'The organization'
  if (object_type === 'project') return `Project ${project?.key ?? '(deleted)'}`
  const environment = `${project?.key ?? '…'}/${env?.key ?? '(deleted)'}`
  if (object_type === 'tenant') return `Tenant ${tenant?.key ?? '(deleted)'} of ${environment}`
  return object_type === 'directory' ? `SCIM of ${environment}` : `Environment ${environment}`
}

/** Days after which a new key can end; 0 is never. */
export const END_CHOICES = [
  { value: '0', label: 'Never' },
  { value: '30', label: 'After 30 days' },
  { value: '90', label: 'After 90 days' },
  { value: '365', label: 'After a year' },
] as const

/** Seconds for which a rotation can keep the old secret. */
export const KEEP_CHOICES = [
  { value: '0', label: 'Not at all: every other secret is refused at once' },
  { value: '3600', label: 'For an hour' },
  { value: '86400', label: 'For a day' },
  { value: '604800', label: 'For a week' },
  { value: '2592000', label: 'For 30 days' },
] as const

const DAY_MS = 86_400_000
const SOON_MS = 7 * DAY_MS

/** The instant so many days later; undefined for 0. */
export const endAfter = (days: number, now: number): string | undefined =>
  days === 0 ? undefined : new Date(now + days * DAY_MS).toISOString()

/** What is marked of the end of a key: that it is over, or close. */
export function markOfEnd(expiresAt: string | null, now: number): 'expired' | 'ends soon' | undefined {
  if (expiresAt === null) return undefined
  const left = Date.parse(expiresAt) - now
  if (left <= 0) return 'expired'
  return left <= SOON_MS ? 'ends soon' : undefined
}

/** Lines that start a PDP. They take the secret from the shell, which asks for it: it stands on no command line. */
export function pdpLines(origin: string): readonly { readonly by: string; readonly line: string }[] {
  return [
    { by: 'First, in your shell', line: 'read -rs PDP_API_KEY && export PDP_API_KEY' },
    {
      by: 'Docker',
      line: `docker run -p 7000:7000 -e PDP_API_KEY -e PDP_CONTROL_PLANE=${origin} zerohop/pdp-v2:latest`,
    },
    { by: 'Node.js', line: `PDP_CONTROL_PLANE=${origin} npx zerohop pdp` },
  ]
}
