// Roles of resources, relations, derivations, action groups and condition sets over HTTP: the shapes of the contract.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, ID, joinHarness, TIME } from './harness.ts'

const times = { created_at: TIME, updated_at: TIME }

describe('the schema over HTTP', () => {
  let api: Harness
  let place: Harness['place']
  let team = ''
  let report = ''
  const keys = (objects: readonly { readonly key: string }[]) => objects.map(({ key }) => key)
  beforeAll(async () => {
    api = await joinHarness()
    place = api.place
    team = (await api.ask('POST', '$S/resources', { key: 'team', roles: { lead: {} } })).body.id
    report = (await api.ask('POST', '$S/resources', { key: 'report', actions: { read: {}, sign: {} } })).body.id
  })
  afterAll(() => api.close())

  it('a relation has exactly the members of the contract, and its list is a page', async () => {
    const sent = { key: 'team', name: 'Team', subject_resource: team }
    const { status, body } = await api.ask('POST', '$S/resources/report/relations', sent)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: ID,
      key: 'team',
      name: 'Team',
      description: null,
      subject_resource: 'team',
      subject_resource_id: team,
      object_resource: 'report',
      object_resource_id: report,
      ...place,
      ...times,
    })
    expect((await api.ask('POST', '$S/resources/report/relations', sent)).status).toBe(409)
    expect((await api.ask('GET', `$S/resources/${report}/relations/${body.id}`)).body).toEqual(body)
    const page = { data: [body], total_count: 1, page_count: 1 }
    expect((await api.ask('GET', '$S/resources/report/relations')).body).toEqual(page)
    expect((await api.ask('GET', '$S/resources/team/relations/team')).status).toBe(404)
  })

  it('a role of a resource has exactly the members of the contract', async () => {
    const sent = { key: 'owner', permissions: ['read'], extends: [], granted_to: null, attributes: { a: 1 } }
    const { status, body } = await api.ask('POST', '$S/resources/report/roles', sent)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: ID,
      key: 'owner',
      name: 'owner',
      description: null,
      permissions: ['read'],
      extends: [],
      attributes: { a: 1 },
      granted_to: null,
      resource: 'report',
      resource_id: report,
      ...place,
      ...times,
    })
    expect((await api.ask('GET', '$S/resources/report/roles')).body).toEqual([body])
    expect((await api.ask('GET', `$S/resources/${report}/roles/${body.id}`)).body).toEqual(body)
    const more = await api.ask('POST', '$S/resources/report/roles/owner/permissions', { permissions: ['report:sign'] })
    expect(more.body.permissions).toEqual(['report:read', 'report:sign'])
    const less = await api.ask('DELETE', '$S/resources/report/roles/owner/permissions', { permissions: ['sign'] })
    expect([less.status, less.body.permissions]).toEqual([200, ['report:read']])
    expect((await api.ask('PATCH', '$S/resources/report/roles/owner', { name: 'Owner' })).body.name).toBe('Owner')
    expect((await api.ask('GET', '$S/roles')).body).toEqual([])
  })

  it('a derivation prints with the ids of what it names', async () => {
    const path = '$S/resources/report/roles/owner/implicit_grants'
    const rule = { role: 'lead', on_resource: 'team', linked_by_relation: 'team' }
    const when = { no_direct_roles_on_object: false }
    const added = await api.ask('POST', path, rule)
    const { body: lead } = await api.ask('GET', '$S/resources/team/roles/lead')
    const { body: relation } = await api.ask('GET', '$S/resources/report/relations/team')
    const printed = { ...rule, when, role_id: lead.id, resource_id: team, relation_id: relation.id }
    expect([added.status, added.body]).toEqual([200, printed])
    expect((await api.ask('POST', path, rule)).status).toBe(409)
    const owner = () => api.ask('GET', '$S/resources/report/roles/owner').then(({ body }) => body)
    expect((await owner()).granted_to).toEqual({ id: ID, when, users_with_role: [printed] })
    const settings = { no_direct_roles_on_object: true }
    const set = await api.ask('PUT', `${path}/conditions`, settings)
    expect([set.status, set.body]).toEqual([200, settings])
    expect((await owner()).granted_to.when).toEqual(settings)
    const foreign = await api.ask('POST', path, { ...rule, on_resource: 'report', role: 'owner' })
    expect([foreign.status, foreign.body.error_code]).toEqual([400, 'MISMATCH_RELATION_TYPE'])
    expect((await api.ask('DELETE', path, rule)).status).toBe(204)
    expect((await api.ask('DELETE', path, rule)).status).toBe(404)
    await api.ask('PUT', `${path}/conditions`, {})
    expect((await owner()).granted_to).toBeNull()
  })

  it('concurrent derivations of one role all survive', async () => {
    await api.ask('PATCH', '$S/resources/team', { roles: { lead: {}, a: {}, b: {}, c: {} } })
    const path = '$S/resources/report/roles/owner/implicit_grants'
    const rules = ['a', 'b', 'c'].map((role) => ({ role, on_resource: 'team', linked_by_relation: 'team' }))
    const answers = await Promise.all(rules.map((rule) => api.ask('POST', path, rule)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const { body } = await api.ask('GET', '$S/resources/report/roles/owner')
    expect(body.granted_to.users_with_role.map(({ role }: { role: string }) => role).sort()).toEqual(['a', 'b', 'c'])
  })

  it('an action group lists keys of actions', async () => {
    const sent = { key: 'all', name: 'All', actions: ['read', 'sign'], attributes: { kind: 'x' } }
    const { status, body } = await api.ask('POST', '$S/resources/report/action_groups', sent)
    expect(status).toBe(200)
    expect(body).toEqual({ id: ID, ...sent, description: null, resource_id: report, ...place, ...times })
    expect((await api.ask('GET', '$S/resources/report/action_groups?attr_kind=x')).body).toEqual([body])
    expect((await api.ask('GET', '$S/resources/report/action_groups?attr_kind=y')).body).toEqual([])
    const path = `$S/resources/report/action_groups/${body.id}`
    expect((await api.ask('GET', path)).body).toEqual(body)
    expect((await api.ask('PATCH', path, { actions: ['read'] })).body.actions).toEqual(['read'])
    const missing = await api.ask('PATCH', path, { actions: ['fly'] })
    expect([missing.status, missing.body.error_code]).toEqual([404, 'NOT_FOUND'])
  })

  it('a resource prints its roles, relations and action groups by key', async () => {
    const { body } = await api.ask('GET', '$S/resources/report')
    const { body: owner } = await api.ask('GET', '$S/resources/report/roles/owner')
    expect(body).toMatchObject({
      roles: { owner },
      relations: { team: { resource: 'team', resource_id: team, relation_name: 'Team', description: null } },
      action_groups: { all: ['read'] },
    })
    expect((await api.ask('DELETE', '$S/resources/report/action_groups/all')).status).toBe(204)
    expect((await api.ask('DELETE', '$S/resources/report/relations/team')).status).toBe(204)
    expect((await api.ask('DELETE', '$S/resources/report/roles/owner')).status).toBe(204)
    expect((await api.ask('GET', '$S/resources/report')).body).toMatchObject({
      roles: {},
      relations: {},
      action_groups: {},
    })
  })

  it('__user and __tenant are listed when asked for, and declare attributes', async () => {
    const listed = async (query: string) => keys((await api.ask('GET', `$S/resources${query}`)).body)
    expect(await listed('')).toEqual(['team', 'report'])
    expect(await listed('?include_built_in=true')).toEqual(['__user', '__tenant', 'team', 'report'])
    expect(await listed('?include_built_in=true&page=2&per_page=3')).toEqual(['report'])
    expect(await listed('?include_built_in=true&search=user')).toEqual(['__user'])
    const counted = await api.ask('GET', '$S/resources?include_built_in=true&include_total_count=true&per_page=1')
    expect(counted.body).toMatchObject({ total_count: 4, page_count: 4 })

    const sent = { key: 'age', type: 'number' }
    const { status, body } = await api.ask('POST', '$S/users/attributes', sent)
    const { body: user } = await api.ask('GET', '$S/resources/__user')
    expect(status).toBe(200)
    expect(body).toEqual({
      id: ID,
      ...sent,
      description: null,
      resource_id: user.id,
      resource_key: '__user',
      built_in: false,
      ...place,
      ...times,
    })
    expect(user.attributes.age.id).toBe(body.id)
    expect((await api.ask('GET', `$S/resources/${user.id}/attributes/age`)).body).toEqual(body)
    await api.ask('POST', '$S/users/attributes?resource_id=__tenant', { key: 'plan', type: 'string' })
    expect(keys((await api.ask('GET', '$S/users/attributes')).body)).toEqual(['age'])
    expect(keys((await api.ask('GET', '$S/users/attributes?resource_id=__tenant')).body)).toEqual(['plan'])
    expect((await api.ask('PATCH', '$S/users/attributes/age', { description: 'in years' })).body.description).toBe(
      'in years',
    )
    expect((await api.ask('GET', '$S/users/attributes/plan')).status).toBe(404)
    expect((await api.ask('DELETE', '$S/users/attributes/plan?resource_id=__tenant')).status).toBe(204)
    expect((await api.ask('PUT', '$S/resources/__user', { name: 'x' })).status).toBe(404)
  })

  it('a condition set has exactly the members of the contract', async () => {
    const adults = { key: 'adults', conditions: { allOf: [{ 'user.age': { 'greater-than': 17 } }] } }
    const { status, body: parent } = await api.ask('POST', '$S/condition_sets', adults)
    expect(status).toBe(200)
    const nothing = { description: null, resource_id: null, resource: null, parent_id: null }
    const rest = { type: 'userset', autogenerated: false, name: 'adults', ...nothing, ...place, ...times }
    expect(parent).toEqual({ id: ID, ...adults, ...rest })
    const sent = { key: 'signed', type: 'resourceset', resource_id: 'report', conditions: {} }
    const { body: docs } = await api.ask('POST', '$S/condition_sets', sent)
    const { body: resource } = await api.ask('GET', '$S/resources/report')
    expect(docs).toMatchObject({ type: 'resourceset', resource_id: report, resource })
    const { body: child } = await api.ask('POST', '$S/condition_sets', { key: 'old', parent_id: 'adults' })
    expect(child.parent_id).toBe(parent.id)
    expect((await api.ask('POST', '$S/condition_sets', { key: 'old' })).status).toBe(409)

    const listed = async (query: string) => keys((await api.ask('GET', `$S/condition_sets${query}`)).body)
    expect(await listed('')).toEqual(['adults', 'signed', 'old'])
    expect(await listed('?type=userset')).toEqual(['adults', 'old'])
    expect(await listed('?search=SIGN')).toEqual(['signed'])
    expect((await api.ask('GET', '$S/condition_sets?type=role')).status).toBe(422)
    expect((await api.ask('GET', '$S/condition_sets?include_total_count=true&type=userset')).body).toMatchObject({
      total_count: 2,
      page_count: 1,
    })
    expect(await listed('/old/ancestors')).toEqual(['adults'])
    expect(await listed('/adults/descendants')).toEqual(['old'])
    expect(await listed('/adults/possible_parents')).toEqual([])
    expect(await listed('/old/possible_parents')).toEqual(['adults'])
    expect((await api.ask('GET', `$S/condition_sets/${child.id}`)).body).toEqual(child)

    const detached = await api.ask('PATCH', '$S/condition_sets/old', { parent_id: null, name: 'Old' })
    expect(detached.body).toMatchObject({ parent_id: null, name: 'Old' })
    expect((await api.ask('PUT', '$S/condition_sets/old', { name: 'x' })).body.detail).toMatchObject([
      { loc: ['body', 'conditions'], type: 'value_error.missing' },
    ])
    expect((await api.ask('PUT', '$S/condition_sets/old', { conditions: {} })).body).toMatchObject({ name: 'old' })
    expect((await api.ask('DELETE', '$S/condition_sets/old')).status).toBe(204)
  })

  it('roles in bulk are created or replaced, and may name each other in any order', async () => {
    await api.ask('POST', '$S/roles', { key: 'kept', extends: [], description: 'goes' })
    await api.ask('PATCH', '$S/resources/report', { relations: { up: 'report' } })
    const rule = { role: 'late', on_resource: 'report', linked_by_relation: 'up' }
    const operations = [
      { key: 'early', extends: ['late'], permissions: ['report:read'] },
      { key: 'kept', name: 'Kept', extends: ['early'] },
      { key: 'late' },
      { key: 'early', resource: 'report', granted_to: { users_with_role: [rule] } },
      { key: 'late', resource: report, permissions: ['sign'] },
    ]
    const put = () => api.ask('PUT', '$S/bulk/roles', { operations })
    const first = await put()
    expect([first.status, first.body]).toEqual([
      200,
      { created: ['early', 'late', 'early', 'late'], updated: ['kept'] },
    ])
    const second = await put()
    expect(second.body).toEqual({ created: [], updated: ['early', 'kept', 'late', 'early', 'late'] })
    expect(second.headers['x-revision']).toBe(first.headers['x-revision'])
    expect((await api.ask('GET', '$S/roles/kept')).body).toMatchObject({ description: null, extends: ['early'] })
    expect((await api.ask('GET', '$S/resources/report/roles/early')).body.granted_to.users_with_role).toMatchObject([
      rule,
    ])
    const turned = [{ key: 'late', extends: ['early'] }, { key: 'early' }]
    expect((await api.ask('PUT', '$S/bulk/roles', { operations: turned })).status).toBe(200)

    const before = api.store.head(api.environment).revision
    const bad = (item: object) => api.ask('PUT', '$S/bulk/roles', { operations: [{ key: 'x' }, item] })
    const cycle = await bad({ key: 'early', extends: ['late'] })
    expect(cycle.body.detail).toMatchObject([{ loc: ['body', 'operations', 1, 'extends'] }])
    const derived = await bad({ key: 'y', granted_to: { users_with_role: [rule] } })
    expect(derived.body.detail).toMatchObject([{ loc: ['body', 'operations', 1, 'granted_to'] }])
    expect((await bad({ key: 'y', resource: 'nothing' })).status).toBe(404)
    expect((await bad({ key: 'y', resource: 'report', permissions: ['fly'] })).status).toBe(404)
    const many = Array.from({ length: 2_001 }, (_, at) => ({ key: `r${at}` }))
    expect((await api.ask('PUT', '$S/bulk/roles', { operations: many })).status).toBe(422)
    expect(api.store.head(api.environment).revision).toBe(before)
  })

  it.each([
    ['tenant roles', '$S/roles'],
    ['roles of a resource', '$S/resources/team/roles'],
  ])('%s know their ancestors and descendants, and take one parent at a time', async (_, path) => {
    for (const key of ['top', 'mid', 'low']) await api.ask('POST', path, { key })
    expect((await api.ask('PUT', `${path}/mid/parents/top`)).body.extends).toEqual(['top'])
    const { body: mid } = await api.ask('GET', `${path}/mid`)
    const put = await api.ask('PUT', `${path}/low/parents/${mid.id}`)
    expect([put.status, put.body.extends]).toEqual([200, ['mid']])
    expect((await api.ask('PUT', `${path}/low/parents/mid`)).headers['x-revision']).toBe(put.headers['x-revision'])
    const family = async (of: string) => keys((await api.ask('GET', `${path}/${of}`)).body.roles)
    expect(await family('low/ancestors')).toEqual(['mid', 'top'])
    expect(await family('low/ancestors?page=2&per_page=1')).toEqual(['top'])
    expect(await family('top/descendants')).toEqual(['mid', 'low'])
    expect(await family('top/ancestors')).toEqual([])
    const circle = await api.ask('PUT', `${path}/top/parents/low`)
    expect([circle.status, circle.body.detail[0].loc]).toEqual([422, ['path', 'parent']])
    expect((await api.ask('PUT', `${path}/top/parents/nothing`)).status).toBe(404)
    const removed = await api.ask('DELETE', `${path}/low/parents/mid`)
    expect([removed.status, removed.body.extends]).toEqual([200, []])
    expect((await api.ask('DELETE', `${path}/low/parents/mid`)).status).toBe(404)
  })

  it('bad conditions name the place, a mismatch or an undeclared attribute its name, what is in use is 409', async () => {
    const send = (conditions: object) => api.ask('PATCH', '$S/condition_sets/adults', { conditions })
    const unknown = await send({ allOf: [{ 'user.age': { all_of: [] } }] })
    expect(unknown.body.detail).toMatchObject([{ loc: ['body', 'conditions', 'allOf', 0, 'user.age', 'all_of'] }])
    const wrong = await send({ 'user.age': { contains: 'x' } })
    expect(wrong).toMatchObject({ status: 400, body: { error_code: 'MISMATCH_ATTRIBUTES_TYPES' } })
    expect(wrong.body.message).toContain('user.age')
    const early = await send({ not: { 'context.now': { 'less-than': '09:00' } } })
    expect(early).toMatchObject({ status: 400, body: { error_code: 'MISMATCH_ATTRIBUTES_TYPES' } })
    expect(early.body.message).toBe('`context.now` is declared as time: `less-than` compares it with `09:00`')
    await api.ask('POST', '$S/resources', { key: 'plain', attributes: { size: { type: 'number' } } })
    const of = { type: 'resourceset', resource_id: 'plain', conditions: { 'resource.shade': { equals: 'x' } } }
    const undeclared = await api.ask('POST', '$S/condition_sets', { key: 'shaded', ...of })
    expect(undeclared).toMatchObject({ status: 400, body: { error_code: 'MISSING_RESOURCE_ATTRIBUTE' } })
    expect(undeclared.body.message).toBe('resource `plain` does not declare the attribute `shade`')
    const used = await api.ask('DELETE', '$S/users/attributes/age')
    expect(used).toMatchObject({ status: 409, body: { error_code: 'INVALID_INPUT' } })
    expect(used.body.message).toContain('adults')
  })

  it('conditions over a type that declares no attribute at all are stored with a warning, but not below a `not`', async () => {
    await api.ask('POST', '$S/resources', { key: 'bare', actions: { read: {} } })
    const of = { type: 'resourceset', resource_id: 'bare' }
    const send = (key: string, conditions: object) => api.ask('POST', '$S/condition_sets', { key, ...of, conditions })
    const warning = [
      expect.stringContaining(
        'condition set `dark` reads `shade`, `size` of resource `bare`, which declares no attributes',
      ),
    ]
    const conditions = { allOf: [{ 'resource.shade': { equals: 'x' } }, { 'resource.size': { 'less-than': 3 } }] }
    const made = await send('dark', conditions)
    expect([made.status, made.headers.warning]).toEqual([200, warning])
    // said once: the conditions stay as they are
    expect((await api.ask('PATCH', '$S/condition_sets/dark', { name: 'Dark' })).headers.warning).toBeUndefined()
    const identity = await send('one', { 'resource.key': { equals: 'x' } })
    expect([identity.status, identity.headers.warning]).toEqual([200, undefined])
    const match = (type: string, of: object) => ({ object_match: { match: of, fk_resource_type: type } })
    const followed = await api.ask('POST', '$S/condition_sets', {
      key: 'owners',
      conditions: { 'user.home': match('bare', { open: { equals: true } }) },
    })
    expect([followed.status, followed.headers.warning]).toEqual([200, [expect.stringContaining('reads `open`')]])
    for (const [at, negated] of [
      { not: { 'resource.shade': { equals: 'x' } } },
      { 'resource.shade': { not: 'x' } },
      { 'resource.shade': { not: { equals: 'x' } } },
      { allOf: [conditions, { not: [{ 'user.age': { equals: { ref: 'resource.shade' } } }] }] },
      { not: { 'user.home': match('bare', { open: { equals: true } }) } },
    ].entries()) {
      const refused = await send(`negated_${at}`, negated)
      expect([refused.status, refused.body.error_code], JSON.stringify(negated)).toEqual([
        400,
        'MISSING_RESOURCE_ATTRIBUTE',
      ])
    }
    // undeclared beside declared ones is refused, and what is stored stays
    expect((await api.ask('POST', '$S/resources/bare/attributes', { key: 'size', type: 'number' })).status).toBe(200)
    expect((await send('more', conditions)).status).toBe(400)
    expect((await api.ask('PUT', '$S/condition_sets/dark', { conditions })).status).toBe(200)
    expect((await send('sized', { 'resource.size': { 'less-than': 3 } })).headers.warning).toBeUndefined()
  })
})
