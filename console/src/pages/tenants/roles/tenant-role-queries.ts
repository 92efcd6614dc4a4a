// What the parts about roles of a tenant read. Every route is below the tenant, so that they serve its administrators,
// who see nothing else, and those of the environment.
import { queryOptions } from '@tanstack/react-query'
import type { components } from 'zerohop/client'
import { allRows } from '../../../api/all-rows.ts'
import { api, read } from '../../../api/client.ts'
import { makeSuggestions, type Suggestion } from '../../../api/suggestions.ts'
import { findFullName } from '../../users/user-queries.ts'

export type TenantRole = components['schemas']['AssignableRole']
type Offered = components['schemas']['OfferedPermission']

/** Parameters of a path of the API. `ref` is the key of the tenant, or its id. */
export interface TenantPath {
  readonly p: string
  readonly e: string
  readonly ref: string
}

/** What roles of the tenant are made of, and those that there are. */
export interface TenantRoles {
  readonly own: readonly TenantRole[]
  /** roles of the environment that they may extend */
  readonly extendable: readonly TenantRole[]
  readonly permissions: readonly Offered[]
}

export const tenantRolesQuery = (path: TenantPath) =>
  queryOptions({
    queryKey: ['tenant roles', path.p, path.e, path.ref],
    queryFn: async ({ signal }): Promise<TenantRoles> => {
      const [roles, permissions] = await Promise.all([
        allRows<TenantRole>((query) => {
          const params = { path, query: { ...query, offered: 'extendable' as const } }
          return read(api.GET('/v2/facts/{p}/{e}/tenants/{ref}/roles', { params, signal }))
        }),
        allRows<Offered>((query) =>
          read(api.GET('/v2/facts/{p}/{e}/tenants/{ref}/permissions', { params: { path, query }, signal })),
        ),
      ])
      return {
        own: roles.rows.filter(({ tenant }) => tenant !== null),
        extendable: roles.rows.filter(({ tenant }) => tenant === null),
        permissions: permissions.rows,
      }
    },
  })

/** The roles that may be assigned in the tenant by its own administrators. */
export const assignableRolesQuery = (path: TenantPath) =>
  queryOptions({
    queryKey: ['assignable roles', path.p, path.e, path.ref],
    queryFn: async ({ signal }) => {
      const { rows } = await allRows<TenantRole>((query) =>
        read(api.GET('/v2/facts/{p}/{e}/tenants/{ref}/roles', { params: { path, query }, signal })),
      )
      return rows
    },
  })

/** How many users have the role. */
export const holdersQuery = (path: TenantPath, role: string) =>
  queryOptions({
    queryKey: ['tenant role holders', path.p, path.e, path.ref, role],
    queryFn: async ({ signal }) => {
      const query = { role: [role], per_page: 1, include_total_count: true }
      const params = { path, query }
      const answer = await read(api.GET('/v2/facts/{p}/{e}/tenants/{ref}/role_assignments', { params, signal }))
      return (answer as unknown as { readonly total_count: number }).total_count
    },
    staleTime: 0,
  })

/** Rows of a list of suggestions. */
const SUGGESTED = 8

export function suggestMembers(path: TenantPath, search: string) {
  return makeSuggestions(path, ['members', path.ref, search], async (): Promise<readonly Suggestion[]> => {
    const query = { per_page: SUGGESTED, ...(search === '' ? {} : { search }) }
    const { data } = await read(api.GET('/v2/facts/{p}/{e}/tenants/{ref}/users', { params: { path, query } }))
    return data.map((user) => ({ key: user.key, about: findFullName(user) }))
  })
}
