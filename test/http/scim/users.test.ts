// Users of a directory over SCIM: what two providers send, as their public documentation has it, what becomes of the users
// of the environment, and bad input. Every refusal is in the form of SCIM.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Harness, ID, joinHarness } from '../management/harness.ts'

const KEY = 'the-key-of-the-users'
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User'
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

let api: Harness
let scim: (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown) => Promise<Answer>
beforeAll(async () => {
  api = await joinHarness()
  await api.addKey('directory', 'write', KEY)
  const headers = { 'content-type': 'application/scim+json' }
  scim = (method, path, body) =>
    api.ask(method, `/scim/v2${path}`, body, { key: KEY, ...(body === undefined ? {} : { headers }) })
})
afterAll(() => api.close())

let count = 0
/** A user of the directory, with its path. */
async function makeUser(more: object = {}): Promise<{ path: string; id: string; key: string }> {
  const userName = `person${++count}`
  const { body, status } = await scim('POST', '/Users', { schemas: [CORE], userName, ...more })
  expect([status, body]).toMatchObject([201, { id: ID }])
  return { path: `/Users/${body.id}`, id: body.id, key: userName }
}
const patch = (path: string, ...Operations: object[]) => scim('PATCH', path, { schemas: [PATCH], Operations })
const readUser = async (key: string) => (await api.ask('GET', `$F/users/${key}`)).body

describe('a user of the directory', () => {
  it('is made, read, found, replaced and deleted, with a location and an etag', async () => {
    const sent = {
      schemas: [CORE, ENTERPRISE],
      externalId: '00u1',
      userName: 'Ann@example.com',
      name: { givenName: 'Ann', familyName: 'Ash' },
      emails: [{ value: 'ann@example.com', type: 'work', primary: true }],
      active: true,
      [ENTERPRISE]: { department: 'Sales' },
    }
    const made = await scim('POST', '/Users', sent)
    expect(made.status).toBe(201)
    expect(made.headers['content-type']).toMatch(/^application\/scim\+json/)
    expect(made.body).toMatchObject({ ...sent, id: ID, meta: { resourceType: 'User', version: made.headers.etag } })
    const path = `/Users/${made.body.id}`
    expect(made.headers.location).toMatch(new RegExp(`/scim/v2${path}$`))
    expect((await scim('GET', path)).body).toEqual(made.body)
    expect(await readUser('Ann@example.com')).toMatchObject({
      id: made.body.id,
      email: 'ann@example.com',
      first_name: 'Ann',
      last_name: 'Ash',
    })
    const filter = encodeURIComponent('userName eq "ann@EXAMPLE.com"')
    expect((await scim('GET', `/Users?filter=${filter}`)).body).toMatchObject({
      totalResults: 1,
      startIndex: 1,
      itemsPerPage: 1,
      Resources: [{ id: made.body.id }],
    })
    const replaced = await scim('PUT', path, { schemas: [CORE], userName: 'ann@example.com', displayName: 'A. Ash' })
    expect(replaced.body).toMatchObject({ userName: 'ann@example.com', displayName: 'A. Ash', active: true })
    expect(replaced.body.name).toBeUndefined()
    // the key never changes, and what the directory no longer gives is empty
    expect(await readUser('Ann@example.com')).toMatchObject({ email: null, first_name: null })
    const stale = { key: KEY, headers: { 'if-match': String(made.headers.etag) } }
    expect((await api.ask('DELETE', `/scim/v2${path}`, undefined, stale)).status).toBe(412)
    expect((await scim('DELETE', path)).status).toBe(204)
    expect((await scim('GET', path)).body).toMatchObject({ status: '404' })
    expect((await api.ask('GET', '$F/users/Ann@example.com')).status).toBe(404)
  })

  it('leaves alone what others gave: attributes, roles, and a suspension by hand', async () => {
    await api.ask('POST', '$S/roles', { key: 'editor', name: 'Editor' })
    await api.ask('POST', '$F/users', { key: 'older', email: 'by@hand.com', attributes: { level: 3 } })
    await api.ask('POST', '$F/role_assignments', { user: 'older', role: 'editor', tenant: 'default' })
    // a user who is there is taken over, and keeps its id
    const { id } = await readUser('older')
    const made = await scim('POST', '/Users', { userName: 'older', active: true })
    expect(made.body.id).toBe(id)
    const path = `/Users/${id}`
    await scim('PUT', path, { userName: 'older', name: { givenName: 'Olga' } })
    expect(await readUser('older')).toMatchObject({
      email: 'by@hand.com',
      first_name: 'Olga',
      attributes: { level: 3 },
    })
    await api.ask('PUT', '$F/users/older/suspension', { reason: 'on leave' })
    await patch(path, { op: 'replace', path: 'active', value: false })
    expect((await readUser('older')).suspension).toMatchObject({ reason: 'not active in the directory' })
    // a person does not end what the directory says, and the directory ends nothing of a person
    const resumed = await api.ask('DELETE', '$F/users/older/suspension')
    expect([resumed.status, String(resumed.headers.warning)]).toEqual([200, expect.stringContaining('stays suspended')])
    await api.ask('PUT', '$F/users/older/suspension', { reason: 'on leave' })
    await patch(path, { op: 'replace', path: 'active', value: true })
    expect((await readUser('older')).suspension).toMatchObject({ reason: 'on leave' })
    await api.ask('DELETE', '$F/users/older/suspension')
    expect((await readUser('older')).suspension).toBeUndefined()
    // deleted there: what others gave stays, and the user is suspended until a person or the directory says otherwise
    expect((await scim('DELETE', path)).status).toBe(204)
    expect(await readUser('older')).toMatchObject({ suspension: { reason: 'deleted in the directory' }, roles: [{}] })
    expect((await scim('POST', '/Users', { userName: 'older' })).body.id).toBe(id)
    expect((await readUser('older')).suspension).toBeUndefined()
  })

  it('sets the attributes that users declare, and no others, and conditions read them at once', async () => {
    const attribute = (key: string, type = 'string') => api.ask('POST', '$S/users/attributes', { key, type })
    for (const key of ['department', 'cost_center', 'manager', 'title']) await attribute(key)
    await attribute('employeeNumber', 'number')
    await api.ask('POST', '$S/resources', { key: 'deal', name: 'Deal', actions: { read: {}, edit: {} } })
    const set = (key: string, condition: object) =>
      api.ask('POST', '$S/condition_sets', { key, name: key, type: 'userset', conditions: { allOf: [condition] } })
    await set('sales', { 'user.department': { equals: 'Sales' } })
    await set('not-chief', { not: { allOf: [{ 'user.title': { equals: 'Chief' } }] } })
    const rule = (user_set: string, permission: string) =>
      api.ask('POST', '$F/set_rules', { user_set, permission, resource_set: '__autogen_deal' })
    expect([(await rule('sales', 'deal:read')).status, (await rule('not-chief', 'deal:edit')).status]).toEqual([
      200, 200,
    ])
    const { path, key, id: boss } = await makeUser({ [ENTERPRISE]: { department: 'Ops', division: 'North' } })
    const may = async (action: string) => {
      const check = { user: key, action, resource: { type: 'deal', tenant: 'default' } }
      return (await api.ask('POST', '/v2/projects/default/envs/development/explain', check)).body.allow
    }
    const attributes = async () => (await readUser(key)).attributes
    expect([await attributes(), await may('read')]).toEqual([{ department: 'Ops' }, false])
    // as Entra names it, and as Okta sends it: whole
    await patch(path, { op: 'Replace', path: `${ENTERPRISE}:department`, value: 'Sales' })
    expect([await attributes(), await may('read')]).toEqual([{ department: 'Sales' }, true])
    const inside = { department: 'Sales', costCenter: '41', employeeNumber: '7', manager: { value: boss } }
    const put = await scim('PUT', path, { userName: key, title: 'Chief', [ENTERPRISE]: inside })
    expect([put.status, String(put.headers.warning)]).toEqual([200, expect.stringContaining('`employeeNumber`')])
    expect(await attributes()).toEqual({ department: 'Sales', cost_center: '41', manager: key, title: 'Chief' })
    expect((await readUser(key)).claims).toMatchObject([
      { by: 'directory', fields: expect.arrayContaining(['attributes.department', 'attributes.title']) },
    ])
    // what a person writes is said to be the directory's, and stays until it writes the user
    const edited = await api.ask('PATCH', `$F/users/${key}`, {
      attributes: { ...(await attributes()), department: 'HR', level: 2 },
    })
    expect(String(edited.headers.warning)).toContain('`attributes.department` of user')
    expect([(await attributes()).department, await may('read')]).toEqual(['HR', false])
    const removed = await patch(path, { op: 'Remove', path: 'title' })
    expect(String(removed.headers.warning)).toContain('`not` over `user.title`')
    expect(await attributes()).toEqual({ department: 'Sales', cost_center: '41', manager: key, level: 2 })
    // an attribute without its declaration goes with the next write
    await api.ask('DELETE', '$S/users/attributes/cost_center')
    await scim('PUT', path, { userName: key, [ENTERPRISE]: { costCenter: '42' } })
    expect(await attributes()).toEqual({ level: 2 })
    await patch(path, { op: 'add', path: `${ENTERPRISE}:department`, value: 'Sales' })
    expect((await scim('DELETE', path)).status).toBe(204)
    expect(await readUser(key)).toMatchObject({ attributes: { level: 2 }, suspension: {} })
  })

  it('is searched by POST, by itself and together with groups', async () => {
    for (let n = 0; n < 3; n++) await makeUser({ nickName: 'Sought' })
    await scim('POST', '/Groups', { displayName: 'Sought' })
    const search = (path: string, body: object) => scim('POST', `${path}/.search`, body)
    const found = await search('/Users', {
      filter: 'nickName eq "sought"',
      startIndex: 2,
      count: 1,
      attributes: ['nickName'],
    })
    expect(found.body).toMatchObject({
      totalResults: 3,
      startIndex: 2,
      itemsPerPage: 1,
      Resources: [{ nickName: 'Sought' }],
    })
    expect(Object.keys(found.body.Resources[0]).sort()).toEqual(['id', 'nickName', 'schemas'])
    const filter = 'displayName eq "Sought" or nickName eq "Sought"'
    // groups have no `nickName`, so this filter selects users alone
    expect((await search('', { filter })).body).toMatchObject({ totalResults: 3 })
    const all = (await search('', {})).body
    const last = (await search('', { startIndex: all.totalResults, count: 1 })).body
    expect(last).toMatchObject({
      totalResults: all.totalResults,
      itemsPerPage: 1,
      Resources: [{ displayName: 'Sought' }],
    })
    for (const bad of [
      { filter: 'shoe eq "x"' },
      { filter: 1 },
      { attributes: 'id' },
      { count: 'x' },
      { startIndex: 1.5 },
    ])
      expect([bad, (await search('', bad)).status]).toEqual([bad, 400])
  })

  it('is switched off, whatever its attributes are', async () => {
    const { path, key } = await makeUser()
    const large = { text: 'x'.repeat(65_000) }
    expect((await api.ask('PATCH', `$F/users/${key}`, { attributes: large })).status).toBe(200)
    const off = await patch(path, { op: 'replace', value: { active: 'False', title: 'y'.repeat(1_000) } })
    expect([off.status, String(off.headers.warning)]).toEqual([200, expect.stringContaining('too large')])
    expect(await readUser(key)).toMatchObject({ attributes: large, suspension: {} })
  })

  it('has as key what its API key says, and a name that is used again makes no second user of one key', async () => {
    const of = { organization_id: api.place.organization_id, environment_id: api.environment }
    const asked = { ...of, object_type: 'directory', access_level: 'write', user_key: 'external_id' }
    const { body: key } = await api.ask('POST', '/v2/api-key', asked)
    expect(key).toMatchObject({
      object_type: 'directory',
      user_key: 'external_id',
      secret: expect.stringMatching(/^zh_dir_/),
    })
    const post = (body: object) => api.ask('POST', '/scim/v2/Users', body, { key: key.secret })
    expect((await post({ userName: 'x@example.com', externalId: 'oid-7' })).status).toBe(201)
    expect((await readUser('oid-7')).key).toBe('oid-7')
    expect((await post({ userName: 'y@example.com' })).body).toMatchObject({ status: '400', scimType: 'invalidValue' })
    const { path, key: name } = await makeUser()
    await patch(path, { op: 'replace', path: 'userName', value: 'renamed' })
    expect((await readUser(name)).key).toBe(name)
    // the key of the renamed one is still taken
    expect((await scim('POST', '/Users', { userName: name })).body).toMatchObject({
      status: '409',
      scimType: 'uniqueness',
    })
    expect((await scim('POST', '/Users', { userName: 'RENAMED' })).status).toBe(409)
  })
})

describe('what one provider sends', () => {
  it('without a path, with an object as value: a user that is switched off and on', async () => {
    const { path, key } = await makeUser({ active: true })
    const off = await patch(path, { op: 'replace', value: { active: false } })
    expect([off.status, off.body.active]).toEqual([200, false])
    expect((await readUser(key)).suspension).toBeDefined()
    await patch(path, { op: 'replace', value: { active: true } })
    expect((await readUser(key)).suspension).toBeUndefined()
  })

  it('asks for a page, and for a user before it makes one', async () => {
    const { key } = await makeUser()
    const page = await scim('GET', '/Users?startIndex=2&count=1')
    expect(page.body).toMatchObject({ startIndex: 2, itemsPerPage: 1 })
    expect(page.body.totalResults).toBeGreaterThan(1)
    expect((await scim('GET', '/Users?count=0')).body).toMatchObject({ itemsPerPage: 0, Resources: [] })
    const asked = encodeURIComponent(`userName eq "${key}"`)
    expect((await scim('GET', `/Users?filter=${asked}&startIndex=1&count=100`)).body.totalResults).toBe(1)
    const none = await scim('GET', `/Users?filter=${encodeURIComponent('userName eq "nobody@example.com"')}`)
    expect(none.body).toMatchObject({ totalResults: 0, Resources: [] })
  })
})

describe('what the other provider sends', () => {
  it('capital operations and booleans as texts: "False" is false', async () => {
    const { path, key } = await makeUser({ active: 'True' })
    const off = await patch(path, { op: 'Replace', path: 'active', value: 'False' })
    expect(off.body.active).toBe(false)
    expect((await readUser(key)).suspension).toBeDefined()
    await patch(path, { op: 'Replace', path: 'active', value: 'True' })
    expect((await readUser(key)).suspension).toBeUndefined()
  })

  it('names of attributes with dots and schemas, and values by a filter in the path', async () => {
    const { path, key } = await makeUser()
    const changed = await patch(
      path,
      { op: 'Add', path: 'emails[type eq "work"].value', value: 'new@example.com' },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '123' },
      { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Research' },
      { op: 'Add', path: `${ENTERPRISE}:manager`, value: '26118915' },
      {
        op: 'Replace',
        value: { 'name.familyName': 'Berg', displayName: 'B. Berg', [`${ENTERPRISE}:division`]: 'North' },
      },
    )
    expect(changed.body).toMatchObject({
      emails: [{ type: 'work', value: 'new@example.com' }],
      phoneNumbers: [{ type: 'mobile', value: '123' }],
      name: { familyName: 'Berg' },
      displayName: 'B. Berg',
      [ENTERPRISE]: { department: 'Research', division: 'North', manager: { value: '26118915' } },
    })
    expect(await readUser(key)).toMatchObject({ email: 'new@example.com', last_name: 'Berg' })
    const again = await patch(
      path,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'second@example.com' },
      { op: 'Remove', path: 'phoneNumbers[type eq "mobile"]' },
      { op: 'Remove', path: `${ENTERPRISE}:manager` },
    )
    expect(again.body.emails).toEqual([{ type: 'work', value: 'second@example.com' }])
    expect(again.body.phoneNumbers).toBeUndefined()
    expect(again.body[ENTERPRISE].manager).toBeUndefined()
  })
})

describe('bad input', () => {
  it.each([
    ['no userName', {}, 'invalidValue'],
    ['an empty userName', { userName: ' ' }, 'invalidValue'],
    ['a userName that is no key', { userName: 'a/b' }, 'invalidValue'],
    ['a userName that is too long', { userName: 'x'.repeat(257) }, 'invalidValue'],
    ['a number for a text', { userName: 'n1', title: 7 }, 'invalidValue'],
    ['a list for an object', { userName: 'n1', name: [1] }, 'invalidValue'],
    ['a word for a boolean', { userName: 'n1', active: 'no' }, 'invalidValue'],
    [
      'two primary addresses',
      {
        userName: 'n1',
        emails: [
          { value: 'a@b.c', primary: true },
          { value: 'd@e.f', primary: 'True' },
        ],
      },
      'invalidValue',
    ],
    ['an address that is none', { userName: 'n1', emails: [{ value: 'nobody' }] }, 'invalidValue'],
    ['a text that is too long', { userName: 'n1', title: 'x'.repeat(1025) }, 'invalidValue'],
    ['a lone surrogate', { userName: 'n1', title: '\ud800' }, 'invalidValue'],
    [
      'too many values',
      { userName: 'n1', emails: Array.from({ length: 101 }, (_, at) => ({ value: `a${at}@b.c` })) },
      'invalidValue',
    ],
    [
      'too many bytes',
      { userName: 'n1', addresses: Array.from({ length: 50 }, (_, at) => ({ formatted: `${at}${'x'.repeat(1000)}` })) },
      'invalidValue',
    ],
    ['another schema', { userName: 'n1', schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'] }, 'invalidSyntax'],
  ])('%s', async (_, body, scimType) => {
    const answer = await scim('POST', '/Users', body)
    expect(answer.body).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '400',
      scimType,
    })
    expect(answer.body.detail).not.toBe('')
    expect(answer.headers['content-type']).toMatch(/^application\/scim\+json/)
  })

  it('attributes that the schema does not have, and the same value twice, are taken once or passed over', async () => {
    const twice = [
      { value: 'a@b.co', type: 'work' },
      { type: 'work', value: 'a@b.co' },
    ]
    const { path } = await makeUser({ emails: twice, roles: ['admin'], id: 'f'.repeat(32), groups: [{ value: 'x' }] })
    const { body } = await scim('GET', path)
    expect(body.emails).toEqual([{ value: 'a@b.co', type: 'work' }])
    expect([body.roles, body.groups]).toEqual([undefined, undefined])
    expect(body.id).not.toBe('f'.repeat(32))
  })

  it.each([
    ['no operations', {}, 'invalidSyntax'],
    ['another operation', { Operations: [{ op: 'move', path: 'title', value: 'x' }] }, 'invalidSyntax'],
    ['an attribute that is not there', { Operations: [{ op: 'add', path: 'shoe', value: 'x' }] }, 'invalidPath'],
    ['a part that is not there', { Operations: [{ op: 'add', path: 'name.shoe', value: 'x' }] }, 'invalidPath'],
    [
      'a filter on one value',
      { Operations: [{ op: 'add', path: 'name[givenName eq "x"]', value: 'x' }] },
      'invalidPath',
    ],
    [
      'a filter that is none',
      { Operations: [{ op: 'add', path: 'emails[type xx "x"].value', value: 'x' }] },
      'invalidFilter',
    ],
    ['what only the server says', { Operations: [{ op: 'replace', path: 'id', value: 'x' }] }, 'mutability'],
    ['groups of a user', { Operations: [{ op: 'add', path: 'groups', value: [{ value: 'x' }] }] }, 'mutability'],
    ['to remove what is required', { Operations: [{ op: 'remove', path: 'userName' }] }, 'mutability'],
    ['to remove nothing by name', { Operations: [{ op: 'remove', value: { title: 'x' } }] }, 'noTarget'],
    [
      'a value that is not there',
      { Operations: [{ op: 'replace', path: 'emails[type eq "home"].value', value: 'a@b.c' }] },
      'noTarget',
    ],
    ['no value', { Operations: [{ op: 'add', path: 'title' }] }, 'invalidValue'],
    [
      'too many operations',
      { Operations: Array.from({ length: 1001 }, () => ({ op: 'add', path: 'title', value: 'x' })) },
      'tooMany',
    ],
    [
      'one bad operation among good ones',
      {
        Operations: [
          { op: 'add', path: 'title', value: 'x' },
          { op: 'add', path: 'active', value: 'x' },
        ],
      },
      'invalidValue',
    ],
  ])('of a PATCH: %s', async (_, body, scimType) => {
    const { path } = await makeUser()
    const before = (await scim('GET', path)).body
    expect((await scim('PATCH', path, body)).body).toMatchObject({ status: '400', scimType })
    expect((await scim('GET', path)).body).toEqual(before)
  })

  it.each([
    'userName',
    'userName eq',
    'userName eq ann',
    'shoe eq "x"',
    'active gt true',
    'name eq "x"',
    'userName eq "x" or',
    '(userName eq "x"',
    'emails[type eq "work"',
    'meta.created sw "2026"',
    `${'('.repeat(17)}userName pr${')'.repeat(17)}`,
    Array.from({ length: 101 }, () => 'userName pr').join(' and '),
    'x'.repeat(4097),
  ])('a filter that is none: %s', async (filter) => {
    const answer = await scim('GET', `/Users?filter=${encodeURIComponent(filter)}`)
    expect(answer.body).toMatchObject({ status: '400', scimType: 'invalidFilter' })
  })

  it('bodies that are not JSON, of another type, too deep, and numbers of a page that are none', async () => {
    const bad = await scim('POST', '/Users', '{"userName": ')
    expect(bad.body).toMatchObject({ status: '400', scimType: 'invalidSyntax' })
    const deep = await scim('POST', '/Users', `{"userName":"x","name":${'['.repeat(40)}${']'.repeat(40)}}`)
    expect(deep.body).toMatchObject({ status: '400', scimType: 'invalidSyntax' })
    expect((await scim('POST', '/Users', '[]')).body).toMatchObject({ status: '400' })
    const text = { key: KEY, headers: { 'content-type': 'text/plain' } }
    expect((await api.ask('POST', '/scim/v2/Users', 'x', text)).body).toMatchObject({ status: '415' })
    expect((await scim('GET', '/Users?startIndex=x')).body).toMatchObject({ scimType: 'invalidValue' })
    expect((await scim('GET', '/Users?startIndex=-5&count=-1')).body).toMatchObject({ startIndex: 1, itemsPerPage: 0 })
    expect((await scim('DELETE', '/Users')).body).toMatchObject({ status: '405' })
  })

  it('a user is found by its id alone, in its own environment', async () => {
    const { id, key } = await makeUser()
    for (const ref of [key, 'x', `${id.slice(0, 31)}g`]) expect((await scim('GET', `/Users/${ref}`)).status).toBe(404)
    const place = { organization_id: api.place.organization_id, environment_id: api.made.environments[1]!.id }
    const { body } = await api.ask('POST', '/v2/api-key', { ...place, object_type: 'directory' })
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const) {
      const sent =
        method === 'GET' || method === 'DELETE'
          ? undefined
          : { userName: key, Operations: [{ op: 'remove', path: 'title' }] }
      expect((await api.ask(method, `/scim/v2/Users/${id}`, sent, { key: body.secret })).status).toBe(404)
    }
  })
})

describe('keys', () => {
  it('of a directory alone open SCIM, to read only where they have no more access', async () => {
    await api.addKey('directory', 'read', 'a-directory-that-reads')
    await api.addKey('env', 'admin', 'no-key-of-a-directory')
    await api.addKey('tenant', 'admin', 'a-tenant-and-no-directory')
    for (const { method, url, operation } of api.scimRoutes) {
      const path = url.replace(':id', 'f'.repeat(32))
      const body = method === 'GET' ? undefined : {}
      const status = async (key: string | null) => (await api.ask(method, path, body, { key })).status
      expect([url, await status(null)]).toEqual([url, 401])
      expect([url, await status('no-key-of-a-directory')]).toEqual([url, 403])
      expect([url, await status('a-tenant-and-no-directory')]).toEqual([url, 404])
      expect([url, await status(api.made.organization.secret!)]).toEqual([url, 403])
      if (operation === 'directory.write')
        expect([method, url, await status('a-directory-that-reads')]).toEqual([method, url, 403])
    }
    expect((await scim('GET', '/Nothing')).body).toMatchObject({ status: '404' })
  })
})
