// What the pages of instances read.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { components } from 'zerohop/client'
import { api, read } from '../../api/client.ts'
import type { EnvironmentPath } from '../../api/environments.ts'
import { PAGE_ROWS, type PageOf } from '../../api/page-of.ts'
import { readTagged } from '../../api/precondition.ts'
import type { InstancesSearch } from './instances-search.ts'

export type Instance = components['schemas']['ResourceInstance']
export type Tuple = components['schemas']['RelationshipTuple']
export type AuthorizedUser = components['schemas']['AuthorizedUsersPage']['users'][number]

export const instancesQuery = (path: EnvironmentPath, { search, resource, tenant, page = 1 }: InstancesSearch) =>
  queryOptions({
    queryKey: ['instances', path.p, path.e, search, resource, tenant, page],
    queryFn: async ({ signal }) => {
      const query = {
        ...{ page, per_page: PAGE_ROWS, include_total_count: true },
        ...(search === undefined ? {} : { search }),
        ...(resource === undefined ? {} : { resource }),
        ...(tenant === undefined ? {} : { tenant: [tenant] }),
      }
      const answer = await read(api.GET('/v2/facts/{p}/{e}/resource_instances', { params: { path, query }, signal }))
      return answer as PageOf<Instance> // with the total
    },
    placeholderData: keepPreviousData,
  })

/** @param instance `type:key` */
export const instanceQuery = (path: EnvironmentPath, instance: string) =>
  queryOptions({
    queryKey: ['instance', path.p, path.e, instance],
    queryFn: ({ signal }) => {
      const params = { path: { ...path, ref: instance } }
      return readTagged(api.GET('/v2/facts/{p}/{e}/resource_instances/{ref}', { params, signal }))
    },
  })

/** The side of a relation on which the instance stands: as object it has the relation, as subject others have it. */
export type Side = 'object' | 'subject'

/** Relationship tuples with the instance on one side. */
export const tuplesQuery = (path: EnvironmentPath, instance: string, side: Side) =>
  infiniteQueryOptions({
    queryKey: ['tuples', path.p, path.e, instance, side],
    queryFn: async ({ signal, pageParam: page }) => {
      const query = { page, per_page: PAGE_ROWS, include_total_count: true, [side]: instance }
      const answer = await read(api.GET('/v2/facts/{p}/{e}/relationship_tuples', { params: { path, query }, signal }))
      return answer as PageOf<Tuple> // with the total
    },
    initialPageParam: 1,
    getNextPageParam: ({ total_count }, _pages, page) => (page * PAGE_ROWS < total_count ? page + 1 : undefined),
  })

/** Who may do the action on the instance. A page may be empty and have others behind it. */
export const whoMayQuery = (path: EnvironmentPath, instance: string, action: string) =>
  infiniteQueryOptions({
    queryKey: ['who may', path.p, path.e, instance, action],
    queryFn: ({ signal, pageParam: after }) => {
      const body = { action, resource: instance, limit: PAGE_ROWS, after }
      return read(api.POST('/v2/projects/{p}/envs/{e}/authorized-users', { params: { path }, body, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })

/** Keys of the actions of a resource. */
export const actionsQuery = (path: EnvironmentPath, resource: string) =>
  queryOptions({
    queryKey: ['actions', path.p, path.e, resource],
    queryFn: async ({ signal }) => {
      const params = { path: { ...path, resource } }
      const found = await read(api.GET('/v2/schema/{p}/{e}/resources/{resource}', { params, signal }))
      return Object.keys(found.actions ?? {})
    },
  })

/** `type:key`, as an instance is named in paths and bodies. */
export const instanceName = ({ resource, key }: Pick<Instance, 'resource' | 'key'>): string => `${resource}:${key}`
