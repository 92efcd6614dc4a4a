// Relations in the API: what is sent and what is answered at /v2/schema/{p}/{e}/resources/{resource}/relations.
import { relationFields } from '../../kinds/relation.ts'
import * as t from '../../model/json-schema.ts'
import { answerMembers, bodyMembers } from './field-members.ts'
import { GoneId, Id, Key, known, sameKey } from './schema-parts.ts'

export const RelationCreate = t.named(
  'RelationCreate',
  t.closed({
    key: Key,
    ...bodyMembers(relationFields, {
      subject_resource: t.described(t.Text, 'key or id of the source resource type'),
    }),
  }),
)
export type RelationCreate = t.Static<typeof RelationCreate>

const changed = {
  ...sameKey,
  ...bodyMembers(relationFields, {
    subject_resource: t.maybe(t.described(t.Text, 'must be the current source resource type; it cannot be changed')),
  }),
}

export const RelationUpdate = t.named('RelationUpdate', t.closed(changed))
export type RelationUpdate = t.Static<typeof RelationUpdate>

export const RelationReplace = t.named('RelationReplace', t.closed(changed))

export const RelationRead = t.named(
  'Relation',
  t.open({
    ...known,
    ...answerMembers(relationFields),
    subject_resource: t.Text,
    subject_resource_id: GoneId,
    object_resource: t.Text,
    object_resource_id: Id,
  }),
)

export type RelationRead = t.Static<typeof RelationRead>
