// Pages of what a user may do, of the management API: all are of the revision and the time of the first one.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Harness, joinHarness } from './harness.ts'

let api: Harness
const ASK = '/v2/projects/default/envs/development/user-permissions'
const TENANTS = ['default', 'one', 'two']
const write = async (path: string, body: object) => expect((await api.ask('POST', path, body)).status).toBeLessThan(300)
const ask = async (body: object) => (await api.ask('POST', ASK, { user: 'ana', ...body })).body

beforeAll(async () => {
  api = await joinHarness()
  await write('$S/resources', { key: 'doc', name: 'Doc', actions: { read: {} } })
  await write('$S/roles', { key: 'reader', name: 'Reader', permissions: ['doc:read'] })
  await write('$F/users', { key: 'ana' })
  for (const key of TENANTS.slice(1)) await write('$F/tenants', { key, name: key })
  for (const tenant of TENANTS) await write('$F/role_assignments', { user: 'ana', role: 'reader', tenant })
})
afterAll(() => api.close())

it('are joined what one answer says, whatever is written in between', async () => {
  const whole = await ask({})
  expect(whole).toMatchObject({ next: null, tenants: TENANTS.map((tenant) => ({ tenant })) })
  const pages = [await ask({ limit: 1 })]
  await write('$F/tenants', { key: 'four', name: 'four' })
  await write('$F/role_assignments', { user: 'ana', role: 'reader', tenant: 'four' })
  while (pages.at(-1).next !== null) pages.push(await ask({ limit: 1, after: pages.at(-1).next }))
  expect(pages.map(({ revision }) => revision)).toEqual(pages.map(() => whole.revision))
  expect(pages.flatMap(({ tenants }) => tenants)).toEqual(whole.tenants)
  expect((await ask({})).tenants).toHaveLength(4)
})

it('are bound to their question', async () => {
  const { next } = await ask({ limit: 1 })
  for (const other of [{ user: 'ben' }, { tenants: ['one'] }, { at: 1 }, { after: `${next.slice(0, -2)}AA` }]) {
    const { detail } = await ask({ after: next, ...other })
    expect(detail[0].loc).toEqual(['body', 'after'])
  }
  expect((await ask({ limit: 0 })).detail[0].loc).toEqual(['body', 'limit'])
})
