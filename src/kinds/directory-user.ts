// What a directory (an identity provider, by SCIM) gave about a user (docs/scim.md). The user is an object of its own, which
// others write too: here is what the directory gave, and so alone changes.
import { foldCase } from '../model/fold-case.ts'
import type { JsonObject, Stored } from '../model/objects.ts'
import { every, type Kind } from './kind.ts'

/** `key` and `id` are those of the user: an id belongs to one user for ever, and a directory never sees the key change. */
export interface DirectoryUser extends Stored {
  readonly user_name: string
  readonly external_id: string | null
  /** false: the user is suspended for as long; null: the directory no longer says, and nothing changes */
  readonly active: boolean | null
  /** the attributes of the resource, as the schema of users names them (src/management/directory/schemas.ts) */
  readonly attributes: JsonObject
}

export const directoryUser = {
  number: 33,
  newerNumbers: { directory: 97 },
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    every_directory_user: every,
    directory_users_named: ({ user_name }) => [foldCase(user_name)],
    directory_users_by_external_id: ({ external_id }) => (external_id === null ? [] : [external_id]),
  },
  projection: null,
  inFiles: null,
} as const satisfies Kind<'directory_user', DirectoryUser>
