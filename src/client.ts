// The package entry `zerohop/client`: writes policy and facts over HTTP. Apart from `zerohop`, because a process that
// only decides needs neither openapi-fetch nor the types of the whole API, which are ten thousand lines.
export type { components } from '../build/management-api.ts'
export { type ListPath, listAll, type RowOf } from './client/list-all.ts'
export { type ClientOptions, createClient, dataOf, type ManagementClient } from './client/management-client.ts'
export type { Retry } from './client/repeated-writes.ts'
export { syncUser } from './client/sync-user.ts'
export { warningsOf } from './client/warnings.ts'
export { type ErrorCode, isZerohopError, ZerohopError } from './model/errors.ts'
export { reasonHeaders, type SentReasons } from './model/reason-headers.ts'
