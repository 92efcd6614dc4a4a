// Lists: array or page, filters, order, and searches that take more than one turn of the event loop.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withoutRequest } from '../../../src/log/change.ts'
import { SCAN_ROWS_PER_TURN } from '../../../src/model/limits.ts'
import { type Harness, joinHarness } from './harness.ts'

interface Keyed {
  readonly key: string
}
const keys = (rows: readonly Keyed[]) => rows.map(({ key }) => key)

describe('lists', () => {
  let api: Harness
  beforeAll(async () => {
    api = await joinHarness()
    await api.ask('POST', '$S/resources', { key: 'doc', name: 'Document' })
    await api.ask('POST', '$S/resources', { key: 'doc_type', name: 'Type' })
    await api.ask('POST', '$S/resources', { key: 'folder' })
    for (const key of ['zeta', 'alpha', 'mid'])
      await api.ask('POST', '$S/roles', { key, attributes: { of: key, n: 1 } })
    for (const key of ['t1', 't2']) await api.ask('POST', '$F/tenants', { key })
    for (let at = 0; at < 5; at++)
      await api.ask('POST', '$F/users', { key: `u${at}`, email: `u${at}@b.cd`, last_name: `Name${at}` })
    const assign = (user: string, role: string, tenant: string) =>
      api.ask('POST', '$F/role_assignments', { user, role, tenant })
    await assign('u3', 'zeta', 't1')
    await assign('u1', 'alpha', 't2')
    await assign('u3', 'alpha', 't2')
    await assign('u0', 'zeta', 't2')
    await assign('u3', 'mid', 't2')
  })
  afterAll(() => api.close())

  it.each(['$S/roles', '$S/resources', '$F/tenants', '$F/role_assignments'])(
    '%s is an array, or a page when asked',
    async (path) => {
      const { body: array } = await api.ask('GET', path)
      expect(Array.isArray(array)).toBe(true)
      const { body: page } = await api.ask('GET', `${path}?include_total_count=true&per_page=2&page=2`)
      expect(page.data).toEqual(array.slice(2, 4))
      expect(page).toMatchObject({ total_count: array.length, page_count: Math.ceil(array.length / 2) })
    },
  )

  it('users are always a page', async () => {
    const { body } = await api.ask('GET', '$F/users?per_page=2&page=2')
    expect(body).toMatchObject({ total_count: 5, page_count: 3 })
    expect(keys(body.data)).toEqual(['u2', 'u3'])
    for (const page of [9, 143_165_577, 90_000_000_000_000]) {
      expect((await api.ask('GET', `$F/users?page=${page}`)).body).toEqual({ data: [], total_count: 5, page_count: 1 })
    }
  })

  it('an empty list has no pages', async () => {
    expect((await api.ask('GET', '$F/users?search=nobody')).body).toEqual({ data: [], total_count: 0, page_count: 0 })
  })

  it('are in the order of creation', async () => {
    expect(keys((await api.ask('GET', '$S/roles')).body)).toEqual(['zeta', 'alpha', 'mid'])
    expect(keys((await api.ask('GET', '$F/tenants')).body)).toEqual(['default', 't1', 't2'])
  })

  it('keep their order when an object is written again', async () => {
    await api.ask('PATCH', '$S/roles/zeta', { name: 'Zeta' })
    expect(keys((await api.ask('GET', '$S/roles')).body)).toEqual(['zeta', 'alpha', 'mid'])
  })

  it('search is a substring in any letter case', async () => {
    const found = async (path: string) => {
      const { body } = await api.ask('GET', path)
      return keys(Array.isArray(body) ? body : body.data)
    }
    expect(await found('$S/roles?search=ET')).toEqual(['zeta'])
    expect(await found('$F/users?search=U1@B')).toEqual(['u1'])
    expect(await found('$F/users?search=name3')).toEqual(['u3'])
    expect(await found('$F/tenants?search=t')).toEqual(['default', 't1', 't2'])
    expect(await found('$F/tenants?search=tenant')).toEqual(['default'])
    expect(await found('$S/resources?search=doc')).toEqual(['doc', 'doc_type'])
    expect(await found('$S/resources?search=d*t')).toEqual(['doc', 'doc_type'])
    expect(await found('$S/resources?search=c_t')).toEqual(['doc_type'])
    expect(await found('$S/resources?search=f*d*r')).toEqual(['folder'])
    expect(await found('$S/resources?search=r*d')).toEqual([])
    expect(await found('$S/roles?search=*')).toEqual([])
  })

  it('attribute filters compare with the value written as text', async () => {
    expect(keys((await api.ask('GET', '$S/roles?attr_of=mid&attr_n=1')).body)).toEqual(['mid'])
    expect(keys((await api.ask('GET', '$S/roles?attr_of=mid&attr_n=2')).body)).toEqual([])
    expect(keys((await api.ask('GET', '$S/roles?attr_toString=x')).body)).toEqual([])
  })

  it('users by role, each once', async () => {
    const { body } = await api.ask('GET', '$F/users?role=alpha')
    expect(keys(body.data).sort()).toEqual(['u1', 'u3'])
    expect(body.total_count).toBe(2)
    await api.ask('POST', '$F/role_assignments', { user: 'u1', role: 'alpha', tenant: 't1' })
    expect((await api.ask('GET', '$F/users?role=alpha')).body.total_count).toBe(2)
    await api.ask('DELETE', '$F/role_assignments', { user: 'u1', role: 'alpha', tenant: 't1' })
    expect((await api.ask('GET', '$F/users?role=nothing')).body.data).toEqual([])
    expect(keys((await api.ask('GET', '$F/users?role=alpha&search=u3')).body.data)).toEqual(['u3'])
  })

  it('users of a tenant by role and search', async () => {
    expect(keys((await api.ask('GET', '$F/tenants/t2/users')).body.data).sort()).toEqual(['u0', 'u1', 'u3'])
    expect(keys((await api.ask('GET', '$F/tenants/t2/users?role=zeta')).body.data)).toEqual(['u0'])
    expect(keys((await api.ask('GET', '$F/tenants/t2/users?search=u3')).body.data)).toEqual(['u3'])
    expect((await api.ask('GET', '$F/tenants/t1/users')).body.total_count).toBe(1)
  })

  it.each([
    ['', ['u3/zeta/t1', 'u1/alpha/t2', 'u3/alpha/t2', 'u0/zeta/t2', 'u3/mid/t2']],
    ['user=u3', ['u3/zeta/t1', 'u3/alpha/t2', 'u3/mid/t2']],
    ['user=u3&tenant=t2', ['u3/alpha/t2', 'u3/mid/t2']],
    ['user=u3&tenant=t2&role=mid', ['u3/mid/t2']],
    ['user=u0&user=u1&user=u0', ['u1/alpha/t2', 'u0/zeta/t2']],
    ['role=zeta', ['u3/zeta/t1', 'u0/zeta/t2']],
    ['role=zeta&role=mid', ['u3/zeta/t1', 'u0/zeta/t2', 'u3/mid/t2']],
    ['tenant=t2&role=alpha', ['u1/alpha/t2', 'u3/alpha/t2']],
    ['user=nobody', []],
    ['user=nobody&user=u1', ['u1/alpha/t2']],
    ['tenant=nowhere', []],
    ['user=', ['u3/zeta/t1', 'u1/alpha/t2', 'u3/alpha/t2', 'u0/zeta/t2', 'u3/mid/t2']],
    ['resource_instance=doc:1', []],
    ['resource=doc', []],
  ])('role assignments by %s', async (query, expected) => {
    const { body } = await api.ask('GET', `$F/role_assignments?${query}`)
    const print = (row: { user: string; role: string; tenant: string }) => `${row.user}/${row.role}/${row.tenant}`
    expect(body.map(print)).toEqual(expected)
    const counted = (await api.ask('GET', `$F/role_assignments?${query}&include_total_count=true&per_page=1&page=2`))
      .body
    expect(counted.total_count).toBe(expected.length)
    expect(counted.data.map(print)).toEqual(expected.slice(1, 2))
  })

  it('role assignments by ids', async () => {
    const { body: user } = await api.ask('GET', '$F/users/u1')
    expect((await api.ask('GET', `$F/role_assignments?user=${user.id}`)).body).toHaveLength(1)
  })

  it('role assignments in detail', async () => {
    const { body } = await api.ask('GET', '$F/role_assignments?user=u1&detailed=true')
    expect(body).toEqual([
      {
        id: expect.any(String),
        user: {
          id: expect.any(String),
          key: 'u1',
          email: 'u1@b.cd',
          first_name: null,
          last_name: 'Name1',
          attributes: {},
        },
        role: { id: expect.any(String), key: 'alpha', name: 'alpha', permissions: [] },
        tenant: { id: expect.any(String), key: 't2', name: 't2', attributes: {} },
        resource_instance: null,
        ...api.place,
        created_at: expect.any(String),
      },
    ])
    const page = await api.ask('GET', '$F/role_assignments/detailed?user=u1')
    expect(page.body).toEqual({ data: body, total_count: 1, page_count: 1 })
  })
})

describe('role assignments', () => {
  let api: Harness
  beforeAll(async () => {
    api = await joinHarness()
    await api.ask('POST', '$S/roles', { key: 'admin' })
    await api.ask('POST', '$F/users', { key: 'ana' })
    await api.ask('POST', '$F/tenants', { key: 'acme' })
  })
  afterAll(() => api.close())

  it('are assigned, read back, refused twice and removed', async () => {
    const body = { user: 'ana', role: 'admin', tenant: 'acme', resource_instance: null }
    const made = await api.ask('POST', '$F/role_assignments', body)
    expect(made.status).toBe(200)
    expect(made.body).toEqual({
      id: expect.any(String),
      user: 'ana',
      role: 'admin',
      tenant: 'acme',
      resource_instance: null,
      resource_instance_id: null,
      user_id: (await api.ask('GET', '$F/users/ana')).body.id,
      role_id: (await api.ask('GET', '$S/roles/admin')).body.id,
      tenant_id: (await api.ask('GET', '$F/tenants/acme')).body.id,
      ...api.place,
      created_at: expect.any(String),
    })
    expect((await api.ask('GET', '$F/role_assignments')).body).toEqual([made.body])
    expect(await api.ask('POST', '$F/role_assignments', body)).toMatchObject({
      status: 409,
      body: { error_code: 'DUPLICATE_ENTITY' },
    })
    const gone = await api.ask('DELETE', '$F/role_assignments?return_deleted=true', body)
    expect(gone).toMatchObject({ status: 200, body: made.body })
    const again = await api.ask('DELETE', '$F/role_assignments', body)
    expect(again).toMatchObject({ status: 404, body: { error_code: 'NOT_FOUND' } })
  })

  it('take ids for keys, and print keys', async () => {
    const { user_id, role_id, tenant_id } = (
      await api.ask('POST', '$F/role_assignments', { user: 'ana', role: 'admin', tenant: 'acme' })
    ).body
    const ids = { user: user_id, role: role_id, tenant: tenant_id }
    expect((await api.ask('DELETE', '$F/role_assignments', ids)).status).toBe(204)
    expect((await api.ask('POST', '$F/role_assignments', ids)).body).toMatchObject({
      user: 'ana',
      role: 'admin',
      tenant: 'acme',
    })
  })

  it('without a tenant are in `default`, by both paths', async () => {
    expect((await api.ask('POST', '$F/role_assignments', { user: 'ana', role: 'admin' })).body.tenant).toBe('default')
    expect((await api.ask('DELETE', '$F/users/ana/roles', { role: 'admin' })).status).toBe(204)
    expect((await api.ask('POST', '$F/users/ana/roles', { role: 'admin', tenant: null })).body).toMatchObject({
      user: 'ana',
      tenant: 'default',
    })
    const gone = await api.ask('DELETE', '$F/users/ana/roles?return_deleted=true', {
      role: 'admin',
      tenant: 'default',
      resource_instance: null,
    })
    expect(gone).toMatchObject({ status: 200, body: { tenant: 'default' } })
    expect((await api.ask('DELETE', '$F/users/ana/roles', { role: 'admin', tenant: 'default' })).status).toBe(404)
  })
})

describe('a search over more rows than one turn looks at', () => {
  it('finds them all, in order, and lets others in between', async () => {
    const api = await joinHarness()
    const count = SCAN_ROWS_PER_TURN * 2 + 10
    const by = withoutRequest('test')
    const writes = Array.from({ length: count }, (_, at) =>
      api.store.commit(api.environment, 'createUser', { key: `u${at}`, first_name: at % 2 ? 'odd' : 'even' }, by),
    )
    await Promise.all(writes)
    const order: string[] = []
    const search = api.ask('GET', '$F/users?search=odd&per_page=3&page=2').then((answer) => {
      order.push('search')
      return answer
    })
    const quick = api.ask('GET', '/health', undefined, { key: null }).then(() => order.push('health'))
    const [{ body }] = await Promise.all([search, quick])
    expect(body.total_count).toBe(count / 2)
    expect(keys(body.data)).toEqual(['u7', 'u9', 'u11'])
    expect(order).toEqual(['health', 'search'])
    await api.close()
  })
})
