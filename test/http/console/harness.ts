// A management API with the console over a new data folder, and visitors that ask as browsers do. Asked by inject: no
// port is opened.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import type { ProviderOptions } from '../../../src/http/console/identity-provider.ts'
import type { AccessLevel, ApiKey } from '../../../src/kinds/api-key.ts'
import { withoutRequest } from '../../../src/log/change.ts'
import { type Management, managementServer, openManagement } from '../../../src/server.ts'
import { temporaryFolder } from '../../support/folders.ts'

export const PAGE = '<!doctype html><title>built</title>'
export const SCRIPT = 'export const built = 1'
/** Beside the folder of the page: nothing of it may ever be answered. */
export const SECRET = 'outside of the page'
/** Where a proxy serves the console in these tests. */
export const PROXIED = 'https://console.example.com'

/** A page as the build makes it. */
export function builtPage(): string {
  const parent = temporaryFolder('console')
  const folder = join(parent, 'console')
  mkdirSync(join(folder, 'assets', 'deep'), { recursive: true })
  writeFileSync(join(parent, 'secret.txt'), SECRET)
  writeFileSync(join(folder, 'index.html'), PAGE)
  writeFileSync(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(folder, '.hidden'), SECRET)
  writeFileSync(join(folder, 'assets', '.hidden.js'), SECRET)
  writeFileSync(join(folder, 'assets', 'index-1a2b.js'), SCRIPT)
  writeFileSync(join(folder, 'assets', 'deep', 'secret.js'), SECRET)
  return folder
}

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
interface Asking {
  readonly headers?: Record<string, string | undefined>
  readonly body?: unknown
  readonly address?: string
}
export type Response = Awaited<ReturnType<typeof ask>>

/** A request as the page at `origin` makes it; a header that is undefined is not sent. */
async function ask(app: FastifyInstance, origin: string, method: Method, url: string, asking: Asking = {}) {
  const { headers = {}, body, address } = asking
  const all = {
    host: new URL(origin).host,
    'sec-fetch-site': 'same-origin',
    ...(method === 'GET' ? {} : { origin }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  }
  const sent = Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  const { statusCode, ...response } = await app.inject({
    method,
    url,
    headers: sent,
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    ...(address === undefined ? {} : { remoteAddress: address }),
  })
  return {
    status: statusCode,
    headers: response.headers,
    text: response.body,
    json: (): ReturnType<typeof JSON.parse> => JSON.parse(response.body),
  }
}

/** A browser with a cookie, once it has signed in. */
export class Visitor {
  readonly #app: FastifyInstance
  readonly #origin: string
  cookie: string | undefined
  csrf = ''

  constructor(app: FastifyInstance, origin = 'http://localhost') {
    this.#app = app
    this.#origin = origin
  }

  /** With the cookie and the CSRF token that it has, and keeps the cookie that comes back. */
  async ask(method: Method, url: string, { headers, ...asking }: Asking = {}): Promise<Response> {
    const own = { cookie: this.cookie, ...(this.csrf === '' ? {} : { 'x-csrf-token': this.csrf }) }
    const response = await ask(this.#app, this.#origin, method, url, { ...asking, headers: { ...own, ...headers } })
    for (const set of [response.headers['set-cookie'] ?? []].flat()) this.#keep(set)
    return response
  }

  /** What a browser does with `set-cookie`. */
  #keep(header: string): void {
    const pair = /^[^;]+/.exec(header)?.[0] ?? ''
    const name = pair.slice(0, pair.indexOf('=') + 1)
    const others = (this.cookie ?? '').split('; ').filter((one) => one !== '' && !one.startsWith(name))
    this.cookie = [...others, ...(pair === name ? [] : [pair])].join('; ') || undefined
  }

  async signIn(key: string, asking: Asking = {}): Promise<Response> {
    const response = await this.ask('POST', '/console/api/session', { ...asking, body: { api_key: key } })
    if (response.status === 200) this.csrf = response.json().csrf_token
    return response
  }
}

export interface Installation {
  readonly management: Management
  readonly app: FastifyInstance
  /**
   * another process with the same secrets: a replica, or the server after a restart
   * @param lines get what it logs
   */
  again(other?: ProviderOptions, lines?: string[]): FastifyInstance
  addKey(access: AccessLevel, name?: string): Promise<{ key: ApiKey; secret: string }>
  close(): Promise<void>
}

/** @param noExample without the example policy */
export async function openInstallation(noExample = true, provider?: ProviderOptions): Promise<Installation> {
  const management = await openManagement({ data: temporaryFolder('console-data'), noExample })
  const folder = builtPage()
  const apps: FastifyInstance[] = []
  const again = (other?: ProviderOptions, lines?: string[]): FastifyInstance => {
    const app = managementServer(management, {
      ...(lines === undefined ? {} : { logger: pino({}, { write: (line) => void lines.push(line) }) }),
      console: { folder, origins: [PROXIED], ...(other === undefined ? {} : { provider: other }) },
    })
    apps.push(app)
    return app
  }
  const addKey = async (access: AccessLevel, name = access): Promise<{ key: ApiKey; secret: string }> => {
    const of = { level: 'org', access, name } as const
    const { result } = await management.store.commit(
      management.organization,
      'createApiKey',
      of,
      withoutRequest('test'),
    )
    return result
  }
  const close = async () => {
    for (const app of apps) await app.close()
    await management.store.close()
  }
  return { management, app: again(provider), again, addKey, close }
}
