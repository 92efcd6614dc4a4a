// A named list of actions of one resource type.
import type { Stored } from '../model/objects.ts'
import { fields, named, own, type StoredFields } from './fields.ts'
import type { Kind } from './kind.ts'

export const actionGroupFields = fields({
  resource: { form: 'resource' },
  group: { form: 'part' },
  ...named,
  attributes: { form: 'attributes_or_null' },
  actions: own<readonly string[], readonly string[]>(),
})

/** A named list of actions of one resource type. `key` is `partKey(resource, group)`. */
export interface ActionGroup extends Stored, StoredFields<typeof actionGroupFields> {}

export const actionGroup = {
  number: 9,
  fields: actionGroupFields,
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    action_groups_of_resource: ({ resource }) => [resource],
  },
  projection: null,
  inFiles: { section: 'action_groups', isFact: false, key: 'part' },
} as const satisfies Kind<'action_group', ActionGroup>
