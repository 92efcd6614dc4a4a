// Sessions of the routes of members: who has signed in, and for which tenant, for a vendor whose product has no session
// where the routes are mounted. A session is stored as a key of the tenant without any access, by a hash that no key
// sent to the API has: it says who asks, and may do nothing itself.
import { isSession } from '../../kinds/api-key.ts'
import { put, remove } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { isEnded } from '../../model/key-end.ts'
import { API_KEYS_MAX, ELEMENTS_SESSION_MS, ELEMENTS_SESSIONS_LOOK, ELEMENTS_SESSIONS_MAX } from '../../model/limits.ts'
import { membershipKey } from '../../model/objects.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { BODY } from '../rules/fields.ts'
import { hashSecret, newApiKey, sameHash } from './api-key.ts'
import { isSuspended } from './approvers.ts'

/** Bytes of randomness in a token. */
const TOKEN_BYTES = 32

export interface NewElementsSession {
  /** id of the environment */
  readonly environment: string
  /** key or id */
  readonly user: string
  /** key or id */
  readonly tenant: string
}

/** A session as it is answered when it begins: the token is on no record. */
export interface BegunSession {
  readonly token: string
  readonly expires_at: number
}

/** Who has signed in, and for which tenant, by their keys. */
export interface ElementsSession {
  readonly user: string
  readonly tenant: string
  readonly expires_at: number
}

/** The hash by which a session is found. No header can hold what is hashed, so a token is never taken for an API key. */
const hashToken = (token: string): string => hashSecret(`elements session ${token}`)

/**
 * Begins a session of a user for one tenant. With one of so many, sessions of the environment that have ended are removed.
 * @throws OBJECT_NOT_FOUND for an unknown user or tenant, and a user of another tenant; LIMIT_EXCEEDED
 */
export function logInToElements(view: View, input: NewElementsSession, mint: Mint): Decided<BegunSession> {
  const environment = view.require('environment', input.environment)
  const facts = view.other(environment.id)
  const user = facts.require('user', input.user, [...BODY, 'user_id'])
  const tenant = facts.require('tenant', input.tenant, [...BODY, 'tenant_id'])
  if (facts.get('membership', membershipKey(tenant.key, user.key)) === undefined)
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind: `user of tenant \`${tenant.key}\``, ref: input.user })
  // looking at all of them takes longer than all else
  const count = view.countBy('keys_of_environment', environment.id)
  const mayBeTooMany = count >= ELEMENTS_SESSIONS_MAX || view.count('api_key') >= API_KEYS_MAX
  const areLookedAt = mayBeTooMany || count % ELEMENTS_SESSIONS_LOOK === 0
  const sessions = areLookedAt ? [...view.by('keys_of_environment', environment.id)].filter(isSession) : []
  const ended = sessions.filter((session) => isEnded(session, mint.now))
  if (sessions.length - ended.length >= ELEMENTS_SESSIONS_MAX)
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the sessions', limit: ELEMENTS_SESSIONS_MAX }, { path: BODY })
  if (view.count('api_key') - ended.length >= API_KEYS_MAX)
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the API keys', limit: API_KEYS_MAX }, { path: BODY })
  const token = `zh_elements_${mint.secret(TOKEN_BYTES)}`
  const expires_at = mint.now + ELEMENTS_SESSION_MS
  const project = view.require('project', environment.project)
  const scope = {
    level: 'tenant',
    organization_id: view.log,
    project_id: project.id,
    environment_id: environment.id,
    tenant_id: tenant.id,
  } as const
  const about = { owner: 'elements', name: null, access: 'no_access', expires_at, form: undefined } as const
  const { key: _, ...session } = newApiKey(scope, '', about, mint)
  return {
    changes: [
      ...ended.map(({ key }) => remove('api_key', key)),
      put('api_key', { ...session, key: hashToken(token), user_id: user.id }),
    ],
    result: { token, expires_at },
  }
}

/** Whose session a token is of. */
export interface SessionToken {
  /** id of the environment */
  readonly environment: string
  readonly token: string
}

/** Ends a session before its time. @throws ELEMENTS_SESSION_UNKNOWN */
export function logOutOfElements(view: View, { environment, token }: SessionToken, _mint: Mint): Decided<null> {
  const session = view.get('api_key', hashToken(token))
  if (session === undefined || !isSession(session) || session.environment_id !== environment)
    throw new ZerohopError('ELEMENTS_SESSION_UNKNOWN')
  return { changes: [remove('api_key', session.key)], status: 204, result: null }
}

/**
 * Who has signed in with a token: still stored, not suspended, and still a user of the tenant. Both are found by their ids, so others
 * of the same keys that came later are not meant.
 * @throws ELEMENTS_SESSION_UNKNOWN for anything else, whatever it is
 */
export function findElementsSession(control: View, facts: View, of: SessionToken, now: number): ElementsSession {
  const hash = hashToken(of.token)
  const session = control.get('api_key', hash)
  if (session === undefined || !isSession(session) || !sameHash(session.key, hash)) throw unknown()
  if (session.environment_id !== of.environment || isEnded(session, now)) throw unknown()
  const user = facts.find('user', session.user_id ?? '')
  const tenant = facts.find('tenant', session.tenant_id ?? '')
  if (user === undefined || tenant === undefined || isSuspended(user, now)) throw unknown()
  if (facts.get('membership', membershipKey(tenant.key, user.key)) === undefined) throw unknown()
  return { user: user.key, tenant: tenant.key, expires_at: session.expires_at ?? now }
}

const unknown = (): ZerohopError => new ZerohopError('ELEMENTS_SESSION_UNKNOWN')
