// User keys that no URL can name: `.` and `..` are taken out of a path by whoever parses it. No way of making a user
// takes them; one that an older version stored is read, listed, checked and deleted by its id, and outlives backup and
// restore.
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeBackup, runAdmin } from '../../../src/management/host/admin.ts'
import { type Management, managementServer, openManagement, pooledPdpServer, readKeys } from '../../../src/server.ts'
import { restoreBackup } from '../../../src/store/backup.ts'
import { openStore } from '../../../src/store/store.ts'
import { BY, type TestUseCases } from '../../store/support.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { type Harness, openHarness } from './harness.ts'

const INVITE = {
  email: 'a@b.co',
  first_name: 'A',
  last_name: 'B',
  role_id: 'admin',
  tenant_id: 'default',
  status: 'pending',
}

describe.each(['.', '..'])('the user key `%s`', (dots) => {
  let api: Harness
  let key: string
  beforeAll(async () => {
    api = await openHarness({})
    key = api.made.environments[0]!.secret
  })
  afterAll(() => api.close())
  const users = () => [...api.store.view(api.environment).list('user')].map((user) => user.key)

  it.each([
    ['POST', '$F/users', { key: dots }, ['body', 'key']],
    ['POST', '$F/bulk/users', { operations: [{ key: 'cleo' }, { key: dots }] }, ['body', 'operations', 1, 'key']],
    ['PUT', '$F/bulk/users', { operations: [{ key: dots }] }, ['body', 'operations', 0, 'key']],
    ['POST', '$F/tenants/default/users', { key: dots }, ['body', 'key']],
    ['POST', '$F/user_invites', { ...INVITE, key: dots }, ['body', 'key']],
    ['PUT', '/v1/users', { key: dots }, ['body', 'key']],
  ] as const)('is refused by %s %s', async (method, path, body, loc) => {
    const before = users()
    const answer = await api.ask(method, path, body, { key })
    expect(answer.status, JSON.stringify(answer.body)).toBe(422)
    expect(answer.body).toMatchObject({
      detail: [{ loc, msg: expect.stringContaining(`invalid user key \`${dots}\``) }],
    })
    expect(users()).toEqual(before)
  })

  it('is refused where an assignment would make the user', async () => {
    const body = [{ user: dots, role: 'admin', tenant: 'default' }]
    const path = '$F/role_assignments/bulk?missing_user_policy=create'
    expect((await api.ask('POST', path, body)).status).toBe(422)
    expect(users()).not.toContain(dots)
  })

  it('is refused in a path that nobody parsed on the way', async () => {
    await api.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = api.app.server.address() as AddressInfo
    const path = `/v2/facts/default/development/users/${dots.replaceAll('.', '%2E')}`
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const status = await new Promise((resolve, reject) => {
      const put = request({ host: '127.0.0.1', port, method: 'PUT', path, headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      put.on('error', reject).end(JSON.stringify({ key: dots }))
    })
    expect(status).toBe(422)
    expect(users()).not.toContain(dots)
  })

  it('is refused in a policy file, with its place', async () => {
    const bundle = { zerohop: 1, users: [{ key: 'cleo' }, { key: dots }] }
    const input = { project: 'default', environment: 'development', bundle }
    const deps = { store: api.store, data: '', newId: () => '' }
    await expect(runAdmin(deps, 'import', input)).rejects.toMatchObject({
      code: 'KEY_INVALID',
      path: ['body', 'users', 1, 'key'],
      message: expect.stringContaining(`invalid user key \`${dots}\``),
    })
    expect(users()).not.toContain('cleo')
  })
})

describe('a user whose key is `..`, stored by an older version', () => {
  const data = temporaryFolder('dots')
  let management: Management
  beforeAll(async () => {
    const first = await openManagement({ data })
    const environment = first.store.view(first.organization).require('environment', 'default/development').id
    await first.store.close()
    const writerThread = new URL('../../store/writer-thread.mjs', import.meta.url)
    const older = await openStore<TestUseCases>({ data, writerThread })
    await older.commit(environment, 'createMember', { key: '..' }, BY)
    await older.close()
    management = await openManagement({ data })
  })
  afterAll(() => management.store.close())

  const readState = async (of: Management, secret: string) => {
    const headers = { authorization: `Bearer ${secret}` }
    const [api, pdp] = [managementServer(of), pooledPdpServer(of)]
    const list = (await api.inject({ url: '/v2/facts/default/development/users', headers })).json()
    const { id } = list.data.find((user: { key: string }) => user.key === '..')
    const user = (await api.inject({ url: `/v2/facts/default/development/users/${id}`, headers })).json()
    const payload = { user: { key: '..' }, action: 'say', resource: { type: 'hello' } }
    const check = (await pdp.inject({ method: 'POST', url: '/allowed', headers, payload })).json()
    await pdp.close()
    await api.close()
    return { id, key: user.key, allow: check.allow }
  }

  it('is read and listed, decides as it did, and comes back from a backup', async () => {
    const secret = readKeys(data)!.environments.development!
    const before = await readState(management, secret)
    expect(before).toMatchObject({ key: '..', allow: true })
    const [folder, restored] = [join(temporaryFolder('copy'), 'copy'), join(temporaryFolder('restored'), 'data')]
    await runAdmin({ store: management.store, data, newId: () => '' }, 'backup', { folder })
    await describeBackup(folder, Date.now())
    await restoreBackup(folder, restored, () => 'f'.repeat(64))
    const again = await openManagement({ data: restored })
    expect(await readState(again, secret)).toEqual(before)
    await again.store.close()
  })

  it('is changed and deleted by its id', async () => {
    const headers = { authorization: `Bearer ${readKeys(data)!.environments.development}` }
    const api = managementServer(management)
    const url = '/v2/facts/default/development/users'
    const { id } = (await api.inject({ url, headers })).json().data.find((user: { key: string }) => user.key === '..')
    const payload = { first_name: 'Dot' }
    const changed = await api.inject({ method: 'PATCH', url: `${url}/${id}`, headers, payload })
    expect(changed.json()).toMatchObject({ key: '..', first_name: 'Dot' })
    expect((await api.inject({ method: 'DELETE', url: `${url}/${id}`, headers })).statusCode).toBe(204)
    expect((await api.inject({ url: `${url}/${id}`, headers })).statusCode).toBe(404)
    await api.close()
  })
})
