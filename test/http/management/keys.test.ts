// API keys over HTTP: who sees them, who makes them, and that one that is rotated or deleted is dead at once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, joinHarness } from './harness.ts'

const KEY = /^zh_(org|proj|env)_[0-9A-Za-z]{27}_[0-9A-Za-z]{6}$/

describe('API keys', () => {
  let api: Harness
  beforeAll(async () => {
    api = await joinHarness()
    for (const [level, access] of [
      ['env', 'read'],
      ['env', 'write'],
      ['env', 'admin'],
      ['project', 'admin'],
    ] as const)
      await api.addKey(level, access, `a-key-of-keys-${level}-${access}`)
  })
  afterAll(() => api.close())
  const at = (level: string, access: string) => ({ key: `a-key-of-keys-${level}-${access}` })
  const create = (body: object, options = {}) =>
    api.ask('POST', '/v2/api-key', { organization_id: api.made.organization.id, ...body }, options)
  const forDevelopment = () => ({ project_id: api.made.project.id, environment_id: api.environment })

  it('are created for each level, and act as what they are', async () => {
    const env = await create({ ...forDevelopment(), access_level: 'read', name: 'reports' })
    expect(env.status).toBe(200)
    expect(env.body).toMatchObject({
      organization_id: api.made.organization.id,
      ...forDevelopment(),
      object_type: 'env',
      access_level: 'read',
      owner_type: 'member',
      name: 'reports',
      secret: expect.stringMatching(KEY),
      created_by_member: null,
      last_used_at: null,
      env: { key: 'development' },
      project: { key: 'default' },
    })
    const use = { key: env.body.secret }
    expect((await api.ask('GET', '$F/users', undefined, use)).status).toBe(200)
    expect((await api.ask('POST', '$F/users', { key: 'ana' }, use)).status).toBe(403)

    const project = await create({ object_type: 'project', project_id: 'default' })
    expect(project.body).toMatchObject({ object_type: 'project', environment_id: null, env: null })
    const organization = await create({ object_type: 'org' })
    expect(organization.body).toMatchObject({ object_type: 'org', project_id: null, project: null })
    expect((await api.ask('GET', '/v2/api-key/scope', undefined, { key: organization.body.secret })).body).toEqual({
      organization_id: api.made.organization.id,
      project_id: null,
      environment_id: null,
    })
  })

  it.each([
    [{ object_type: 'env' }, 'environment_id'],
    [{ object_type: 'project' }, 'project_id'],
    [{ object_type: 'org', project_id: 'default' }, 'project_id'],
    [{ object_type: 'project', project_id: 'default', environment_id: 'development' }, 'environment_id'],
  ])('%j is refused, because of %s', async (body, field) => {
    const { status, body: answer } = await create(body)
    expect(status).toBe(422)
    expect(answer.detail[0].loc).toEqual(['body', field])
  })

  it('of another organization, or for what does not exist, are not found', async () => {
    const other = await api.another({ organization: 'other' })
    expect((await create({ organization_id: other.organization.id, object_type: 'org' })).status).toBe(404)
    expect((await create({ project_id: 'none', environment_id: 'none' })).status).toBe(404)
    expect((await create({ project_id: 'default', environment_id: 'none' })).status).toBe(404)
    const foreign = other.environments[0]?.id
    expect((await create({ environment_id: foreign })).status).toBe(404)
  })

  it('never make a key that reaches further than themselves', async () => {
    expect((await create({ object_type: 'org' }, at('env', 'admin'))).status).toBe(403)
    expect((await create({ object_type: 'project', project_id: 'default' }, at('env', 'admin'))).status).toBe(403)
    expect((await create({ object_type: 'org' }, at('project', 'admin'))).status).toBe(403)
    expect((await create({ environment_id: 'production', project_id: 'default' }, at('env', 'admin'))).status).toBe(404)
    expect((await create(forDevelopment(), at('env', 'write'))).status).toBe(403)
    expect((await create(forDevelopment(), at('env', 'admin'))).status).toBe(200)
    expect((await create({ environment_id: 'production', project_id: 'default' }, at('project', 'admin'))).status).toBe(
      200,
    )
  })

  it('list what they reach, without secrets', async () => {
    const list = async (query = '', options = {}) =>
      (await api.ask('GET', `/v2/api-key${query}`, undefined, options)).body
    const all = await list('?per_page=100')
    expect(all.total_count).toBe(all.data.length)
    expect(all.data.every((key: { secret: unknown }) => key.secret === null)).toBe(true)
    const own = await list('?per_page=100', at('env', 'read'))
    expect(own.data.length).toBeGreaterThan(3)
    for (const key of own.data) expect(key).toMatchObject({ object_type: 'env', environment_id: api.environment })
    const levels = (page: { data: { object_type: string }[] }) => new Set(page.data.map((key) => key.object_type))
    expect(levels(await list('?object_type=org'))).toEqual(new Set(['org']))
    expect(levels(await list('?proj_id=default', at('project', 'admin')))).toEqual(new Set(['project', 'env']))
    expect((await list('?proj_id=none')).data).toEqual([])
    expect((await api.ask('GET', '/v2/api-key?object_type=galaxy')).status).toBe(422)
  })

  it('of an environment neither delete the environment nor read secrets, which a key of the project does', async () => {
    const { id } = (await create(forDevelopment())).body
    const text = (what: string) =>
      `this API key is not allowed to ${what}: it needs a key of the project or the organization`
    const own = await api.ask('GET', '/v2/api-key/default/development', undefined, at('env', 'admin'))
    expect([own.status, own.body.message]).toEqual([403, text('read the secrets of API keys')])
    expect((await api.ask('GET', `/v2/api-key/${id}`, undefined, at('env', 'admin'))).body.secret).toBeNull()
    const configs = await api.ask('GET', '/v2/pdps/default/development/configs', undefined, at('env', 'admin'))
    expect(configs.body).toMatchObject([{ client_secret: '' }])
    const stats = await api.ask('GET', '/v2/projects/default/envs/development/stats', undefined, at('env', 'admin'))
    expect(JSON.stringify(stats.body)).not.toContain('zh_env_')

    expect((await api.ask('POST', '/v2/projects/default/envs', { key: 'passing', name: 'Passing' })).status).toBe(200)
    const { secret } = (await api.ask('GET', '/v2/api-key/default/passing', undefined, at('project', 'admin'))).body
    const path = '/v2/projects/default/envs/passing'
    const refused = await api.ask('DELETE', path, undefined, { key: secret })
    expect([refused.status, refused.body.message]).toEqual([403, text('delete environments')])
    expect((await api.ask('DELETE', '/v2/projects/default', undefined, { key: secret })).status).toBe(403)
    expect((await api.ask('GET', path)).status).toBe(200)
    expect((await api.ask('DELETE', path, undefined, at('project', 'admin'))).status).toBe(204)
  })

  it('are read one by one; the secret only by a key of access admin, which the log tells', async () => {
    const { id, secret } = (await create(forDevelopment())).body
    const before = api.store.head(api.made.organization.id).revision
    expect((await api.ask('GET', `/v2/api-key/${id}`, undefined, at('env', 'write'))).body.secret).toBeNull()
    expect(api.store.head(api.made.organization.id).revision).toBe(before)
    expect((await api.ask('GET', `/v2/api-key/${id}`)).body.secret).toBe(secret)
    const [entry] = api.store.entries(api.made.organization.id, before)
    expect(entry).toMatchObject({
      changes: [],
      by: { operation: 'readSecret', method: 'GET', path: `/v2/api-key/${id}` },
    })
    const organizationKey = (await api.ask('GET', '/v2/api-key?object_type=org')).body.data[0].id
    expect((await api.ask('GET', `/v2/api-key/${organizationKey}`, undefined, at('env', 'admin'))).status).toBe(404)
    expect((await api.ask('GET', '/v2/api-key/no-such-key')).status).toBe(404)
  })

  it('that are rotated keep their id and scope, and their old secret is dead at once', async () => {
    const { id, secret } = (await create({ ...forDevelopment(), access_level: 'write' })).body
    expect((await api.ask('GET', '$F/users', undefined, { key: secret })).status).toBe(200)
    const rotated = await api.ask('POST', `/v2/api-key/${id}/rotate-secret`)
    expect(rotated.body).toMatchObject({ id, access_level: 'write', secret: expect.stringMatching(KEY) })
    expect(rotated.body.secret).not.toBe(secret)
    expect((await api.ask('GET', '$F/users', undefined, { key: secret })).status).toBe(401)
    expect((await api.ask('GET', '$F/users', undefined, { key: rotated.body.secret })).status).toBe(200)
    expect((await api.ask('GET', `/v2/api-key/${id}`)).body.secret).toBe(rotated.body.secret)
    expect((await api.ask('POST', `/v2/api-key/${id}/rotate-secret`, undefined, at('env', 'write'))).status).toBe(403)
  })

  it('that are deleted are dead at once, and their secret is erased', async () => {
    const { id, secret } = (await create(forDevelopment())).body
    expect((await api.ask('DELETE', `/v2/api-key/${id}`)).status).toBe(204)
    expect((await api.ask('GET', '$F/users', undefined, { key: secret })).status).toBe(401)
    expect((await api.ask('GET', `/v2/api-key/${id}`)).status).toBe(404)
    expect((await api.ask('DELETE', `/v2/api-key/${id}`)).status).toBe(404)
    expect(api.store.readSecret(id)).toBeUndefined()
  })

  it('never stand in the log', async () => {
    const { secret } = (await create(forDevelopment())).body
    const log = JSON.stringify(api.store.entries(api.made.organization.id, 0))
    expect(log).not.toContain(secret)
    expect(log).not.toContain(api.made.organization.secret)
  })
})

describe('PDP configs', () => {
  let api: Harness
  beforeAll(async () => {
    api = await joinHarness()
    await api.addKey('env', 'read', 'a-key-that-sees-configs')
  })
  afterAll(() => api.close())
  const CONFIGS = '/v2/pdps/default/development/configs'

  it('carry the key of the environment, for who may see it', async () => {
    const { body } = await api.ask('GET', CONFIGS)
    expect(body).toMatchObject([{ name: 'default', client_secret: api.made.environments[0]?.secret }])
    const seen = await api.ask('GET', CONFIGS, undefined, { key: 'a-key-that-sees-configs' })
    expect(seen.body).toMatchObject([{ id: body[0].id, client_secret: '' }])
    expect((await api.ask('GET', `${CONFIGS}?page=2`)).body).toEqual([])
  })

  it('tell a PDP of the contract where it belongs, and no secret', async () => {
    const [config] = (await api.ask('GET', CONFIGS)).body
    const values = await api.ask('GET', `${CONFIGS}/${config.id}/values`, undefined, { key: 'a-key-that-sees-configs' })
    expect(values.body.context).toMatchObject({ org_id: api.made.organization.id, env_id: api.environment })
    expect(JSON.stringify(values.body)).not.toContain(config.client_secret)
    expect((await api.ask('GET', `/v2/pdps/default/production/configs/${config.id}/values`)).status).toBe(404)
  })

  it('rotate the key of the environment, also one that was deleted', async () => {
    const [config] = (await api.ask('GET', CONFIGS)).body
    const rotate = () => api.ask('POST', `${CONFIGS}/${config.id}/rotate-api-key`)
    const first = (await rotate()).body
    expect(first).toMatchObject({ id: config.id, client_secret: expect.stringMatching(KEY) })
    expect((await api.ask('GET', '$F/users', undefined, { key: config.client_secret })).status).toBe(401)
    const { body: key } = await api.ask('GET', '/v2/api-key/default/development')
    expect(key.secret).toBe(first.client_secret)
    await api.ask('DELETE', `/v2/api-key/${key.id}`)
    expect((await api.ask('GET', '/v2/api-key/default/development')).status).toBe(404)
    const second = (await rotate()).body
    expect((await api.ask('GET', '$F/users', undefined, { key: second.client_secret })).status).toBe(200)
    expect((await api.ask('GET', '/v2/api-key/default/development')).body.secret).toBe(second.client_secret)
  })
})
