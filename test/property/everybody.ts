// Roles for everybody in random worlds (D16): some of the assignments that a history writes are for everybody instead.
import { EVERYBODY } from '../reference/everybody.ts'
import type { Request } from '../reference/request.ts'
import type { Operation } from '../support/world.ts'
import { numbers } from './numbers.ts'
import type { Next } from './values.ts'

/** Of so many assignments one is for everybody. */
const SHARE = 5

/** The operations, in which some assignments, by the seed, are for everybody. */
export function withEverybody(operations: readonly Operation[], seed: number): readonly Operation[] {
  const next = numbers(seed)
  return operations.map((operation): Operation => {
    const [op, kind, object] = operation
    // a role of a tenant (D18) is for users alone
    if (op !== 'put' || kind !== 'role_assignment' || next(SHARE) > 0 || object.role.includes('@')) return operation
    return [op, kind, { ...object, user: EVERYBODY }]
  })
}

/** A question that starts from what everybody has is asked by anybody, also by nobody signed in and by who is not stored. */
export function askedByAnybody(request: Request, users: readonly string[], next: Next): Request {
  if (request.user !== EVERYBODY) return request
  const user = [EVERYBODY, 'nobody'][next(4)] ?? users[next(users.length)]!
  return { ...request, user }
}
