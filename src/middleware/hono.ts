// The package entry `zerohop/hono`: decisions about requests of a Hono app. Nothing of Hono is loaded, only its types
// are used; bodies are not read, and the next handler runs outside of everything here.
import type { Context, Handler, MiddlewareHandler, Next } from 'hono'
import type { Pdp } from '../pdp/pdp.ts'
import type { ActionObject, ActionOf, PolicyTypes, TypeOf } from '../pdp/policy-types.ts'
import { MemberRoutes, type MemberRoutesOptions } from './members/member-routes.ts'
import { type JwtSubjectOptions, JwtSubjects, type JwtUser } from './requests/jwt-subject.ts'
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

declare module 'hono' {
  interface ContextVariableMap {
    /** who sent it, and what was decided about it; set by `zerohop/hono` */
    authorization: RequestAuthorization
  }
}

export interface HonoAuthorization<P extends PolicyTypes> {
  /** Sets the variable `authorization`, and answers 401 when the request has no user. */
  readonly subject: MiddlewareHandler
  /** Goes on when the user may do the action; else answers 401, 400, 403 or 503. */
  allow<T extends TypeOf<P>>(
    action: ActionOf<P, T> | ActionObject<P, T>,
    resource: ResourceFor<Context, P, T>,
  ): MiddlewareHandler
}

/** Handlers that decide about requests. */
export function authorization<P extends PolicyTypes>(
  pdp: Pdp<P>,
  options: AuthorizationOptions<Context, P>,
): HonoAuthorization<P> {
  const authorizer = new Authorizer(pdp, options, (context: Context, made) => context.set('authorization', made))
  return {
    subject: async (context, next) => proceed(authorizer.subject(context), context, next),
    allow: (action, resource) => async (context, next) =>
      proceed(authorizer.decide(context, action, resource), context, next),
  }
}

async function proceed(refusal: Refusal | undefined, context: Context, next: Next): Promise<Response | undefined> {
  if (refusal !== undefined) return context.json(refusal.body, refusal.status, refusal.headers)
  await next()
  return undefined
}

export interface HonoJwtSubject {
  /** Verifies the token of a request: one that does not hold is answered, 401, 403 or 503. Without a token it goes on. */
  readonly verify: MiddlewareHandler
  /** The user of the token, as the option `user` of `authorization`. */
  readonly user: (request: Context) => JwtUser | undefined
}

/**
 * Who sent a request, by the token of an OpenID provider: `app.use(verify)`, then `authorization(pdp, { user })`.
 * @throws CONFIG_INVALID for an issuer that is not read over https
 */
export function subjectFromJwt(options: JwtSubjectOptions): HonoJwtSubject {
  const subjects = new JwtSubjects<Context>(options)
  return {
    user: subjects.user,
    verify: async (context, next) =>
      proceed(await subjects.verify(context, context.req.header('authorization')), context, next),
  }
}

/**
 * The routes by which administrators of a tenant manage its members: `app.all('/authz/*', memberRoutes(pdp, options))`.
 * @throws TypeError for a permission that is not `resource:action`
 */
export function memberRoutes<P extends PolicyTypes>(pdp: Pdp<P>, options: MemberRoutesOptions<Context>): Handler {
  const routes = new MemberRoutes(pdp, options)
  return async (context) => {
    const { raw: first, routePath, method } = context.req
    // what read the body before kept its text
    const raw = first.bodyUsed
      ? new Request(first.url, { method, headers: first.headers, body: await context.req.text() })
      : first
    const mounted = routePath.replace(/\*$/, '')
    const { pathname } = new URL(raw.url)
    const path = mounted.endsWith('/') && pathname.startsWith(mounted) ? pathname.slice(mounted.length) : ''
    return routes.handle(raw, context, path)
  }
}
