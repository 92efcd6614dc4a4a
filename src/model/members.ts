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
  /** of a role of the tenant itself `role@tenant` */
  readonly key: string
  /** whether the tenant made it, and may change it */
  readonly is_own: boolean
  /** of a role on instances: their type */
  readonly resource: string | null
  readonly name: string
  readonly description: string | null
  readonly permissions: readonly string[]
  /** keys of roles whose permissions it has, too */
  readonly extends: readonly string[]
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

/** A permission that roles of the tenant may have. */
export interface OfferedPermission {
  /** `resource:action` */
  readonly key: string
  /** name of the resource type */
  readonly resource: string
  /** name of the action */
  readonly action: string
  readonly description: string | null
}

/** A role that the user may ask for. */
export interface RequestableRole {
  readonly key: string
  /** of a role on instances: their type */
  readonly resource: string | null
  readonly name: string
  readonly description: string | null
  /** seconds for which it may be asked for */
  readonly max_duration: number
  readonly needs_reason: boolean
  /** whether it is given without a decision */
  readonly at_once: boolean
}

/** What users do with access requests. */
export type RequestStep = 'approve' | 'deny' | 'cancel' | 'revoke'

/** A request for a role for a time. */
export interface AccessRequest {
  readonly id: string
  readonly state: 'pending' | 'approved' | 'denied' | 'cancelled' | 'revoked' | 'superseded' | 'expired' | 'ended'
  /** key of the user who asks */
  readonly user: string
  /** whether that is the user of the session */
  readonly is_own: boolean
  readonly role: string
  /** `type:key`; null for a role in the whole tenant */
  readonly resource_instance: string | null
  /** ISO 8601, as all instants here */
  readonly created_at: string
  /** what the user of the session may do with it; in a list alone, else empty */
  readonly may: readonly RequestStep[]
  /** seconds, from the approval on; this or `until` */
  readonly duration?: number
  readonly until?: string
  readonly reason?: string
  readonly ticket?: string
  /** whether the rule of the role approved it */
  readonly auto?: boolean
  readonly expires_at?: string
  /** key of a user */
  readonly approved_by?: string
  readonly decided_by?: string
  readonly decided_at?: string
  readonly decision_reason?: string
  /** until when an approved one gives the role */
  readonly valid_until?: string
}

/** A page of a list. */
export interface MembersPage<T> {
  readonly data: readonly T[]
  /** on all pages */
  readonly total_count: number
  /** whether the user may change what is listed; absent where each row says it */
  readonly may_manage?: boolean
}
