// The package entry `zerohop/policy`: a decision point for policy files, for unit tests. Loads neither Fastify nor LMDB
// (test/doors.test.ts walks the imports).
export { type ErrorCode, isZerohopError, ZerohopError } from './model/errors.ts'
export type { Pdp, PdpOptions } from './pdp/pdp.ts'
export type { PolicyTypes } from './pdp/policy-types.ts'
export { type LoadPolicyOptions, loadPolicy, type PolicyObject, type PolicySource } from './policy-test/load-policy.ts'
export type { PolicyFacts } from './policy-test/policy-facts.ts'
