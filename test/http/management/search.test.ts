// Lists that do not look at every object: users by role, and a search that parses only what it finds.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCAN_ROWS_PER_TURN } from '../../../src/model/limits.ts'
import { notOnReplicas } from '../../support/replicas.ts'
import { type Harness, joinHarness } from './harness.ts'

let api: Harness
beforeAll(async () => {
  api = await joinHarness()
  for (const key of ['reader', 'writer']) await api.ask('POST', '$S/roles', { key })
  for (const key of ['north', 'south']) await api.ask('POST', '$F/tenants', { key })
})
afterAll(() => api.close())

async function users(query: string): Promise<string[]> {
  const { body } = await api.ask('GET', `$F/users?per_page=100&${query}`)
  expect(body.total_count).toBe(body.data.length)
  return body.data.map(({ key }: { key: string }) => key)
}

describe('users by role', () => {
  it('are listed once, in order of creation, while they have the role in any tenant', async () => {
    const give = (user: string, tenant: string) =>
      api.ask('POST', '$F/role_assignments', { user, role: 'reader', tenant })
    const take = (user: string, tenant: string) =>
      api.ask('DELETE', '$F/role_assignments', { user, role: 'reader', tenant })
    for (const key of ['ana', 'ben', 'cy']) await api.ask('POST', '$F/users', { key })
    await give('cy', 'north')
    await give('ana', 'south')
    await give('ana', 'north')
    await api.ask('POST', '$F/role_assignments', { user: 'ben', role: 'writer' })
    expect(await users('role=reader')).toEqual(['ana', 'cy'])
    await take('ana', 'south')
    expect(await users('role=reader')).toEqual(['ana', 'cy'])
    await take('ana', 'north')
    expect(await users('role=reader')).toEqual(['cy'])
    await api.ask('PATCH', '$F/users/cy', { first_name: 'Cyrus' })
    expect(await users('role=reader&search=cyrus')).toEqual(['cy'])
    await give('ben', 'south')
    await api.ask('DELETE', '$F/tenants/south')
    await api.ask('DELETE', '$F/users/cy')
    expect(await users('role=reader')).toEqual([])
    await api.ask('PUT', '$F/users/ben', { role_assignments: [{ role: 'reader' }] })
    expect(await users('role=reader')).toEqual(['ben'])
    expect(await users('role=writer')).toEqual([])
    await api.ask('DELETE', '$S/roles/reader')
    await api.ask('POST', '$S/roles', { key: 'reader' })
    expect(await users('role=reader')).toEqual([])
  })
})

describe('a search', () => {
  it.each([
    ['O\'Brien "Bob" \\ x', '"bob" \\'],
    ['Ünïcödé', 'ÜNÏCÖDÉ'],
    ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
    ['ΟΔΥΣΣΕΥΣ', 'ΣΕΥ'],
    ['\u212a elvin', 'k elv'],
    ['line\nbreak', 'e\nb'],
    ['tab\tbed', '\tBED'],
    ['Ⓐ circle', 'ⓐ'],
  ])('finds %j by %j', async (last_name, search) => {
    await api.ask('PUT', '$F/users/odd', { last_name })
    expect(await users(`search=${encodeURIComponent(search)}`)).toEqual(['odd'])
  })

  it('does not find by anything but key, email and name', async () => {
    await api.ask('PUT', '$F/users/odd', { last_name: 'x', attributes: { needle: 'haystack' } })
    for (const search of ['haystack', 'needle', 'created_at', '":"', '{"id']) {
      expect(await users(`search=${encodeURIComponent(search)}`)).toEqual([])
    }
  })

  // a search waits until it is known what was written before it, and what is written meanwhile may be among that
  it.skipIf(notOnReplicas('a search and a write at the same time'))(
    'over several turns of the event loop counts what was there when it began',
    async () => {
      const operations = Array.from({ length: 3_000 }, (_, at) => ({ key: `many-${at}` }))
      await api.ask('POST', '$F/bulk/users', { operations })
      expect(operations.length).toBeGreaterThan(SCAN_ROWS_PER_TURN)
      const search = api.ask('GET', '$F/users?search=MANY-')
      const more = api.ask('POST', '$F/bulk/users', { operations: [{ key: 'many-more' }] })
      const [found, made] = await Promise.all([search, more])
      expect([found.body.total_count, made.status]).toEqual([3_000, 200])
      expect((await api.ask('GET', '$F/users?search=MANY-&page=101')).body).toMatchObject({
        total_count: 3_001,
        data: [{ key: 'many-more' }],
      })
    },
  )
})

describe('a search of people', () => {
  it('folds case and composes, on both sides', async () => {
    const people = { angstrom: 'Ångström', street: 'STRASSE', odysseus: 'Ὀδυσσεύς ΣΑΣ', izmir: 'ISIL' }
    for (const [key, last_name] of Object.entries(people))
      await api.ask('POST', '$F/users', { key: `fold-${key}`, last_name })
    const found = (search: string) => users(`search=${encodeURIComponent(search)}`)
    for (const search of ['ångström', 'A\u030angstro\u0308m', 'ANGSTRO\u0308M'.replace('A', 'A\u030a')])
      expect(await found(search), search).toEqual(['fold-angstrom'])
    expect(await found('angstrom')).toEqual(['fold-angstrom']) // by its key, which is bytes
    expect(await found('straße')).toEqual(['fold-street'])
    for (const search of ['σας', 'σασ', 'ΣΑΣ']) expect(await found(search), search).toEqual(['fold-odysseus'])
    expect(await found('isil')).toEqual(['fold-izmir'])
    expect(await found('ısıl')).toEqual([])
    // the same where each row is looked at
    await api.ask('POST', '$F/tenants', { key: 'folded', name: 'Groß' })
    const { body } = await api.ask('GET', '$F/tenants?search=GROSS&include_total_count=true')
    expect(body.data.map(({ key }: { key: string }) => key)).toEqual(['folded'])
    await api.ask('POST', '$S/roles', { key: 'boss', name: 'Größe' })
    expect((await api.ask('GET', `$S/roles?search=${encodeURIComponent('GRO\u0308SSE')}`)).body).toHaveLength(1)
  })
})
