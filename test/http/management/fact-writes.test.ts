// Writes of facts that can be sent again: what happens where a fact is there already or is missing is said in the query,
// and the answer says what became of each item. Without the query every form answers as before.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BULK_ASSIGNMENTS_MAX, BULK_SET_RULES_MAX } from '../../../src/model/limits.ts'
import { type Harness, joinHarness } from './harness.ts'

type Method = 'POST' | 'PUT' | 'DELETE'
interface Fact {
  readonly name: string
  /** of one */
  readonly path: string
  /** a body, and one that says something else of the same fact; undefined where a fact has nothing to say */
  readonly body: (name: string) => object
  readonly other?: (name: string) => object
  readonly gone: (name: string) => readonly [path: string, body?: object]
  readonly bulk?: string
  /** the bodies of a bulk call */
  readonly many?: (items: readonly object[]) => unknown
  readonly idents?: (names: readonly string[], items: readonly object[]) => unknown
  readonly bulkMethods?: readonly Method[]
  readonly strict?: false
}

const operations = (items: readonly object[]) => ({ operations: items })
const idents = (names: readonly string[]) => ({ idents: names })
const asList = (items: readonly object[]) => items
const until = (year: number) => `${year}-01-01T00:00:00.000Z`

const FACTS: readonly Fact[] = [
  {
    name: 'users',
    path: '$F/users',
    body: (key) => ({ key, email: 'a@example.com', attributes: { level: 1 } }),
    other: (key) => ({ key, attributes: { level: 2 } }),
    gone: (key) => [`$F/users/${key}`],
    ...{ bulk: '$F/bulk/users', many: operations, idents, bulkMethods: ['POST', 'PUT', 'DELETE'] },
  },
  {
    name: 'tenants',
    path: '$F/tenants',
    body: (key) => ({ key, name: key }),
    other: (key) => ({ key, name: 'Other' }),
    gone: (key) => [`$F/tenants/${key}`],
    ...{ bulk: '$F/bulk/tenants', many: operations, idents, bulkMethods: ['POST', 'DELETE'] },
  },
  {
    name: 'resource instances',
    path: '$F/resource_instances',
    body: (key) => ({ key, resource: 'doc', tenant: 'north', attributes: { a: 1 } }),
    other: (key) => ({ key, resource: 'doc', tenant: 'north', attributes: { a: 2 } }),
    gone: (key) => [`$F/resource_instances/doc:${key}`],
    bulk: '$F/bulk/resource_instances',
    many: operations,
    idents: (names) => ({ idents: names.map((name) => `doc:${name}`) }),
    bulkMethods: ['PUT', 'DELETE'],
  },
  {
    name: 'role assignments',
    path: '$F/role_assignments',
    body: (name) => ({ user: 'ana', role: 'editor', tenant: 'north', resource_instance: `doc:${name}` }),
    other: (name) => ({ ...held(name), valid_until: until(2040) }),
    gone: (name) => ['$F/role_assignments', held(name)],
    bulk: '$F/role_assignments/bulk',
    many: asList,
    idents: (_, items) => items,
    bulkMethods: ['POST', 'PUT', 'DELETE'],
  },
  {
    name: 'relationship tuples',
    path: '$F/relationship_tuples',
    body: (name) => ({ subject: 'doc:top', relation: 'parent', object: `doc:${name}`, tenant: 'north' }),
    other: (name) => ({ ...related(name), tenant: 'north', valid_until: until(2040) }),
    gone: (name) => ['$F/relationship_tuples', related(name)],
    bulk: '$F/relationship_tuples/bulk',
    many: operations,
    idents: (_, items) => ({ idents: items.map((item) => ({ ...item, tenant: undefined })) }),
    bulkMethods: ['POST', 'PUT', 'DELETE'],
  },
  {
    name: 'set rules',
    path: '$F/set_rules',
    body: (name) => ({ user_set: `role${name}`, permission: 'doc:read', resource_set: 'doc' }),
    gone: (name) => ['$F/set_rules', { user_set: `role${name}`, permission: 'doc:read', resource_set: 'doc' }],
    bulk: '$F/set_rules/bulk',
    many: operations,
    bulkMethods: ['PUT'],
    strict: false,
  },
  {
    name: 'users of a tenant',
    path: '$F/tenants/north/users',
    body: (key) => ({ key, attributes: { level: 1 } }),
    other: (key) => ({ key, attributes: { level: 2 } }),
    gone: (key) => [`$F/tenants/north/users/${key}`],
    strict: false,
  },
  {
    name: 'groups',
    path: '$S/groups',
    body: (name) => ({ group_instance_key: name, group_tenant: 'north' }),
    other: (name) => ({ group_instance_key: name, group_tenant: 'default' }),
    gone: (name) => [`$S/groups/group:${name}`],
  },
  {
    name: 'user invites',
    path: '$F/user_invites',
    body: (key) => invite(key),
    other: (key) => ({ ...invite(key), first_name: 'Ben' }),
    gone: (key) => [`$F/user_invites/${key}`],
  },
  {
    name: 'roles of groups',
    path: '$S/groups/group:team/roles',
    body: (name) => ofTeam(name),
    other: (name) => ({ ...ofTeam(name), valid_until: until(2040) }),
    gone: (name) => ['$S/groups/group:team/roles', ofTeam(name)],
    strict: false,
  },
]
const invite = (key: string) => ({
  ...{ key, status: 'pending', email: 'a@example.com', first_name: 'Ana', last_name: 'Lee' },
  ...{ role_id: 'editor', tenant_id: 'north' },
})
const ofTeam = (name: string) => ({ role: 'editor', resource: 'doc', resource_instance: name, tenant: 'north' })
const held = (name: string) => ({ user: 'ana', role: 'editor', tenant: 'north', resource_instance: `doc:${name}` })
const related = (name: string) => ({ subject: 'doc:top', relation: 'parent', object: `doc:${name}` })

let api: Harness
let round = 0
beforeAll(async () => {
  api = await joinHarness()
  await api.ask('POST', '$S/resources', { key: 'doc', actions: { read: {} }, relations: { parent: 'doc' } })
  await api.ask('POST', '$S/resources/doc/roles', { key: 'editor' })
  await api.ask('POST', '$S/roles', { key: 'editor' })
  await api.ask('POST', '$F/tenants', { key: 'north' })
  await api.ask('POST', '$F/users', { key: 'ana' })
  await api.ask('POST', '$F/resource_instances', { key: 'top', resource: 'doc', tenant: 'north' })
  await api.ask('POST', '$S/groups', { group_instance_key: 'team', group_tenant: 'north' })
})
afterAll(() => api.close())
beforeEach(() => {
  round++
})

const revision = () => api.store.head(api.environment).revision
/** the answer in short: what became of the one fact, or of each */
const outcomeIn = ({ body }: { body: { outcome?: string; items?: { outcome: string }[] } | { outcome?: string }[] }) =>
  Array.isArray(body) ? body[0]?.outcome : (body.outcome ?? body.items?.map(({ outcome }) => outcome).join(' '))
/** makes what a fact of that name needs */
async function named(fact: Fact, letter: string): Promise<string> {
  const name = `${letter}${round}`
  if (fact.name === 'set rules') await api.ask('POST', '$S/roles', { key: `role${name}` })
  return name
}
const send = async (method: Method, path: string, body?: unknown, status = 200) => {
  const before = revision()
  const answer = await api.ask(method, path, body)
  expect([method, path, answer.status, answer.body]).toEqual([method, path, status, answer.body])
  return { ...answer, revisions: revision() - before }
}

describe.each(FACTS)('$name', (fact) => {
  it('one is created, found the same, or kept', async () => {
    const name = await named(fact, 'a')
    const [body, other] = [fact.body(name), fact.other?.(name)]
    const path = `${fact.path}?on_duplicate=ignore`
    const made = await send('POST', path, body)
    expect([outcomeIn(made), made.revisions]).toEqual(['created', 1])
    const again = await send('POST', path, body)
    expect([outcomeIn(again), again.revisions]).toEqual(['same', 0])
    if (other === undefined) return
    const kept = await send('POST', path, other)
    expect([outcomeIn(kept), kept.revisions]).toEqual(['kept', 0])
    expect(outcomeIn(await send('POST', path, body))).toBe('same') // it has what it had
  })

  it('one that is there is refused where that is asked', async () => {
    const name = await named(fact, 'b')
    expect(outcomeIn(await send('POST', `${fact.path}?on_duplicate=error`, fact.body(name)))).toBe('created')
    const refused = await send('POST', `${fact.path}?on_duplicate=error`, fact.body(name), 409)
    expect([refused.body.error_code, refused.revisions]).toEqual(['DUPLICATE_ENTITY', 0])
    // without the parameter the form answers as it always did
    const usual = await api.ask('POST', fact.path, fact.body(name))
    expect(usual.status).toBe(fact.strict === false ? 200 : 409)
    expect(outcomeIn(usual)).toBe(undefined)
  })

  it('one is deleted, and missing after that', async () => {
    const name = await named(fact, 'c')
    await send('POST', fact.path, fact.body(name))
    const [path, body] = fact.gone(name)
    const gone = await send('DELETE', `${path}?on_missing=ignore`, body)
    expect([outcomeIn(gone), gone.revisions]).toEqual(['deleted', 1])
    const again = await send('DELETE', `${path}?on_missing=ignore`, body)
    expect([outcomeIn(again), again.revisions]).toEqual(['missing', 0])
    await send('DELETE', `${path}?on_missing=error`, body, 404)
    await send('DELETE', `${path}?return=report`, body, 404)
    await send('DELETE', path, body, 404)
  })

  const methods = fact.bulkMethods ?? []
  if (methods.includes('POST'))
    it('many are created or found', async () => {
      const [a, b] = [await named(fact, 'd'), await named(fact, 'e')]
      await send('POST', fact.path, fact.body(a))
      const both = fact.many?.([fact.body(a), fact.body(b), fact.body(b)])
      const refused = await send('POST', `${fact.bulk}?on_duplicate=error`, both, 409)
      expect(refused.revisions).toBe(0)
      const made = await send('POST', `${fact.bulk}?on_duplicate=ignore`, both)
      expect([outcomeIn(made), made.revisions]).toEqual(['same created created', 1])
      const again = await send('POST', `${fact.bulk}?on_duplicate=ignore`, both)
      expect([outcomeIn(again), again.revisions]).toEqual(['same same same', 0])
      const kept = await send('POST', `${fact.bulk}?on_duplicate=ignore`, fact.many?.([fact.other?.(a) ?? {}]))
      expect([outcomeIn(kept), kept.revisions]).toEqual(['kept', 0])
    })

  if (methods.includes('PUT'))
    it('many become so', async () => {
      const [a, b] = [await named(fact, 'f'), await named(fact, 'g')]
      await send('POST', fact.path, fact.body(a))
      const [first, second] = [fact.other?.(a) ?? fact.body(a), fact.body(b)]
      const path = `${fact.bulk}?return=report`
      const made = await send('PUT', path, fact.many?.([first, second, second]))
      expect([outcomeIn(made), made.revisions]).toEqual([`${fact.other ? 'changed' : 'same'} created created`, 1])
      const again = await send('PUT', path, fact.many?.([first, second]))
      expect([outcomeIn(again), again.revisions]).toEqual(['same same', 0])
    })

  if (methods.length > 0 && fact.other)
    it('two that differ are refused, with the place of both', async () => {
      const name = await named(fact, 'h')
      const body = fact.many?.([fact.body(await named(fact, 'i')), fact.body(name), fact.other?.(name) ?? {}])
      const method = methods.includes('POST') ? 'POST' : 'PUT'
      const refused = await send(method, `${fact.bulk}?return=report`, body, 422)
      expect(refused.body.detail[0].loc.at(-1)).toBe(2)
      expect([refused.body.detail[0].msg, refused.revisions]).toEqual([expect.stringContaining('items 1 and 2'), 0])
    })

  if (methods.includes('DELETE'))
    it('many are deleted or missing', async () => {
      const names = [await named(fact, 'j'), await named(fact, 'k'), await named(fact, 'l')]
      for (const name of names.slice(0, 2)) await send('POST', fact.path, fact.body(name))
      const [a = '', b = '', c = ''] = names
      const body = fact.idents?.([a, b, b, c], [a, b, b, c].map(fact.body))
      await send('DELETE', `${fact.bulk}?on_missing=error`, body, 404)
      const gone = await send('DELETE', `${fact.bulk}?on_missing=ignore`, body)
      expect([outcomeIn(gone), gone.revisions]).toEqual(['deleted deleted deleted missing', 1])
      const again = await send('DELETE', `${fact.bulk}?on_missing=ignore`, body)
      expect([outcomeIn(again), again.revisions]).toEqual(['missing missing missing missing', 0])
    })

  it('a word that the parameter does not have is refused', async () => {
    const name = await named(fact, 'm')
    const [path, body] = fact.gone(name)
    for (const [method, at, sent] of [
      ['POST', `${fact.path}?on_duplicate=keep`, fact.body(name)],
      ['POST', `${fact.path}?return=everything`, fact.body(name)],
      ['DELETE', `${path}?on_missing=skip`, body],
    ] as const) {
      const { body: refusal } = await send(method, at, sent, 422)
      expect(refusal.detail[0].loc[0]).toBe('query')
    }
  })
})

describe('a fact that is named by what it connects', () => {
  it('is made, changed or found by PUT, which says which', async () => {
    const assignment = { user: 'ana', role: 'editor', tenant: 'north', resource_instance: `doc:n${round}` }
    const put = async (path: string, body: object | undefined) => {
      const { status, body: answer } = await api.ask('PUT', path, body)
      return [status, answer.created, answer.outcome]
    }
    const path = '$F/role_assignments'
    expect(await put(path, assignment)).toEqual([201, true, undefined])
    expect(await put(`${path}?return=report`, assignment)).toEqual([200, false, 'same'])
    expect(await put(`${path}?return=report`, { ...assignment, valid_until: until(2041) })).toEqual([
      ...[200, false],
      'changed',
    ])
    const tuple = { subject: 'doc:top', relation: 'parent', object: `doc:o${round}`, tenant: 'north' }
    expect(await put('$F/relationship_tuples', tuple)).toEqual([201, true, undefined])
    expect(await put('$F/relationship_tuples', tuple)).toEqual([200, false, undefined])
    await api.ask('POST', '$S/roles', { key: `reader${round}` })
    const rule = { user_set: `reader${round}`, permission: 'doc:read', resource_set: 'doc' }
    expect(await put('$F/set_rules', rule)).toEqual([201, true, undefined])
    expect(await put('$F/set_rules', rule)).toEqual([200, false, undefined])
    await api.ask('POST', '$F/users', { key: `p${round}` })
    const member = `$F/tenants/north/users/p${round}`
    expect(await put(member, undefined)).toEqual([201, true, undefined])
    expect(await put(member, undefined)).toEqual([200, false, undefined])
    await api.ask('POST', '$S/groups', { group_instance_key: `g${round}`, group_tenant: 'north' })
    const inGroup = `$S/groups/group:g${round}/users/p${round}`
    // 200 for both, as the public API has it
    expect(await put(inGroup, { tenant: 'north' })).toEqual([200, true, undefined])
    expect(await put(inGroup, { tenant: 'north' })).toEqual([200, false, undefined])
  })

  it('is a group in a group, too, which is made, changed or found by PUT, and deleted or missing', async () => {
    await api.ask('POST', '$S/groups', { group_instance_key: `z${round}`, group_tenant: 'north' })
    const path = `$S/groups/group:z${round}/assign_group`
    const into = { group_instance_key: 'team' }
    const made = await send('PUT', path, into)
    expect([made.body.created, outcomeIn(made), made.revisions]).toEqual([true, undefined, 1])
    const same = await send('PUT', `${path}?return=report`, { group_instance_key: 'group:team' })
    expect([same.body.created, outcomeIn(same), same.revisions]).toEqual([false, 'same', 0])
    const changed = await send('PUT', `${path}?return=report`, { ...into, valid_until: until(2041) })
    expect([outcomeIn(changed), changed.revisions]).toEqual(['changed', 1])
    await send('PUT', path, { ...into, valid_from: until(2020), valid_until: until(2021) })
    const anew = await send('PUT', `${path}?return=report`, into) // it has ended, and is there
    expect([anew.body.created, outcomeIn(anew), anew.body.assigned_roles.length]).toEqual([false, 'changed', 2])
    const gone = await send('DELETE', `${path}?on_missing=ignore`, into)
    expect(gone.body.items).toEqual([{ key: expect.stringContaining('group:team'), outcome: 'deleted' }])
    const again = await send('DELETE', `${path}?on_missing=ignore`, into)
    expect([again.body.items, again.revisions]).toEqual([[{ key: null, outcome: 'missing' }], 0])
    const nowhere = { group_instance_key: `nowhere${round}` }
    expect(outcomeIn(await send('DELETE', `${path}?on_missing=ignore`, nowhere))).toBe('missing')
    for (const query of ['?on_missing=error', '?return=report', '']) await send('DELETE', path + query, into, 404)
  })

  it('is a role of a group of which something is missing: it differs, and stays as it is', async () => {
    const role = { ...ofTeam(`aa${round}`), role: 'owner' }
    await api.ask('POST', '$S/resources/doc/roles', { key: 'owner' })
    const path = '$S/groups/group:team/roles'
    await send('POST', path, role)
    const rule = { role: 'member', on_resource: 'group', linked_by_relation: 'group_group_owner' }
    expect((await api.ask('DELETE', '$S/resources/doc/roles/owner/implicit_grants', rule)).status).toBe(204)
    const kept = await send('POST', `${path}?on_duplicate=ignore`, role)
    expect([outcomeIn(kept), kept.revisions]).toEqual(['kept', 0])
    expect(outcomeIn(await send('POST', `${path}?return=report`, role))).toBe('changed')
  })

  it('is one item by whatever names the body has for it', async () => {
    const user = (await api.ask('GET', '$F/users/ana')).body.id
    const tenant = (await api.ask('GET', '$F/tenants/north')).body.id
    const on = { role: 'editor', resource_instance: `doc:q${round}` }
    const items = [
      { user: 'ana', tenant: 'north', ...on },
      { user, tenant, ...on },
    ]
    const made = await send('PUT', '$F/role_assignments/bulk', items)
    expect([outcomeIn(made), made.revisions]).toEqual(['created created', 1])
    const gone = await send('DELETE', '$F/role_assignments/bulk?return=report', items)
    expect([outcomeIn(gone), gone.body.assignments_removed]).toEqual(['deleted deleted', 1])
  })

  it('memberships are put by the thousand in one revision, and a call of too many is refused', async () => {
    const keys = Array.from({ length: 1_000 }, (_, at) => `r${round}_${at}`)
    await api.ask('POST', '$F/bulk/users', operations(keys.map((key) => ({ key }))))
    const body = operations(keys.map((user) => ({ user, tenant: 'north' })))
    const made = await send('PUT', '$F/bulk/memberships', body)
    expect([new Set(outcomeIn(made)?.split(' ')), made.revisions]).toEqual([new Set(['created']), 1])
    expect((await send('PUT', '$F/bulk/memberships', body)).revisions).toBe(0)
    const rules = Array.from({ length: BULK_SET_RULES_MAX + 1 }, () => ({
      ...{ user_set: 'reader', permission: 'doc:read', resource_set: 'doc' },
    }))
    await send('PUT', '$F/set_rules/bulk', operations(rules), 422)
  })
})

it('members of a group are put at once, in one revision, by whatever names the body has for them', async () => {
  const [a, b] = [`cc${round}`, `dd${round}`]
  const { body: ana } = await api.ask('POST', '$F/users', { key: a })
  await api.ask('POST', '$F/users', { key: b })
  const path = '$S/groups/group:team/bulk/users'
  const north = (await api.ask('GET', '$F/tenants/north')).body.id
  const put = (items: readonly object[], status = 200) => send('PUT', path, operations(items), status)
  await send('PUT', `$S/groups/group:team/users/${a}`, { tenant: 'north' })
  const [first, second] = [
    { user: a, tenant: 'north', valid_until: until(2042) },
    { user: b, tenant: 'north' },
  ]
  const made = await put([first, second, { ...first, user: ana.id, tenant: north }])
  expect([outcomeIn(made), made.revisions]).toEqual(['changed created changed', 1])
  expect(made.body.items[1].key).toContain(b)
  const again = await put([first, second])
  expect([outcomeIn(again), again.revisions]).toEqual(['same same', 0])
  expect((await api.ask('GET', '$S/groups/group:team/users')).body.data).toMatchObject([{ key: a }, { key: b }])
  const [entry] = (await api.ask('GET', '/v2/history?per_page=1')).body.data
  expect(entry.operation).toBe('putGroupUsers')
  // all or nothing
  const joins = { user: `ee${round}`, tenant: 'north' }
  await api.ask('POST', '$F/users', { key: joins.user })
  expect((await put([joins, { user: `nowhere${round}`, tenant: 'north' }], 404)).revisions).toBe(0)
  const differ = await put([second, { ...second, valid_until: until(2043) }], 422)
  expect(differ.body.detail[0].loc).toEqual(['body', 'operations', 1])
  expect((await put([{ user: a, tenant: 'default' }], 400)).revisions).toBe(0)
  expect(
    (
      await put(
        Array.from({ length: BULK_ASSIGNMENTS_MAX + 1 }, () => second),
        422,
      )
    ).revisions,
  ).toBe(0)
  expect(outcomeIn(await put([]))).toBe('')
  await send('PUT', '$S/groups/group:nowhere/bulk/users', operations([]), 404)
  await send('PUT', '$S/groups/group:nowhere/bulk/users', operations([second]), 404)
})

it('assignments to users who are missing are passed over, or make them, and say so', async () => {
  const items = [
    { user: `s${round}`, role: 'editor', tenant: 'north', resource_instance: `doc:s${round}` },
    { user: 'ana', role: 'editor', tenant: 'north', resource_instance: `doc:s${round}` },
  ]
  const path = '$F/role_assignments/bulk?on_duplicate=ignore&missing_user_policy='
  expect(outcomeIn(await send('POST', `${path}ignore`, items))).toBe('missing created')
  const made = await send('POST', `${path}create`, items)
  expect([outcomeIn(made), made.body.assignments_created]).toEqual(['created same', 1])
  await send('POST', `${path}fail`, [{ ...items[0], user: 'nobody' }], 404)
})

it('an assignment that has ended is made anew by POST, whatever is said of duplicates', async () => {
  const item = { user: 'ana', role: 'editor', tenant: 'north', resource_instance: `doc:t${round}` }
  await send('POST', '$F/role_assignments', { ...item, valid_from: until(2020), valid_until: until(2021) })
  expect(outcomeIn(await send('POST', '$F/role_assignments?on_duplicate=ignore', item))).toBe('created')
  expect(outcomeIn(await send('POST', '$F/role_assignments?on_duplicate=ignore', item))).toBe('same')
})

it('an invite to a role on an instance is another one than to the role in the tenant', async () => {
  const onTop = { ...invite(`bb${round}`), resource_instance_id: 'doc:top' }
  const path = '$F/user_invites?on_duplicate=ignore'
  expect(outcomeIn(await send('POST', path, onTop))).toBe('created')
  expect(outcomeIn(await send('POST', path, { ...onTop, reason: null }))).toBe('same')
  expect(outcomeIn(await send('POST', path, invite(`bb${round}`)))).toBe('kept')
})

it('the key of a tenant repeats its writes, and only its own', async () => {
  const { body: tenant } = await api.ask('POST', '$F/tenants', { key: `u${round}` })
  await api.ask('POST', '$S/roles', { key: `v${round}`, assignable_by_tenants: true })
  await api.ask('POST', `$F/tenants/u${round}/users`, { key: `w${round}` })
  const scope = (await api.ask('GET', '/v2/projects/default/envs/development')).body
  const { body: made } = await api.ask('POST', '/v2/api-key', {
    ...{ object_type: 'tenant', access_level: 'write', tenant_id: tenant.id, environment_id: scope.id },
    ...{ project_id: scope.project_id, organization_id: scope.organization_id },
  })
  const asTenant = async (method: Method, path: string, body?: object) => {
    const answer = await api.ask(method, path, body, { key: made.secret })
    return answer.status < 300 ? outcomeIn(answer) : answer.status
  }
  const path = `$F/tenants/u${round}/role_assignments`
  const given = { user: `w${round}`, role: `v${round}` }
  expect(await asTenant('POST', `${path}?on_duplicate=ignore`, given)).toBe('created')
  expect(await asTenant('POST', `${path}?on_duplicate=ignore`, given)).toBe('same')
  expect(await asTenant('PUT', `${path}?return=report`, given)).toBe('same')
  expect(await asTenant('DELETE', `${path}?on_missing=ignore`, given)).toBe('deleted')
  expect(await asTenant('DELETE', `${path}?on_missing=ignore`, given)).toBe('missing')
  // a role that tenants do not assign, and a user of another tenant, are as if they were not there
  expect(await asTenant('POST', `${path}?on_duplicate=ignore`, { ...given, role: `x${round}` })).toBe(404)
  expect(await asTenant('POST', `${path}?on_duplicate=ignore`, { ...given, user: 'ana' })).toBe(404)
  expect(await asTenant('DELETE', `$F/tenants/u${round}/users/w${round}?on_missing=ignore`)).toBe('deleted')
  expect(await asTenant('DELETE', `$F/tenants/north/users/ana?on_missing=ignore`)).toBe(404)
  expect(await asTenant('PUT', `$F/tenants/u${round}/users/ana`)).toBe(404)
  expect(await asTenant('POST', '$F/role_assignments?on_duplicate=ignore', { ...given, tenant: 'north' })).toBe(404)
})

it('history names the operation of the route', async () => {
  await send('POST', '$F/users?on_duplicate=ignore', { key: `y${round}` })
  const [entry] = (await api.ask('GET', '/v2/history?per_page=1')).body.data
  expect(entry.operation).toBe('createUser')
})
