// The package entry `zerohop/express`: decisions about requests of an Express app. Nothing of Express is loaded, only its
// types are used; bodies are not read, and the next handler runs outside of everything here.
import type { Request, RequestHandler, Response } from 'express'
import type { Pdp } from '../pdp/pdp.ts'
import type { ActionIn, PolicyTypes, TypeOf } from '../pdp/policy-types.ts'
import {
  type AuthorizationOptions,
  Authorizer,
  type Refusal,
  type RequestAuthorization,
  type ResourceFor,
  refusalOf,
  resourceFor,
  UNAUTHENTICATED,
} from './request-authorization.ts'

export type { AuthorizationOptions, Refusal, RequestAuthorization, RequestDecision } from './request-authorization.ts'
export { refusalOf, UNAUTHENTICATED } from './request-authorization.ts'

declare global {
  namespace Express {
    interface Request {
      /** who sent it, and what was decided about it; set by `zerohop/express` */
      authorization?: RequestAuthorization
    }
  }
}

export interface ExpressAuthorization<P extends PolicyTypes> {
  /** Sets `request.authorization`, and answers 401 when the request has no user. */
  readonly subject: RequestHandler
  /** Goes on when the user may do the action; else answers 401, 400, 403 or 503. */
  allow<T extends TypeOf<P>>(action: ActionIn<P, T>, resource: ResourceFor<Request, P, T>): RequestHandler
}

/** Handlers that decide about requests. */
export function authorization<P extends PolicyTypes>(
  pdp: Pdp<P>,
  options: AuthorizationOptions<Request, P>,
): ExpressAuthorization<P> {
  const authorizer = new Authorizer(pdp, options)
  const of = (request: Request): RequestAuthorization<P> => {
    const made = authorizer.of(request, request)
    request.authorization = made
    return made
  }
  return {
    subject: (request, response, next) => {
      if (of(request).user === undefined) answer(response, UNAUTHENTICATED)
      else next()
    },
    allow: (action, resource) => (request, response, next) => {
      const refusal = refusalOf(of(request).decide(action, resourceFor(resource, request)))
      if (refusal === undefined) next()
      else answer(response, refusal)
    },
  }
}

function answer(response: Response, { status, headers, body }: Refusal): void {
  response.status(status).set(headers).json(body)
}
