// Suspended users (D16), as the API takes, keeps and answers them, and what questions to the environment make of it.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { packChange, unpackChanges } from '../../../src/log/codec.ts'
import { project } from '../../../src/log/delta.ts'
import { type Ask, type Harness, joinHarness } from './harness.ts'

const ENVIRONMENT = '/v2/projects/default/envs/development'
const UNTIL = Date.UTC(2099, 5, 1, 12)
const printed = (ms: number): string => new Date(ms).toISOString().replace('Z', '+00:00')

let api: Harness
let ask: Ask
beforeAll(async () => {
  api = await joinHarness()
  ask = api.ask
  const policy = {
    zerohop: 2,
    resources: [{ key: 'folder', actions: { read: {} } }],
    roles: [{ key: 'reader', permissions: ['folder:read'] }],
  }
  expect((await ask('POST', `${ENVIRONMENT}/apply`, { policy })).status).toBe(200)
})
afterAll(() => api.close())

/** Every test begins with ana, who may read. */
beforeEach(async () => {
  await ask('DELETE', '$F/users/ana')
  const role_assignments = [{ role: 'reader', tenant: 'default' }]
  expect((await ask('POST', '$F/users', { key: 'ana', email: 'ana@acme.test', role_assignments })).status).toBe(200)
})

const question = { user: 'ana', action: 'read', resource: { type: 'folder', tenant: 'default' } }
const mayRead = async (): Promise<boolean> => (await ask('POST', `${ENVIRONMENT}/check`, question)).body.allow
const suspend = (body: object) => ask('PUT', '$F/users/ana/suspension', body)
const read = async () => (await ask('GET', '$F/users/ana')).body
const revision = () => api.store.head(api.environment).revision

describe('suspending a user', () => {
  it('[D16] denies everything in one revision, and resuming gives back what was granted', async () => {
    expect(await mayRead()).toBe(true)
    const before = revision()
    const { status, body } = await suspend({ reason: ' left the company ' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ key: 'ana', suspension: { reason: 'left the company' } })
    expect(body.suspension).not.toHaveProperty('valid_until')
    expect(revision()).toBe(before + 1)
    expect(await mayRead()).toBe(false)
    expect(await read()).toMatchObject({ roles: [{ role: 'reader', tenant: 'default' }] })
    const resumed = await ask('DELETE', '$F/users/ana/suspension')
    expect(resumed.status).toBe(200)
    expect(resumed.body).not.toHaveProperty('suspension')
    expect(await mayRead()).toBe(true)
    expect(revision()).toBe(before + 2)
  })

  it('that says the same again, and resuming a user who is not suspended, change nothing', async () => {
    await suspend({ reason: 'left', valid_until: UNTIL })
    const before = revision()
    expect((await suspend({ reason: 'left' })).body.suspension.valid_until).toBe(printed(UNTIL))
    expect(revision()).toBe(before)
    await ask('DELETE', '$F/users/ana/suspension')
    expect((await ask('DELETE', '$F/users/ana/suspension')).status).toBe(200)
    expect(revision()).toBe(before + 1)
  })

  it('[D15] may be for a time, which is kept unless null clears it', async () => {
    await suspend({ reason: 'on leave', valid_from: UNTIL - 5, valid_until: UNTIL })
    expect(await mayRead()).toBe(true)
    const { body } = await suspend({ reason: 'on leave', valid_from: null })
    expect(body.suspension).toMatchObject({ reason: 'on leave', valid_until: printed(UNTIL) })
    expect(body.suspension).not.toHaveProperty('valid_from')
    expect(await mayRead()).toBe(false)
    await suspend({ reason: 'on leave', valid_until: 5 })
    expect(await mayRead()).toBe(true)
  })

  it('that has ended is made anew, so that who is suspended again is denied; one that begins later keeps its times', async () => {
    await suspend({ reason: 'on leave', valid_from: 5, valid_until: 6 })
    const { suspended_at: before } = (await read()).suspension
    expect(await mayRead()).toBe(true)
    await ask('PUT', '$F/users/ana', { email: 'ana@example.test' })
    expect((await read()).suspension).toMatchObject({ valid_until: printed(6), suspended_at: before })
    const { body } = await suspend({ reason: 'left' })
    expect(Object.keys(body.suspension).toSorted()).toEqual(['reason', 'suspended_at'])
    expect(await mayRead()).toBe(false)
    await suspend({ reason: 'left', valid_until: 6 })
    await ask('PATCH', '$F/users/ana', { suspension: { reason: 'left again' } })
    expect(await mayRead()).toBe(false)
    await suspend({ reason: 'later', valid_from: UNTIL })
    expect((await suspend({ reason: 'even later' })).body.suspension).toMatchObject({ valid_from: printed(UNTIL) })
  })

  it('is refused at the field of the body', async () => {
    const { body } = await suspend({ reason: 'left', valid_until: '2031-01-01T00:00:00' })
    expect(body.detail[0].loc).toEqual(['body', 'valid_until'])
    expect((await suspend({ reason: ' ' })).body.detail[0].loc).toEqual(['body', 'reason'])
  })

  it('stays with every write that does not name it, and null resumes', async () => {
    await suspend({ reason: 'left' })
    await ask('PUT', '$F/users/ana', { email: 'ana@example.test' })
    await ask('PATCH', '$F/users/ana', { first_name: 'Ana' })
    await ask('PUT', '$F/bulk/users', { operations: [{ key: 'ana' }] })
    await ask('POST', `${ENVIRONMENT}/apply`, { policy: { zerohop: 2, users: [{ key: 'ana', last_name: 'A' }] } })
    expect(await read()).toMatchObject({ last_name: 'A', suspension: { reason: 'left' } })
    expect((await ask('PATCH', '$F/users/ana', { suspension: null })).body).not.toHaveProperty('suspension')
    expect(await mayRead()).toBe(true)
  })

  it.each([
    ['without a reason', {}],
    ['with an empty reason', { reason: '  ' }],
    ['with a reason that is too long', { reason: 'x'.repeat(513) }],
    ['that ends before it begins', { reason: 'left', valid_from: 5, valid_until: 5 }],
    ['with an end without an offset', { reason: 'left', valid_until: '2031-01-01T00:00:00' }],
    ['with a member that it has not', { reason: 'left', until: UNTIL }],
  ])('is refused %s', async (_, body) => {
    expect((await suspend(body)).status).toBe(422)
    expect(await read()).not.toHaveProperty('suspension')
  })

  it('is refused for a user who is not there', async () => {
    expect((await ask('PUT', '$F/users/nobody/suspension', { reason: 'left' })).status).toBe(404)
    expect((await ask('DELETE', '$F/users/nobody/suspension')).status).toBe(404)
  })

  it('[D11] ends with the user, and does not come back with the key', async () => {
    await suspend({ reason: 'left' })
    await ask('DELETE', '$F/users/ana')
    const role_assignments = [{ role: 'reader', tenant: 'default' }]
    expect((await ask('POST', '$F/users', { key: 'ana', role_assignments })).body).not.toHaveProperty('suspension')
    expect(await mayRead()).toBe(true)
  })
})

describe('a suspension', () => {
  it('is the reason of every part, and explanations of the management side say why', async () => {
    await suspend({ reason: 'left the company', valid_until: UNTIL })
    const { body } = await ask('POST', `${ENVIRONMENT}/explain`, question)
    expect(body).toMatchObject({
      allow: false,
      code: 'user_suspended',
      rebac: 'user_suspended',
      abac: 'user_suspended',
    })
    expect(body.suspension).toMatchObject({ reason: 'left the company', valid_until: printed(UNTIL) })
    const [first] = body.why.tree.children
    expect(first.text).toBe('ana is suspended until 2099-06-01T12:00:00.000Z: nothing is allowed, whatever was granted')
    expect(first.children[0].text).toMatch(/^since 20.*: left the company$/)
  })

  it('is in exports, which make it again, without when it was said', async () => {
    await suspend({ reason: 'left', valid_until: UNTIL })
    const { body } = await ask('GET', `${ENVIRONMENT}/export?facts=true`)
    const exported = body.users.find(({ key }: { key: string }) => key === 'ana')
    expect(exported.suspension).toEqual({ reason: 'left', valid_until: printed(UNTIL) })
    await ask('DELETE', '$F/users/ana/suspension')
    await ask('POST', `${ENVIRONMENT}/apply`, { policy: { zerohop: 2, users: [exported] } })
    expect(await read()).toMatchObject({ suspension: { reason: 'left', valid_until: printed(UNTIL) } })
  })

  it('is undone, and made again, by reverts of its revisions', async () => {
    await suspend({ reason: 'left', valid_from: 5 })
    const suspended = revision()
    expect((await ask('POST', `${ENVIRONMENT}/revisions/${suspended}/revert`, {})).status).toBe(200)
    expect(await read()).not.toHaveProperty('suspension')
    const reverted = revision()
    expect((await ask('POST', `${ENVIRONMENT}/revisions/${reverted}/revert`, {})).status).toBe(200)
    expect(await read()).toMatchObject({ suspension: { reason: 'left', valid_from: printed(5) } })
  })

  it('has a change code of its own, without the reason, and is read as it was sent', () => {
    const stamps = { id: 'a', key: 'ana', created_at: 1, updated_at: 1 }
    const names = { email: null, first_name: null, last_name: null, attributes: {} }
    for (const times of [{}, { valid_from: 5 }, { valid_from: 5, valid_until: 9 }]) {
      const suspension = { reason: 'left', suspended_at: 1, ...times }
      const change = project({ op: 'put', kind: 'user', key: 'ana', value: { ...stamps, ...names, suspension } })!
      const packed = packChange(change)
      expect(Buffer.from(packed).includes('left')).toBe(false)
      expect(packed[2]).toBe(15) // behind the lengths of two lists
      expect(unpackChanges(packed, 1)).toEqual([{ op: 'put', kind: 'user', key: 'ana', value: { suspension: times } }])
    }
  })
})
