// SCIM in the API: the form of bodies and answers is that of RFC 7643, which `/scim/v2/Schemas` says in its own words.
import * as t from '../../model/json-schema.ts'
import { query, textParameter } from './query-parameters.ts'

export const ScimBody = t.named(
  'ScimBody',
  t.described(t.mapOf(t.schemaOf<unknown>({})), 'a resource, or the operations of a PATCH, of RFC 7644'),
)
export const ScimResource = t.named(
  'ScimResource',
  t.described(t.mapOf(t.schemaOf<unknown>({})), 'a resource of RFC 7643'),
)

const selection = {
  attributes: textParameter('only these attributes, with commas between them'),
  excludedAttributes: textParameter('all but these attributes'),
}
export const ScimQuery = query(selection)
export const ScimListQuery = query({
  ...selection,
  filter: textParameter('a filter of RFC 7644'),
  startIndex: textParameter('the first resource of the page, from 1'),
  count: textParameter('resources of the page'),
})
