// The package entry `zerohop/react`: permissions of a snapshot for components, and the members of a tenant
// (docs/browser.md). React is the application's own.
'use client'

export type { Row } from './browser/permissions.ts'
export { PermissionsError, type PermissionsErrorCode } from './browser/permissions-error.ts'
export {
  type ApprovalFields,
  type DecisionFields,
  type NewRequest,
  type RequestableOptions,
  type RequestsOptions,
  type RequestTime,
  type UsedRequests,
  useAccessRequests,
  useRequestableRoles,
} from './browser/react/access-requests.ts'
export {
  type GrantFields,
  type InvitesOptions,
  type MembersOptions,
  type NewInvite,
  type UsedInvites,
  type UsedMembers,
  useInvites,
  useMembers,
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
export {
  type NewRole,
  type PermissionsOptions,
  type RoleFields,
  type RolesOptions,
  type UsedRoles,
  useOfferedPermissions,
  useTenantRoles,
} from './browser/react/tenant-roles.ts'
export type { UsedList } from './browser/react/use-list.ts'
export type {
  AccessRequest,
  MemberRole,
  OfferedPermission,
  RequestableRole,
  RequestStep,
  TenantInvite,
  TenantMember,
  TenantRole,
} from './model/members.ts'
export type { Snapshot } from './model/snapshot.ts'
