// Access reviews over HTTP: lines in pages and as CSV, counts, what changed between two revisions, and what is refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cell } from '../../../src/management/access-review/csv.ts'
import { type Harness, joinHarness } from './harness.ts'

const ACCESS = '/v2/projects/default/envs/development/access'
const ODD = '@sum+1'

let api: Harness
let first: number
let last: number

const get = async (query = '', path = '') => (await api.ask('GET', `${ACCESS}${path}${query}`)).body
interface Line {
  readonly user: string
  readonly [name: string]: unknown
}
const short = ({ user, action, resource, resource_instance: key, tenant, access, source }: Line) => {
  const { role, user_set } = source as { role?: string; user_set?: string }
  return `${user} ${access} ${resource}:${action}${key ? ` on ${key}` : ''} in ${tenant ?? 'all'} by ${role ?? user_set}`
}

beforeAll(async () => {
  api = await joinHarness()
  const write = async (method: 'POST' | 'PUT' | 'DELETE', path: string, body: object): Promise<number> => {
    const { status, headers, body: answer } = await api.ask(method, path, body)
    expect(status, JSON.stringify(answer)).toBeLessThan(300)
    return Number(headers['x-revision'])
  }
  await write('POST', '$S/resources', {
    key: 'doc',
    name: 'doc',
    actions: { read: {}, write: {} },
    attributes: { public: { type: 'bool' } },
    roles: { owner: { name: 'owner', permissions: ['read', 'write'] } },
  })
  await write('POST', '$S/roles', { key: 'editor', name: 'editor', permissions: ['doc:read', 'doc:write'] })
  await write('POST', '$S/roles', { key: 'unused', name: 'unused', permissions: ['doc:read'] })
  await write('POST', '$S/condition_sets', {
    ...{ key: 'staff', name: 'staff', type: 'userset', conditions: { 'user.key': { equals: 'cyd' } } },
  })
  await write('POST', '$S/condition_sets', {
    ...{ key: 'open', name: 'open', type: 'resourceset', resource_id: 'doc' },
    conditions: { 'resource.public': { equals: true } },
  })
  await write('POST', '$F/set_rules', { user_set: 'staff', permission: 'doc:read', resource_set: 'open' })
  for (const key of ['ana', 'ben', 'cyd', ODD]) await write('POST', '$F/users', { key })
  for (const [key, isPublic] of [
    ['one', true],
    ['two', false],
  ] as const)
    await write('POST', '$F/resource_instances', {
      resource: 'doc',
      key,
      tenant: 'default',
      attributes: { public: isPublic },
    })
  first = await write('POST', '$F/role_assignments', { user: 'ana', role: 'editor', tenant: 'default' })
  await write('POST', '$F/role_assignments', {
    user: 'ben',
    role: 'owner',
    resource_instance: 'doc:two',
    tenant: 'default',
  })
  await write('POST', '$F/role_assignments', { user: ODD, role: 'editor', tenant: 'default' })
  last = await write('DELETE', '$F/role_assignments', { user: 'ana', role: 'editor', tenant: 'default' })
})
afterAll(() => api.close())

describe('an access review', () => {
  it('lists who has what, and by what', async () => {
    const { lines, revision, since, next } = await get()
    expect({ revision, since, next }).toEqual({ revision: last, since: null, next: null })
    expect(lines.map(short)).toEqual([
      `${ODD} allowed doc:read in default by editor`,
      `${ODD} allowed doc:write in default by editor`,
      'ben allowed doc:read on two in default by doc#owner',
      'ben allowed doc:write on two in default by doc#owner',
      'cyd conditional doc:read in all by staff',
      'cyd allowed doc:read on one in default by staff',
    ])
    expect(lines[4].when).toBe('resource.public is true')
  })

  it('goes on behind a page at the same revision, and is filtered', async () => {
    const page = await get('?limit=3')
    expect(page.lines).toHaveLength(3)
    await api.ask('POST', '$F/users', { key: 'dan' })
    const rest = await get(`?after=${page.next}`)
    expect([rest.revision, rest.lines.length, rest.next]).toEqual([last, 3, null])
    const texts = async (query: string) => (await get(query)).lines.map(short)
    expect(await texts('?user=ben&action=write')).toEqual(['ben allowed doc:write on two in default by doc#owner'])
    expect(await texts('?resource=doc:one&action=read')).toEqual([
      `${ODD} allowed doc:read in default by editor`,
      'cyd conditional doc:read in all by staff',
      'cyd allowed doc:read on one in default by staff',
    ])
    expect(await texts(`?role=editor&at=${first}`)).toEqual([
      'ana allowed doc:read in default by editor',
      'ana allowed doc:write in default by editor',
    ])
    expect(await texts('?role=nobody')).toEqual([])
    expect(await texts('?tenant=elsewhere')).toEqual([])
    expect(await texts('?resource=doc:absent')).toEqual([])
  })

  it('refuses the cursor of another question', async () => {
    const { next, revision } = await get(`?limit=1&since=${first}&action=read`)
    const status = async (query: string) => (await api.ask('GET', `${ACCESS}?after=${next}&${query}`)).status
    expect(await status(`since=${first}&action=read`)).toBe(200)
    expect(await status(`since=${first}&action=read&limit=7&at=${revision}&format=csv`)).toBe(200)
    for (const other of [
      `since=${first}`,
      `since=${first}&action=write`,
      `since=${last}&action=read`,
      'action=read',
      `since=${first}&action=read&changed=true`,
      `since=${first}&action=read&user=ben`,
      `since=${first}&action=read&tenant=default`,
    ])
      expect(await status(other), other).toBe(400)
    expect(await status(`since=${first}&action=read&at=${first}`)).toBe(422)
    const elsewhere = ACCESS.replace('development', 'production')
    expect((await api.ask('GET', `${elsewhere}?after=${next}&action=read&since=1`)).status).toBe(400)
  })

  it('marks what was added and removed since', async () => {
    const { lines, since } = await get(`?since=${first}&changed=true&action=read`)
    expect(since).toBe(first)
    expect(lines.map((line: Line) => [line.user, line.change])).toEqual([
      [ODD, 'added'],
      ['ana', 'removed'],
      ['ben', 'added'],
    ])
    const { access, since_at, revision_at } = await get(`?since=${first}&at=${last}`, '/changes')
    expect([access.lost.users, access.gained.users, since_at < revision_at]).toEqual([1, 2, true])
    expect(access.lost.first[0]).toMatchObject({ user: 'ana', resource: { type: 'doc' } })
  })

  it('counts by role and by resource, with roles that nobody has', async () => {
    const roles = (await get(`?by=role&at=${last}`, '/counts')).counts
    const counted = (key: string) => roles.find((each: Line) => each.key === key)
    expect(counted('editor')).toEqual({ key: 'editor', users: 1, conditional: 0, permissions: 2 })
    expect(counted('doc#owner')).toMatchObject({ users: 1, permissions: 2 })
    expect(counted('unused')).toMatchObject({ users: 0 })
    const { counts, complete } = await get(`?by=resource&at=${last}`, '/counts')
    expect(complete).toBe(true)
    expect(counts).toEqual([
      { key: 'doc:read', users: 3, conditional: 0, permissions: null },
      { key: 'doc:write', users: 2, conditional: 0, permissions: null },
    ])
  })

  it('is a file whose lines say the environment and the revision, and hold no formulas', async () => {
    const options = { headers: { accept: 'text/csv' } }
    const { headers, body } = await api.ask('GET', `${ACCESS}?at=${last}&since=${first}`, undefined, options)
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(headers['content-disposition']).toBe(`attachment; filename="access-default-development-r${last}.csv"`)
    const { revision_at: time } = await get(`?at=${last}`)
    const rows = String(body).split('\r\n')
    expect(rows[0]?.split(',').slice(0, 7)).toEqual([
      'environment',
      'revision',
      'time',
      'since',
      'change',
      'user',
      'access',
    ])
    const start = `default/development,${last},${time},${first}`
    expect(rows[1]).toBe(`${start},added,'@sum+1,allowed,read,doc,*,default,role,editor,,,,,,,,`)
    expect(rows).toContain(`${start},,cyd,conditional,read,doc,*,*,set_rule,,staff,open,,resource.public is true,,,,`)
    expect(rows).toContain(`${start},removed,ana,allowed,read,doc,*,default,role,editor,,,,,,,,`)
    expect(rows).toHaveLength(11)
    expect(rows.at(-1)).toBe('')
    // what was cut anywhere lacks it
    expect(rows.at(-2)).toBe(`${start},,,complete,,,,,,,,,,8 lines,,,,`)
    expect(rows.filter((row) => row.includes(',complete,'))).toHaveLength(1)
    const none = String((await api.ask('GET', `${ACCESS}?format=csv&user=nobody&at=${last}`)).body).split('\r\n')
    expect(none).toEqual([rows[0], `default/development,${last},${time},,,,complete,,,,,,,,,,0 lines,,,,`, ''])
  })

  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@sum', "'@sum"],
    ['\t=1', "'\t=1"],
    ['\r=1', `"'\r=1"`],
    ['＝1', "'＝1"],
    ['a,b', '"a,b"'],
    ['say "a"', '"say ""a"""'],
    ['two\nlines', '"two\nlines"'],
    [' a', '" a"'],
    ['a=b', 'a=b'],
    [null, ''],
    [12, '12'],
  ])('writes %j as %j', (value, text) => expect(cell(value)).toBe(text))

  it.each([
    ['', 'since=1000', 'since'],
    ['', 'at=yesterday', 'at'],
    ['', 'limit=0', 'limit'],
    ['', 'limit=1001', 'limit'],
    ['', 'format=xml', 'format'],
    ['', 'after=abc', 'after'],
    ['', `after=${Buffer.from('[1,2,3]').toString('base64url')}`, 'after'],
    ['', 'changed=perhaps', 'changed'],
    ['/counts', 'by=user', 'by'],
    ['/changes', 'since=9&at=8', 'since'],
    ['/changes', 'since=8&page=abc', undefined],
  ])('refuses GET %s?%s', async (path, query, name) => {
    const { status, body } = await api.ask('GET', `${ACCESS}${path}?${query}`)
    expect(name === 'after' ? [400] : [404, 422]).toContain(status)
    if (status === 422 && name !== undefined) expect(JSON.stringify(body)).toContain(`"${name}"`)
  })

  it('[D8] is of one instant, on every page and while it counts', async () => {
    await api.ask('POST', '$S/resources', { key: 'vault', name: 'vault', actions: { open: {} } })
    const set = { key: 'by-day', name: 'by-day', type: 'resourceset', resource_id: 'vault' }
    const conditions = { 'context.now': { 'greater-than': '2020-01-01T00:00:00Z' } }
    await api.ask('POST', '$S/condition_sets', { ...set, conditions })
    await api.ask('POST', '$F/set_rules', { user_set: 'staff', permission: 'vault:open', resource_set: 'by-day' })
    const lines: string[] = []
    for (let next: string | null = ''; next !== null; ) {
      const page: { lines: Line[]; next: string | null } = await get(
        `?resource=vault&limit=1${next === '' ? '' : `&after=${next}`}`,
      )
      lines.push(...page.lines.map(short))
      next = page.next
    }
    expect(lines).toEqual(['cyd allowed vault:open in all by staff'])
    const { counts } = await get('?by=resource', '/counts')
    expect(counts.find(({ key }: { key: string }) => key === 'vault:open')).toMatchObject({ users: 1, conditional: 0 })
  })
})

// at the end: it writes
describe('a review of roles for a time', () => {
  const MINUTE = 60_000
  /** the beginning of a minute that is to come */
  const START = (Math.floor(Date.now() / MINUTE) + 2) * MINUTE
  const toText = (ms: number): string => new Date(ms).toISOString()

  beforeAll(async () => {
    const assign = async (role: string, times: object, on: object = {}) => {
      const body = { user: 'tim', role, tenant: 'default', ...on, ...times }
      const { status, body: answer } = await api.ask('POST', '$F/role_assignments', body)
      expect(status, JSON.stringify(answer)).toBe(200)
    }
    await api.ask('POST', '$F/users', { key: 'tim' })
    await assign('editor', { valid_until: toText(START + 2000) })
    await assign('unused', { valid_from: toText(START + MINUTE) })
    await assign('owner', { valid_until: toText(START - 10 * MINUTE) }, { resource_instance: 'doc:one' })
  })
  const texts = async (query: string) => (await get(`?user=tim${query}`)).lines.map(short)

  it('[D15] has what is in force, with its times, and by state what starts later or has ended', async () => {
    const { lines } = await get('?user=tim')
    expect(lines.map(short)).toEqual(
      ['read', 'write'].map((action) => `tim allowed doc:${action} in default by editor`),
    )
    for (const line of lines) {
      expect(line.valid_until).toBe(toText(START + 2000))
      expect(line).not.toHaveProperty('valid_from')
    }
    expect(await texts('&state=in_force')).toEqual(lines.map(short))
    expect(await texts('&state=scheduled')).toEqual(['tim scheduled doc:read in default by unused'])
    expect((await get('?user=tim&state=scheduled')).lines).toMatchObject([{ valid_from: toText(START + MINUTE) }])
    expect(await texts('&state=ended')).toEqual(
      ['read', 'write'].map((action) => `tim ended doc:${action} on one in default by doc#owner`),
    )
    expect(await texts('&state=ended&resource=doc:two')).toEqual([])
    // set rules and relations give nothing that is listed by state
    expect((await get('?user=cyd&state=in_force')).lines).toEqual([])
    expect((await api.ask('GET', `${ACCESS}?state=gone`)).status).toBe(422)
    // at another instant
    expect(await texts(`&at=${toText(START + MINUTE)}`)).toEqual(['tim allowed doc:read in default by unused'])
  })

  it('[D15] is sorted by end, in pages of one instant', async () => {
    await api.ask('POST', '$F/users', { key: 'abe' })
    const later = { user: 'abe', role: 'editor', tenant: 'default', valid_until: toText(START + MINUTE) }
    expect((await api.ask('POST', '$F/role_assignments', later)).status).toBe(200)
    const all = await get('?sort=end')
    expect(all.lines.map(({ user, action }: Line) => [user, action])).toEqual([
      ['tim', 'read'],
      ['tim', 'write'],
      ['abe', 'read'],
      ['abe', 'write'],
    ])
    const first = await get('?sort=end&limit=3')
    const rest = await get(`?sort=end&after=${first.next}`)
    expect([[...first.lines, ...rest.lines], rest.next]).toEqual([all.lines, null])
    expect((await get('?sort=end&state=ended')).lines.map(short)).toEqual(
      ['read', 'write'].map((action) => `tim ended doc:${action} on one in default by doc#owner`),
    )
    expect((await get('?sort=end&user=abe&action=read')).lines).toHaveLength(1)
    expect((await get('?sort=end&user=nobody')).lines).toEqual([])
    for (const query of ['?sort=name', `?sort=end&since=${last}`])
      expect((await api.ask('GET', ACCESS + query)).status).toBe(422)
  })

  it('[D15] has the times in a file', async () => {
    const { body } = await api.ask('GET', `${ACCESS}?user=tim&action=read&format=csv`)
    const [header, line] = String(body)
      .split('\r\n')
      .map((text) => text.split(','))
    expect(header!.slice(-4)).toEqual(['valid_from', 'valid_until', 'reason', 'ticket'])
    expect(line!.slice(-4)).toEqual(['', toText(START + 2000), '', ''])
  })

  it('has why a role was given, of what was not written again after its revision', async () => {
    await api.ask('POST', '$F/users', { key: 'why' })
    const write = async (method: 'POST' | 'PUT' | 'DELETE', body: object) => {
      const sent = { user: 'why', tenant: 'default', ...body }
      const { status, headers } = await api.ask(method, '$F/role_assignments', sent)
      expect(status).toBeLessThan(300)
      return Number(headers['x-revision'])
    }
    await write('POST', { role: 'editor', ticket: 'OPS-1', reason: 'restores, "all"' })
    const first = await write('POST', { role: 'owner', resource_instance: 'doc:one', ticket: 'OPS-2' })
    const whys = async (query: string) =>
      (await get(`?user=why&action=read${query}`)).lines.map(({ resource_instance, ticket, reason }: Line) => [
        resource_instance,
        ticket,
        reason,
      ])
    const both = [
      [null, 'OPS-1', 'restores, "all"'],
      ['one', 'OPS-2', undefined],
    ]
    expect(await whys('')).toEqual(both)
    const { body } = await api.ask('GET', `${ACCESS}?user=why&action=read&format=csv`)
    const texts = String(body).split('\r\n')
    expect(texts.slice(1, 3).map((text) => text.split(',,').at(-1))).toEqual([
      expect.stringContaining('"restores, ""all""",OPS-1'),
      expect.stringMatching(/OPS-2$/),
    ])
    await new Promise((resolve) => setTimeout(resolve, 5)) // in another millisecond
    await write('PUT', { role: 'editor', ticket: 'OPS-3' })
    expect(await whys('')).toEqual([[null, 'OPS-3', 'restores, "all"'], both[1]])
    expect(await whys(`&at=${first}`)).toEqual([[null, undefined, undefined], both[1]])
    // of what is gone since, the reason is not known either
    await write('DELETE', { role: 'editor' })
    expect(await whys(`&since=${first}&changed=true`)).toEqual([[null, undefined, undefined]])
  })

  it('[D15] never counts over an instant at which something starts or ends', async () => {
    const countAt = async (ms: number) => {
      const { counts } = await get(`?by=role&at=${toText(ms)}`, '/counts')
      return counts.find(({ key }: { key: string }) => key === 'editor').users
    }
    const before = await countAt(START + 1000)
    expect([await countAt(START + 1999), await countAt(START + 2000), await countAt(START + 1500)]).toEqual([
      before,
      before - 1,
      before,
    ])
  })
})
