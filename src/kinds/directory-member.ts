// That a user is a member of a group of a directory (docs/scim.md).
import type { Stored } from '../model/objects.ts'
import type { Kind } from './kind.ts'

/** `key` is `directoryMemberKey(group, user)`. */
export interface DirectoryMember extends Stored {
  /** id of the group */
  readonly group: string
  /** key of the user */
  readonly user: string
}

export const directoryMemberKey = (group: string, user: string): string => `${group}/${user}`

export const directoryMember = {
  number: 35,
  newerNumbers: { directory: 99 },
  hasIds: false,
  hasOwnTable: false,
  indexes: {
    members_of_directory_group: ({ group }) => [group],
    directory_groups_of_user: ({ user }) => [user],
  },
  projection: null,
  inFiles: null,
} as const satisfies Kind<'directory_member', DirectoryMember>
