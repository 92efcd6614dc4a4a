// A group of a directory (docs/scim.md). It bears on no decision by itself: rules of the environment give roles to its
// members. Its members are objects of their own, because a group may have very many and changes by a few.
import { foldCase } from '../model/fold-case.ts'
import type { Stored } from '../model/objects.ts'
import { every, type Kind } from './kind.ts'

/** `key` is the id: a directory renames groups, and may have two of one name. */
export interface DirectoryGroup extends Stored {
  readonly display_name: string
  readonly external_id: string | null
  /** how often it or its members changed, so that each state has an etag of its own */
  readonly version: number
}

export const directoryGroup = {
  number: 34,
  newerNumbers: { directory: 98 },
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    every_directory_group: every,
    directory_groups_named: ({ display_name }) => [foldCase(display_name)],
    directory_groups_by_external_id: ({ external_id }) => (external_id === null ? [] : [external_id]),
  },
  projection: null,
  inFiles: null,
} as const satisfies Kind<'directory_group', DirectoryGroup>
