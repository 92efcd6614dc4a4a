// Action groups in the API: what is sent and what is answered at /v2/schema/{p}/{e}/resources/{resource}/action_groups.
import { closed, described, maybe, named, nullable, open, type Static, Texts } from '../../model/json-schema.ts'
import { attributeFilter, page, query } from './query-parameters.ts'
import { Attributes, bodyNames, Id, Key, known, readNames, sameKey } from './schema-parts.ts'

const fields = {
  ...bodyNames,
  attributes: maybe(Attributes),
  actions: maybe(described(Texts, 'keys or ids of actions of the resource type')),
}

export const ActionGroupCreate = named('ActionGroupCreate', closed({ key: Key, ...fields }))
export type ActionGroupCreate = Static<typeof ActionGroupCreate>

export const ActionGroupUpdate = named('ActionGroupUpdate', closed({ ...sameKey, ...fields }))
export type ActionGroupUpdate = Static<typeof ActionGroupUpdate>

export const ActionGroupReplace = named('ActionGroupReplace', closed({ ...sameKey, ...fields }))

export const ActionGroupRead = named(
  'ActionGroup',
  open({ ...known, ...readNames, attributes: nullable(Attributes), actions: Texts, resource_id: Id }),
)
export type ActionGroupRead = Static<typeof ActionGroupRead>

export const ActionGroupQuery = query({ ...page, ...attributeFilter })
