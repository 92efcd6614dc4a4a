// A management API on a new data folder, with one organization and its keys. Asked by inject: no port is opened. In the
// suites that run on replicas there are several, which are asked in turn; what a test does beside the API it does at
// one more, which is asked nothing. Test files that keep to their organization share one (joinHarness).
import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import type { AuditLog } from '../../../src/decision-log/audit-log.ts'
import type { AccessLevel, KeyLevel } from '../../../src/kinds/api-key.ts'
import { withoutRequest } from '../../../src/log/change.ts'
import type { Bootstrap, Bootstrapped } from '../../../src/management/host/bootstrap.ts'
import { openAuditLog } from '../../../src/management/host/open.ts'
import type { ManagementUseCases } from '../../../src/management/host/registry.ts'
import { hashSecret } from '../../../src/management/objects/api-key.ts'
import { openStore, type Store } from '../../../src/store/store.ts'
import { threadUrl } from '../../../src/threads/thread-url.ts'
import type { Watched } from '../../support/answers.ts'
import { memoryFolder } from '../../support/folders.ts'
import { keptFolder } from '../../support/kept-folder.ts'
import { openReplicas, REPLICAS, type Replica, type Replicas } from '../../support/replicas.ts'
import { appWithRoutes, type Route } from '../../support/routes.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** whatever the JSON holds */
  readonly body: ReturnType<typeof JSON.parse>
}
export type Ask = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  options?: { readonly key?: string | null; readonly headers?: Record<string, string> },
) => Promise<Answer>

/** What ids and times look like. */
export const ID = expect.stringMatching(/^[0-9a-f]{32}$/)
export const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)

export interface Harness {
  readonly app: FastifyInstance
  /** every route of the app but those of /v1 and of SCIM, those that ask for no key too */
  readonly routes: readonly Route[]
  /** the routes of /v1, whose environment is that of the key */
  readonly v1Routes: readonly Route[]
  /** those of SCIM, which are for keys of directories alone */
  readonly scimRoutes: readonly Route[]
  readonly store: Store<ManagementUseCases>
  readonly audit: AuditLog
  readonly made: Bootstrapped
  /** id of `development` */
  readonly environment: string
  /** where it is, as every object of it says */
  readonly place: { readonly organization_id: string; readonly project_id: string; readonly environment_id: string }
  /** asks with the organization key unless told otherwise; `$S` and `$F` stand for schema and facts of development */
  readonly ask: Ask
  /** another organization in the same data folder */
  another(input?: Bootstrap): Promise<Bootstrapped>
  /**
   * makes `secret` a key of that level and access, for development where the level has one
   * @throws when a file that shares the server has made the same secret a key
   */
  addKey(level: KeyLevel, access: AccessLevel, secret: string): Promise<void>
  removeKey(secret: string): Promise<void>
  /** the answers so far, to be held against the OpenAPI document */
  readonly answers: Watched
  /** @throws when an answer was not as the OpenAPI document says */
  close(): Promise<void>
}

const BY = withoutRequest('bootstrap')

/** On a data folder of its own, with one organization. */
export async function openHarness(input: Bootstrap = { noExample: true }): Promise<Harness> {
  const served = await serve(memoryFolder)
  return makeHarness(served, await another(served.store, input), served.close)
}

/**
 * A new organization on a server that all test files of this worker share: for tests that look at nothing else there.
 * A server of its own takes half a second of processor time.
 */
export async function joinHarness(input: Bootstrap = { noExample: true }): Promise<Harness> {
  shared ??= serve(keptFolder)
  const served = await shared
  return makeHarness(served, await another(served.store, input), async () => undefined)
}

/** It ends with the worker. */
let shared: Promise<Served> | undefined

const another = async (store: Store<ManagementUseCases>, of: Bootstrap): Promise<Bootstrapped> =>
  (await store.commit(randomBytes(16).toString('hex'), 'bootstrap', of, BY)).result

type Served = Pick<Harness, 'app' | 'routes' | 'v1Routes' | 'scimRoutes' | 'store' | 'audit' | 'answers' | 'close'> & {
  /** in turn, which one is asked */
  next(): FastifyInstance
  /** made keys by the files that share it: one secret would be the key of whoever made it first */
  readonly secrets: Set<string>
}

async function serve(folderFor: (name: string) => string): Promise<Served> {
  const { all, close: closeStores } = await openStores(folderFor)
  const parts = all.map((part) => {
    const { data, store } = part
    const audit = openAuditLog(part)
    store.closeWith(audit)
    return { data, store, audit }
  })
  const { store } = parts[0]!
  const served = await Promise.all(
    (REPLICAS === undefined ? parts : parts.slice(1)).map(async (part) => {
      return { ...(await appWithRoutes(part, part.data)), audit: part.audit }
    }),
  )
  const { app, audit, routes: registered } = served[0]!
  const routes = registered.filter(({ url }) => !/^\/(v1|scim)\//.test(url))
  const v1Routes = registered.filter(({ url }) => url.startsWith('/v1/'))
  const scimRoutes = registered.filter(({ url }) => url.startsWith('/scim/'))
  const answers = together(served.map((one) => one.answers))
  let turn = 0
  const next = () => served[turn++ % served.length]!.app
  const close = async () => {
    for (const one of served) await one.app.close()
    await closeStores()
  }
  return { app, answers, routes, v1Routes, scimRoutes, store, audit, next, secrets: new Set(), close }
}

function makeHarness({ next, secrets, ...served }: Served, made: Bootstrapped, end: () => Promise<void>): Harness {
  const { store, answers } = served
  const ask: Ask = async (method, path, body, options = {}) => {
    const url = path.replace('$S', '/v2/schema/default/development').replace('$F', '/v2/facts/default/development')
    const key = options.key === undefined ? made.organization.secret : options.key
    const headers = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...options.headers,
    }
    const payload =
      body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    const response = await next().inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
    // for the test, which looks into the store without asking
    await store.confirm()
    return {
      status: response.statusCode,
      headers: response.headers,
      body: isJson(response.headers['content-type']) ? response.json() : response.body || undefined,
    }
  }
  const environment = made.environments[0]?.id ?? ''
  const place = { organization_id: made.organization.id, project_id: made.project.id, environment_id: environment }
  const addKey = async (level: KeyLevel, access: AccessLevel, secret: string) => {
    if (secrets.has(secret)) throw new Error(`\`${secret}\` is a key of another organization on this server`)
    secrets.add(secret)
    const of = {
      level,
      access,
      secret,
      ...(level === 'org' ? {} : { project: 'default' }),
      ...(level === 'org' || level === 'project' ? {} : { environment: 'development' }),
      ...(level === 'tenant' ? { tenant: 'default' } : {}),
    }
    await store.commit(made.organization.id, 'createApiKey', of, BY)
  }
  const removeKey = async (secret: string) => {
    secrets.delete(secret)
    await store.commit(made.organization.id, 'deleteApiKey', { ref: hashSecret(secret) }, BY)
  }
  const close = async () => {
    const { lies } = await answers.compare()
    await end()
    if (lies.length > 0) throw new Error(`answers are not as the OpenAPI document says:\n${lies.join('\n')}`)
  }
  return {
    ...served,
    made,
    environment,
    place,
    ask,
    another: (of = {}) => another(store, of),
    addKey,
    removeKey,
    close,
  }
}

type Stores = Pick<Replicas<ManagementUseCases>, 'close'> & {
  readonly all: readonly (Pick<Replica<ManagementUseCases>, 'data' | 'store'> & Partial<Replica<ManagementUseCases>>)[]
}

/** The store of a new data folder, or of replicas over a new database. */
async function openStores(folderFor: (name: string) => string): Promise<Stores> {
  const writerThread = threadUrl(new URL('../../../src/management/host/', import.meta.url).href, './writer-thread.ts')
  if (REPLICAS !== undefined) return openReplicas(REPLICAS + 1, writerThread, folderFor)
  const data = folderFor('management')
  const store = await openStore<ManagementUseCases>({ data, writerThread })
  return { all: [{ data, store }], close: () => store.close() }
}

/** The answers of all replicas. */
const together = (all: readonly Watched[]): Watched => ({
  async compare() {
    const found = await Promise.all(all.map((one) => one.compare()))
    return { lies: found.flatMap(({ lies }) => lies), routes: new Set(found.flatMap(({ routes }) => [...routes])) }
  },
})

const isJson = (type: unknown): boolean => typeof type === 'string' && /^application\/(scim\+)?json/.test(type)
