// `zerohop requests`: what it asks, decides, lists and refuses.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Harness, openHarness } from '../http/management/harness.ts'
import { runHere } from '../support/run-here.ts'

let api: Harness
let variables: Record<string, string>
beforeAll(async () => {
  api = await openHarness()
  const requestable = { approvers: ['lead'], max_duration: 7_200 }
  const policy = {
    zerohop: 2,
    resources: [{ key: 'server', actions: { restart: {} }, roles: { operator: { requestable } } }],
    roles: [{ key: 'responder', requestable }, { key: 'lead' }],
    tenants: [{ key: 'acme' }],
    users: [{ key: 'ana' }, { key: 'ben' }],
    memberships: [{ user: 'ana', tenant: 'acme' }],
    resource_instances: [{ key: 'db', resource: 'server', tenant: 'acme' }],
    role_assignments: [{ user: 'ben', role: 'lead', tenant: 'acme' }],
  }
  const { status } = await api.ask('POST', '/v2/projects/default/envs/development/apply', { policy })
  expect(status).toBe(200)
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 })
  variables = { ZEROHOP_API: url, PDP_API_KEY: api.made.environments[0]!.secret }
})
afterAll(() => api.close())

const run = (...args: string[]) => runHere(['requests', ...args], variables)
const ask = (...args: string[]) => run('ask', 'responder', '--as', 'ana', '--tenant', 'acme', ...args)
const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`
const findId = (out: string) => /\((\w{32})\)/.exec(out)?.[1] ?? ''

it('asks, lists, approves for a shorter time, and revokes', async () => {
  const asked = await ask('--for', '2h', '--reason', 'disk full', '--ticket', 'OPS-1')
  expect(asked).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^pending: ana responder in tenant acme, for 2h \(\w{32}\)\n$/),
  })
  const id = findId(asked.out)
  const { out } = await run('list')
  expect(out).toMatch(new RegExp(`${id} +ana +responder +tenant acme +2h +pending +disk full`))
  const approved = await run('approve', id, '--as', 'ben', '--for', '1h', '--reason', 'go on')
  expect(approved.out).toMatch(new RegExp(`^approved: ana responder in tenant acme, until ${TIME} \\(${id}\\)\n$`))
  expect((await run('list')).out).not.toContain(id)
  const [row] = (await run('list', '--state', 'approved', '--user', 'ana', '--json')).out.trim().split('\n')
  expect(JSON.parse(row!)).toMatchObject({ id, approved_by: 'ben', decision_reason: 'go on', ticket: 'OPS-1' })
  expect((await run('revoke', id, '--as', 'ana')).out).toMatch(/^revoked: /)
})

it('denies and cancels', async () => {
  const denied = findId((await ask('--until', new Date(Date.now() + 60_000).toISOString(), '--reason', 'x')).out)
  expect((await run('deny', denied, '--as', 'ben', '--json')).out).toContain('"state": "denied"')
  const on = await run('ask', 'operator', '--as', 'ana', '--on', 'server:db', '--for', '90m', '--reason', 'x')
  expect(on.out).toMatch(/^pending: ana operator on server:db, for 90m/)
  expect((await run('cancel', findId(on.out), '--as', 'ana')).out).toMatch(/^cancelled: /)
})

it('refuses what cannot be read, and says what the API says', async () => {
  expect(await ask('--for', 'soon')).toMatchObject({ code: 64, err: expect.stringContaining('--for') })
  expect(await run('list', '--user', '')).toMatchObject({
    code: 64,
    err: expect.stringContaining('--user: it is empty'),
  })
  expect(await run('list', '--state', 'open')).toMatchObject({ code: 64 })
  expect(await run('approve', 'x')).toMatchObject({ code: 64, err: expect.stringContaining('--as') })
  expect(await ask('--reason', 'x')).toMatchObject({
    code: 1,
    err: expect.stringContaining('one of `duration` and `until`'),
  })
  expect(await run('approve', 'nothing', '--as', 'ben')).toMatchObject({
    code: 1,
    err: expect.stringContaining('does not exist'),
  })
})
