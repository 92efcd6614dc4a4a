// What the page Access review asks the API.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { components } from 'zerohop/client'
import { api, read } from '../../api/client.ts'
import type { EnvironmentPath } from '../../api/environments.ts'
import { toAccessQuery, toMoments } from './review-query.ts'
import type { ReviewSearch } from './review-search.ts'

export type AccessCount = components['schemas']['AccessCounts']['counts'][number]

export const linesQuery = (path: EnvironmentPath, search: ReviewSearch) =>
  queryOptions({
    queryKey: ['access', path.p, path.e, toAccessQuery(search)],
    queryFn: ({ signal }) =>
      read(api.GET('/v2/projects/{p}/envs/{e}/access', { params: { path, query: toAccessQuery(search) }, signal })),
    placeholderData: keepPreviousData,
  })

export const countsQuery = (path: EnvironmentPath, by: 'role' | 'resource', search: ReviewSearch) => {
  const { at } = toMoments(search)
  const query = { by, ...(at === undefined ? {} : { at }) }
  return queryOptions({
    queryKey: ['access counts', path.p, path.e, query],
    queryFn: ({ signal }) =>
      read(api.GET('/v2/projects/{p}/envs/{e}/access/counts', { params: { path, query }, signal })),
  })
}

/** Who gained and who lost access since. */
export const changesQuery = (path: EnvironmentPath, search: ReviewSearch) =>
  queryOptions({
    queryKey: ['access changes', path.p, path.e, toMoments(search)],
    queryFn: ({ signal }) =>
      read(api.GET('/v2/projects/{p}/envs/{e}/access/changes', { params: { path, query: toMoments(search) }, signal })),
  })
