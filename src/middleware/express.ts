// The package entry `zerohop/express`: decisions about requests of an Express app. Nothing of Express is loaded, only
// its types are used; bodies are not read, and the next handler runs outside of everything here.
import type { Request, RequestHandler, Response } from 'express'
import type { Pdp } from '../pdp/pdp.ts'
import type { ActionObject, ActionOf, PolicyTypes, TypeOf } from '../pdp/policy-types.ts'
import {
  type AuthorizationOptions,
  Authorizer,
  type Refusal,
  type RequestAuthorization,
  type ResourceFor,
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
  allow<T extends TypeOf<P>>(
    action: ActionOf<P, T> | ActionObject<P, T>,
    resource: ResourceFor<Request, P, T>,
  ): RequestHandler
}

/** Handlers that decide about requests. */
export function authorization<P extends PolicyTypes>(
  pdp: Pdp<P>,
  options: AuthorizationOptions<Request, P>,
): ExpressAuthorization<P> {
  const authorizer = new Authorizer(pdp, options, (request: Request, made) => {
    request.authorization = made
  })
  return {
    subject: (request, response, next) => proceed(authorizer.subject(request), response, next),
    allow: (action, resource) => (request, response, next) =>
      proceed(authorizer.decide(request, action, resource), response, next),
  }
}

function proceed(refusal: Refusal | undefined, response: Response, next: () => void): void {
  if (refusal === undefined) next()
  else response.status(refusal.status).set(refusal.headers).json(refusal.body)
}
