// Organizations, projects and environments over HTTP: what is made with them, what PUT resets, and what a delete takes
// along.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, joinHarness } from './harness.ts'

let api: Harness
beforeAll(async () => {
  api = await joinHarness()
})
afterAll(() => api.close())

describe('the organization', () => {
  it('is renamed, counted, and no other is seen', async () => {
    const changed = await api.ask('PATCH', '/v2/orgs/default', { name: 'Acme', settings: { plan: 'x' } })
    expect(changed.body).toMatchObject({ key: 'default', name: 'Acme', settings: { plan: 'x' } })
    expect((await api.ask('PATCH', '/v2/orgs/default', { settings: null })).body).toMatchObject({
      settings: null,
      name: 'Acme',
    })
    expect((await api.ask('PATCH', '/v2/orgs/other', { name: 'x' })).status).toBe(404)
    expect((await api.ask('PATCH', '/v2/orgs/default', { key: 'x' })).status).toBe(422)
    const odd = await api.ask('PATCH', '/v2/orgs/default', { name: 'Acme!' })
    expect([odd.status, odd.body.detail[0].loc]).toEqual([422, ['body', 'name']])
    await api.ask('POST', '$F/users', { key: 'ana' })
    const { body } = await api.ask('GET', '/v2/orgs/default/stats')
    expect(body.stats).toEqual({ projects: 1, environments: 2, users: 1 })
    expect(body.historical_usage.current_month).toMatchObject({ mau: 0, monthly_tenants: [] })
    const key = api.made.environments[0]?.secret ?? ''
    expect((await api.ask('PATCH', '/v2/orgs/default', { name: 'x' }, { key })).status).toBe(403)
  })
})

describe('a project', () => {
  it('comes with two environments, or those that it names', async () => {
    const made = await api.ask('POST', '/v2/projects', { key: 'shop', name: 'Shop' })
    expect(made.body).toMatchObject({ key: 'shop', name: 'Shop', description: null, urn_namespace: null })
    const names = async (project: string) =>
      (await api.ask('GET', `/v2/projects/${project}/envs`)).body.map((one: { key: string; name: string }) => [
        one.key,
        one.name,
      ])
    expect(await names('shop')).toEqual([
      ['dev', 'Development'],
      ['production', 'Production'],
    ])
    await api.ask('POST', '/v2/projects', { key: 'bare', name: 'Bare', initial_environments: [] })
    expect(await names('bare')).toEqual([])
    await api.ask('POST', '/v2/projects', { key: 'one', initial_environments: [{ key: 'qa', description: 'tests' }] })
    expect(await names('one')).toEqual([['qa', 'qa']])
    expect((await api.ask('GET', '/v2/facts/one/qa/tenants')).body).toMatchObject([{ key: 'default' }])
    expect((await api.ask('GET', '/v2/api-key/one/qa')).body.secret).toMatch(/^zh_env_/)
  })

  it('is refused when its key is taken or its input is wrong, and nothing is half made', async () => {
    expect((await api.ask('POST', '/v2/projects', { key: 'default', name: 'x' })).status).toBe(409)
    expect((await api.ask('POST', '/v2/projects', { key: 'a b' })).status).toBe(422)
    expect((await api.ask('POST', '/v2/projects', { key: api.made.project.id })).status).toBe(409)
    expect((await api.ask('POST', '/v2/projects', { key: 'ns', urn_namespace: 'X' })).status).toBe(422)
    const twice = { key: 'twice', initial_environments: [{ key: 'a' }, { key: 'a' }] }
    expect((await api.ask('POST', '/v2/projects', twice)).status).toBe(409)
    const bad = await api.ask('POST', '/v2/projects', {
      key: 'bad',
      initial_environments: [{ key: 'a' }, { key: 'ö' }],
    })
    expect(bad.body.detail[0].loc).toEqual(['body', 'initial_environments', 1, 'key'])
    for (const key of ['ns', 'twice', 'bad']) expect((await api.ask('GET', `/v2/projects/${key}`)).status).toBe(404)
  })

  it('is changed by PATCH, and reset by PUT', async () => {
    const fields = { name: 'P', description: 'd', settings: { a: 1 }, urn_namespace: 'ns-1' }
    await api.ask('POST', '/v2/projects', { key: 'p', ...fields })
    expect((await api.ask('PATCH', '/v2/projects/p', { name: 'Q' })).body).toMatchObject({ ...fields, name: 'Q' })
    expect((await api.ask('PATCH', '/v2/projects/p', { key: 'q' })).status).toBe(422)
    const put = await api.ask('PUT', '/v2/projects/p', { key: 'p', description: 'e' })
    expect(put.body).toMatchObject({ name: 'p', description: 'e', settings: null, urn_namespace: null })
    expect((await api.ask('PUT', '/v2/projects/p', { key: 'q' })).status).toBe(422)
    expect((await api.ask('PUT', '/v2/projects/none', {})).status).toBe(404)
  })

  it('takes its environments and keys along', async () => {
    await api.ask('POST', '/v2/projects', { key: 'gone' })
    const organization_id = api.made.organization.id
    const key = (await api.ask('POST', '/v2/api-key', { organization_id, object_type: 'project', project_id: 'gone' }))
      .body
    const env = (await api.ask('GET', '/v2/api-key/gone/dev')).body
    expect((await api.ask('DELETE', '/v2/projects/gone')).status).toBe(204)
    for (const secret of [key.secret, env.secret])
      expect((await api.ask('GET', '/v2/projects', undefined, { key: secret })).status).toBe(401)
    expect((await api.ask('GET', '/v2/projects/gone/envs/dev')).status).toBe(404)
    expect((await api.ask('POST', '/v2/projects', { key: 'gone' })).status).toBe(200)
    expect((await api.ask('GET', '/v2/facts/gone/dev/users')).body.total_count).toBe(0)
  })
})

describe('an environment', () => {
  const ENVS = '/v2/projects/default/envs'

  it('comes with a tenant, a key and a PDP config', async () => {
    const fields = {
      name: 'Staging',
      description: 'd',
      custom_branch_name: 'b',
      jwks: { ttl: 60, url: 'https://example.org/jwks' },
      settings: { a: 1 },
    }
    const made = await api.ask('POST', ENVS, { key: 'staging', ...fields })
    expect(made.status).toBe(200)
    expect(made.body).toMatchObject({ key: 'staging', ...fields, project_id: api.made.project.id })
    const { body } = await api.ask('GET', `${ENVS}/staging/stats`)
    expect(body).toMatchObject({ id: made.body.id, stats: { roles: 0, users: 0, tenants: 1, mau: 0, members: [] } })
    expect(body.pdp_configs).toHaveLength(1)
    const key = body.pdp_configs[0].client_secret
    expect((await api.ask('GET', '/v2/api-key/scope', undefined, { key })).body.environment_id).toBe(made.body.id)
  })

  it('is refused when its key is taken or reads as the id of another', async () => {
    expect((await api.ask('POST', ENVS, { key: 'development' })).status).toBe(409)
    expect((await api.ask('POST', ENVS, { key: api.environment })).status).toBe(409)
    expect((await api.ask('POST', ENVS, { key: 'a/b' })).status).toBe(422)
    expect((await api.ask('POST', ENVS, { key: 'j', jwks: { url: 'http://example.org' } })).status).toBe(422)
    expect((await api.ask('POST', '/v2/projects/none/envs', { key: 'x' })).status).toBe(404)
    const key = api.made.environments[0]?.secret ?? ''
    expect((await api.ask('POST', ENVS, { key: 'x' }, { key })).status).toBe(403)
  })

  it('is changed by PATCH, and reset by PUT', async () => {
    await api.ask('POST', ENVS, { key: 'qa', name: 'QA', description: 'd', settings: { a: 1 } })
    expect((await api.ask('PATCH', `${ENVS}/qa`, { name: 'Q' })).body).toMatchObject({ name: 'Q', description: 'd' })
    const put = await api.ask('PUT', `${ENVS}/qa`, { key: 'qa', description: 'e' })
    expect(put.body).toMatchObject({ key: 'qa', name: 'qa', description: 'e', settings: null, jwks: null })
    expect((await api.ask('PUT', `${ENVS}/qa`, { key: 'q' })).body.detail[0].loc).toEqual(['body', 'key'])
  })

  it('that is deleted is gone with everything in it, and one of the same key starts empty', async () => {
    const { body } = await api.ask('POST', ENVS, { key: 'gone' })
    await api.ask('POST', '/v2/facts/default/gone/users', { key: 'ana' })
    const { secret } = (await api.ask('GET', '/v2/api-key/default/gone')).body
    expect((await api.ask('DELETE', `${ENVS}/gone`)).status).toBe(204)
    expect((await api.ask('DELETE', `${ENVS}/gone`)).status).toBe(404)
    for (const ref of ['gone', body.id])
      expect((await api.ask('GET', `/v2/facts/default/${ref}/users`)).status).toBe(404)
    expect((await api.ask('GET', '/v2/facts/default/gone/users', undefined, { key: secret })).status).toBe(401)
    expect((await api.ask('GET', '/v2/api-key/scope', undefined, { key: secret })).status).toBe(410)
    const again = await api.ask('POST', ENVS, { key: 'gone' })
    expect(again.body.id).not.toBe(body.id)
    expect((await api.ask('GET', '/v2/facts/default/gone/users')).body.total_count).toBe(0)
  })

  it('is reached by the id of the project and its own key, and the other way round', async () => {
    const { project } = api.made
    for (const path of [`${project.id}/envs/development`, `default/envs/${api.environment}`])
      expect((await api.ask('GET', `/v2/projects/${path}`)).body.id).toBe(api.environment)
  })
})
