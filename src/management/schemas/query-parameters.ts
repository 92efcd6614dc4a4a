// Query parameters that several routes read, for the schemas of their queries. Only their names are checked by these
// (src/http/query-names.ts): handlers read the values with src/http/page.ts, and a test compares the two.
import * as t from '../../model/json-schema.ts'

export const flagParameter = (description: string) =>
  t.optional(t.schemaOf<boolean>({ type: 'boolean', default: false, description }))
export const textParameter = (description: string) => t.optional(t.described(t.Text, description))
export const textsParameter = (description: string) => t.optional(t.described(t.Texts, description))
export const numberParameter = (schema: Readonly<Record<string, unknown>>, description: string) =>
  t.optional(t.schemaOf<number>({ ...schema, description }))

/** True or false; absent means no filter. */
export const flagFilter = (description: string) => t.optional(t.schemaOf<boolean>({ type: 'boolean', description }))
export const timeParameter = numberParameter({ type: 'integer' }, 'seconds since 1970')

/** A query with these parameters. */
export const query = <P extends Record<string, t.TSchema>>(parameters: P) => t.unchecked(t.open(parameters))

/** A page by its number. */
export const numbered = {
  page: numberParameter({ type: 'integer', minimum: 1, default: 1 }, 'number of the page'),
  per_page: numberParameter({ type: 'integer', minimum: 1, maximum: 100, default: 30 }, 'rows per page'),
}
export const page = {
  ...numbered,
  after: textParameter('`next` of the page before, instead of `page`; keep the other parameters the same'),
}
export const counted = { include_total_count: flagParameter('answer with a page object instead of an array') }
export const search = { search: textParameter('a substring, in any letter case') }
export const attributeFilter = {
  'attr_<name>': textParameter('only objects whose attribute has this value, as text'),
}
export const detailed = { detailed: flagParameter('include the related objects, not only their keys') }
export const resourceFilter = { resource: textParameter('only those on this resource') }
export const roleFilter = { role: textsParameter('only those with this role') }
export const userFilter = { user: textsParameter('only those of this user') }
export const tenantFilter = { tenant: textsParameter('only those in this tenant') }
export const withInstanceRoles = { include_resource_instance_roles: flagParameter('with the roles on instances') }
export const returnDeleted = { return_deleted: flagParameter('answer with what was deleted') }

export const stateFilter = {
  state: textsParameter(
    'only those in this state, `scheduled`, `in_force` or `ended`; without it those that have not ended',
  ),
}
export const timeFilters = {
  ...stateFilter,
  ending_before: textParameter('only those that end before this instant, the first one first'),
}

/** The page parameters, for lists without filters. */
export const PageQuery = query(page)
export const NumberedQuery = query(numbered)
