// Signing in to the console as a user of the identity provider, and what such a user may do. A user has no API key:
// rules of the operator give them a role on the organization, a project or an environment, and each request applies the
// rules anew. docs/adr/0027-users-of-the-console.md.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccessLevel } from '../../kinds/api-key.ts'
import type { Tenant } from '../../kinds/tenant.ts'
import { isInForce } from '../../kinds/times.ts'
import type { User } from '../../kinds/user.ts'
import type { LogId } from '../../log/change.ts'
import { userId } from '../../management/rules/actor.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { SIGN_IN_MS } from '../../model/limits.ts'
import { environmentKey, membershipKey } from '../../model/objects.ts'
import type { View } from '../../store/view.ts'
import { CONSOLE_API, SIGN_IN_CALLBACK, SIGN_IN_START } from '../console/console-request.ts'
import { type Cookie, formatCookie, readCookie } from '../console/cookies.ts'
import type { Begun, IdentityProvider } from '../console/identity-provider.ts'
import { Sealed } from '../console/sealed.ts'
import { isSecure, type Sessions, type SessionUser } from '../console/sessions.ts'
import { type AccessRule, ruleFor, type UserRole } from '../console/user-access.ts'
import type { Caller, CallerKey } from './auth.ts'

/** Sent with the request that leads back from the provider: before it, no session exists. */
const SIGN_IN_COOKIE: Cookie = { name: 'zerohop_sign_in', sameSite: 'Lax', maxAge: SIGN_IN_MS / 1000 }

const ACCESS_OF: Readonly<Record<UserRole, AccessLevel>> = {
  viewer: 'read',
  support: 'write',
  editor: 'write',
  admin: 'admin',
  'tenant-admin': 'write',
}

/** What a user signs in to. */
export interface UserDoor {
  readonly provider: IdentityProvider | undefined
  readonly organization: LogId
  /** the control log of the organization, or the log of one of its environments */
  view(log: LogId): View
}

/**
 * Who asks in a session of a user.
 * @param since when the user signed in, in ms since 1970
 * @throws SESSION_MISSING, USER_REFUSED
 */
export function userCaller({ provider, organization, view }: UserDoor, user: SessionUser, since: number): Caller {
  if (!provider?.knows(user))
    throw new ZerohopError('SESSION_MISSING', { reason: 'the identity provider is another one' })
  const rule = ruleFor(provider.rules, user.values)
  if (!provider.hasAsked(user))
    throw new ZerohopError('SESSION_MISSING', { reason: 'the rules of access have changed' })
  const key = makeKey(user, rule, organization, view(organization))
  const tenant =
    rule.tenant === undefined ? undefined : requireTenant(view(key.environment_id ?? ''), rule, user, since)
  const { issuer, subject, name, storedUser } = user
  const own = tenant === undefined ? key : { ...key, level: 'tenant' as const, tenant_id: tenant.id }
  const actsAs = storedUser === undefined ? {} : { actsAs: { user: storedUser, since } }
  return { key: own, organization, user: { issuer, subject, name }, ...actsAs }
}

/**
 * The tenant of a rule, for a person who is a stored user of it and not suspended: whoever leaves it is out with the next
 * request. A user who was created after the person signed in may be somebody else.
 * @throws USER_REFUSED
 */
function requireTenant(
  view: View,
  { tenant: key = '' }: AccessRule,
  { storedUser: user = '' }: SessionUser,
  since: number,
): Tenant {
  const tenant = view.get('tenant', key)
  const stored = view.get('user', user)
  const isMember = view.get('membership', membershipKey(key, user)) !== undefined
  const isThere = tenant !== undefined && stored !== undefined && isMember
  if (!isThere || isSuspended(stored) || stored.created_at > since) throw new ZerohopError('USER_REFUSED')
  return tenant
}

const isSuspended = ({ suspension }: User): boolean => suspension !== undefined && isInForce(suspension, Date.now())

/** Level, access and place as those of a key. @throws USER_REFUSED when the place of the rule does not exist */
function makeKey(user: SessionUser, { role, ...rule }: AccessRule, organization: LogId, view: View): CallerKey {
  const project = rule.project === undefined ? undefined : view.find('project', rule.project)
  const environment =
    project === undefined || rule.environment === undefined
      ? undefined
      : view.get('environment', environmentKey(project.key, rule.environment))
  const isThere = (project === undefined) === (rule.project === undefined)
  if (!isThere || (environment === undefined) !== (rule.environment === undefined))
    throw new ZerohopError('USER_REFUSED')
  return {
    id: userId(user),
    key: '', // the hash of no secret
    level: environment ? 'env' : project ? 'project' : 'org',
    access: ACCESS_OF[role],
    ...(role === 'support' ? { only: 'facts' as const } : {}),
    ...(user.storedUser === undefined ? {} : { actsAsUser: true as const }),
    owner: 'member',
    name: user.name ?? user.subject,
    organization_id: organization,
    project_id: project?.id ?? null,
    environment_id: environment?.id ?? null,
    created_at: 0,
    updated_at: 0,
  }
}

interface Pending extends Begun {
  /** ms since 1970 */
  readonly until: number
}

/** The way to the provider and back, by navigation: outside the gate. */
export function userSignInRoutes(app: FastifyInstance, door: UserDoor, sessions: Sessions, key: Uint8Array): void {
  const { provider } = door
  const sealed = new Sealed<Pending>(key, 'zerohop sign-in')
  app.get(`${CONSOLE_API}/sign-in`, () => ({ api_key: true, provider: provider !== undefined }))
  if (provider === undefined) return
  app.get(SIGN_IN_START, async (request, reply) => {
    if (request.consoleOrigin === undefined) return notFound(reply)
    try {
      const { location, begun } = await provider.begin(`${request.consoleOrigin}${SIGN_IN_CALLBACK}`)
      const pending = await sealed.seal({ ...begun, until: Date.now() + SIGN_IN_MS })
      reply.header('set-cookie', formatCookie(SIGN_IN_COOKIE, pending, isSecure(request)))
      return reply.redirect(location, 302)
    } catch (error) {
      return refuse(request, reply, error)
    }
  })
  app.get(SIGN_IN_CALLBACK, async (request, reply) => {
    if (request.consoleOrigin === undefined) return notFound(reply)
    const cookie = readCookie(SIGN_IN_COOKIE, request.headers.cookie, isSecure(request))
    reply.header('set-cookie', formatCookie(SIGN_IN_COOKIE, '', isSecure(request)))
    try {
      const pending = cookie === undefined ? undefined : await sealed.open(cookie)
      if (pending === undefined || pending.until <= Date.now())
        throw new ZerohopError('SESSION_MISSING', { reason: 'it took too long, or began in another browser' })
      const user = await provider.finish(pending, request.url.slice(request.url.indexOf('?') + 1))
      userCaller(door, user, Date.now())
      await sessions.start(request, reply, { user })
      return reply.redirect('/console/', 302)
    } catch (error) {
      return refuse(request, reply, error)
    }
  })
}

/** Leads back to the page, which says why by the code of the error. What the provider said is for the log alone. */
function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const code = isZerohopError(error) ? error.code : 'INTERNAL'
  const cause = error instanceof Error ? error.cause : undefined
  const { message: reason, code: kind } = (cause ?? error) as { readonly message?: string; readonly code?: string }
  request.log.warn({ code, reason, kind }, 'a user could not sign in to the console')
  return reply.redirect(`/console/sign-in?error=${code}`, 302)
}

function notFound(reply: FastifyReply): FastifyReply {
  reply.callNotFound()
  return reply
}
