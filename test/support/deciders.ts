// Every way in which Zerohop answers a question, behind one shape, so that one case runs over all of them. The reference is one.
import { bulkCheck, check, type Request } from '../reference/check.ts'
import { type Code, explain } from '../reference/explain.ts'
import { permissionsOf, type TenantPermissions } from '../reference/listing.ts'
import { type Operation, World } from './world.ts'

type Awaitable<T> = T | Promise<T>

/** One environment, open for writes and questions. */
export interface Session {
  /** Applies the operations; when it returns, every question is answered after them. */
  write(operations: readonly Operation[]): Awaitable<void>
  check(request: Request): Awaitable<boolean>
  bulkCheck(requests: readonly Request[]): Awaitable<boolean[]>
  explain?(request: Request): Awaitable<Code>
  permissions?(user: string): Awaitable<TenantPermissions[]>
  close?(): Awaitable<void>
}

export interface Decider {
  readonly name: string
  /** A fresh environment: nothing in it but the tenant `default`. */
  open(): Awaitable<Session>
  /** Ends what the sessions shared. */
  close?(): Awaitable<void>
}

export const reference: Decider = {
  name: 'reference',
  open() {
    const world = new World()
    return {
      write: (operations) => void world.runAll(operations),
      check: (request) => check(world.policy, request),
      bulkCheck: (requests) => bulkCheck(world.policy, requests),
      explain: (request) => explain(world.policy, request),
      permissions: (user) => permissionsOf(world.policy, user),
    }
  },
}

export const deciders: readonly Decider[] = [reference]
