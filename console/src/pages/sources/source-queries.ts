// What the page Sources reads: rules for groups, groups of the directory, and syncs.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { components } from 'zerohop/client'
import { api, read } from '../../api/client.ts'
import type { EnvironmentPath } from '../../api/environments.ts'
import { PAGE_ROWS } from '../../api/page-of.ts'
import { makeSuggestions } from '../../api/suggestions.ts'

export type GroupRule = components['schemas']['GroupRule']
export type DirectoryGroup = components['schemas']['DirectoryGroup']
export type Sync = components['schemas']['Sync']
/** As it is sent: exactly one of its members. */
export type PlannedRule = components['schemas']['GroupRulePlan']

const paged = (page: number) => ({ page, per_page: PAGE_ROWS })

export const rulesQuery = (path: EnvironmentPath, page: number) =>
  queryOptions({
    queryKey: ['group rules', path.p, path.e, page],
    queryFn: ({ signal }) =>
      read(api.GET('/v2/facts/{p}/{e}/group_rules', { params: { path, query: paged(page) }, signal })),
    placeholderData: keepPreviousData,
  })

export const groupsQuery = (path: EnvironmentPath, search: string, page: number) =>
  queryOptions({
    queryKey: ['directory groups', path.p, path.e, search, page],
    queryFn: ({ signal }) => {
      const query = { ...paged(page), ...(search === '' ? {} : { search }) }
      return read(api.GET('/v2/facts/{p}/{e}/directory_groups', { params: { path, query }, signal }))
    },
    placeholderData: keepPreviousData,
  })

export const syncsQuery = (path: EnvironmentPath, page: number) =>
  queryOptions({
    queryKey: ['syncs', path.p, path.e, page],
    queryFn: ({ signal }) => read(api.GET('/v2/facts/{p}/{e}/syncs', { params: { path, query: paged(page) }, signal })),
    placeholderData: keepPreviousData,
  })

/** With how many facts it claims, which the list does not count. */
export const syncQuery = (path: EnvironmentPath, sync: string) =>
  queryOptions({
    queryKey: ['sync', path.p, path.e, sync],
    queryFn: ({ signal }) =>
      read(api.GET('/v2/facts/{p}/{e}/syncs/{sync}', { params: { path: { ...path, sync } }, signal })),
  })

/** Who gains and loses what by a rule, before it is saved or deleted. */
export const rulePlanQuery = (path: EnvironmentPath, asked: PlannedRule) =>
  queryOptions({
    queryKey: ['group rule plan', path.p, path.e, asked],
    queryFn: ({ signal }) =>
      read(api.POST('/v2/facts/{p}/{e}/group_rules/plan', { params: { path }, body: asked, signal })),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  })

/** Names or external ids of groups. */
export function suggestGroups(path: EnvironmentPath, by: GroupRule['group']['by'], search: string) {
  return makeSuggestions(path, ['directory groups', by, search], async () => {
    const query = { per_page: 8, ...(search === '' ? {} : { search }) }
    const { data } = await read(api.GET('/v2/facts/{p}/{e}/directory_groups', { params: { path, query } }))
    return data.flatMap(({ display_name: name, external_id: id }) => {
      if (by === 'display_name') return [{ key: name, about: id ?? undefined }]
      return id === null ? [] : [{ key: id, about: name }]
    })
  })
}
