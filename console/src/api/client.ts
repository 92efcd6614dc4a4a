// The typed client of the management API (zerohop/client) with the cookie of the session in place of a key. It adds the
// token that writes must carry, and sends a request again that was refused because the session had ended, once somebody
// has signed in again: such a request was not carried out.
import { createClient, warningsOf } from 'zerohop/client'
import { notifyWarnings } from '../components/notify.ts'
import { ApiError, apiError } from './api-error.ts'
import { awaitReason, isReasonMissing } from './reason.ts'
import { send } from './send.ts'
import { awaitSignIn, currentSession, refreshSession } from './session.ts'

export const api = createClient({ url: `${location.origin}/console/api`, apiKey: null })

const TOKEN = 'x-csrf-token'
/** Requests under way, to be sent again. */
const copies = new Map<string, Request>()

api.use({
  onRequest({ request, id }) {
    copies.set(id, request.clone())
    return withToken(request)
  },
  async onResponse({ response, id }) {
    const copy = copies.get(id)
    copies.delete(id)
    if (copy === undefined) return undefined
    if (isWrite(copy)) notifyWarnings(warningsOf(response))
    if (isWrite(copy) && (await isReasonMissing(copy, response)) && (await awaitReason(copy)))
      return send(withToken(copy))
    if (response.status === 401 && (await awaitSignIn())) return send(withToken(copy))
    if (response.status === 403 && isWrite(copy) && (await isTokenStale(copy))) return send(withToken(copy))
    return undefined
  },
  onError({ id }) {
    copies.delete(id)
    return undefined
  },
})

const isWrite = ({ method }: Request): boolean => method !== 'GET' && method !== 'HEAD'

function withToken(request: Request): Request {
  const state = currentSession()
  if (isWrite(request) && state.is === 'signed-in') request.headers.set(TOKEN, state.session.csrf_token)
  return request
}

/** Whether another tab has signed in since: the cookie, which tabs share, then has another token. */
async function isTokenStale(request: Request): Promise<boolean> {
  const sent = request.headers.get(TOKEN) ?? tokenNow()
  await refreshSession()
  return tokenNow() !== undefined && tokenNow() !== sent
}

function tokenNow(): string | undefined {
  const state = currentSession()
  return state.is === 'signed-in' ? state.session.csrf_token : undefined
}

interface Result {
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

/** The data of a call. @throws ApiError when the API refused it */
export async function read<R extends Result>(call: Promise<R>): Promise<Exclude<R['data'], undefined>> {
  const { data, error, response } = await call
  if (!response.ok) throw apiError(response, error)
  return data as Exclude<R['data'], undefined>
}

/** The data of a call, or undefined when it is about something that does not exist. */
export async function readIfThere<R extends Result>(call: Promise<R>): Promise<R['data'] | undefined> {
  try {
    return await read(call)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}
