// Relations in the API: what is sent and what is answered at /v2/schema/{p}/{e}/resources/{resource}/relations.
import { closed, described, named, open, type Static, Text } from '../../model/json-schema.ts'
import { bodyNames, GoneId, Id, Key, known, readNames } from '../schema-parts.ts'

export const RelationCreate = named(
  'RelationCreate',
  closed({
    key: Key,
    ...bodyNames,
    subject_resource: described(Text, 'key or id of the resource type that it comes from'),
  }),
)
export type RelationCreate = Static<typeof RelationCreate>

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
