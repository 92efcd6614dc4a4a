// The user in whose name a request acts. In access requests (docs/access-requests.md), whoever holds an API key has signed
// users in, and says which one acts; a person of the console acts as the stored user that the identity provider names.
// Whether that user exists, and what it may, is for the use case, in the writer's transaction.
import type { FastifyRequest } from 'fastify'
import type { By } from '../../management/objects/access-requests.ts'
import { userId } from '../../management/rules/actor.ts'
import { ACTING_USER, type ByTenant } from '../../management/rules/tenant-roles.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { Caller } from './auth.ts'
import { isWithinOwn, type RouteContext } from './route-context.ts'

interface Named {
  readonly as?: string | null
}

/**
 * What is sent, with who acts.
 * @throws INPUT_INVALID for a key that names no user; REQUEST_REFUSED for a person without a stored user, or who names another one
 */
export function withActingUser<F extends Named>({
  body,
  caller,
}: Pick<FastifyRequest, 'caller'> & { readonly body: F }): By<F> {
  return { ...body, ...findActing(caller, body.as ?? undefined) }
}

function findActing({ user, actsAs }: Caller, named: string | undefined) {
  if (user === undefined) {
    if (named !== undefined) return { as: named }
    const reason = 'it is required: the holder of the API key says which user acts'
    throw new ZerohopError('INPUT_INVALID', { reason }, { path: ['body', 'as'] })
  }
  const refuse = (reason: string) => new ZerohopError('REQUEST_REFUSED', { reason })
  if (actsAs === undefined)
    throw refuse(
      'you are signed in without a user of the environment: `ZEROHOP_CONSOLE_USER_CLAIM` sets the claim that names one (docs/access-requests.md)',
    )
  if (named !== undefined && named !== actsAs.user)
    throw refuse(`you are signed in as user \`${actsAs.user}\`, and act as no other`)
  return { as: actsAs.user, person: { id: userId(user), since: actsAs.since } }
}

/**
 * Who a write below a tenant is made for: the user of the header, whose own roles bound what it gives, unless the server is
 * told that what is offered to tenants is bound enough. A person in the console who is an administrator of the tenant acts as
 * themselves, whatever the header says.
 */
export function readActingUser(management: RouteContext, { headers, caller }: FastifyRequest): ByTenant {
  const person = caller.key.level === 'tenant' ? caller.actsAs?.user : undefined
  const acting = person ?? headers[ACTING_USER]
  return acting === undefined || !isWithinOwn(management) ? {} : { acting: String(acting) }
}
