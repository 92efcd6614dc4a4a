// Action groups in the API: what is sent and what is answered at /v2/schema/{p}/{e}/resources/{resource}/action_groups.
import { actionGroupFields } from '../../kinds/action-group.ts'
import * as t from '../../model/json-schema.ts'
import { answerMembers, bodyMembers } from './field-members.ts'
import { attributeFilter, page, query } from './query-parameters.ts'
import { Id, Key, known, sameKey } from './schema-parts.ts'

const fields = bodyMembers(actionGroupFields, {
  actions: t.maybe(t.described(t.Texts, 'keys or ids of actions of the resource type')),
})

export const ActionGroupCreate = t.named('ActionGroupCreate', t.closed({ key: Key, ...fields }))
export type ActionGroupCreate = t.Static<typeof ActionGroupCreate>

export const ActionGroupUpdate = t.named('ActionGroupUpdate', t.closed({ ...sameKey, ...fields }))
export type ActionGroupUpdate = t.Static<typeof ActionGroupUpdate>

export const ActionGroupReplace = t.named('ActionGroupReplace', t.closed({ ...sameKey, ...fields }))

export const ActionGroupRead = t.named(
  'ActionGroup',
  t.open({ ...known, ...answerMembers(actionGroupFields), actions: t.Texts, resource_id: Id }),
)
export type ActionGroupRead = t.Static<typeof ActionGroupRead>

export const ActionGroupQuery = query({ ...page, ...attributeFilter })
