// Keys: who may ask, and that what is out of reach looks like what does not exist.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccessLevel, KeyLevel } from '../../../src/kinds/api-key.ts'
import type { Bootstrapped } from '../../../src/management/host/bootstrap.ts'
import { type Harness, joinHarness } from './harness.ts'

describe('authentication', () => {
  let api: Harness
  let other: Bootstrapped
  beforeAll(async () => {
    api = await joinHarness({})
    other = await api.another({ organization: 'other' })
  })
  afterAll(() => api.close())
  const environmentKey = () => api.made.environments[0]?.secret ?? ''

  it.each([
    ['no header', {}],
    ['another scheme', { authorization: 'Basic abc' }],
    ['no blank', { authorization: 'Bearer' }],
    ['two words', { authorization: 'Bearer a b' }],
    ['an unknown key', { authorization: 'Bearer zh_env_0000000000000000000000000000_000000' }],
    ['an empty key', { authorization: 'Bearer ' }],
  ])('%s is 401 UNAUTHORIZED', async (_, headers) => {
    const answer = await api.ask('GET', '$S/roles', undefined, {
      key: null,
      headers: headers as Record<string, string>,
    })
    expect(answer.status).toBe(401)
    expect(answer.body).toMatchObject({ error_code: 'UNAUTHORIZED', title: 'Unauthorized', support_link: null })
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })

  it('is asked before the body is read', async () => {
    expect((await api.ask('POST', '$S/roles', '{broken', { key: 'wrong-key-wrong-key' })).status).toBe(401)
  })

  it('takes the scheme in any letter case', async () => {
    const authorization = `bearer ${environmentKey()}`
    expect((await api.ask('GET', '$S/roles', undefined, { key: null, headers: { authorization } })).status).toBe(200)
  })

  it('/health needs no key', async () => {
    const answer = await api.ask('GET', '/health', undefined, { key: null })
    expect(answer).toMatchObject({ status: 200, body: { status: 'ok' } })
  })

  it('GET /v2/api-key/scope answers every kind of key', async () => {
    const { organization, project, environments } = api.made
    const scope = async (key: string) => (await api.ask('GET', '/v2/api-key/scope', undefined, { key })).body
    const ids = { organization_id: organization.id, project_id: null, environment_id: null }
    expect(await scope(organization.secret)).toEqual(ids)
    expect(await scope(environmentKey())).toEqual({
      ...ids,
      project_id: project.id,
      environment_id: environments[0]?.id,
    })
  })

  it('the key of an environment is read back with its secret', async () => {
    const answer = await api.ask('GET', '/v2/api-key/default/development')
    expect(answer.body).toMatchObject({
      secret: environmentKey(),
      object_type: 'env',
      access_level: 'admin',
      owner_type: 'pdp_config',
      environment_id: api.environment,
      env: { key: 'development' },
      project: { key: 'default' },
    })
  })

  it('a foreign environment answers like a missing one, byte for byte but the error id', async () => {
    const text = async (path: string, key: string) => {
      const { status, body } = await api.ask('GET', path, undefined, { key })
      return JSON.stringify({ status, ...body, id: '' })
    }
    const missing = await text('/v2/schema/default/nowhere/roles', environmentKey())
    expect(missing).toContain('The requested data could not be found')
    const sibling = await text('/v2/schema/default/production/roles', environmentKey())
    expect(sibling).toBe(missing.replaceAll('nowhere', 'production'))
    const foreign = other.environments[0]?.id ?? ''
    for (const key of [environmentKey(), api.made.organization.secret]) {
      expect(await text(`/v2/schema/default/${foreign}/roles`, key)).toBe(missing.replaceAll('nowhere', foreign))
      expect(await text(`/v2/projects/${other.project.id}`, key)).toBe(
        (await text('/v2/projects/nothing', key)).replaceAll('nothing', other.project.id),
      )
      expect(await text(`/v2/orgs/${other.organization.id}`, key)).toBe(
        (await text('/v2/orgs/nothing', key)).replaceAll('nothing', other.organization.id),
      )
    }
  })

  it('an object of another environment is missing', async () => {
    const role = await api.ask('GET', '$S/roles/admin')
    expect(role.status).toBe(200)
    expect((await api.ask('GET', `/v2/schema/default/production/roles/${role.body.id}`)).status).toBe(404)
    expect((await api.ask('PATCH', '/v2/schema/default/production/roles/admin', { name: 'x' })).status).toBe(404)
  })

  it('two organizations with the same keys see only their own', async () => {
    await api.ask('POST', '$F/tenants', { key: 'mine' })
    const key = other.organization.secret
    expect((await api.ask('GET', '$F/tenants/mine', undefined, { key })).status).toBe(404)
    expect((await api.ask('GET', '/v2/orgs', undefined, { key })).body).toMatchObject([{ key: 'other' }])
  })
})

describe('access', () => {
  let api: Harness
  beforeAll(async () => {
    api = await joinHarness({})
  })
  afterAll(() => api.close())

  /** A key of any level and access, written the way part of the API that makes keys will write it. */
  async function makeKey(level: KeyLevel, access: AccessLevel): Promise<string> {
    const secret = `a-key-of-auth-${level}-${access}`
    await api.addKey(level, access, secret)
    return secret
  }

  it.each([
    ['env', 'no_access', 403, 403],
    ['env', 'read', 200, 403],
    ['env', 'write', 200, 200],
    ['env', 'admin', 200, 200],
    ['project', 'read', 200, 403],
    ['project', 'admin', 200, 200],
    ['org', 'read', 200, 403],
    ['org', 'write', 200, 200],
  ] as const)(
    'a key of level %s and access %s reads with %i and writes with %i',
    async (level, access, reads, writes) => {
      const key = await makeKey(level, access)
      expect((await api.ask('GET', '/v2/api-key/scope', undefined, { key })).status).toBe(200)
      expect((await api.ask('GET', '$F/users', undefined, { key })).status).toBe(reads)
      const body = { key: `t-${level}-${access}` }
      const written = await api.ask('POST', '$F/tenants', body, { key })
      expect(written.status).toBe(writes)
      const sees = access === 'admin' && level !== 'env' ? 200 : 403
      expect((await api.ask('GET', '/v2/api-key/default/development', undefined, { key })).status).toBe(sees)
      if (writes === 403) {
        expect(written.body).toMatchObject({
          error_code: 'FORBIDDEN_ACCESS',
          message: 'this API key is not allowed to change the facts',
        })
        expect((await api.ask('GET', `$F/tenants/${body.key}`)).status).toBe(404)
      }
    },
  )

  it('a key that is gone is dead at once', async () => {
    const key = await makeKey('project', 'write')
    expect((await api.ask('GET', '$F/users', undefined, { key })).status).toBe(200)
    await api.removeKey(key)
    expect((await api.ask('GET', '$F/users', undefined, { key })).status).toBe(401)
  })

  it('an environment key lists its own project and environment, an organization key all', async () => {
    const key = api.made.environments[1]?.secret ?? ''
    const keys = async (path: string, options = {}) =>
      (await api.ask('GET', path, undefined, options)).body.map((one: { key: string }) => one.key)
    expect(await keys('/v2/projects', { key })).toEqual(['default'])
    expect(await keys('/v2/projects/default/envs', { key })).toEqual(['production'])
    expect(await keys('/v2/projects/default/envs')).toEqual(['development', 'production'])
  })

  it('reaches an environment by key and by id, dashed or not', async () => {
    const dashed = (id: string) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    const { project } = api.made
    for (const p of ['default', project.id, dashed(project.id)]) {
      for (const e of ['development', api.environment, dashed(api.environment), api.environment.toUpperCase()]) {
        expect((await api.ask('GET', `/v2/schema/${p}/${e}/roles`)).status, `${p} ${e}`).toBe(200)
      }
    }
  })
})
