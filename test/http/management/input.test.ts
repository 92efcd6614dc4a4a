// Bad input of any kind gets a 4xx in the form of the contract, says where, and changes nothing.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BODY_BYTES_MAX, JSON_DEPTH_MAX, KEY_BYTES_MAX, QUERY_TEXT_LENGTH_MAX } from '../../../src/model/limits.ts'
import { type Harness, joinHarness } from './harness.ts'

describe('bad input', () => {
  let api: Harness
  let revision: number
  beforeAll(async () => {
    api = await joinHarness({})
    revision = api.store.head(api.environment).revision
  })
  afterAll(async () => {
    expect(api.store.head(api.environment).revision, 'nothing was written').toBe(revision)
    await api.close()
  })
  const troubles = async (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body: unknown) => {
    const answer = await api.ask(method, path, body)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body)).toEqual(['detail'])
    return answer.body.detail as { loc: (string | number)[]; msg: string; type: string }[]
  }

  it.each([
    ['POST', '$S/roles', {}, ['body', 'key'], 'value_error.missing'],
    ['POST', '$S/roles', { key: 5 }, ['body', 'key'], 'type_error.string'],
    ['POST', '$S/roles', { key: null }, ['body', 'key'], 'type_error.string'],
    ['POST', '$S/roles', { key: 'a', nme: 'x' }, ['body', 'nme'], 'value_error.extra'],
    ['POST', '$S/roles', { key: 'a', permissions: 'hello:say' }, ['body', 'permissions'], 'type_error.array'],
    ['POST', '$S/roles', { key: 'a', permissions: ['hello:say', 1] }, ['body', 'permissions', 1], 'type_error.string'],
    ['POST', '$S/roles', { key: 'a', attributes: [] }, ['body', 'attributes'], 'type_error.object'],
    ['POST', '$S/roles', { key: 'a b' }, ['body', 'key'], 'value_error.str.regex'],
    ['POST', '$S/roles', { key: 'k'.repeat(KEY_BYTES_MAX + 1) }, ['body', 'key'], 'value_error.any_str.max_length'],
    ['POST', '$S/roles', { key: 'a', extends: ['a'] }, ['body', 'extends'], 'value_error'],
    [
      'POST',
      '$S/roles',
      { key: 'a', granted_to: { when: { no_direct_roles_on_object: true } } },
      ['body', 'granted_to'],
      'value_error.not_supported',
    ],
    ['POST', '$S/roles', [], ['body'], 'type_error.object'],
    ['PATCH', '$S/roles/admin', { key: 'other' }, ['body', 'key'], 'value_error.mismatch'],
    ['PUT', '$S/roles/admin', { key: 'other' }, ['body', 'key'], 'value_error.mismatch'],
    ['POST', '$S/roles/admin/permissions', {}, ['body', 'permissions'], 'value_error.missing'],
    ['POST', '$S/resources', { key: '__user' }, ['body', 'key'], 'value_error.reserved'],
    ['POST', '$S/resources', { key: 'r', actions: [] }, ['body', 'actions'], 'type_error.object'],
    [
      'POST',
      '$S/resources',
      { key: 'r', actions: { a: { nme: 'x' } } },
      ['body', 'actions', 'a', 'nme'],
      'value_error.extra',
    ],
    ['POST', '$S/resources', { key: 'r', actions: { 'a b': {} } }, ['body', 'actions', 'a b'], 'value_error.str.regex'],
    [
      'POST',
      '$S/resources',
      { key: 'r', attributes: { a: { type: 'text' } } },
      ['body', 'attributes', 'a', 'type'],
      'type_error.enum',
    ],
    [
      'POST',
      '$S/resources',
      { key: 'r', attributes: { a: {} } },
      ['body', 'attributes', 'a', 'type'],
      'value_error.missing',
    ],
    ['POST', '$S/resources', { key: 'r', roles: { 'a b': {} } }, ['body', 'roles', 'a b'], 'value_error.str.regex'],
    [
      'POST',
      '$S/resources',
      { key: 'r', roles: { a: { granted_to: { users_with_role: [{ role: 'a' }] } } } },
      ['body', 'roles', 'a', 'granted_to', 'users_with_role', 0, 'on_resource'],
      'value_error.missing',
    ],
    [
      'POST',
      '$S/resources',
      { key: 'r', relations: { parent: 1 } },
      ['body', 'relations', 'parent'],
      'type_error.string',
    ],
    [
      'POST',
      '$S/resources',
      { key: 'r', roles: { a: { extends: ['b'] }, b: { extends: ['a'] } } },
      ['body', 'roles', 'b', 'extends'],
      'value_error',
    ],
    ['POST', '$S/resources/hello/actions', { key: 'a', name: 1 }, ['body', 'name'], 'type_error.string'],
    ['POST', '$F/users', { key: 'u', email: 'nobody' }, ['body', 'email'], 'value_error.email'],
    ['POST', '$F/users', { key: 'u', attributes: 5 }, ['body', 'attributes'], 'type_error.object'],
    [
      'POST',
      '$F/users',
      { key: 'u', role_assignments: [{}] },
      ['body', 'role_assignments', 0, 'role'],
      'value_error.missing',
    ],
    ['PUT', '$F/users/cy', { key: 'di' }, ['body', 'key'], 'value_error.mismatch'],
    ['PUT', '$F/users/a%20b', {}, ['body', 'key'], 'value_error.str.regex'],
    ['POST', '$F/role_assignments', { user: 'ana' }, ['body', 'role'], 'value_error.missing'],
    [
      'POST',
      '$F/role_assignments',
      { user: 'ana', role: 'admin', resource_instance: 1 },
      ['body', 'resource_instance'],
      'type_error.string',
    ],
    ['DELETE', '$F/role_assignments', { user: 'ana', role: 'admin', all: true }, ['body', 'all'], 'value_error.extra'],
    ['DELETE', '$F/users/ana/roles', {}, ['body', 'role'], 'value_error.missing'],
  ] as const)('%s %s %j', async (method, path, body, loc, type) => {
    expect(await troubles(method, path, body)).toMatchObject([{ loc, type, msg: expect.any(String) }])
  })

  it('a bad email address is refused in the words that clients look for', async () => {
    const [trouble] = await troubles('POST', '$F/users', { key: 'u', email: 'nobody' })
    expect(trouble?.msg).toContain('value is not a valid email address')
  })

  it.each([
    ['{"key":"a"', 'value_error.jsondecode', ['body']],
    ['{"key":"a",}', 'value_error.jsondecode', ['body']],
    ['undefined', 'value_error.jsondecode', ['body']],
    ['{"key":"a","key":"b"}', 'value_error.duplicate', ['body', 'key']],
    [
      '{"key":"a","attributes":{"x":[{"y":1,"z":2,"y":3}]}}',
      'value_error.duplicate',
      ['body', 'attributes', 'x', 0, 'y'],
    ],
    [
      '{"key":"a","attributes":{"__proto__":1,"__proto__":2}}',
      'value_error.duplicate',
      ['body', 'attributes', '__proto__'],
    ],
    ['{"key":"a","a\\u0062":1,"ab":2}', 'value_error.duplicate', ['body', 'ab']],
    [
      `{"key":"a","attributes":${'{"a":'.repeat(JSON_DEPTH_MAX)}1${'}'.repeat(JSON_DEPTH_MAX)}}`,
      'value_error.depth',
      ['body'],
    ],
    [`{"key":${'['.repeat(100_000)}`, 'value_error.depth', ['body']],
    ['{"key":"a","attributes":{"n":1e400}}', 'value_error', ['body', 'attributes', 'n']],
    ['{"key":"a","attributes":{"n":9007199254740993}}', 'value_error', ['body', 'attributes', 'n']],
    ['{"key":"a","attributes":{"n":["\\ud800"]}}', 'value_error', ['body', 'attributes', 'n', 0]],
    ['{"key":"a","name":"\\ud800"}', 'value_error', ['body', 'name']],
  ] as const)('the text %.60s', async (text, type, loc) => {
    expect(await troubles('POST', '$S/roles', text)).toMatchObject([{ loc, type }])
  })

  it('a body that is not UTF-8', async () => {
    const [trouble] = await troubles('POST', '$S/roles', Buffer.from('{"key":"\xff"}', 'latin1'))
    expect(trouble).toMatchObject({ loc: ['body'], type: 'value_error.jsondecode' })
  })

  it('a body that is packed', async () => {
    const headers = { 'content-encoding': 'gzip' }
    const { status, body } = await api.ask('POST', '$S/roles', gzipSync('{"key":"packed"}'), { headers })
    expect([status, body.detail[0].loc, body.detail[0].msg]).toEqual([
      422,
      ['body'],
      expect.stringMatching(/`gzip`, send it plain/),
    ])
  })

  it('no body at all', async () => {
    expect(await troubles('POST', '$S/roles', '')).toMatchObject([{ loc: ['body'] }])
    expect((await api.ask('POST', '$S/roles')).status).toBe(422)
    expect((await api.ask('DELETE', '$S/roles/admin/permissions')).status).toBe(422)
  })

  it.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data'])(
    'a body of type %s is 415',
    async (type) => {
      const answer = await api.ask('POST', '$S/roles', '{"key":"a"}', { headers: { 'content-type': type } })
      expect(answer).toMatchObject({
        status: 415,
        body: { error_code: 'INVALID_INPUT', title: 'Unsupported Media Type' },
      })
    },
  )

  it('a body of one byte too many is 413', async () => {
    const text = (bytes: number) => `{"key":"a","nme":"${'x'.repeat(bytes - '{"key":"a","nme":""}'.length)}"}`
    expect((await api.ask('POST', '$S/roles', text(BODY_BYTES_MAX))).status).toBe(422)
    const answer = await api.ask('POST', '$S/roles', text(BODY_BYTES_MAX + 1))
    expect(answer).toMatchObject({ status: 413, body: { error_code: 'INVALID_INPUT' } })
  })

  it('a malformed permission is 400 INVALID_PERMISSION_FORMAT', async () => {
    const answer = await api.ask('POST', '$S/roles', { key: 'a', permissions: ['hello'] })
    expect(answer).toMatchObject({ status: 400, body: { error_code: 'INVALID_PERMISSION_FORMAT' } })
  })

  it.each([
    ['page=0', 'page'],
    ['page=x', 'page'],
    ['page=1.5', 'page'],
    ['page=-1', 'page'],
    ['page=99999999999999999999', 'page'],
    ['per_page=0', 'per_page'],
    ['per_page=101', 'per_page'],
    ['include_total_count=maybe', 'include_total_count'],
    [`search=${'x'.repeat(QUERY_TEXT_LENGTH_MAX + 1)}`, 'search'],
  ])('GET roles?%s is 422 in the query', async (query, name) => {
    const answer = await api.ask('GET', `$S/roles?${query}`)
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', name] }] } })
  })

  it('a page number out of range is refused with the allowed range', async () => {
    const readMessage = async (query: string) => (await api.ask('GET', `$S/roles?${query}`)).body.detail[0].msg
    expect(await readMessage('page=-1')).toBe('ensure this value is greater than or equal to 1')
    expect(await readMessage('per_page=99999999999999999999')).toBe('ensure this value is less than or equal to 100')
  })

  it('too many values of a filter are 422', async () => {
    const query = Array.from({ length: 101 }, (_, at) => `user=u${at}`).join('&')
    expect((await api.ask('GET', `$F/role_assignments?${query}`)).status).toBe(422)
  })

  it.each(['/v2/nothing', '/v3/users', '/', '/v2/schema/default/development'])('GET %s is 404', async (path) => {
    const answer = await api.ask('GET', path)
    expect(answer).toMatchObject({ status: 404, body: { error_code: 'NOT_FOUND' } })
    expect(answer.headers['content-type']).toBe('application/json')
  })

  it.each([
    ['a path that is no percent-encoding', '$S/roles/%zz', 400],
    ['a part of the path that is too long', `$S/roles/${'x'.repeat(2000)}`, 414],
    ['a key longer than any', `$S/roles/${'x'.repeat(600)}`, 404],
    ['a key with a NUL', '$S/roles/a%00b', 404],
    ['a key that is no UTF-8', '$S/roles/%ff', 400],
    ['a project with a slash', '/v2/schema/default%2Fdevelopment/x/roles', 404],
    ['an environment written as project/environment', '/v2/schema/default/default%2Fdevelopment/roles', 404],
  ])('%s', async (_, path, status) => {
    const answer = await api.ask('GET', path)
    expect(answer.status).toBe(status)
    expect(answer.body.error_code).toBeDefined()
  })

  it('a 404 begins with the words that clients look for', async () => {
    const { status, body, headers } = await api.ask('GET', '$S/roles/nothing')
    expect(status).toBe(404)
    expect(headers['content-type']).toBe('application/json')
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      title: 'Not Found',
      error_code: 'NOT_FOUND',
      message: 'The requested data could not be found: role `nothing` does not exist',
      support_link: null,
      additional_info: null,
    })
  })

  it('a reference in the body to what does not exist is 404', async () => {
    for (const body of [
      { user: 'nobody', role: 'admin' },
      { user: 'ana', role: 'nothing' },
      { user: 'ana', role: 'admin', tenant: 'x' },
    ]) {
      expect((await api.ask('POST', '$F/role_assignments', body)).status).toBe(404)
    }
  })
})

describe('every answer', () => {
  let api: Harness
  beforeAll(async () => {
    api = await joinHarness({})
  })
  afterAll(() => api.close())

  it('carries the request id that was sent, or a fresh one', async () => {
    const own = await api.ask('GET', '$S/roles', undefined, { headers: { 'x-request-id': 'my-id-1' } })
    expect(own.headers['x-request-id']).toBe('my-id-1')
    for (const bad of ['with blank', 'x'.repeat(129), 'ü']) {
      const answer = await api.ask('GET', '$S/roles', undefined, { headers: { 'x-request-id': bad } })
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/)
    }
    expect((await api.ask('GET', '/nothing')).headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/)
  })

  it('of a write carries the revision, which the log has with who did it', async () => {
    const answer = await api.ask('POST', '$F/tenants', { key: 'acme' }, { headers: { 'x-request-id': 'write-1' } })
    const revision = Number(answer.headers['x-revision'])
    expect(revision).toBe(api.store.head(api.environment).revision)
    const [entry] = api.store.entries(api.environment, revision - 1)
    expect(entry).toMatchObject({
      revision,
      status: 200,
      by: {
        request_id: 'write-1',
        method: 'POST',
        path: '/v2/facts/default/development/tenants',
        operation: 'createTenant',
      },
    })
    const again = await api.ask('PUT', '$F/tenants/acme', {})
    expect(again.headers['x-revision']).toBe(String(revision))
    expect((await api.ask('DELETE', '$F/tenants/acme')).headers['x-revision']).toBe(String(revision + 1))
  })

  it('accepts a content type with a charset', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    expect((await api.ask('POST', '$F/tenants', { key: 'charset' }, { headers })).status).toBe(200)
  })
})
