// What management and the PDP of one process promise together: once a write is acknowledged, no check is answered from
// before it. Over real HTTP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runAdmin } from '../../src/management/host/admin.ts'
import { type Management, managementServer, openManagement, pooledPdpServer, readKeys } from '../../src/server.ts'
import { temporaryFolder } from '../support/folders.ts'

const LOCAL = { host: '127.0.0.1', port: 0 }
const ASSIGNMENT = { user: 'eve', role: 'admin', tenant: 'default' }
const ROUNDS = 10

describe('an acknowledged write, in one process', () => {
  const data = temporaryFolder('acknowledged')
  const servers: { close(): PromiseLike<unknown> }[] = []
  let management: Management
  let key: string
  let api: string
  let pdp: string
  beforeAll(async () => {
    management = await openManagement({ data, noExample: false })
    const managing = managementServer(management)
    servers.push(managing)
    key = readKeys(data)?.environments.development ?? ''
    api = await managing.listen(LOCAL)
    const wait = { timeoutMs: 10_000, policy: 'ignore' } as const
    const forward = { controlPlane: api, sameProcess: true, timeoutMs: 10_000, wait }
    const deciding = pooledPdpServer(management, { forward })
    servers.push(deciding)
    pdp = await deciding.listen(LOCAL)
    await facts('POST', 'users', { key: 'eve' })
    await facts('POST', 'role_assignments', ASSIGNMENT)
    expect(await allowed()).toBe(true)
  })
  afterAll(async () => {
    for (const server of servers) await server.close()
    await management.store.close()
  })

  async function send(url: string, method: string, body: unknown): Promise<ReturnType<typeof JSON.parse>> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(url, { method, headers, body: JSON.stringify(body) })
    const text = await response.text()
    expect(response.ok, `${method} ${url}: ${response.status} ${text}`).toBe(true)
    return text === '' ? undefined : JSON.parse(text)
  }
  const facts = (method: string, path: string, body: unknown) =>
    send(`${api}/v2/facts/default/development/${path}`, method, body)
  async function allowed(base = pdp): Promise<boolean> {
    const question = { user: { key: 'eve' }, action: 'say', resource: { type: 'hello', tenant: 'default' } }
    return (await send(`${base}/allowed`, 'POST', question)).allow
  }

  /** Gives and takes in turn; each answer comes from the check right after the acknowledgement. */
  async function inTurn(give: () => Promise<unknown>, take: () => Promise<unknown>): Promise<void> {
    const answers: boolean[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await take()
      answers.push(await allowed())
      await give()
      answers.push(await allowed())
    }
    expect(answers).toEqual(Array.from({ length: ROUNDS }, () => [false, true]).flat())
  }

  it('does not wait for the PDP with `x-wait-timeout: 0`, and a write after it shows both', async () => {
    const stuck = { notBefore: () => new Promise<boolean>(() => {}) }
    const stop = management.store.acknowledgeAfter(stuck)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-wait-timeout': '0' }
    for (const base of [`${api}/v2/facts/default/development`, `${pdp}/facts`]) {
      const body = JSON.stringify({ key: `at-commit-${base === api}-${base.length}` })
      const made = await fetch(`${base}/users`, { method: 'POST', headers, body })
      expect([made.status, Number(made.headers.get('x-revision')) > 0]).toEqual([200, true])
    }
    stop()
    await send(`${pdp}/facts/role_assignments`, 'DELETE', ASSIGNMENT)
    const given = await fetch(`${pdp}/facts/role_assignments`, {
      method: 'POST',
      headers,
      body: JSON.stringify(ASSIGNMENT),
    })
    expect(given.status).toBe(200)
    await facts('POST', 'users', { key: 'after-it' })
    expect(await allowed()).toBe(true)
  })

  it('is seen by the next check, when it took or gave a role', () =>
    inTurn(
      () => facts('POST', 'role_assignments', ASSIGNMENT),
      () => facts('DELETE', 'role_assignments', ASSIGNMENT),
    ))

  it('is seen when many came in one call', () =>
    inTurn(
      () => facts('POST', 'role_assignments/bulk', [ASSIGNMENT]),
      () => facts('DELETE', 'role_assignments/bulk', [ASSIGNMENT]),
    ))

  it('is seen when a user went with all roles', () =>
    inTurn(
      async () => {
        await facts('POST', 'users', { key: 'eve' })
        await facts('POST', 'role_assignments', ASSIGNMENT)
      },
      () => facts('DELETE', 'users/eve', undefined),
    ))

  it('is seen when a file was imported over the socket of the operator', async () => {
    const of = { project: 'default', environment: 'development' }
    const run = (command: string, input: object) =>
      runAdmin({ store: management.store, data, newId: () => 'unused' }, command, { ...of, ...input })
    const whole = (await run('export', {})) as { roles: { key: string; permissions: string[] }[] }
    const roles = whole.roles.map((role) => (role.key === 'admin' ? { ...role, permissions: [] } : role))
    await inTurn(
      () => run('import', { bundle: whole }),
      () => run('import', { bundle: { ...whole, roles } }),
    )
  })

  it('waits for every PDP of the process', async () => {
    const second = pooledPdpServer(management)
    servers.unshift(second)
    const other = await second.listen(LOCAL)
    expect(await allowed(other)).toBe(true)
    for (let round = 0; round < ROUNDS; round++) {
      await facts('DELETE', 'role_assignments', ASSIGNMENT)
      expect(await Promise.all([allowed(), allowed(other)])).toEqual([false, false])
      await facts('POST', 'role_assignments', ASSIGNMENT)
      expect(await Promise.all([allowed(), allowed(other)])).toEqual([true, true])
    }
  })

  it('is not undone by a PDP that was just being opened', async () => {
    const { snapshots } = management
    let opened = (): void => undefined
    let goOn = (): void => undefined
    const isOpened = new Promise<void>((resolve) => {
      opened = resolve
    })
    const mayGoOn = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const held = Object.create(snapshots) as typeof snapshots
    held.image = async (environment) => {
      const image = await snapshots.image(environment)
      opened()
      await mayGoOn
      return image
    }
    const third = pooledPdpServer({ ...management, snapshots: held })
    servers.unshift(third)
    const base = await third.listen(LOCAL)
    const answer = allowed(base)
    await isOpened
    await facts('DELETE', 'role_assignments', ASSIGNMENT)
    goOn()
    expect(await answer).toBe(false)
    await facts('POST', 'role_assignments', ASSIGNMENT)
  })
})
