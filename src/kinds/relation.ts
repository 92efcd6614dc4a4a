// A relation between instances of two resource types.
import type { Stored } from '../model/objects.ts'
import { fields, named, own, type StoredFields } from './fields.ts'
import type { Kind } from './kind.ts'

export const relationFields = fields({
  resource: { form: 'resource' },
  relation: { form: 'part' },
  ...named,
  /** fixed when the relation is made */
  subject_resource: own<string, string>(),
})

/**
 * A relation: instances of `subject_resource` may be related by it to instances of `resource`. `key` is
 * `partKey(resource, relation)`.
 */
export interface Relation extends Stored, StoredFields<typeof relationFields> {}

export const relation = {
  number: 8,
  fields: relationFields,
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    relations_named: ({ relation }) => [relation],
    relations_of_resource: ({ resource }) => [resource],
    relations_from_subject: ({ subject_resource }) => [subject_resource],
  },
  projection: null,
  inFiles: { section: 'relations', isFact: false, key: 'part' },
} as const satisfies Kind<'relation', Relation>
