// A search answers what looking at every object would: the same objects in the same order, and their number, whatever
// the texts are and however they were written. docs/adr/0034-search-texts.md.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foldCase } from '../../../src/model/fold-case.ts'
import { SCAN_ROWS_PER_TURN, SEARCH_PLACES_PER_RECORD } from '../../../src/model/limits.ts'
import { parameters } from '../../property/seed.ts'
import { type Harness, joinHarness } from './harness.ts'

let api: Harness
beforeAll(async () => {
  api = await joinHarness()
  for (const key of ['doc', 'Doc']) await api.ask('POST', '$S/resources', { key, name: key, actions: { read: {} } })
  for (const key of ['north', 'North']) await api.ask('POST', '$F/tenants', { key, name: key })
  for (const key of ['reader', 'writer']) await api.ask('POST', '$S/roles', { key })
  // users of one record and of the next, however few rounds there are
  const operations = Array.from({ length: SEARCH_PLACES_PER_RECORD + 6 }, (_, at) => ({ key: `u${at}` }))
  expect((await api.ask('POST', '$F/bulk/users', { operations })).status).toBe(200)
})
afterAll(() => api.close())

type Row = Readonly<Record<string, string | null>>

/** All rows of a list, as it says by pages. */
async function all(path: string): Promise<{ rows: Row[]; total: number }> {
  const rows: Row[] = []
  for (let page = 1; ; page++) {
    const { body } = await api.ask('GET', `${path}&per_page=100&page=${page}&include_total_count=true`)
    rows.push(...body.data)
    if (body.data.length < 100) return { rows, total: body.total_count }
  }
}

/** Lists that are searched, with the fields that a search looks at. */
const LISTS = {
  '$F/users?': ['key', 'email', 'first_name', 'last_name'],
  '$F/tenants?': ['key', 'name'],
  '$F/resource_instances?': ['resource', 'key'],
} as const

/** What the list must answer to a search: the definition. */
function wanted(rows: readonly Row[], fields: readonly string[], search: string): Row[] {
  const part = foldCase(search)
  const texts = (row: Row) =>
    fields[0] === 'resource' ? [`${row.resource}:${row.key}`] : fields.map((field) => row[field])
  return rows.filter((row) =>
    texts(row).some((text) => text !== null && text !== undefined && foldCase(text).includes(part)),
  )
}

async function expectSame(path: string, fields: readonly string[], searches: readonly string[], rows: readonly Row[]) {
  for (const search of searches) {
    const found = await all(`${path}&search=${encodeURIComponent(search)}`)
    const same = wanted(rows, fields, search)
    expect({ search, ids: found.rows.map(({ id }) => id) }).toEqual({ search, ids: same.map(({ id }) => id) })
    expect(found.total).toBe(same.length)
  }
}

/** Letters whose case is not one letter for one, that depend on neighbours, whose bytes look like others, and plain ones. */
const LETTERS = [...'aAbBzZ09.-_%*"\\ \n', ...'ßẞİıIiΣσςÅåKkǅǆþÿýéÉ', 'e\u0301', '\ufffd', '\uffff', '𐐀', '𐐨', '😀']
const text = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 12 })
const keyText = fc.string({ unit: fc.constantFrom(...'aAbBzZ09_-|@'), minLength: 1, maxLength: 12 })
const maybe = fc.option(text)
const user = fc.record({ key: keyText, first_name: maybe, last_name: maybe })
const instance = fc.record({
  key: fc.string({ unit: fc.constantFrom(...'aAbBzZ09_-'), minLength: 1, maxLength: 8 }),
  resource: fc.constantFrom('doc', 'Doc'),
})
const round = fc.record({
  users: fc.uniqueArray(user, { selector: ({ key }) => key, minLength: 1, maxLength: 30 }),
  instances: fc.uniqueArray(instance, { selector: ({ key, resource }) => `${resource}:${key}`, maxLength: 30 }),
  tenant: fc.record({ key: fc.constantFrom('t1', 'T2', 't-3'), name: text }),
  gone: fc.nat(100),
  searches: fc.array(text, { maxLength: 3 }),
  parts: fc.array(fc.tuple(fc.nat(), fc.nat(11), fc.integer({ min: 1, max: 3 }), fc.boolean()), { maxLength: 4 }),
})

describe('a search', () => {
  it('finds what looking at every object finds', async () => {
    const written = async (method: 'PUT' | 'POST' | 'DELETE', path: string, body: unknown) => {
      const { status, body: answer } = await api.ask(method, path, body)
      expect([status < 300, answer]).toEqual([true, answer])
    }
    const law = fc.asyncProperty(round, async ({ users, instances, tenant, gone, searches, parts }) => {
      await written('PUT', '$F/bulk/users', { operations: users })
      const operations = instances.map((one) => ({ ...one, tenant: 'north' }))
      if (operations.length > 0) await written('PUT', '$F/bulk/resource_instances', { operations })
      await api.ask('DELETE', `$F/tenants/${tenant.key}`)
      await api.ask('POST', '$F/tenants', tenant)
      const known = (await all('$F/users?')).rows
      const leaving = known.filter((_, at) => at % 101 === gone).map(({ key }) => key)
      if (leaving.length > 0) await written('DELETE', '$F/bulk/users', { idents: leaving })
      for (const [path, fields] of Object.entries(LISTS)) {
        const { rows } = await all(path)
        const texts = rows.flatMap((row) => fields.map((field) => row[field] ?? '')).filter((each) => each !== '')
        const drawn = parts.map(([which, from, length, isUpper]) => {
          const part = [...(texts[which % texts.length] ?? 'a')].slice(from % 3, (from % 3) + length).join('') || 'z'
          return isUpper ? part.toUpperCase() : part
        })
        await expectSame(path, fields, [...searches, ...drawn], rows)
      }
    })
    await fc.assert(law, parameters(40))
    const { total } = await all('$F/users?')
    expect(total).toBeGreaterThan(SEARCH_PLACES_PER_RECORD)
  }, 60_000)
})

describe('a search beside filters that leave many', () => {
  const many = SCAN_ROWS_PER_TURN + 300
  beforeAll(async () => {
    const bulk = async (method: 'PUT' | 'POST', path: string, operations: unknown) =>
      expect((await api.ask(method, path, operations)).status).toBe(200)
    for (const [resource, tenant] of [
      ['doc', 'north'],
      ['doc', 'North'],
      ['Doc', 'north'],
    ]) {
      const operations = Array.from({ length: many }, (_, at) => ({ key: `many-${at}-${tenant}`, resource, tenant }))
      await bulk('PUT', '$F/bulk/resource_instances', { operations })
    }
    const users = Array.from({ length: 2 * many }, (_, at) => `crowd-${at}`)
    await bulk('POST', '$F/bulk/users', { operations: users.slice(0, many).map((key) => ({ key })) })
    await bulk('POST', '$F/bulk/users', { operations: users.slice(many).map((key) => ({ key })) })
    // in another order than the users were created
    const held = users.filter((_, at) => at % 2 === 0).reverse()
    for (const role of ['reader', 'writer'])
      for (let from = 0; from < held.length; from += 1_000) {
        const tenant = role === 'reader' ? 'north' : 'North'
        await bulk(
          'POST',
          '$F/role_assignments/bulk',
          held.slice(from, from + 1_000).map((user) => ({ user, role, tenant })),
        )
      }
  }, 60_000)

  const SEARCHES = ['many-1', 'Y-2', '17-NORTH', 'doc:m', 'north', 'nothing at all', '9']

  it.each([
    'resource=doc',
    'tenant=north',
    'resource=doc&tenant=North',
    'resource=Doc&tenant=north',
    'resource=Doc&tenant=North',
  ])(
    'finds instances by %s',
    async (filter) => {
      const path = `$F/resource_instances?${filter}`
      await expectSame(path, LISTS['$F/resource_instances?'], SEARCHES, (await all(path)).rows)
      const two = await all(`${path}&search=many-11&search=-22`)
      const { rows } = await all(path)
      const either = rows.filter(({ key }) => key?.includes('many-11') || key?.includes('-22'))
      expect([two.total, two.rows.map(({ id }) => id)]).toEqual([either.length, either.map(({ id }) => id)])
    },
    30_000,
  )

  it.each([
    '$F/users?role=reader',
    '$F/tenants/north/users?',
    '$F/tenants/North/users?',
    '$F/tenants/north/users?role=reader',
    '$F/tenants/North/users?role=reader',
  ])('finds users of %s', async (path) => {
    const { rows } = await all(path)
    await expectSame(path, LISTS['$F/users?'], ['crowd-1', 'OWD-22', '00', 'crowd-', 'nobody of that name'], rows)
  })

  it('finds tenants by attributes, too', async () => {
    for (const [key, level] of [
      ['branch-1', 'low'],
      ['branch-2', 'high'],
      ['branch-3', 'high'],
    ])
      await api.ask('POST', '$F/tenants', { key, name: key, attributes: { level } })
    const { rows, total } = await all('$F/tenants?search=BRANCH&attr_level=high')
    expect([total, rows.map(({ key }) => key)]).toEqual([2, ['branch-2', 'branch-3']])
  })
})
