// Hooks for a page on which a customer's administrators manage the members of their tenant, over the routes that the
// middleware mounts (docs/middleware.md). They load, change and load again; what the page looks like is its own.
import { useMemo } from 'react'
import type { TenantInvite, TenantMember } from '../../model/members.ts'
import { formatQuery, type Paged, type UsedList, useList } from './use-list.ts'

export interface MembersOptions extends Paged {
  /** part of a key, a name or an email */
  readonly search?: string | undefined
  /** only those with this role */
  readonly role?: string | undefined
}

export interface InvitesOptions extends Paged {
  readonly status?: 'pending' | 'approved' | undefined
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
