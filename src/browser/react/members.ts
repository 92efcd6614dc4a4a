// Hooks for a page on which a customer's administrators manage the members of their tenant, over the routes that the
// middleware mounts (docs/middleware.md). They load, change and load again; what the page looks like is its own.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { MembersPage, TenantInvite, TenantMember, TenantRole } from '../../model/members.ts'
import { ListLoader, type Loaded, NOT_LOADED, send } from './list-loader.ts'
import type { MembersError } from './members-error.ts'

interface Paged {
  /** where the routes are mounted; default `/authz` */
  readonly url?: string | undefined
  /** from 1 */
  readonly page?: number | undefined
  readonly perPage?: number | undefined
}

export interface MembersOptions extends Paged {
  /** part of a key, a name or an email */
  readonly search?: string | undefined
  /** only those with this role */
  readonly role?: string | undefined
}

export interface InvitesOptions extends Paged {
  readonly status?: 'pending' | 'approved' | undefined
}

export type RolesOptions = Paged

/** A list, as far as it is known. */
export interface UsedList<T> {
  /** undefined before the first answer; the last one stays while the next is loading, and after a failure */
  readonly data: readonly T[] | undefined
  /** on all pages */
  readonly total: number | undefined
  /** whether the user may change what is listed; undefined before the first answer */
  readonly mayManage: boolean | undefined
  readonly isLoading: boolean
  /** why the last attempt to load failed */
  readonly error: MembersError | undefined
  /** loads again; never rejects */
  readonly refresh: () => Promise<void>
}

/** What is said about a grant beside whose it is. What is absent stays as it is, `null` clears it. */
export interface GrantFields {
  readonly resource_instance?: string | null
  readonly valid_from?: string | number | null
  readonly valid_until?: string | number | null
  readonly reason?: string | null
  readonly ticket?: string | null
}

export interface UsedMembers extends UsedList<TenantMember> {
  /** gives a role, or changes its times; then loads again. @throws MembersError, as do the others */
  readonly give: (user: string, role: string, fields?: GrantFields) => Promise<void>
  /** takes a role; with `resourceInstance`, one on that instance */
  readonly take: (user: string, role: string, resourceInstance?: string | null) => Promise<void>
  /** removes the user from the tenant */
  readonly remove: (user: string) => Promise<void>
}

/** Whom to invite, by email, by key or by both, and to which role. */
export interface NewInvite extends GrantFields {
  readonly role: string
  readonly email?: string
  readonly user?: string
  readonly first_name?: string
  readonly last_name?: string
}

export interface UsedInvites extends UsedList<TenantInvite> {
  readonly invite: (invite: NewInvite) => Promise<void>
  readonly cancel: (id: string) => Promise<void>
}

type Change = (method: string, path: string, body?: object) => Promise<void>

/** The members of the tenant. */
export function useMembers(options: MembersOptions = {}): UsedMembers {
  const { search, role } = options
  const [list, change] = useList<TenantMember>('members', options, { search, role })
  return useMemo(() => {
    const at = (...parts: string[]) => ['members', ...parts].map(encodeURIComponent).join('/')
    return {
      ...list,
      give: (user, given, fields = {}) => change('PUT', at(user, 'roles', given), fields),
      take: (user, taken, instance) =>
        change('DELETE', at(user, 'roles', taken) + formatQuery({ resource_instance: instance })),
      remove: (user) => change('DELETE', at(user)),
    }
  }, [list, change])
}

/** The roles that may be given in the tenant. */
export function useTenantRoles(options: RolesOptions = {}): UsedList<TenantRole> {
  return useList<TenantRole>('roles', options, {})[0]
}

/** Those who are invited to the tenant. */
export function useInvites(options: InvitesOptions = {}): UsedInvites {
  const { status } = options
  const [list, change] = useList<TenantInvite>('invites', options, { status })
  return useMemo(
    () => ({
      ...list,
      invite: (invite) => change('POST', 'invites', invite),
      cancel: (id) => change('DELETE', `invites/${encodeURIComponent(id)}`),
    }),
    [list, change],
  )
}

/** A list of the routes, and what changes it: a change is followed by a load, and rejects when it was refused. */
function useList<T>(
  path: string,
  { url = '/authz', page, perPage }: Paged,
  filters: Readonly<Record<string, string | undefined>>,
): [UsedList<T>, Change] {
  const address = `${url}/${path}${formatQuery({ ...filters, page, per_page: perPage })}`
  const [{ answer, error, isLoading }, setLoaded] = useState<Loaded<MembersPage<T>>>(NOT_LOADED)
  const loader = useRef<ListLoader<MembersPage<T>>>(undefined)
  useEffect(() => {
    const own = new ListLoader<MembersPage<T>>(address, setLoaded)
    loader.current = own
    void own.load()
    return () => own.end()
  }, [address])
  const refresh = useCallback(async () => loader.current?.load(), [])
  const change = useCallback<Change>(
    async (method, at, body) => {
      await send(method, `${url}/${at}`, body === undefined ? {} : { body })
      await refresh()
    },
    [url, refresh],
  )
  const list = useMemo<UsedList<T>>(
    () => ({
      data: answer?.data,
      total: answer?.total_count,
      mayManage: answer?.may_manage,
      isLoading,
      error,
      refresh,
    }),
    [answer, isLoading, error, refresh],
  )
  return [list, change]
}

function formatQuery(values: Readonly<Record<string, string | number | null | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
