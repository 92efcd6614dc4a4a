// When roles, permissions and users were last used, as the decision log knows it (docs/last-used.md).
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { components } from 'zerohop/client'
import { api, read } from './client.ts'
import type { EnvironmentPath } from './environments.ts'

/** Rows of a page that is read. */
const ROWS = 100
/** Pages that are read of a list which is shown whole. */
const PAGES_MAX = 100
/** Of the roles of one user: those of more pages have no last use. */
const PAGES_OF_USER_MAX = 10

export type LastUsedRole = components['schemas']['LastUsedRole']
export type LastUsedPermission = components['schemas']['LastUsedPermission']

export interface AskedRoles {
  readonly user?: string | undefined
  readonly role?: string | undefined
  readonly tenant?: string | undefined
  /** only what was not used for this time, or may not have been */
  readonly unused?: string | undefined
  readonly after?: string | undefined
}

const given = (query: Readonly<Record<string, string | number | undefined>>) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined && value !== ''))

/** One page of role assignments in force. */
export const lastUsedRolesQuery = (path: EnvironmentPath, asked: AskedRoles, limit: number) =>
  queryOptions({
    queryKey: ['last used roles', path.p, path.e, asked, limit],
    queryFn: ({ signal }) => {
      const { unused, ...narrow } = asked
      const query = given({ ...narrow, unused_for: unused, limit })
      return read(api.GET('/v2/facts/{p}/{e}/last_used/role_assignments', { params: { path, query }, signal }))
    },
    placeholderData: keepPreviousData,
  })

/** Of one user: when anything was last allowed. */
export const lastUsedUserQuery = (path: EnvironmentPath, user: string) =>
  queryOptions({
    queryKey: ['last used user', path.p, path.e, user],
    queryFn: ({ signal }) =>
      read(api.GET('/v2/facts/{p}/{e}/last_used/users', { params: { path, query: { user } }, signal })),
  })

/** All pages of an answer, up to so many, with what is known of uses. */
async function readAll<T, A extends { readonly data: readonly T[]; readonly next: string | null }>(
  readPage: (after: string | undefined) => Promise<A>,
  pagesMax: number,
) {
  const rows: T[] = []
  let uses = await readPage(undefined)
  for (let page = 1; ; page++) {
    rows.push(...uses.data)
    if (uses.next === null || page === pagesMax) return { rows, uses }
    uses = await readPage(uses.next)
  }
}

/** The roles of a user, each with its last use. */
export const lastUsedOfUserQuery = (path: EnvironmentPath, user: string) =>
  queryOptions({
    queryKey: ['last used of user', path.p, path.e, user],
    queryFn: ({ signal }) =>
      readAll<LastUsedRole, components['schemas']['LastUsedRoles']>((after) => {
        const params = { path, query: given({ user, limit: ROWS, after }) }
        return read(api.GET('/v2/facts/{p}/{e}/last_used/role_assignments', { params, signal }))
      }, PAGES_OF_USER_MAX),
  })

/** The permissions that no one used for this time, and those that may have been unused. */
export const unusedPermissionsQuery = (path: EnvironmentPath, unused: string) =>
  queryOptions({
    queryKey: ['unused permissions', path.p, path.e, unused],
    queryFn: ({ signal }) =>
      readAll<LastUsedPermission, components['schemas']['LastUsedPermissions']>((after) => {
        const params = { path, query: given({ unused_for: unused, limit: ROWS, after }) }
        return read(api.GET('/v2/facts/{p}/{e}/last_used/permissions', { params, signal }))
      }, PAGES_MAX),
  })
