// The package entry `zerohop/express`: decisions about requests of an Express app. Nothing of Express is loaded, only
// its types are used; bodies are not read, and the next handler runs outside of everything here.
import type { Request, RequestHandler, Response } from 'express'
import type { Pdp } from '../pdp/pdp.ts'
import type { ActionObject, ActionOf, PolicyTypes, TypeOf } from '../pdp/policy-types.ts'
import { MemberRoutes, type MemberRoutesOptions } from './members/member-routes.ts'
import { type JwtSubjectOptions, JwtSubjects, type JwtUser } from './requests/jwt-subject.ts'
import { nodeRequest } from './requests/node-request.ts'
import {
  type AuthorizationOptions,
  Authorizer,
  type Refusal,
  type RequestAuthorization,
  type ResourceFor,
} from './requests/request-authorization.ts'

export type { MemberRoutesOptions } from './members/member-routes.ts'
export type { Member } from './members/sessions.ts'
export type { GroupsClaim, JwtSubjectOptions, JwtUser } from './requests/jwt-subject.ts'
export type {
  AuthorizationOptions,
  Refusal,
  RequestAuthorization,
  RequestDecision,
} from './requests/request-authorization.ts'
export { refusalOf, UNAUTHENTICATED } from './requests/request-authorization.ts'

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

export interface ExpressJwtSubject {
  /** Verifies the token of a request: one that does not hold is answered, 401, 403 or 503. Without a token it goes on. */
  readonly verify: RequestHandler
  /** The user of the token, as the option `user` of `authorization`. */
  readonly user: (request: Request) => JwtUser | undefined
}

/**
 * Who sent a request, by the token of an OpenID provider: `app.use(verify)`, then `authorization(pdp, { user })`.
 * @throws CONFIG_INVALID for an issuer that is not read over https
 */
export function subjectFromJwt(options: JwtSubjectOptions): ExpressJwtSubject {
  const subjects = new JwtSubjects<Request>(options)
  return {
    user: subjects.user,
    verify: (request, response, next) => {
      const verified = subjects.verify(request, request.headers.authorization)
      verified.then((refusal) => proceed(refusal, response, next), next)
    },
  }
}

/**
 * The routes by which administrators of a tenant manage its members: `app.use('/authz', memberRoutes(pdp, options))`.
 * @throws TypeError for a permission that is not `resource:action`
 */
export function memberRoutes<P extends PolicyTypes>(
  pdp: Pdp<P>,
  options: MemberRoutesOptions<Request>,
): RequestHandler {
  const routes = new MemberRoutes(pdp, options)
  return (request, response, next) => {
    const answered = async () => {
      const { method, url, headers } = request
      const asked = await nodeRequest({ method, url, headers, body: request.body ?? request })
      const answer = await routes.handle(asked, request, url.split('?', 1)[0]!)
      const text = await answer.text()
      response.status(answer.status).set(Object.fromEntries(answer.headers)).end(text)
    }
    answered().catch(next)
  }
}
