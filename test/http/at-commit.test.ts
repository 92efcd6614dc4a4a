// A write of facts with `X-Wait-Timeout: 0`: it is answered when it is on disk, and no check sees it before its answer is
// written. Through a PDP, through the PDP of `serve`, and at the API of `serve`; over real HTTP, with answers that are
// held back.
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { APPLY_WINDOW_MS } from '../../src/model/limits.ts'
import {
  connect,
  type Management,
  managementServer,
  openManagement,
  pdpServer,
  pooledPdpServer,
  readKeys,
} from '../../src/server.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'

const LOCAL = { host: '127.0.0.1', port: 0 }
const DOORS = ['a PDP', 'the PDP of serve', 'the API of serve'] as const
type Door = (typeof DOORS)[number]

describe('a write of facts that does not wait', () => {
  const servers: { close(): PromiseLike<unknown> }[] = []
  let management: Management
  let key = ''
  let environment = ''
  let users = 0
  /** where writes go, and where their checks are asked */
  const at = {} as Record<Door, { readonly facts: string; readonly pdp: string }>
  /** the server whose answers to writes are held, and what opens it */
  let held: { readonly app: unknown; readonly until: Promise<void> } | undefined

  /** Holds answers to the writes of this test. */
  function holdable(app: unknown): void {
    ;(app as FastifyInstance).addHook('onSend', async ({ headers }) => {
      if (headers['x-held'] !== undefined && app === held?.app) await held?.until
    })
  }
  const apps = {} as Record<Door, unknown>
  function hold(door: Door): () => void {
    let open = (): void => undefined
    const until = new Promise<void>((resolve) => {
      open = resolve
    })
    held = { app: apps[door], until }
    onTestFinished(() => open())
    return open
  }

  beforeAll(async () => {
    const data = temporaryFolder('at-commit')
    management = await openManagement({ data })
    const { store, organization } = management
    environment = store.view(organization).require('environment', 'default/development').id
    key = readKeys(data)!.environments.development!
    const api = managementServer(management)
    holdable(api)
    servers.push(api)
    const url = await api.listen(LOCAL)
    const wait = { timeoutMs: 10_000, policy: 'ignore' } as const
    const forward = { controlPlane: url, timeoutMs: 30_000, wait }
    const single = pdpServer(await connect({ url, apiKey: key }), key, { forward })
    const pooled = pooledPdpServer(management, { forward })
    for (const app of [single, pooled]) {
      holdable(app)
      servers.unshift(app)
    }
    const pdp = await single.listen(LOCAL)
    const pool = await pooled.listen(LOCAL)
    at['a PDP'] = { facts: `${pdp}/facts`, pdp }
    at['the PDP of serve'] = { facts: `${pool}/facts`, pdp: pool }
    at['the API of serve'] = { facts: `${url}/v2/facts/default/development`, pdp: pool }
    Object.assign(apps, { 'a PDP': single, 'the PDP of serve': pooled, 'the API of serve': api })
    for (const door of DOORS) await eventually(() => allowed(door, 'ana'), true)
  })
  afterAll(async () => {
    for (const server of servers) await server.close()
    await management.store.close()
  })

  const send = (url: string, body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    })
  async function allowed(door: Door, user: string): Promise<boolean> {
    const question = { user: { key: user }, action: 'say', resource: { type: 'hello', tenant: 'default' } }
    const answer = await send(`${at[door].pdp}/allowed`, question)
    return ((await answer.json()) as { allow: boolean }).allow
  }
  /** A user whom the PDP of the door knows. */
  async function newUser(door: Door): Promise<string> {
    const user = `user-${++users}`
    expect((await send(`${at[door].facts}/users`, { key: user })).ok).toBe(true)
    return user
  }
  /** Gives a role with `X-Wait-Timeout: 0`; resolves when it is on disk. */
  async function begin(door: Door, user: string, signal?: AbortSignal) {
    const { revision } = management.store.head(environment)
    const body = { user, role: 'admin', tenant: 'default' }
    const headers = { 'x-wait-timeout': '0', 'x-held': 'yes' }
    const answer = send(`${at[door].facts}/role_assignments`, body, headers, signal)
    await eventually(() => management.store.head(environment).revision > revision, true)
    return { answer }
  }

  it.each(DOORS)('is not seen before its answer is written, and then soon: %s', async (door) => {
    const user = await newUser(door)
    const open = hold(door)
    const { answer } = await begin(door, user)
    for (let window = 0; window < 4; window++) {
      expect(await allowed(door, user)).toBe(false)
      await pause(APPLY_WINDOW_MS)
    }
    open()
    expect((await answer).status).toBe(200)
    await eventually(() => allowed(door, user), true)
  })

  it.each(DOORS)(
    'is seen after a bounded time when its answer is not written, and holds no other write up: %s',
    async (door) => {
      const user = await newUser(door)
      const open = hold(door)
      const { answer } = await begin(door, user)
      const other = await newUser(door)
      expect(
        (await send(`${at[door].facts}/role_assignments`, { user: other, role: 'admin', tenant: 'default' })).ok,
      ).toBe(true)
      expect([await allowed(door, other), await allowed(door, user)]).toEqual([true, true])
      open()
      expect((await answer).status).toBe(200)
    },
  )

  it.each(DOORS)('is seen when the caller goes away meanwhile: %s', async (door) => {
    const user = await newUser(door)
    const open = hold(door)
    const away = new AbortController()
    const { answer } = await begin(door, user, away.signal)
    away.abort()
    await expect(answer).rejects.toThrow()
    await eventually(() => allowed(door, user), true)
    open()
  })
})
