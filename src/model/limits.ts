// Every bound of the project, with its unit and its reason. Nothing is unbounded: a queue, page, body, key, depth or retry that is not here is a
// defect. docs/limits.md is written from the comments. Numbers that the kernel needs live in assembly/abi.ts and are exported here again.
export * from './limits/decision-limits.ts'
export * from './limits/decision-log-limits.ts'
export * from './limits/feed-limits.ts'
export * from './limits/integration-limits.ts'
export * from './limits/migration-limits.ts'
export * from './limits/policy-limits.ts'
export * from './limits/process-limits.ts'
export * from './limits/request-limits.ts'
export * from './limits/store-limits.ts'
