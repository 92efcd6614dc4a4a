// What was deleted is unknown from the next answer on, whatever was asked of it before: filters, snapshots and their
// tags. Over real HTTP, management and PDP in one process; test/property/live-ids.test.ts has all other doors.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Management, managementServer, openManagement, pooledPdpServer, readKeys } from '../../src/server.ts'
import { temporaryFolder } from '../support/folders.ts'

const LOCAL = { host: '127.0.0.1', port: 0 }
const ROW = { 'resource.n': { 'greater-than': 1 } }

describe('an object that is deleted and begun again, under questions that were asked before', () => {
  const data = temporaryFolder('deleted')
  const servers: { close(): PromiseLike<unknown> }[] = []
  let management: Management
  let key = ''
  let api = ''
  let pdp = ''

  beforeAll(async () => {
    management = await openManagement({ data, noExample: true })
    const apps = [managementServer(management), pooledPdpServer(management)] as const
    servers.push(...apps)
    key = readKeys(data)?.environments.development ?? ''
    api = await apps[0].listen(LOCAL)
    pdp = await apps[1].listen(LOCAL)
    await schema('POST', 'resources', { key: 'doc', actions: { read: {} }, attributes: { n: { type: 'number' } } })
    await schema('POST', 'condition_sets', { key: 'who', type: 'userset', conditions: ROW })
    await schema('POST', 'condition_sets', { key: 'what', type: 'resourceset', resource_id: 'doc', conditions: ROW })
    await facts('POST', 'set_rules', { user_set: 'who', permission: 'doc:read', resource_set: 'what' })
    await facts('POST', 'tenants', { key: 'acme' })
    await facts('POST', 'users', { key: 'ana' })
  })
  afterAll(async () => {
    for (const server of servers) await server.close()
    await management.store.close()
  })

  async function send(url: string, method: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  async function written(url: string, method: string, body?: unknown): Promise<void> {
    const { status, body: answer } = await send(url, method, body)
    expect(status, `${method} ${url}: ${JSON.stringify(answer)}`).toBeLessThan(300)
  }
  const facts = (method: string, path: string, body?: unknown) =>
    written(`${api}/v2/facts/default/development/${path}`, method, body)
  const schema = (method: string, path: string, body?: unknown) =>
    written(`${api}/v2/schema/default/development/${path}`, method, body)

  const asked = { user: 'ana', tenants: ['acme'], types: ['doc'] }
  const askFilterKind = async () =>
    (await send(`${pdp}/filter`, 'POST', { user: 'ana', action: 'read', resource: { type: 'doc', tenant: 'acme' } }))
      .body.kind
  const snapshot = (tag?: string) =>
    send(`${pdp}/snapshot`, 'POST', asked, tag === undefined ? {} : { 'if-none-match': `"${tag}"` })

  it.each([
    ['user', 'users', { key: 'ana' }],
    ['tenant', 'tenants', { key: 'acme' }],
  ])('a %s', async (_, list, object) => {
    expect(await askFilterKind()).toBe('when')
    const { etag, answers } = (await snapshot()).body
    expect(answers).not.toEqual([false])
    expect((await snapshot(etag)).status).toBe(304)

    await facts('DELETE', `${list}/${object.key}`)
    expect(await askFilterKind()).toBe('never')
    const gone = await snapshot(etag)
    expect([gone.status, gone.body.answers]).toEqual([200, [false]])

    await facts('POST', list, object)
    expect(await askFilterKind()).toBe('when')
    expect((await snapshot(etag)).status).toBe(304)
    expect((await snapshot(gone.body.etag)).status).toBe(200)
  })
})
