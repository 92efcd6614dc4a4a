// What the backend needs from Zerohop, implemented in two equivalent ways: decisions in this process (`connect`), or
// the public client over HTTP. integration-app.ts bounds how long a caller waits.
import { type Answer, ask } from '../client/ask.ts'
import { ZerohopError } from '../model/errors.ts'
import { SERVICE_TIMEOUT_MS, SYNC_VISIBLE_MS } from '../model/limits.ts'
import type { JsonObject } from '../model/objects.ts'
import { connect } from '../pdp/connect.ts'

export interface Permissions {
  /** Creates the user with this key when it is missing, and changes nothing else. Returns the user. */
  sync(key: string): Promise<unknown>
  check(user: string, action: string, resource: string): Promise<boolean>
  close(): Promise<void>
}

export interface PermissionSettings {
  /** API key of the environment (PERMIT_TOKEN) */
  readonly token: string
  /** address of the management API */
  readonly apiUrl: string
  /** address of the PDP; only the public client asks it */
  readonly pdpUrl: string
}

/** Decides in this process: a PDP that follows the environment. Writes go to the management API. */
export async function inProcess({ token, apiUrl }: PermissionSettings): Promise<Permissions> {
  const pdp = await connect({ url: apiUrl, apiKey: token })
  const base = apiUrl.replace(/\/+$/, '')
  let facts: string | undefined
  const call = async (method: string, path: string, body?: JsonObject): Promise<Answer & { body: JsonObject }> => {
    const answer = await ask(base + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      timeoutMs: SERVICE_TIMEOUT_MS,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { status, body: fields } = answer
    const isAnswer = status < 300 || (method === 'POST' && status === 409)
    if (!isAnswer || typeof fields !== 'object' || fields === null)
      throw new ZerohopError('SERVICE_FAILED', { what: `${method} ${path}`, status })
    return { ...answer, body: fields as JsonObject }
  }
  return {
    async sync(key) {
      if (facts === undefined) {
        const { body: scope } = await call('GET', '/v2/api-key/scope')
        facts = `/v2/facts/${scope.project_id}/${scope.environment_id}`
      }
      const { status, body: user, headers } = await call('POST', `${facts}/users`, { key })
      // A user who is there stays as it is: PUT would reset attributes on which access may depend.
      if (status === 409) return (await call('GET', `${facts}/users/${encodeURIComponent(key)}`)).body
      // Waits so that a following check sees the user; when it does not yet, the sync has not failed.
      await pdp.atLeast(Number(headers.get('x-revision')), { timeoutMs: SYNC_VISIBLE_MS }).catch(() => undefined)
      return user
    },
    check: async (user, action, resource) => pdp.check(user, action, resource),
    close: () => pdp.close(),
  }
}

/** The methods of the public client that are used. */
interface PublicClient {
  check(user: string, action: string, resource: string): Promise<boolean>
  readonly api: {
    readonly users: { create(user: { key: string }): Promise<unknown>; get(key: string): Promise<unknown> }
  }
}

/**
 * Asks the PDP over HTTP with the published client. @throws CONFIG_INVALID when the package `permitio` is not installed
 */
export async function publicClient({ token, apiUrl, pdpUrl }: PermissionSettings): Promise<Permissions> {
  const name = 'permitio'
  const { Permit } = await (import(name) as Promise<{ Permit: new (settings: object) => PublicClient }>).catch(() => {
    throw new ZerohopError('CONFIG_INVALID', {
      reason: `the package \`${name}\` is not installed: npm install ${name}, or leave --client out`,
    })
  })
  const client = new Permit({ token, pdp: pdpUrl, apiUrl, throwOnError: true, log: { level: 'silent' } })
  return {
    async sync(key) {
      const { users } = client.api
      try {
        return await users.create({ key })
      } catch (error) {
        if ((error as { readonly response?: { readonly status?: number } }).response?.status !== 409) throw error
        return users.get(key)
      }
    },
    check: (user, action, resource) => client.check(user, action, resource),
    close: () => Promise.resolve(),
  }
}
