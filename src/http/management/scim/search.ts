// Searches by POST (RFC 7644, 3.4.3): below a list what a GET of it answers, and at /.search users and
// then groups as one list.

import { isObject } from '../../../management/directory/read-resource.ts'
import { quote, refusal } from '../../../management/directory/scim-error.ts'
import { isZerohopError } from '../../../model/errors.ts'
import { SCIM_PAGE_MAX } from '../../../model/limits.ts'
import type { StoredView } from '../../../store/view.ts'
import type { Query } from '../../page.ts'
import { LIST_SCHEMA, listResources, type ResourceList, shownGroups, shownUsers } from './resources.ts'

/** The parameters of a list that a body says. @throws SCIM_INVALID */
export function readSearch(body: unknown): Query {
  if (!isObject(body)) throw refusal('invalidSyntax', 'the body is an object')
  const names = (name: string) => {
    const value = body[name]
    if (!Array.isArray(value) || !value.every((one) => typeof one === 'string'))
      throw refusal('invalidValue', `${quote(name)} is a list of names`)
    return value.join(',')
  }
  const text = (name: string) => {
    if (typeof body[name] !== 'string') throw refusal('invalidValue', `${quote(name)} is a text`)
    return body[name]
  }
  const number = (name: string) => {
    if (typeof body[name] !== 'number') throw refusal('invalidValue', `${quote(name)} is a whole number`)
    return String(body[name])
  }
  const read = { attributes: names, excludedAttributes: names, filter: text, startIndex: number, count: number }
  return Object.fromEntries(
    Object.entries(read).flatMap(([name, of]) => (body[name] == null ? [] : [[name, of(name)] as const])),
  )
}

const NONE = { totalResults: 0, Resources: [] }

async function orNone(list: () => Promise<ResourceList>): Promise<ResourceList | { readonly error: unknown }> {
  try {
    return await list()
  } catch (error) {
    if (isZerohopError(error, 'SCIM_INVALID') && error.details.scimType === 'invalidFilter') return { error }
    throw error
  }
}

/** One page of users and groups: users come first. @throws SCIM_INVALID where the filter is one of neither */
export async function searchAll(view: () => StoredView, query: Query, base: string): Promise<ResourceList> {
  const start = Math.max(1, Number(query.startIndex ?? 1))
  const count = Math.min(SCIM_PAGE_MAX, Math.max(0, Number(query.count ?? SCIM_PAGE_MAX)))
  const page = (from: number, rows: number): Query => ({ ...query, startIndex: String(from), count: String(rows) })
  const users = await orNone(() => listResources(shownUsers, view, page(start, count), base))
  const found = 'error' in users ? NONE : users
  const left = page(Math.max(1, start - found.totalResults), count - found.Resources.length)
  const groups = await orNone(() => listResources(shownGroups, view, left, base))
  // an attribute that one type has and the other does not is one that no resource of the other has
  if ('error' in users && 'error' in groups) throw users.error
  const rest = 'error' in groups ? NONE : groups
  const Resources = [...found.Resources, ...rest.Resources]
  const totalResults = found.totalResults + rest.totalResults
  return { schemas: [LIST_SCHEMA], totalResults, startIndex: start, itemsPerPage: Resources.length, Resources }
}
