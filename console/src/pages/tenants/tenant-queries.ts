// What the pages of tenants read.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { components } from 'zerohop/client'
import { api, read } from '../../api/client.ts'
import type { EnvironmentPath } from '../../api/environments.ts'
import type { PageOf } from '../../api/page-of.ts'
import { PAGE_ROWS } from '../../api/page-of.ts'
import { readTagged } from '../../api/precondition.ts'
import type { TenantsSearch } from './tenants-search.ts'

export type Tenant = components['schemas']['Tenant']

export const tenantsQuery = (path: EnvironmentPath, { search, page = 1 }: TenantsSearch) =>
  queryOptions({
    queryKey: ['tenants', path.p, path.e, search, page],
    queryFn: async ({ signal }) => {
      const query = {
        ...{ page, per_page: PAGE_ROWS, include_total_count: true },
        ...(search === undefined ? {} : { search }),
      }
      // with the total
      return (await read(api.GET('/v2/facts/{p}/{e}/tenants', { params: { path, query }, signal }))) as PageOf<Tenant>
    },
    placeholderData: keepPreviousData,
  })

export const tenantQuery = (path: EnvironmentPath, tenant: string) =>
  queryOptions({
    queryKey: ['tenant', path.p, path.e, tenant],
    queryFn: ({ signal }) =>
      readTagged(api.GET('/v2/facts/{p}/{e}/tenants/{ref}', { params: { path: { ...path, ref: tenant } }, signal })),
  })

/** How much goes with a tenant that is deleted. */
export const tenantContentsQuery = (path: EnvironmentPath, tenant: string) =>
  queryOptions({
    queryKey: ['tenant contents', path.p, path.e, tenant],
    queryFn: async ({ signal }) => {
      const one = { per_page: 1 }
      const members = { path: { ...path, ref: tenant }, query: one }
      const instances = { path, query: { ...one, tenant: [tenant], include_total_count: true } }
      const [ofUsers, ofInstances] = await Promise.all([
        read(api.GET('/v2/facts/{p}/{e}/tenants/{ref}/users', { params: members, signal })),
        read(api.GET('/v2/facts/{p}/{e}/resource_instances', { params: instances, signal })),
      ])
      return { members: ofUsers.total_count, instances: (ofInstances as PageOf<unknown>).total_count }
    },
  })
