// The package entry `zerohop`: the decision point in your own process. Loads neither fastify nor lmdb
// (test/doors.test.ts walks the imports).
export type {
  AbacCode,
  Because,
  Explanation,
  FailedSet,
  IllTyped,
  Miss,
  Note,
  RbacCode,
  RebacCode,
  TestFound,
  TestReason,
} from './image/image.ts'
export {
  ERRORS,
  type ErrorClass,
  type ErrorCode,
  type ErrorDetails,
  isZerohopError,
  ZerohopError,
} from './model/errors.ts'
export type { Snapshot } from './model/snapshot.ts'
export type { FollowerState, ImageSource } from './pdp/answering.ts'
export { type ConnectEvent, type ConnectOptions, connect } from './pdp/connect.ts'
export type { FollowerEvent } from './pdp/follower.ts'
export {
  type Decision,
  type DecisionCounts,
  type LoadOptions,
  loadImage,
  type Pdp,
  type PdpOptions,
} from './pdp/pdp.ts'
export type {
  AssignmentRow,
  AuthorizedUsers,
  AuthorizedUsersQuery,
  InstancePermissions,
  Keys,
  Page,
  PermissionFilter,
  PermissionPage,
  PermissionPageQuery,
  ResourcesQuery,
  RoleAssignmentsQuery,
  Tenant,
  TenantPermissions,
  UserEntry,
  UserPermissions,
  UsersQuery,
} from './pdp/pdp-listings.ts'
export type { DecisionSenderEvent } from './pdp/pdp-source.ts'
export type { Permission, PermissionScope } from './pdp/permission.ts'
export type { PermissionParts } from './pdp/permission-turns.ts'
export type { PolicyTypes, ResourceTypes } from './pdp/policy-types.ts'
export type { Attributes, Check, Relations, Resource, User } from './pdp/request.ts'
export type { SnapshotOptions } from './pdp/snapshot.ts'
export type { Subject } from './pdp/subject.ts'
