// A relation between instances of two resource types.
import type { Named } from '../model/objects.ts'
import type { Kind } from './kind.ts'

/**
 * A relation: instances of `subject_resource` may be related by it to instances of `resource`. `key` is
 * `partKey(resource, relation)`.
 */
export interface Relation extends Named {
  readonly resource: string
  readonly relation: string
  readonly subject_resource: string
}

export const relation = {
  number: 8,
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    relations_named: ({ relation }) => [relation],
    relations_of_resource: ({ resource }) => [resource],
    relations_from_subject: ({ subject_resource }) => [subject_resource],
  },
  projection: null,
} as const satisfies Kind<'relation', Relation>
