// The package entry `zerohop/react`: permissions of a snapshot for components, and the members of a tenant
// (docs/browser.md). React is the application's own.
'use client'

export type { Row } from './browser/permissions.ts'
export { PermissionsError, type PermissionsErrorCode } from './browser/permissions-error.ts'
export {
  type GrantFields,
  type InvitesOptions,
  type MembersOptions,
  type NewInvite,
  type RolesOptions,
  type UsedInvites,
  type UsedList,
  type UsedMembers,
  useInvites,
  useMembers,
  useTenantRoles,
} from './browser/react/members.ts'
export { MembersError } from './browser/react/members-error.ts'
export {
  type AskServer,
  Can,
  type CanProps,
  PermissionsProvider,
  type PermissionsProviderProps,
  type UsedPermissions,
  useCan,
  usePermissions,
} from './browser/react/provider.ts'
export type { Load } from './browser/react/snapshot-keeper.ts'
export type { MemberRole, TenantInvite, TenantMember, TenantRole } from './model/members.ts'
export type { Snapshot } from './model/snapshot.ts'
