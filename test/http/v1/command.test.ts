// `zerohop pdp --v1` as its own process: what a client of the first API version does over one address, checks, cloud
// writes and the local cache.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { endServers, freePort, readKeys, Server, startApi, url } from '../../support/server.ts'

describe('zerohop pdp --v1', () => {
  const data = temporaryFolder('v1-api')
  let management: Server
  let api: string
  let pdp: string
  let key: string
  let organization: string
  let env: Record<string, string>

  const call = async (base: string, method: string, path: string, body?: unknown, bearer: string | null = key) => {
    const response = await fetch(base + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  const allowed = async (user: string, action: string, type: string) =>
    (await call(pdp, 'POST', '/allowed', { user, action, resource: { type, tenant: 'default' }, context: {} }, null))
      .body.allow

  beforeAll(async () => {
    const [apiPort, pdpPort] = [await freePort(), await freePort()]
    management = await startApi(data, apiPort)
    api = url(apiPort)
    pdp = url(pdpPort)
    const keys = readKeys(data)
    key = keys.environments.development
    organization = keys.organization
    env = {
      ZEROHOP_DATA: temporaryFolder('v1-pdp'),
      PDP_PORT: String(pdpPort),
      PDP_API_KEY: key,
      PDP_CONTROL_PLANE: api,
    }
    const server = new Server('pdp', env, ['--v1', '--keyless-checks'])
    await server.until(async () => (await fetch(`${pdp}/ready`)).ok)
  })
  afterAll(endServers)

  it('starts without the management API when it knows that nothing was outside of environments', async () => {
    const own = {
      ...env,
      PDP_API_KEY: readKeys(data).environments.production,
      ZEROHOP_DATA: temporaryFolder('v1-none'),
    }
    const port = await freePort()
    const start = () => new Server('pdp', { ...own, PDP_PORT: String(port) }, ['--v1'])
    const isReady = async () => (await fetch(`${url(port)}/ready`)).ok
    const first = start()
    await first.until(isReady)
    await first.end()
    await management.end('SIGKILL')
    const second = start()
    await second.until(isReady)
    await second.end()
    management = await startApi(data, Number(new URL(api).port))
  })

  it('serves an old client: resources, roles, users and checks over its one address', async () => {
    const sent = { name: 'task', type: 'rest', path: '/tasks', actions: [{ name: 'list' }] }
    expect((await call(pdp, 'PUT', '/cloud/resources/task', sent)).status).toBe(200)
    expect((await call(pdp, 'POST', '/cloud/roles', { name: 'lister', permissions: ['task:list'] })).status).toBe(200)
    expect(
      (await call(pdp, 'PUT', '/cloud/users', { key: 'eva', roles: [{ role: 'lister', tenant: 'default' }] })).status,
    ).toBe(200)
    await eventually(() => allowed('eva', 'list', 'task'), true)
    expect(await allowed('tom', 'list', 'task')).toBe(false)
    expect((await call(pdp, 'GET', '/cloud/users/eva')).body).toMatchObject({ customId: 'eva', tenantIds: ['default'] })
    expect((await call(pdp, 'GET', '/local/users/eva/roles')).body).toMatchObject([
      { id: 'lister', permissions: ['task:list'] },
    ])
    expect((await call(pdp, 'GET', '/local/users/eva', undefined, null)).status).toBe(401)
    expect((await call(pdp, 'POST', '/policy-updater/trigger')).status).toBe(200)
  })

  it('allows what is outside of environments as soon as it is defined', async () => {
    await call(api, 'PUT', '/v1/resources', { resources: [{ type: 'archive', actions: { read: {} } }] }, organization)
    await call(api, 'POST', '/v1/roles', { name: 'archivist', permissions: ['archive:read'] }, organization)
    await call(api, 'PUT', '/v1/users', { key: 'tom', roles: [{ role: 'archivist' }] }, organization)
    await eventually(() => allowed('tom', 'read', 'archive'), true)
    expect(await allowed('eva', 'read', 'archive')).toBe(false)
  })

  it.each([
    [['--keyless-checks'], '--keyless-checks can only be used with --v1'],
    [['--v1', '--image', 'policy.image'], '--v1 follows a management API'],
  ])('refuses %j', async (args, message) => {
    const server = new Server(
      'pdp',
      { PDP_API_KEY: key, PDP_CONTROL_PLANE: api, ZEROHOP_DATA: temporaryFolder('v1-no') },
      args,
    )
    await eventually(() => server.ended, true)
    expect(server.output).toContain(`zerohop: ${message}`)
  })
})
