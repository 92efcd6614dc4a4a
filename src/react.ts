// The package entry `zerohop/react`: permissions of a snapshot for components (docs/browser.md). React is the
// application's own.
'use client'

export type { Row } from './browser/permissions.ts'
export { PermissionsError, type PermissionsErrorCode } from './browser/permissions-error.ts'
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
export type { Snapshot } from './model/snapshot.ts'
