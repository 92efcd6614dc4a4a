// Writes that say what they are made for: the etag of the object that was read, or the revision of the environment. Of
// two who edit one object the second one is refused, and gets what it is now.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, joinHarness } from './harness.ts'

let api: Harness
beforeAll(async () => {
  api = await joinHarness()
  await api.ask('POST', '$S/resources', { key: 'doc', actions: { read: {} } })
  await api.ask('POST', '$F/tenants', { key: 'north' })
})
afterAll(() => api.close())

const OBJECTS = [
  ['users', '$F/users', { key: 'ana' }, 'ana', { first_name: 'Ana' }],
  ['tenants', '$F/tenants', { key: 'south' }, 'south', { name: 'South' }],
  [
    ...['resource instances', '$F/resource_instances'],
    ...[{ key: 'plan', resource: 'doc', tenant: 'north' }, 'doc:plan', { attributes: { a: 1 } }],
  ],
  ['roles', '$S/roles', { key: 'editor', permissions: ['doc:read'] }, 'editor', { name: 'Editors' }],
  ['roles of resources', '$S/resources/doc/roles', { key: 'owner' }, 'owner', { name: 'Owners' }],
  [
    'condition sets',
    '$S/condition_sets',
    { key: 'all', name: 'All', type: 'userset', conditions: {} },
    'all',
    { name: 'Every' },
  ],
] as const as readonly (readonly [string, string, object, string, object])[]

describe.each(OBJECTS)('%s', (_, path, body, ref, fields) => {
  const send = (method: 'PATCH' | 'PUT' | 'DELETE', etag: string, sent?: object, once?: string) =>
    api.ask(method, `${path}/${ref}`, sent, {
      headers: { 'if-match': etag, ...(once && { 'idempotency-key': once }) },
    })

  it('are changed and deleted as they were read, or not at all', async () => {
    expect((await api.ask('POST', path, body)).status).toBe(200)
    const first = String((await api.ask('GET', `${path}/${ref}`)).headers.etag)
    const changed = await send('PATCH', first, fields)
    const second = String(changed.headers.etag)
    expect([changed.status, second]).toEqual([200, (await api.ask('GET', `${path}/${ref}`)).headers.etag])
    expect(second).not.toBe(first)
    // the other one, who read it before
    const before = api.store.head(api.environment).revision
    for (const [method, sent] of [
      ['PATCH', { ...fields }],
      ['DELETE', undefined],
    ] as const) {
      const refused = await send(method, first, sent)
      expect([refused.status, refused.body.error_code, refused.headers.etag]).toEqual([412, 'INVALID_INPUT', second])
      expect(refused.body.additional_info).toMatchObject(fields)
    }
    expect(api.store.head(api.environment).revision).toBe(before)
    expect((await send('PATCH', '*', fields)).status).toBe(200)
    for (const wrong of ['W/"x"', second.slice(1), '"1"']) expect((await send('PATCH', wrong, fields)).status).toBe(400)
    // sent again with its key it gets its answer, although the object is another one, or gone
    const once = randomUUID()
    expect((await send('DELETE', second, undefined, once)).status).toBe(204)
    expect((await send('DELETE', second, undefined, once)).status).toBe(204)
    expect((await send('DELETE', second)).status).toBe(404)
  })
})

describe('two who replace one user', () => {
  it('do not overwrite each other', async () => {
    await api.ask('POST', '$F/users', { key: 'ben' })
    const etag = String((await api.ask('GET', '$F/users/ben')).headers.etag)
    const put = (first_name: string) =>
      api.ask('PUT', '$F/users/ben', { first_name }, { headers: { 'if-match': etag } })
    const answers = await Promise.all([put('One'), put('Two'), put('Three')])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412])
    const { body } = await api.ask('GET', '$F/users/ben')
    const kept = answers.find(({ status }) => status === 200)
    expect(body.first_name).toBe(kept?.body.first_name)
    for (const { status, body: refusal } of answers)
      if (status === 412) expect(refusal.additional_info.first_name).toBe(body.first_name)
  })
})

describe('a write that expects a revision', () => {
  it('is refused when the environment has another one, and writes nothing', async () => {
    const revision = () => api.store.head(api.environment).revision
    const send = (expected: string, key: string) =>
      api.ask('POST', '$F/bulk/users', { operations: [{ key }] }, { headers: { 'x-if-revision': expected } })
    const at = revision()
    expect((await send(String(at), 'cem')).status).toBe(200)
    const refused = await send(String(at), 'dan')
    expect([refused.status, refused.body.error_code]).toEqual([409, 'CONCURRENT_OPERATION_DISALLOWED'])
    expect(refused.body.message).toContain(`revision ${at + 1}, not at ${at}`)
    expect(revision()).toBe(at + 1)
    for (const wrong of ['', 'x', '-1', '1.5']) expect((await send(wrong, 'dan')).status).toBe(400)
    expect((await api.ask('GET', '$F/users/dan')).status).toBe(404)
  })
})
