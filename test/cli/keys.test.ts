// `zerohop keys` and `zerohop org list` at a management API in this process. What they do in a folder: admin.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKey, deleteKey, listKeys, listOrganizations, rotateKey } from '../../src/cli/commands/keys.ts'
import { type Env, readEnv } from '../../src/cli/configuration/env.ts'
import { type Harness, openHarness } from '../http/management/harness.ts'
import { printedBy } from '../support/printed.ts'

let api: Harness
let env: Env
const as = (pdpApiKey: string): Env => ({ ...env, pdpApiKey })
const may = async (key: string) => (await api.ask('GET', '$S/roles', undefined, { key })).status

beforeAll(async () => {
  api = await openHarness()
  const url = await api.app.listen({ port: 0 })
  env = { ...readEnv({}), api: url, pdpApiKey: api.made.organization.secret }
})
afterAll(() => api.close())

describe('zerohop keys at a server', () => {
  it('makes, lists, rotates and deletes keys, as in a folder', async () => {
    const of = { level: 'env', access: 'read', environment: 'development', name: 'pdp' } as const
    const secret = (await printedBy(() => createKey(env, of))).trim()
    expect(secret).toMatch(/^zh_env_/)
    expect(await may(secret)).toBe(200)
    const rows = JSON.parse(await printedBy(() => listKeys(env, { json: true })))
    const row = rows.find(({ name }: { name: string }) => name === 'pdp')
    expect(row).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      level: 'env',
      access: 'read',
      project: 'default',
      environment: 'development',
      name: 'pdp',
      created_at: expect.any(Number),
    })
    expect(JSON.stringify(rows)).not.toContain('zh_')
    const table = await printedBy(() => listKeys(env, {}))
    expect(table).toMatch(new RegExp(`^${row.id}  env    read    default/development  pdp +\\d{4}-`, 'm'))
    expect(table).toMatch(/ org {4}admin {3}– +first organization key /)
    const rotated = (await printedBy(() => rotateKey(env, row.id, {}))).trim()
    expect([await may(secret), await may(rotated)]).toEqual([401, 200])
    expect(await printedBy(() => deleteKey(env, row.id, {}))).toBe('')
    expect(await may(rotated)).toBe(401)
    await expect(deleteKey(env, row.id, {})).rejects.toMatchObject({ code: 'API_REFUSED', details: { status: 404 } })
  })

  it('shows a key what it reaches, and refuses what it may not', async () => {
    const [, production] = api.made.environments
    const own = JSON.parse(await printedBy(() => listKeys(as(production!.secret), { json: true })))
    expect(own.map(({ environment }: { environment: string }) => environment)).toEqual(['production'])
    await api.addKey('env', 'read', 'r'.repeat(40))
    const create = () => createKey(as('r'.repeat(40)), { level: 'env', access: 'admin', environment: 'development' })
    await expect(create()).rejects.toMatchObject({ details: { status: 403 } })
    await expect(listKeys({ ...env, pdpApiKey: undefined } as Env, {})).rejects.toThrow('set PDP_API_KEY')
  })

  it('lists the organization of the key, with counts for a key of the organization', async () => {
    const rowsAs = async (key: string) =>
      JSON.parse(await printedBy(() => listOrganizations(as(key), { json: true }))) as object[]
    const organization = { id: api.made.organization.id, key: 'default', name: 'Default Organization' }
    expect(await rowsAs(api.made.organization.secret)).toEqual([{ ...organization, projects: 1, environments: 2 }])
    expect(await rowsAs('r'.repeat(40))).toEqual([{ ...organization, projects: null, environments: null }])
    expect(await printedBy(() => listOrganizations(as('r'.repeat(40)), {}))).toMatch(/Default Organization +– +–\n$/)
  })
})
