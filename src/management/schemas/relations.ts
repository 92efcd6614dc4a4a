// Relations in the API: what is sent and what is answered at /v2/schema/{p}/{e}/resources/{resource}/relations.
import { closed, described, maybe, named, open, type Static, Text } from '../../model/json-schema.ts'
import { bodyNames, GoneId, Id, Key, known, readNames, sameKey } from './schema-parts.ts'

export const RelationCreate = named(
  'RelationCreate',
  closed({
    key: Key,
    ...bodyNames,
    subject_resource: described(Text, 'key or id of the source resource type'),
  }),
)
export type RelationCreate = Static<typeof RelationCreate>

const changed = {
  ...sameKey,
  ...bodyNames,
  subject_resource: maybe(described(Text, 'must be the current source resource type; it cannot be changed')),
}

export const RelationUpdate = named('RelationUpdate', closed(changed))
export type RelationUpdate = Static<typeof RelationUpdate>

export const RelationReplace = named('RelationReplace', closed(changed))

export const RelationRead = named(
  'Relation',
  open({
    ...known,
    ...readNames,
    subject_resource: Text,
    subject_resource_id: GoneId,
    object_resource: Text,
    object_resource_id: Id,
  }),
)

export type RelationRead = Static<typeof RelationRead>
