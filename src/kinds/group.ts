// A resource instance that stands for a group.
import type { Stored } from '../model/objects.ts'
import type { Kind } from './kind.ts'

/**
 * A resource instance that stands for a group: its members hold the role `member` on it. `key` and `id` are those of
 * the instance.
 */
export interface Group extends Stored {
  readonly resource: string
  readonly instance: string
  readonly tenant: string
}

export const group = {
  number: 17,
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    groups_named: ({ instance }) => [instance],
    groups_of_resource: ({ resource }) => [resource],
    groups_of_tenant: ({ tenant }) => [tenant],
  },
  search: { texts: ({ instance }) => [instance], exact: ({ resource, tenant }) => [resource, tenant] },
  projection: null,
  inFiles: null,
} as const satisfies Kind<'group', Group>
