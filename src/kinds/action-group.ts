// A named list of actions of one resource type.
import type { JsonObject, Named } from '../model/objects.ts'
import type { Kind } from './kind.ts'

/** A named list of actions of one resource type. `key` is `partKey(resource, group)`. */
export interface ActionGroup extends Named {
  readonly resource: string
  readonly group: string
  readonly attributes: JsonObject | null
  readonly actions: readonly string[]
}

export const actionGroup = {
  number: 9,
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    action_groups_of_resource: ({ resource }) => [resource],
  },
  projection: null,
} as const satisfies Kind<'action_group', ActionGroup>
