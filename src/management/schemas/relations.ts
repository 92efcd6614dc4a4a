// Relations in the API: what is sent and what is answered at /v2/schema/{p}/{e}/resources/{resource}/relations.
import * as t from '../../model/json-schema.ts'
import { bodyNames, GoneId, Id, Key, known, readNames, sameKey } from './schema-parts.ts'

export const RelationCreate = t.named(
  'RelationCreate',
  t.closed({
    key: Key,
    ...bodyNames,
    subject_resource: t.described(t.Text, 'key or id of the source resource type'),
  }),
)
export type RelationCreate = t.Static<typeof RelationCreate>

const changed = {
  ...sameKey,
  ...bodyNames,
  subject_resource: t.maybe(t.described(t.Text, 'must be the current source resource type; it cannot be changed')),
}

export const RelationUpdate = t.named('RelationUpdate', t.closed(changed))
export type RelationUpdate = t.Static<typeof RelationUpdate>

export const RelationReplace = t.named('RelationReplace', t.closed(changed))

export const RelationRead = t.named(
  'Relation',
  t.open({
    ...known,
    ...readNames,
    subject_resource: t.Text,
    subject_resource_id: GoneId,
    object_resource: t.Text,
    object_resource_id: Id,
  }),
)

export type RelationRead = t.Static<typeof RelationRead>
