// The package entry `zerohop/fastify`: decisions about requests of a Fastify app, as hooks. Nothing of Fastify is
// loaded, only its types are used; in `onRequest` the body has not been read yet.
import type { FastifyPluginCallback, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
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

declare module 'fastify' {
  interface FastifyRequest {
    /** who sent it, and what was decided about it; set by `zerohop/fastify` */
    authorization?: RequestAuthorization
  }
}

export interface FastifyAuthorization<P extends PolicyTypes> {
  /** Sets `request.authorization`, and answers 401 when the request has no user. */
  readonly subject: onRequestHookHandler
  /** Goes on when the user may do the action; else answers 401, 400, 403 or 503. For any hook of a request. */
  allow<T extends TypeOf<P>>(
    action: ActionOf<P, T> | ActionObject<P, T>,
    resource: ResourceFor<FastifyRequest, P, T>,
  ): onRequestHookHandler
}

/** Hooks that decide about requests. */
export function authorization<P extends PolicyTypes>(
  pdp: Pdp<P>,
  options: AuthorizationOptions<FastifyRequest, P>,
): FastifyAuthorization<P> {
  const authorizer = new Authorizer(pdp, options, (request: FastifyRequest, made) => {
    request.authorization = made
  })
  return {
    subject: (request, reply, done) => proceed(authorizer.subject(request), reply, done),
    allow: (action, resource) => (request, reply, done) =>
      proceed(authorizer.decide(request, action, resource), reply, done),
  }
}

function proceed(refusal: Refusal | undefined, reply: FastifyReply, done: () => void): void {
  if (refusal === undefined) done()
  else void reply.code(refusal.status).headers(refusal.headers).send(refusal.body)
}

export interface FastifyJwtSubject {
  /** Verifies the token of a request: one that does not hold is answered, 401, 403 or 503. Without a token it goes on. */
  readonly verify: onRequestHookHandler
  /** The user of the token, as the option `user` of `authorization`. */
  readonly user: (request: FastifyRequest) => JwtUser | undefined
}

/**
 * Who sent a request, by the token of an OpenID provider: `app.addHook('onRequest', verify)`, then `authorization(pdp, { user })`.
 * @throws CONFIG_INVALID for an issuer that is not read over https
 */
export function subjectFromJwt(options: JwtSubjectOptions): FastifyJwtSubject {
  const subjects = new JwtSubjects<FastifyRequest>(options)
  return {
    user: subjects.user,
    verify: (request, reply, done) => {
      const verified = subjects.verify(request, request.headers.authorization)
      verified.then((refusal) => proceed(refusal, reply, done), done)
    },
  }
}

/**
 * The routes by which administrators of a tenant manage its members, as a plugin:
 * `app.register(memberRoutes(pdp, options), { prefix: '/authz' })`.
 * @throws TypeError for a permission that is not `resource:action`
 */
export function memberRoutes<P extends PolicyTypes>(
  pdp: Pdp<P>,
  options: MemberRoutesOptions<FastifyRequest>,
): FastifyPluginCallback {
  const routes = new MemberRoutes(pdp, options)
  return (app, _options, done) => {
    // bodies are read within a bound of their own, after it is known who sends them
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload))
    app.all('/*', async (request, reply) => {
      const { method, raw, headers } = request
      const url = raw.url ?? ''
      const asked = await nodeRequest({ method, url, headers, body: request.body ?? raw })
      const path = url.split('?', 1)[0]!
      const isBelow = path.startsWith(`${app.prefix}/`)
      const answer = await routes.handle(asked, request, isBelow ? path.slice(app.prefix.length) : '')
      return reply
        .code(answer.status)
        .headers(Object.fromEntries(answer.headers))
        .send(await answer.text())
    })
    done()
  }
}
