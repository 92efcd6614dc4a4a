// Facts as lines over HTTP: what is exported is imported as the same, in parts of any size; an import is applied whole or
// not at all, and says which line is wrong; nobody reads or writes more than their key may.
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BULK_BODY_BYTES_MAX, FACTS_EXPORTS_MAX, FACTS_PER_CALL_MAX } from '../../../src/model/limits.ts'
import { type Harness, openHarness } from './harness.ts'

let api: Harness
const LINES = { 'content-type': 'application/x-ndjson' }
const PRODUCTION = '/v2/facts/default/production'

const text = (...lines: unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')
const importLines = (body: string | Buffer, { at = '$F', headers = {}, key = undefined as string | undefined } = {}) =>
  api.ask('POST', `${at}/import`, body, { headers: { ...LINES, ...headers }, ...(key === undefined ? {} : { key }) })
const exportLines = async (query = '', at = '$F'): Promise<string> => {
  const { status, body } = await api.ask('GET', `${at}/export${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
/** The facts of a file, without its first and last line. */
const factsIn = (file: string): string[] => file.trimEnd().split('\n').slice(1, -1)
const head = () => api.store.head(api.environment).revision

const SCHEMA = {
  zerohop: 2,
  resources: [
    { key: 'doc', actions: { read: {} }, roles: { owner: { permissions: ['read'] } }, relations: { in: 'doc' } },
  ],
  roles: [{ key: 'reader', permissions: ['doc:read'] }],
}
const FACTS = [
  { tenant: { key: 'acme', attributes: { plan: 'gold' } } },
  { user: { key: 'ana', email: 'ana@example.com', attributes: { level: 1 } } },
  { user: { key: 'ben' } },
  { membership: { user: 'ben', tenant: 'acme' } },
  { resource_instance: { key: 'one', resource: 'doc', tenant: 'acme', attributes: { size: 2 } } },
  { resource_instance: { key: 'two', resource: 'doc', tenant: 'acme' } },
  { relationship_tuple: { subject: 'doc:one', relation: 'in', object: 'doc:two' } },
  { role_assignment: { user: 'ana', role: 'reader', tenant: 'acme' } },
  { role_assignment: { user: 'ana', role: 'owner', tenant: 'acme', resource_instance: 'doc:one' } },
]

beforeAll(async () => {
  api = await openHarness()
  for (const e of ['development', 'production'])
    expect((await api.ask('POST', `/v2/projects/default/envs/${e}/apply`, { policy: SCHEMA })).status).toBe(200)
})
afterAll(() => api.close())

describe('an import of lines', () => {
  it('applies all of them as one revision, and nothing the second time', async () => {
    const before = head()
    const first = await importLines(text({ zerohop_facts: 1 }, ...FACTS))
    expect(first.body).toEqual({ facts: 9, created: 9, changed: 0 })
    expect(first.headers['x-revision']).toBe(String(before + 1))
    expect((await importLines(text(...FACTS))).body).toEqual({ facts: 9, created: 0, changed: 0 })
    expect(head()).toBe(before + 1)
  })

  it('makes a fact what its line says, and keeps what has no line', async () => {
    const { body } = await importLines(text({ user: { key: 'ana', first_name: 'Ana' } }))
    expect(body).toEqual({ facts: 1, created: 0, changed: 1 })
    expect((await api.ask('GET', '$F/users/ana')).body).toMatchObject({
      ...{ email: null, first_name: 'Ana', attributes: {} },
    })
    expect((await importLines(text(FACTS[1]))).body).toEqual({ facts: 1, created: 0, changed: 1 })
  })

  it('takes lines in any order within one call, empty lines, other line ends and none at the end', async () => {
    const lines = [{ role_assignment: { user: 'eve', role: 'reader', tenant: 'acme' } }, { user: { key: 'eve' } }]
    const { body } = await importLines(`\n${JSON.stringify(lines[0])}\r\n\n${JSON.stringify(lines[1])}`)
    expect(body).toEqual({ facts: 2, created: 2, changed: 0 })
  })

  it('takes packed lines', async () => {
    const { status, body } = await importLines(gzipSync(text({ user: { key: 'fay' } })), {
      headers: { 'content-encoding': 'gzip' },
    })
    expect([status, body]).toEqual([200, { facts: 1, created: 1, changed: 0 }])
  })

  it.each<[string, string | Buffer, number, unknown]>([
    ['no JSON', `${text({ user: { key: 'x' } })}{"user":\n`, 422, ['body', 1]],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22, 0x0a]), 422, ['body', 0]],
    ['a member twice', '{"user":{"key":"a","key":"b"}}', 422, ['body', 0, 'user', 'key']],
    ['another kind', text({ user: { key: 'x' } }, { role: { key: 'x' } }), 422, ['body', 1, 'role']],
    ['two facts', text({ user: { key: 'x' }, tenant: { key: 'y' } }), 422, ['body', 0]],
    ['nothing in a line', text({}), 422, ['body', 0]],
    ['no object', text('user'), 422, ['body', 0]],
    ['an unknown field', text({ user: { key: 'x', nme: 1 } }), 422, ['body', 0, 'user', 'nme']],
    ['a wrong type', text({ user: { key: 1 } }), 422, ['body', 0, 'user', 'key']],
    ['a wrong key', text({ user: { key: 'x' } }, { user: { key: 'a b' } }), 422, ['body', 1, 'user', 'key']],
    ['another version', text({ zerohop_facts: 2 }), 422, ['body', 0, 'zerohop_facts']],
    ['too deep', `{"user":${'['.repeat(40)}${']'.repeat(40)}}`, 422, ['body', 0]],
  ])('refuses %s with the line, and applies nothing', async (_, body, status, loc) => {
    const before = head()
    const refused = await importLines(body)
    expect(refused.status).toBe(status)
    expect(refused.body.detail[0].loc).toEqual(loc)
    expect(head()).toBe(before)
  })

  it('names the line of what does not exist', async () => {
    const before = head()
    const lines = text({ user: { key: 'gus' } }, {}, FACTS[7]).replace('{}\n', '\n')
    const { status, body } = await importLines(lines.replace('"user":"ana"', '"user":"nobody"'))
    expect(status).toBe(404)
    expect(body.message).toContain('`nobody`')
    expect(body.additional_info).toMatchObject({ loc: ['body', 2, 'role_assignment', 'user'], index: 2 })
    expect(head()).toBe(before)
  })

  it('refuses too many facts, what unpacks to too much, what is no gzip, and other types', async () => {
    const many = text({ user: { key: 'x' } }).repeat(FACTS_PER_CALL_MAX + 1)
    expect((await importLines(many)).status).toBe(422)
    const packed = { 'content-encoding': 'gzip' }
    const long = await importLines(gzipSync(Buffer.alloc(BULK_BODY_BYTES_MAX + 1, ' ')), { headers: packed })
    expect([long.status, long.body.detail[0].msg]).toEqual([422, expect.stringContaining('unpacks to more than')])
    expect((await importLines('no gzip', { headers: packed })).status).toBe(422)
    expect((await api.ask('POST', '$F/import', {})).status).toBe(422)
    expect((await importLines('x', { headers: { 'content-type': 'text/csv' } })).status).toBe(415)
  })
})

describe('an export of lines', () => {
  it('is imported elsewhere as the same, in parts of any size', async () => {
    const file = await exportLines()
    expect(JSON.parse(file.split('\n')[0]!)).toEqual({ zerohop_facts: 1, revision: head() })
    expect(JSON.parse(file.trimEnd().split('\n').at(-1)!)).toEqual({ end: { facts: factsIn(file).length } })
    expect(factsIn(file)).toEqual(expect.arrayContaining(FACTS.map((fact) => JSON.stringify(fact))))
    const lines = factsIn(file)
    for (let size = 1; lines.length > 0; size++) {
      const part = `${lines.splice(0, size).join('\n')}\n`
      expect((await importLines(part, { at: PRODUCTION })).status).toBe(200)
    }
    expect(factsIn(await exportLines('', PRODUCTION))).toEqual(factsIn(file))
    expect((await importLines(file, { at: PRODUCTION })).body).toMatchObject({ created: 0, changed: 0 })
  })

  it('goes on after the facts that are there', async () => {
    const facts = factsIn(await exportLines())
    for (const skip of [0, 1, facts.length - 1, facts.length, facts.length + 5]) {
      const rest = await exportLines(`?skip=${skip}`)
      const [header, end] = [rest.split('\n')[0]!, rest.trimEnd().split('\n').at(-1)!]
      expect(JSON.parse(header)).toEqual({ zerohop_facts: 1, revision: head(), ...(skip > 0 && { skipped: skip }) })
      expect(factsIn(rest)).toEqual(facts.slice(skip))
      expect(JSON.parse(end)).toEqual({ end: { facts: facts.length } })
    }
  })

  it('is of the revision that is asked for, also when there are later ones', async () => {
    const revision = head()
    const then = await exportLines(`?at=${revision}`)
    expect((await importLines(text({ user: { key: 'zoe' } }))).body.created).toBe(1)
    expect(await exportLines(`?at=${revision}`)).toBe(then)
    expect(factsIn(await exportLines(`?at=${revision}&skip=2`))).toEqual(factsIn(then).slice(2))
    expect(factsIn(await exportLines())).toContain('{"user":{"key":"zoe"}}')
    expect((await api.ask('GET', '$F/export?at=99999')).status).toBe(404)
    expect((await api.ask('GET', '$F/export?skip=-1')).status).toBe(422)
    expect((await api.ask('GET', '$F/export?at=soon')).status).toBe(422)
  })

  it('is packed for who asks for it', async () => {
    const { rawPayload, headers } = await api.app.inject({
      url: '/v2/facts/default/development/export',
      headers: { authorization: `Bearer ${api.made.organization.secret}`, 'accept-encoding': 'gzip' },
    })
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'application/x-ndjson' })
    expect(gunzipSync(rawPayload).toString()).toBe(await exportLines())
    const plain = await api.ask('GET', '$F/export', undefined, { headers: { 'accept-encoding': 'gzip;q=0, br' } })
    expect(plain.headers['content-encoding']).toBeUndefined()
  })

  it('is refused while too many run, and answered again afterwards', async () => {
    // each process has a limit of its own: one of them is asked
    const headers = { authorization: `Bearer ${api.made.organization.secret}` }
    const asked = Array.from({ length: FACTS_EXPORTS_MAX + 2 }, () =>
      api.app.inject({ url: '/v2/facts/default/development/export', headers }),
    )
    const statuses = (await Promise.all(asked)).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 200)).toHaveLength(FACTS_EXPORTS_MAX)
    expect(statuses.filter((status) => status === 503)).toHaveLength(2)
    await exportLines()
  })
})

it('is for keys that may read, or write, facts of the environment', async () => {
  await api.addKey('env', 'read', 'reader-of-the-facts')
  expect((await api.ask('GET', '$F/export', undefined, { key: 'reader-of-the-facts' })).status).toBe(200)
  expect((await importLines(text({ user: { key: 'x' } }), { key: 'reader-of-the-facts' })).status).toBe(403)
  expect((await api.ask('GET', `${PRODUCTION}/export`, undefined, { key: 'reader-of-the-facts' })).status).toBe(404)
  expect((await api.ask('GET', '$F/export', undefined, { key: null })).status).toBe(401)
})
