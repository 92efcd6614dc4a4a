// Every bound of the project, with its unit and its reason. A queue, page, body, key, depth or retry without a bound
// here is a defect. docs/limits.md is generated from the comments. Numbers that the kernel needs are defined in
// assembly/limits.ts and re-exported here.
export * from './limits/access-diff-limits.ts'
export * from './limits/access-review-limits.ts'
export * from './limits/console-limits.ts'
export * from './limits/decision-limits.ts'
export * from './limits/decision-log-limits.ts'
export * from './limits/feed-limits.ts'
export * from './limits/integration-limits.ts'
export * from './limits/migration-limits.ts'
export * from './limits/past-limits.ts'
export * from './limits/plan-limits.ts'
export * from './limits/policy-limits.ts'
export * from './limits/process-limits.ts'
export * from './limits/request-limits.ts'
export * from './limits/revert-limits.ts'
export * from './limits/snapshot-limits.ts'
export * from './limits/store-limits.ts'
