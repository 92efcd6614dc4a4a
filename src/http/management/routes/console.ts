// Signing in to the console, and who asks with its cookie. A session stands for an API key: it may do what the key may,
// and each request looks the key up, so that a rotated or deleted key ends its sessions at once.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Tenant } from '../../../kinds/tenant.ts'
import { hashSecret } from '../../../management/objects/api-key.ts'
import { isZerohopError, ZerohopError } from '../../../model/errors.ts'
import * as t from '../../../model/json-schema.ts'
import { SIGN_IN_BODY_BYTES_MAX } from '../../../model/limits.ts'
import { CONSOLE_API, isConsole } from '../../console/console-request.ts'
import { requireCsrf, type Session, type Sessions, sessionEnd } from '../../console/sessions.ts'
import type { SignInLink } from '../../console/sign-in-link.ts'
import { WrongKeys } from '../../console/wrong-keys.ts'
import type { Caller, CookieCaller, Gate } from '../auth.ts'
import { type UserDoor, userCaller } from '../console-users.ts'
import { printTime } from '../render/stamps.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** the session of a request that its cookie authenticated */
    consoleSession: Session | undefined
  }
}

const SESSION = `${CONSOLE_API}/session`
const SignIn = t.closed({ api_key: t.Text })
const RedeemLink = t.closed({ token: t.Text })

/** The caller of a request of the console, by the cookie alone. */
export function cookieCaller(gate: Gate, door: UserDoor, sessions: Sessions): CookieCaller {
  return async (request, reply) => {
    const session = await sessions.open(request)
    requireCsrf(request, session)
    const { by, startedAt } = session
    const caller = 'user' in by ? userCaller(door, by.user, startedAt) : findCaller(gate, by.keyHash)
    request.consoleSession = reply === undefined ? session : await sessions.renew(request, reply, session)
    return caller
  }
}

/** Begins sessions: outside the gate, since who signs in has no session yet. */
export function signInRoutes(app: FastifyInstance, gate: Gate, sessions: Sessions, link: SignInLink): void {
  const wrongKeys = new WrongKeys()
  const begin = async (request: FastifyRequest, reply: FastifyReply, hashOf: () => string) => {
    try {
      const hash = hashOf()
      const caller = gate.callerOf(hash)
      const tenant = caller.key.level === 'tenant' ? gate.ownTenant(caller, undefined) : undefined
      return sessionRead(await sessions.start(request, reply, { keyHash: hash }), caller, tenant)
    } catch (error) {
      if (isZerohopError(error, 'KEY_UNKNOWN', 'LINK_REFUSED')) {
        wrongKeys.requireTurn(request, reply)
        wrongKeys.count(request)
      }
      throw error
    }
  }
  const options = { bodyLimit: SIGN_IN_BODY_BYTES_MAX, onRequest: onlyMarked }
  app.post<{ Body: t.Static<typeof SignIn> }>(SESSION, { ...options, schema: { body: SignIn } }, (request, reply) =>
    begin(request, reply, () => hashSecret(request.body.api_key)),
  )
  app.post<{ Body: t.Static<typeof RedeemLink> }>(
    `${SESSION}/link`,
    { ...options, schema: { body: RedeemLink } },
    (request, reply) => begin(request, reply, () => link.redeem(request, request.body.token)),
  )
}

/** Shows and ends the session of a request: behind the gate. */
export function sessionRoutes(app: FastifyInstance, sessions: Sessions): void {
  const config = { operation: 'scope.read' } as const
  app.decorateRequest('consoleSession', undefined)
  app.get(SESSION, { config, onRequest: onlyMarked }, (request) =>
    sessionRead(request.consoleSession!, request.caller, request.ownTenant),
  )
  app.delete(SESSION, { config, onRequest: onlyMarked }, (request, reply) => {
    sessions.end(request, reply, request.consoleSession!)
    return reply.code(204).send()
  })
}

/** Another spelling of the path is not a request of the console. */
function onlyMarked({ raw }: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (isConsole(raw)) done()
  else reply.callNotFound()
}

/** @throws KEY_REVOKED when the key of a session is not known any more */
function findCaller(gate: Gate, hash: string): Caller {
  try {
    return gate.callerOf(hash)
  } catch (error) {
    throw isZerohopError(error, 'KEY_UNKNOWN') ? new ZerohopError('KEY_REVOKED') : error
  }
}

function sessionRead(session: Session, { key, user, actsAs }: Caller, tenant: Tenant | undefined) {
  const { organization_id, project_id, environment_id, level, access, name, only = null } = key
  return {
    csrf_token: session.csrf,
    expires_at: printTime(sessionEnd(session)),
    access: { organization_id, project_id, environment_id, object_type: level, access_level: access, only, name },
    user: user ?? null,
    // the key of the stored user whom the person is, in environments that have it
    acts_as: actsAs?.user ?? null,
    // what the page of a tenant is about
    ...(tenant && { tenant: { id: tenant.id, key: tenant.key, name: tenant.name } }),
  }
}
