// What the pages of conditions read.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { components } from 'zerohop/client'
import { foldCase } from 'zerohop/fold-case'
import { api, read } from '../../api/client.ts'
import type { EnvironmentPath } from '../../api/environments.ts'
import { PAGE_ROWS, type PageOf } from '../../api/page-of.ts'
import type { Suggestion } from '../../api/suggestions.ts'
import type { AttributeTypes } from './attributes.ts'
import type { Conditions } from './condition-model.ts'
import type { ConditionsSearch } from './conditions-search.ts'

export type ConditionSet = components['schemas']['ConditionSet']
export type SetRule = components['schemas']['SetRule']

/** Rows of the longest page of the API. */
const ROWS_MAX = 100

export const setsQuery = (path: EnvironmentPath, { type, search, page = 1 }: ConditionsSearch) =>
  queryOptions({
    queryKey: ['condition sets', path.p, path.e, type, search, page],
    queryFn: async ({ signal }) => {
      const query = {
        ...{ page, per_page: PAGE_ROWS, include_total_count: true },
        ...(type === undefined ? {} : { type }),
        ...(search === undefined ? {} : { search }),
      }
      const found = await read(api.GET('/v2/schema/{p}/{e}/condition_sets', { params: { path, query }, signal }))
      return found as PageOf<ConditionSet> // with the total
    },
    placeholderData: keepPreviousData,
  })

/** A set, with the key of its parent. */
export const setQuery = (path: EnvironmentPath, set: string) =>
  queryOptions({
    queryKey: ['condition set', path.p, path.e, set],
    queryFn: async ({ signal }) => {
      const params = { path: { ...path, ref: set } }
      const [found, [parent]] = await Promise.all([
        read(api.GET('/v2/schema/{p}/{e}/condition_sets/{ref}', { params, signal })),
        read(api.GET('/v2/schema/{p}/{e}/condition_sets/{ref}/ancestors', { params, signal })),
      ])
      return { ...found, parent: parent?.key ?? '' }
    },
  })
export type SetWithParent = ConditionSet & { readonly parent: string }

/** Sets that may become the parent of one. */
export const suggestParents = (path: EnvironmentPath, set: string, search: string) =>
  queryOptions({
    queryKey: ['suggestions', path.p, path.e, 'parents', set, search],
    queryFn: async (): Promise<readonly Suggestion[]> => {
      const params = { path: { ...path, ref: set }, query: { per_page: ROWS_MAX } }
      const sets = await read(api.GET('/v2/schema/{p}/{e}/condition_sets/{ref}/possible_parents', { params }))
      const wanted = foldCase(search)
      return sets
        .filter(({ key, name }) => foldCase(`${key} ${name}`).includes(wanted))
        .map(({ key, name }) => ({ key, about: name === key ? undefined : name }))
    },
  })

/** Set rules, of all sets or of one. */
export const rulesQuery = (
  path: EnvironmentPath,
  page: number,
  of: Partial<Pick<SetRule, 'user_set' | 'resource_set'>>,
) =>
  queryOptions({
    queryKey: ['set rules', path.p, path.e, of, page],
    queryFn: async ({ signal }) => {
      // one more than is shown: the API counts no rules
      const query = { page, per_page: PAGE_ROWS, ...of }
      return read(api.GET('/v2/facts/{p}/{e}/set_rules', { params: { path, query }, signal }))
    },
    placeholderData: keepPreviousData,
  })

/** The declared attributes of users and tenants. Those of a resource come with it. */
export const attributeTypesQuery = (path: EnvironmentPath) =>
  queryOptions({
    queryKey: ['declared attributes', path.p, path.e],
    queryFn: async ({ signal }): Promise<Pick<AttributeTypes, 'user' | 'tenant'>> => {
      const declared = async (resource_id: '__user' | '__tenant') => {
        const query = { resource_id, per_page: ROWS_MAX }
        const rows = await read(api.GET('/v2/schema/{p}/{e}/users/attributes', { params: { path, query }, signal }))
        return Object.fromEntries(rows.map(({ key, type }) => [key, type]))
      }
      const [user, tenant] = await Promise.all([declared('__user'), declared('__tenant')])
      return { user, tenant }
    },
  })

/** What is asked beside the conditions. */
export interface MatchContext {
  readonly user: string
  readonly resource: string
  readonly tenant: string
  readonly onlyDifferent: boolean
  /** where the page begins; null for the first one */
  readonly after: string | null
}

/** @param conditions those in the editor, where they differ from the stored ones */
export const matchesQuery = (
  path: EnvironmentPath,
  set: string,
  sent: { readonly conditions: Conditions; readonly parent_id: string | null } | undefined,
  { user, resource, tenant, onlyDifferent, after }: MatchContext,
) =>
  queryOptions({
    queryKey: ['condition matches', path.p, path.e, set, sent, user, resource, tenant, onlyDifferent, after],
    queryFn: async ({ signal }) => {
      const body = {
        ...{ set, user: user || null, resource: resource || null, tenant: tenant || null },
        ...{ ...sent, only_different: onlyDifferent && sent !== undefined, after, limit: PAGE_ROWS },
      }
      return read(api.POST('/v2/projects/{p}/envs/{e}/condition-matches', { params: { path }, body, signal }))
    },
    placeholderData: keepPreviousData,
  })
