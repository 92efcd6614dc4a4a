// The session: who is signed in, and what happens when it ends while a page is open. The secret is in a cookie that no
// script can read; this holds the token that writes must carry, and what the key may do. A request that was refused
// because the session had ended waits here until somebody signs in again: nothing that was typed is lost.
import { apiError } from './api-error.ts'
import { send } from './send.ts'

export type AccessLevel = 'no_access' | 'read' | 'write' | 'admin'

const ORDER: readonly AccessLevel[] = ['no_access', 'read', 'write', 'admin']

/** Whether a key of access `own` may do what needs `needed`. */
export const reaches = (own: AccessLevel, needed: AccessLevel): boolean => ORDER.indexOf(own) >= ORDER.indexOf(needed)

export interface Access {
  readonly organization_id: string
  /** null: every project */
  readonly project_id: string | null
  /** null: every environment of the project */
  readonly environment_id: string | null
  readonly object_type: 'org' | 'project' | 'env' | 'tenant'
  readonly access_level: AccessLevel
  /** `facts`: it may change nothing else */
  readonly only: 'facts' | null
  readonly name: string | null
}

/** Who signed in at the identity provider. */
export interface SessionUser {
  readonly issuer: string
  readonly subject: string
  readonly name: string | null
}

export interface Session {
  readonly csrf_token: string
  readonly expires_at: string
  readonly access: Access
  /** null: an API key */
  readonly user: SessionUser | null
  /** the key of the stored user whom the person is, in environments that have it; null: none, or an API key */
  readonly acts_as: string | null
  /** the tenant whose administrator it is: there is one page for it */
  readonly tenant?: { readonly id: string; readonly key: string; readonly name: string }
}

/** How one may sign in here. */
export interface SignInWays {
  readonly api_key: boolean
  readonly provider: boolean
}

/** Where signing in at the identity provider begins: an address to go to. */
export const PROVIDER_START = '/console/api/session/provider'

export type SessionState =
  /** it was not asked yet */
  | { readonly is: 'unknown' }
  | { readonly is: 'signed-out' }
  | { readonly is: 'signed-in'; readonly session: Session }
  /** it ended while a page was open; `session` is the one that ended */
  | { readonly is: 'expired'; readonly session: Session }

interface Waiting {
  readonly resolve: (isSignedIn: boolean) => void
}

const SESSION = '/console/api/session'

let state: SessionState = { is: 'unknown' }
let loading: Promise<SessionState> | undefined
const listeners = new Set<() => void>()
const waiting = new Set<Waiting>()

export const currentSession = (): SessionState => state

export function subscribeToSession(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Asks the server who is signed in, once. @throws when the server cannot be reached or fails */
export async function loadSession(): Promise<SessionState> {
  if (state.is !== 'unknown') return state
  loading ??= askSession()
  try {
    return await loading
  } finally {
    loading = undefined
  }
}

/** @throws when the server cannot be reached or fails */
export async function signInWays(): Promise<SignInWays> {
  const response = await send('/console/api/sign-in')
  const body = await readBody(response)
  if (!response.ok) throw apiError(response, body)
  return body as SignInWays
}

/** Asks the server again: another tab may have signed in, and tabs share the cookie. What waited for that goes on. */
export async function refreshSession(): Promise<SessionState> {
  const wasExpired = state.is === 'expired'
  await askSession()
  if (wasExpired && state.is === 'signed-in') release(true)
  return state
}

async function askSession(): Promise<SessionState> {
  const response = await send(SESSION)
  if (response.status !== 401) become({ is: 'signed-in', session: await readSession(response) })
  else if (state.is !== 'expired') become({ is: 'signed-out' }) // else the page stays, and asks to sign in
  return state
}

/** Exchanges an API key for a session. @throws ApiError when the key is refused */
export async function signIn(apiKey: string): Promise<void> {
  await exchange(SESSION, { api_key: apiKey })
}

/** Exchanges the token of a one-time link for a session. @throws ApiError when it is used up or too old */
export async function redeemLink(token: string): Promise<void> {
  await exchange(`${SESSION}/link`, { token })
}

async function exchange(path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await send(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const session = await readSession(response)
  become({ is: 'signed-in', session })
  release(true)
}

/** Ends the session, here and on the server. What waited for it is given up. */
export async function signOut(): Promise<void> {
  const headers: Record<string, string> = state.is === 'signed-in' ? { 'x-csrf-token': state.session.csrf_token } : {}
  const response = await send(SESSION, { method: 'DELETE', headers })
  if (!response.ok && response.status !== 401) throw apiError(response, await readBody(response))
  become({ is: 'signed-out' })
  release(false)
}

/** Gives up signing in again: what waited fails, and the sign-in page follows. */
export function abandonSession(): void {
  become({ is: 'signed-out' })
  release(false)
}

/** Says that the server no longer knows the session. True when somebody signed in again, false when they gave up. */
export function awaitSignIn(): Promise<boolean> {
  if (state.is === 'signed-in') become({ is: 'expired', session: state.session })
  if (state.is !== 'expired') return Promise.resolve(false)
  return new Promise((resolve) => waiting.add({ resolve }))
}

function become(next: SessionState): void {
  state = next
  for (const listener of listeners) listener()
}

function release(isSignedIn: boolean): void {
  for (const { resolve } of waiting) resolve(isSignedIn)
  waiting.clear()
}

async function readSession(response: Response): Promise<Session> {
  const body = await readBody(response)
  if (!response.ok) throw apiError(response, body)
  return body as Session
}

async function readBody(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await response.text())
  } catch {
    return undefined
  }
}
