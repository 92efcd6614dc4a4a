// States × routes of the management API: every route as it is registered, those of /v1 too, in every state of its store
// and its server. What is answered in a state stands in STATES.
import { randomBytes, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { containedErrors } from '../../../src/model/contained.ts'
import { ERRORS, type ErrorCode } from '../../../src/model/errors.ts'
import { DAY_MS } from '../../../src/model/key-end.ts'
import { type Management, managementServer, openManagement } from '../../../src/server.ts'
import type { Schema } from '../../support/bad-input.ts'
import { memoryFolder } from '../../support/folders.ts'
import { makeKnownObjects } from '../../support/known-objects.ts'
import { temporaryMount, unmount } from '../../support/mount.ts'
import { endPostgres, startPostgres, withoutPostgres } from '../../support/postgres.ts'
import { parseMetrics } from '../../support/prometheus.ts'
import type { Method } from '../../support/routes.ts'
import {
  askInState,
  askUsual,
  type Expected,
  type Product,
  type ProductRoute,
  type Usual,
} from '../../support/states.ts'
import { startProxy, type TcpProxy } from '../../support/tcp-proxy.ts'

const KEY = 'permit_key_of_the_organization_here'

interface Made {
  readonly management: Management
  readonly app: ReturnType<typeof managementServer>
  readonly product: Product
}

/** A management API with an object of every kind. */
async function make(data: string, replica?: Parameters<typeof openManagement>[0]['replica']): Promise<Made> {
  const management = await openManagement({ data, bootstrapKey: KEY, replica })
  const app = managementServer(management, { openMetrics: true })
  onTestFinished(async () => {
    await app.close()
    await management.store.close()
  })
  await app.ready()
  const inject = (method: string, url: string, body: unknown, headers: Record<string, string>) =>
    app.inject({
      method: method as Method,
      url,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  const known = await makeKnownObjects({
    ask: async (method, path, body) => {
      const url = path.replace('$S', '/v2/schema/default/development').replace('$F', '/v2/facts/default/development')
      const answer = await inject(method, url, body, { authorization: `Bearer ${KEY}` })
      return { status: answer.statusCode, headers: answer.headers, body: answer.body && JSON.parse(answer.body) }
    },
  })
  const noted = app.noted.filter(({ method, url }) => method !== 'HEAD' && method !== 'OPTIONS' && !url.includes('*'))
  // SCIM has keys and errors of a form of its own: test/http/scim
  const all = noted.filter(({ url }) => !url.startsWith('/scim/'))
  const routes = all.map(({ method, url, config, schema }): ProductRoute => {
    const body = (schema as { body?: Schema } | undefined)?.body
    const isRead = method === 'GET'
    const good = known.body({ method: method as Method, url, body })
    const path = known.path(url)
    return { server: 'api', method, url, path, good, config, writes: !isRead, isWithoutGood: config?.lasts === true }
  })
  // what is read does not depend on which write was refused, and what holds others is deleted after them
  const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']
  const rank = ({ method, url }: ProductRoute) =>
    METHODS.indexOf(method) * 100 - (method === 'DELETE' ? url.split('/').length : 0)
  routes.sort((one, other) => rank(one) - rank(other))
  let looks = 0
  const product: Product = {
    routes,
    key: KEY,
    ask: async ({ method, path }, body, headers) => {
      const answer = await inject(method, path, body, headers)
      return { status: answer.statusCode, headers: answer.headers, text: answer.body }
    },
    counted: async () => {
      const { body } = await app.inject('/metrics')
      const samples = parseMetrics(body).get('zerohop_http_requests_total')?.samples ?? []
      const requests = samples.reduce((all, { value }) => all + value, 0) - looks++
      return { requests, contained: containedErrors(), undecided: 0, refused: 0 }
    },
    mayRefuse: true,
    messageOf: (_, { text }) => (JSON.parse(text) as { message?: string }).message,
  }
  return { management, app, product }
}

interface State {
  readonly expected: Expected
  readonly enter: (made: Made, data: string) => Promise<void> | void
}

/** A write is refused; what changes nothing may be answered all the same. */
const refusesWrites = (...codes: ErrorCode[]): Expected => ({ writing: codes, mayBeUsual: 'writes' })

const STATES: Readonly<Record<string, State>> = {
  current: { enter: () => undefined, expected: {} },
  'told to end': {
    enter: ({ app }) => {
      app.closing.announced = true
    },
    expected: { readiness: 503 },
  },
  draining: {
    enter: ({ app }) => {
      Object.assign(app.closing, { announced: true, begun: true })
    },
    expected: { readiness: 503 },
  },
  closed: {
    enter: ({ management }) => management.store.close(),
    // who asks is not known either
    expected: { keyed: { good: ['CLOSED'], bad: ['CLOSED'], 'wrong key': ['CLOSED'] }, mayBeUsual: 'all' },
  },
}

let usual: Usual
it('every route of the management API answers while nothing is wrong', async () => {
  const { product } = await make(memoryFolder('states'))
  const found = await askUsual(product)
  usual = found.usual
  expect(found.problems).toEqual([])
  // the paths and bodies are good ones
  const answered = [...usual.statuses].filter(([name, status]) => name.endsWith('good 0') && status < 300)
  expect(answered.length).toBeGreaterThan((product.routes.length * 2) / 3)
})

describe('every route of the management API', () => {
  it.each(Object.entries(STATES))(
    'answers as the table says when it is %s, goes on, and is counted',
    async (_, state) => {
      const data = memoryFolder('states')
      const made = await make(data)
      await state.enter(made, data)
      expect(await askInState(made.product, usual, state.expected)).toEqual([])
    },
  )
})

/** Makes an API key of the organization that is refused from now on, as far as this process reads its clock. */
const ENDED_KEYS: readonly (readonly [name: string, code: ErrorCode, end: (made: Made) => Promise<string>])[] = [
  [
    'key that has expired',
    'KEY_EXPIRED',
    async (made) => {
      const { secret } = await createKey(made, { expires_at: new Date(Date.now() + DAY_MS).toISOString() })
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS })
      return secret
    },
  ],
  [
    'key that has expired, by the secret that a rotation made',
    'KEY_EXPIRED',
    async (made) => {
      const { id } = await createKey(made, { expires_at: new Date(Date.now() + DAY_MS).toISOString() })
      const { secret } = await post(made, `/v2/api-key/${id}/rotate-secret`, { keep_old_seconds: 60 })
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS })
      return secret
    },
  ],
  [
    'old secret after its end',
    'KEY_REVOKED',
    async (made) => {
      const { id, secret } = await createKey(made, {})
      await post(made, `/v2/api-key/${id}/rotate-secret`, { keep_old_seconds: 60 })
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
      return secret
    },
  ],
]

async function post({ app }: Made, url: string, payload: object): Promise<{ id: string; secret: string }> {
  const answer = await app.inject({ method: 'POST', url, headers: { authorization: `Bearer ${KEY}` }, payload })
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)])
  return answer.json()
}

const createKey = (made: Made, more: object) =>
  post(made, '/v2/api-key', { object_type: 'org', organization_id: made.management.organization, ...more })

describe('every route of the management API, asked with an', () => {
  afterEach(() => vi.useRealTimers())

  it.each(ENDED_KEYS)('%s, refuses it as %s, and writes nothing', async (_, code, end) => {
    const made = await make(memoryFolder('states'))
    const { store } = made.management
    const product = { ...made.product, key: await end(made) }
    const heads = () => [...store.logs()].map((log) => [log, store.head(log).revision])
    const before = heads()
    // a good body is refused as a bad one is
    const expected: Expected = { keyed: { good: [code], bad: [code] }, isFirst: true }
    expect(await askInState(product, usual, expected)).toEqual([])
    for (const route of product.routes.filter(({ isWithoutGood }) => isWithoutGood)) {
      const { status, text } = await product.ask(route, undefined, { authorization: `Bearer ${product.key}` })
      expect([route.url, status, text]).toEqual([route.url, 401, expect.stringContaining(ERRORS[code].message)])
    }
    expect(heads()).toEqual(before)
  })
})

const mountPoint = temporaryMount('size=24m')
afterAll(() => unmount(mountPoint))

// skipped where this user may not mount a file system: test/crash/full-disk.test.ts asks the store by a limit of file size
describe.skipIf(mountPoint === undefined)('every route of the management API on a full disk', () => {
  it('answers as the table says, goes on, and is counted', async () => {
    const made = await make(join(mountPoint ?? '', 'data'))
    fillUp(mountPoint ?? '')
    expect(await askInState(made.product, usual, refusesWrites('DISK_FULL', 'DISK_FAILED'))).toEqual([])
    const { disk } = made.management.store
    expect(disk.trouble?.code).toMatch(/^DISK_/)
  })
})

/** Fills the disk with smaller and smaller files, until not even the smallest fits. */
function fillUp(folder: string): void {
  for (let [bytes, at] = [4 * 1024 * 1024, 0]; bytes >= 1024; at++) {
    try {
      writeFileSync(join(folder, `full-${at}`), Buffer.alloc(bytes))
    } catch {
      bytes /= 2
    }
  }
}

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('every route of the management API while its database is away', () => {
  let proxy: TcpProxy | undefined
  afterAll(async () => {
    proxy?.close()
    await endPostgres()
  })

  it('answers as the table says, goes on, and is counted', async () => {
    const server = await startPostgres()
    proxy = await startProxy(server.port)
    const url = proxy.through(await server.database())
    const settings = { url, replica: randomUUID(), version: 'test' }
    const made = await make(memoryFolder('states'), { settings, secretsKey: randomBytes(32) })
    proxy.cut()
    const codes: ErrorCode[] = ['DATABASE_UNAVAILABLE', 'OUTCOME_UNKNOWN']
    const expected: Expected = { keyed: { good: codes }, mayBeUsual: 'all' }
    expect(await askInState(made.product, usual, expected)).toEqual([])
  })
})
