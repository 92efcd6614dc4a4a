// What the backend asks of Zerohop, in two ways that answer alike: the decision in this process (`connect`), or the public client over HTTP.
// Neither may leave a caller waiting: each call ends within SERVICE_TIMEOUT_MS.
import { ZerohopError } from '../model/errors.ts'
import { SERVICE_TIMEOUT_MS, SYNC_VISIBLE_MS } from '../model/limits.ts'
import { connect } from '../pdp/connect.ts'

export interface Permissions {
  /** Makes the user exist under this key, with nothing else; the roles that it has stay. Answers the user. */
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
  const call = async (method: string, path: string, body?: unknown): Promise<{ answer: unknown; revision: number }> => {
    const response = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(SERVICE_TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer: unknown = await response.json()
    if (!response.ok) throw new ZerohopError('SERVICE_FAILED', { what: `${method} ${path}`, status: response.status })
    return { answer, revision: Number(response.headers.get('x-revision')) }
  }
  return {
    async sync(key) {
      if (facts === undefined) {
        const scope = (await call('GET', '/v2/api-key/scope')).answer as Record<string, string>
        facts = `/v2/facts/${scope.project_id}/${scope.environment_id}`
      }
      const { answer, revision } = await call('PUT', `${facts}/users/${encodeURIComponent(key)}`, { key })
      // A check that follows should see the user; that it may not yet is no failure of the sync.
      await pdp.atLeast(revision, { timeoutMs: SYNC_VISIBLE_MS }).catch(() => undefined)
      return answer
    },
    check: async (user, action, resource) => pdp.check(user, action, resource),
    close: () => pdp.close(),
  }
}

/** The part of the public client that is used. */
interface PublicClient {
  check(user: string, action: string, resource: string): Promise<boolean>
  readonly api: { readonly users: { sync(user: { key: string }): Promise<{ user: unknown }> } }
}

/** Asks the PDP over HTTP with the published client. @throws CONFIG_INVALID when the package `permitio` is not installed */
export async function publicClient({ token, apiUrl, pdpUrl }: PermissionSettings): Promise<Permissions> {
  const name = 'permitio'
  const { Permit } = await (import(name) as Promise<{ Permit: new (settings: object) => PublicClient }>).catch(() => {
    throw new ZerohopError('CONFIG_INVALID', {
      reason: `the package \`${name}\` is not installed: npm install ${name}, or leave --client out`,
    })
  })
  const client = new Permit({ token, pdp: pdpUrl, apiUrl, throwOnError: true, log: { level: 'silent' } })
  return {
    sync: async (key) => (await within(client.api.users.sync({ key }))).user,
    check: (user, action, resource) => within(client.check(user, action, resource)),
    close: () => Promise.resolve(),
  }
}

/** The answer, or an error when it does not come in time. */
async function within<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ZerohopError('SERVICE_LATE', { timeoutMs: SERVICE_TIMEOUT_MS })),
      SERVICE_TIMEOUT_MS,
    )
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
