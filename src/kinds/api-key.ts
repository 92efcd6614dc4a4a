// An API key, without its secret.
import type { Stored } from '../model/objects.ts'
import type { Kind } from './kind.ts'

/**
 * From the widest to the narrowest; `directory` is for one environment and SCIM alone (docs/scim.md), so that a provider
 * holds nothing that does more.
 */
export const KEY_LEVELS = ['org', 'project', 'env', 'tenant', 'directory'] as const
export type KeyLevel = (typeof KEY_LEVELS)[number]
/** What becomes the key of a user whom a directory makes; it never changes. */
export type DirectoryUserKey = 'user_name' | 'external_id'
/** `permit`: as the public command line of that name takes it. */
export type KeyForm = 'permit'
export type AccessLevel = 'admin' | 'write' | 'read' | 'no_access'

/**
 * An API key: never its secret. `key` of the stored object is the SHA-256 of the secret in hex, by which it is found.
 */
export interface ApiKey extends Stored {
  readonly level: KeyLevel
  readonly access: AccessLevel
  readonly owner: 'pdp_config' | 'member' | 'elements'
  readonly name: string | null
  readonly organization_id: string
  readonly project_id: string | null
  readonly environment_id: string | null
  /** id of the tenant that a key of level `tenant` is for, in that environment */
  readonly tenant_id?: string
  /** of level `directory`: what becomes the key of a user whom the directory makes; absent: its `userName` */
  readonly user_key?: Exclude<DirectoryUserKey, 'user_name'>
  /** id of the user whose session in that tenant it is: no key then, and without any access */
  readonly user_id?: string
  /** from when it is refused, ms since 1970; a key without one has no end */
  readonly expires_at?: number | null
  /** the first instant of the last day (UTC) on which it was used */
  readonly last_used_at?: number
  /**
   * who made it and so knew its secret: ids of that person or key, of whoever made that key and so on; absent where that is
   * not known, as of the command line
   */
  readonly made_by?: readonly string[]
  /** whose form its secrets have, where it is not Zerohop's own */
  readonly form?: KeyForm
  /** the secret before the current one, which is valid until then */
  readonly old_secret?: { readonly hash: string; readonly expires_at: number }
  /** set where the object stands for the old secret of a key: the id of that key */
  readonly secret_of?: string
}

/** True of what stands for a session of a user in a tenant, and is not a key. */
export const isSession = (key: Pick<ApiKey, 'user_id'>): boolean => key.user_id !== undefined

export const apiKey = {
  number: 131,
  newerNumbers: { directory: 195 },
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    keys_of_environment: ({ environment_id }) => (environment_id === null ? [] : [environment_id]),
    keys_of_project: ({ project_id }) => (project_id === null ? [] : [project_id]),
  },
  projection: null,
  inFiles: null,
} as const satisfies Kind<'api_key', ApiKey>
