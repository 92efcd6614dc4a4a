// What the pages of resources read.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { components } from 'zerohop/client'
import { api, read } from '../../api/client.ts'
import { allPages, type EnvironmentPath } from '../../api/environments.ts'
import { PAGE_ROWS, type PageOf } from '../../api/page-of.ts'
import { readTagged } from '../../api/precondition.ts'
import type { ResourcesSearch } from './resources-search.ts'

export type Resource = components['schemas']['Resource']
export type ResourceRole = components['schemas']['ResourceRole']
export type DerivationRule = components['schemas']['DerivationRule']

export const resourcesQuery = (path: EnvironmentPath, { search, page = 1 }: ResourcesSearch) =>
  queryOptions({
    queryKey: ['resources', path.p, path.e, search, page],
    queryFn: async ({ signal }) => {
      const query = {
        ...{ page, per_page: PAGE_ROWS, include_total_count: true },
        ...(search === undefined ? {} : { search }),
      }
      const answer = await read(api.GET('/v2/schema/{p}/{e}/resources', { params: { path, query }, signal }))
      return answer as PageOf<Resource> // with the total
    },
    placeholderData: keepPreviousData,
  })

/** All types, up to the bound of `allPages`, for the graph. */
export const allResourcesQuery = (path: EnvironmentPath) =>
  queryOptions({
    queryKey: ['all resources', path.p, path.e],
    queryFn: ({ signal }) =>
      allPages(async (query) => {
        const answer = await read(api.GET('/v2/schema/{p}/{e}/resources', { params: { path, query }, signal }))
        return answer as readonly Resource[] // without the total
      }),
  })

export const resourceQuery = (path: EnvironmentPath, resource: string) =>
  queryOptions({
    queryKey: ['resource', path.p, path.e, resource],
    queryFn: ({ signal }) =>
      readTagged(
        api.GET('/v2/schema/{p}/{e}/resources/{resource}', { params: { path: { ...path, resource } }, signal }),
      ),
  })

/** What a delete takes along, and who loses access by it. */
export const removalQuery = (path: EnvironmentPath, kind: RemovedKind, key: string) =>
  queryOptions({
    queryKey: ['removal', path.p, path.e, kind, key],
    queryFn: ({ signal }) => {
      const body = { changes: [{ op: 'delete' as const, kind, key }] }
      return read(api.POST('/v2/projects/{p}/envs/{e}/plan', { params: { path }, body, signal }))
    },
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })

export type RemovedKind = 'resource' | 'action' | 'attribute' | 'resource_role' | 'relation'
