// What the routes of members and the hooks of a page say to each other (docs/middleware.md): what an administrator of a
// tenant sees of it, and the header that marks a request.

/** Every request has it: a page of another origin cannot send it without being asked first (CORS). */
export const MEMBERS_MARK = { name: 'x-requested-with', value: 'zerohop' } as const

interface Times {
  /** ISO 8601; absent without a beginning */
  readonly valid_from?: string
  /** ISO 8601; absent without an end */
  readonly valid_until?: string
}

/** A role that a member has. */
export interface MemberRole extends Times {
  readonly role: string
  /** `type:key`; null for a role in the whole tenant */
  readonly resource_instance: string | null
}

/** A user of the tenant. */
export interface TenantMember {
  readonly key: string
  readonly email: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly roles: readonly MemberRole[]
}

/** A role that may be given to members. */
export interface TenantRole {
  readonly key: string
  /** of a role on instances: their type */
  readonly resource: string | null
  readonly name: string
  readonly description: string | null
  readonly permissions: readonly string[]
  /** seconds for which it is given when no end is named */
  readonly default_duration?: number
  /** seconds for which it can be given at most */
  readonly max_duration?: number
}

/** Somebody who is invited to the tenant. */
export interface TenantInvite extends Times {
  readonly id: string
  readonly email: string | null
  /** key; null for an invite by email alone */
  readonly user: string | null
  readonly first_name: string
  readonly last_name: string
  readonly status: 'pending' | 'approved'
  readonly role: string
  readonly resource_instance: string | null
}

/** A page of a list. */
export interface MembersPage<T> {
  readonly data: readonly T[]
  /** on all pages */
  readonly total_count: number
  /** whether the user may change what is listed */
  readonly may_manage: boolean
}
