// The story of the published client, unmodified, against the built command: the policy is written through the
// management API, the same answers come from the PDP, from the library, and from a PDP that was killed and started
// again.
import { Permit, PermitApiError } from 'permitio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import {
  endServers,
  freePort,
  type Keys,
  type Ports,
  readKeys,
  type Server,
  startServe,
  url,
} from '../support/server.ts'

describe('the published client', () => {
  const data = temporaryFolder('story')
  let ports: Ports
  let server: Server
  let keys: Keys
  let permit: Permit

  beforeAll(async () => {
    ports = { api: await freePort(), pdp: await freePort() }
    server = await startServe(data, ports)
    keys = readKeys(data)
    permit = new Permit({
      token: keys.environments.development,
      apiUrl: url(ports.api),
      pdp: url(ports.pdp),
      log: { level: 'silent' },
      throwOnError: true,
    })
  })
  afterAll(endServers)

  it('writes the policy: a resource, two roles, a tenant, users by create and by sync', async () => {
    const actions = { say: { name: 'Say' }, wave: {} }
    const hello = await permit.api.resources.create({ key: 'hello', name: 'Hello', actions })
    expect(Object.keys(hello.actions ?? {}).sort()).toEqual(['say', 'wave'])
    expect(hello.actions?.say?.name).toBe('Say')

    const admin = await permit.api.roles.create({
      key: 'admin',
      name: 'Admin',
      permissions: ['hello:say', 'hello:wave'],
    })
    const viewer = await permit.api.roles.create({ key: 'viewer', name: 'Viewer', permissions: ['hello:wave'] })
    expect([admin.permissions, viewer.permissions]).toEqual([['hello:say', 'hello:wave'], ['hello:wave']])

    const acme = await permit.api.tenants.create({ key: 'acme', name: 'Acme' })
    expect([acme.key, acme.attributes ?? null]).toEqual(['acme', null])

    const ana = await permit.api.users.create({ key: 'ana@acme.com', email: 'ana@acme.com', first_name: 'Ana' })
    expect([ana.key, ana.email, ana.first_name]).toEqual(['ana@acme.com', 'ana@acme.com', 'Ana'])
    const first = await permit.api.users.sync({ key: 'auth0|ben' })
    const second = await permit.api.users.sync({ key: 'auth0|ben', email: 'ben@acme.com' })
    expect([first.created, second.created, second.user.email]).toEqual([true, false, 'ben@acme.com'])
  })

  it('reads back what it wrote, by key and by id', async () => {
    const byKey = await permit.api.roles.get('admin')
    expect((await permit.api.roles.getById(byKey.id)).key).toBe('admin')
    expect((await permit.api.users.get('auth0|ben')).email).toBe('ben@acme.com')
    expect((await permit.api.resources.list()).map(({ key }) => key)).toEqual(['hello'])
    expect((await permit.api.roles.list()).map(({ key }) => key).sort()).toEqual(['admin', 'viewer'])
    expect((await permit.api.tenants.list()).map(({ key }) => key).sort()).toEqual(['acme', 'default'])
    expect((await permit.api.users.list()).data.map(({ key }) => key).sort()).toEqual(['ana@acme.com', 'auth0|ben'])
  })

  it('assigns roles and checks', async () => {
    await expect(permit.check('ana@acme.com', 'say', { type: 'hello', tenant: 'acme' })).resolves.toBe(false)
    await permit.api.users.assignRole({ user: 'ana@acme.com', role: 'admin', tenant: 'acme' })
    await permit.api.users.assignRole({ user: 'auth0|ben', role: 'viewer', tenant: 'acme' })
    await eventually(() => permit.check('auth0|ben', 'wave', { type: 'hello', tenant: 'acme' }), true)
    expect(await answers(permit)).toEqual([true, true, false, true, false, false, false])

    const held = await permit.api.users.getAssignedRoles({ user: 'ana@acme.com' })
    expect(held.map(({ role, tenant }) => [role, tenant])).toEqual([['admin', 'acme']])
  })

  it('bulkCheck answers each question in its place', async () => {
    expect(await permit.bulkCheck(QUESTIONS.map(([user, action, resource]) => ({ user, action, resource })))).toEqual(
      await answers(permit),
    )
    expect(await permit.bulkCheck([])).toEqual([])
  })

  it('getUserPermissions lists what check allows', async () => {
    const permissions = await permit.getUserPermissions('auth0|ben')
    expect(Object.keys(permissions)).toEqual(['__tenant:acme'])
    expect(permissions['__tenant:acme']).toMatchObject({
      tenant: { key: 'acme' },
      permissions: ['hello:wave'],
      roles: ['viewer'],
    })
    expect(await permit.getUserPermissions('ana@acme.com', ['default'])).toEqual({})
    expect(await permit.getUserPermissions('nobody')).toEqual({})
  })

  it('gets the errors that it knows: 409 for what exists, 404 for what does not', async () => {
    const status = async (call: Promise<unknown>) => {
      const error = await call.then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(PermitApiError)
      const { response } = error as PermitApiError<{ error_code?: string }>
      return [response?.status, response?.data.error_code]
    }
    const { resources, roles, tenants, users } = permit.api
    expect(await status(resources.create({ key: 'hello', name: 'Again', actions: {} }))).toEqual([
      409,
      'DUPLICATE_ENTITY',
    ])
    expect(await status(roles.create({ key: 'admin', name: 'Again' }))).toEqual([409, 'DUPLICATE_ENTITY'])
    expect(await status(tenants.create({ key: 'acme', name: 'Again' }))).toEqual([409, 'DUPLICATE_ENTITY'])
    expect(await status(users.create({ key: 'ana@acme.com' }))).toEqual([409, 'DUPLICATE_ENTITY'])
    expect(await status(users.assignRole({ user: 'ana@acme.com', role: 'admin', tenant: 'acme' }))).toEqual([
      409,
      'DUPLICATE_ENTITY',
    ])
    expect(await status(roles.get('nothing'))).toEqual([404, 'NOT_FOUND'])
    expect(await status(users.assignRole({ user: 'nobody', role: 'admin', tenant: 'acme' }))).toEqual([
      404,
      'NOT_FOUND',
    ])
    expect(await status(users.assignRole({ user: 'ana@acme.com', role: 'admin', tenant: 'nowhere' }))).toEqual([
      404,
      'NOT_FOUND',
    ])
    expect(await status(users.delete('nobody'))).toEqual([404, 'NOT_FOUND'])
    expect((await status(users.create({ key: 'a b' })))[0]).toBe(422)
  })

  it('the library gives the same answers from its own memory', async () => {
    const pdp = await connect({ url: url(ports.api), apiKey: keys.environments.development })
    try {
      expect(QUESTIONS.map(([user, action, resource]) => pdp.check(user, action, resource))).toEqual(
        await answers(permit),
      )
    } finally {
      await pdp.close()
    }
  })

  it('the answers survive kill -9 of the server', async () => {
    const before = await answers(permit)
    await server.end('SIGKILL')
    await expect(permit.check('ana@acme.com', 'say', { type: 'hello', tenant: 'acme' })).rejects.toThrow()
    server = await startServe(data, ports)
    await permit.check('ana@acme.com', 'say', 'hello').catch(() => undefined) // the kept-alive connection of before is dead
    expect(await answers(permit)).toEqual(before)
  })

  it('unassigns, and the answer changes', async () => {
    await permit.api.users.unassignRole({ user: 'ana@acme.com', role: 'admin', tenant: 'acme' })
    await eventually(() => permit.check('ana@acme.com', 'say', { type: 'hello', tenant: 'acme' }), false)
    expect(await answers(permit)).toEqual([false, false, false, true, false, false, false])
    expect(await permit.getUserPermissions('ana@acme.com')).toEqual({})
  })

  it('cleans up, and nothing is left', async () => {
    await permit.api.tenants.delete('acme')
    await permit.api.resources.delete('hello')
    await permit.api.roles.delete('admin')
    await permit.api.roles.delete('viewer')
    await permit.api.users.delete('ana@acme.com')
    await permit.api.users.delete('auth0|ben')
    await eventually(() => permit.check('auth0|ben', 'wave', { type: 'hello', tenant: 'acme' }), false)
    expect(await permit.api.resources.list()).toEqual([])
    expect(await permit.api.roles.list()).toEqual([])
    expect((await permit.api.users.list()).data).toEqual([])
    expect((await permit.api.tenants.list()).map(({ key }) => key)).toEqual(['default'])
    expect(await permit.api.roleAssignments.list({})).toEqual([])
  })

  it('the log holds no key', () => {
    for (const key of [keys.organization, ...Object.values(keys.environments)]) expect(server.output).not.toContain(key)
  })
})

const QUESTIONS = [
  ['ana@acme.com', 'say', { type: 'hello', tenant: 'acme' }],
  ['ana@acme.com', 'wave', { type: 'hello', tenant: 'acme' }],
  ['auth0|ben', 'say', { type: 'hello', tenant: 'acme' }],
  ['auth0|ben', 'wave', { type: 'hello', tenant: 'acme' }],
  ['auth0|ben', 'wave', { type: 'hello' }],
  ['nobody', 'wave', { type: 'hello', tenant: 'acme' }],
  ['ana@acme.com', 'shout', { type: 'hello', tenant: 'acme' }],
] as const

async function answers(permit: Permit): Promise<boolean[]> {
  const all: boolean[] = []
  for (const [user, action, resource] of QUESTIONS) all.push(await permit.check(user, action, resource))
  return all
}
