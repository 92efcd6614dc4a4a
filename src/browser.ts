// The package entry `zerohop/browser`: decides in a page by a snapshot of what its user may do (docs/browser.md). For
// browsers: no dependency, no WASM, nothing of Node.js, at most 4 KB compressed (test/browser/size.test.ts).
export { type LoadOptions, loadSnapshot } from './browser/load.ts'
export { type Ask, type Permissions, type PermissionsOptions, permissions, type Row } from './browser/permissions.ts'
export { PermissionsError, type PermissionsErrorCode } from './browser/permissions-error.ts'
export type { Snapshot } from './model/snapshot.ts'
