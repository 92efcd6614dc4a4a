// What the pages of users read.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { components } from 'zerohop/client'
import { api, read } from '../../api/client.ts'
import type { EnvironmentPath } from '../../api/environments.ts'
import { PAGE_ROWS, type PageOf } from '../../api/page-of.ts'
import { readTagged } from '../../api/precondition.ts'
import type { UsersSearch } from './users-search.ts'

export type User = components['schemas']['User']
export type RoleAssignment = components['schemas']['RoleAssignment']

/** Users of the environment, or of one tenant of it. */
export const usersQuery = (path: EnvironmentPath, { search, role, tenant, page = 1 }: UsersSearch) =>
  queryOptions({
    queryKey: ['users', path.p, path.e, search, role, tenant, page],
    queryFn: ({ signal }) => {
      const query = {
        ...{ page, per_page: PAGE_ROWS },
        ...(search === undefined ? {} : { search }),
        ...(role === undefined ? {} : { role: [role] }),
      }
      if (tenant === undefined) return read(api.GET('/v2/facts/{p}/{e}/users', { params: { path, query }, signal }))
      const params = { path: { ...path, ref: tenant }, query }
      return read(api.GET('/v2/facts/{p}/{e}/tenants/{ref}/users', { params, signal }))
    },
    placeholderData: keepPreviousData,
  })

export const userQuery = (path: EnvironmentPath, user: string) =>
  queryOptions({
    queryKey: ['user', path.p, path.e, user],
    queryFn: ({ signal }) =>
      readTagged(api.GET('/v2/facts/{p}/{e}/users/{ref}', { params: { path: { ...path, ref: user } }, signal })),
  })

/** Roles as they were assigned: of a user, or on an instance. */
export const assignmentsQuery = (
  path: EnvironmentPath,
  of: { readonly user?: string; readonly resource_instance?: string; readonly tenant?: string },
  page: number,
) =>
  queryOptions({
    queryKey: ['assignments', path.p, path.e, of.user, of.resource_instance, of.tenant, page],
    queryFn: async ({ signal }) => {
      const query = {
        ...{ page, per_page: PAGE_ROWS, include_total_count: true },
        ...(of.user === undefined ? {} : { user: [of.user] }),
        ...(of.resource_instance === undefined ? {} : { resource_instance: of.resource_instance }),
        ...(of.tenant === undefined ? {} : { tenant: [of.tenant] }),
      }
      const answer = await read(api.GET('/v2/facts/{p}/{e}/role_assignments', { params: { path, query }, signal }))
      // with the total, and without `detailed`
      return answer as PageOf<RoleAssignment>
    },
    placeholderData: keepPreviousData,
  })

/** Tenants and instances of a page of permissions: all of nearly every user. */
const PERMISSION_ROWS = 1_000

/** What the user may do, everywhere or in one tenant, in pages of one revision. */
export const permissionsQuery = (path: EnvironmentPath, user: string, tenant: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['permissions', path.p, path.e, user, tenant],
    queryFn: ({ signal, pageParam: after }) => {
      const body = { user, limit: PERMISSION_ROWS, after, ...(tenant === undefined ? {} : { tenants: [tenant] }) }
      return read(api.POST('/v2/projects/{p}/envs/{e}/user-permissions', { params: { path }, body, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => ({
      revision: pages[0]?.revision ?? 0,
      tenants: pages.flatMap(({ tenants }) => tenants),
      instances: pages.flatMap(({ instances }) => instances),
    }),
    placeholderData: keepPreviousData,
  })

/** First and last name; undefined where neither is known. */
export function findFullName({ first_name, last_name }: Pick<User, 'first_name' | 'last_name'>): string | undefined {
  return [first_name, last_name].filter(Boolean).join(' ') || undefined
}
