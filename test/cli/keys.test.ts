// `zerohop keys` and `zerohop org list` at a management API in this process. What they do in a folder: admin.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createKey,
  deleteKey,
  endOldSecret,
  listKeys,
  listOrganizations,
  rotateKey,
} from '../../src/cli/commands/keys.ts'
import { type Env, readEnv } from '../../src/cli/configuration/env.ts'
import { type Harness, openHarness } from '../http/management/harness.ts'
import { parseLines, printedBy } from '../support/printed.ts'

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
    const rows = parseLines(await printedBy(() => listKeys(env, { json: true })))
    const row = rows.find(({ name }: { name: string }) => name === 'pdp')
    expect(row).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      level: 'env',
      access: 'read',
      project: 'default',
      environment: 'development',
      tenant: null,
      name: 'pdp',
      created_at: expect.any(Number),
      last_used_at: null,
      expires_at: null,
      old_secret_expires_at: null,
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

  it('makes keys of one tenant', async () => {
    const of = { level: 'tenant', access: 'write', environment: 'development', name: 'customer' } as const
    await expect(createKey(env, of)).rejects.toMatchObject({ details: { status: 422 } })
    const secret = (await printedBy(() => createKey(env, { ...of, tenant: 'default' }))).trim()
    expect(secret).toMatch(/^zh_tenant_/)
    expect(await may(secret)).toBe(404)
    expect(await printedBy(() => listKeys(env, {}))).toMatch(/ tenant +write +default\/development\/default +customer /)
  })

  it('makes keys that end, and in the form of permit-cli', async () => {
    const of = { level: 'env', access: 'read', environment: 'development' } as const
    const make = async (more: object) => (await printedBy(() => createKey(env, { ...of, ...more }))).trim()
    await make({ name: 'days', expires: '3d' })
    await make({ name: 'instant', expires: '2999-06-30T00:00:00Z' })
    expect(await make({ name: 'cli', form: 'permit' })).toMatch(/^permit_key_.{86,}$/)
    const table = await printedBy(() => listKeys(env, {}))
    expect(table).toMatch(/ days .* – +\d{4}-\d\d-\d\dT\S+Z \(soon\)$/m)
    expect(table).toMatch(/ instant .* 2999-06-30T00:00:00\.000Z$/m)
    expect(table).toMatch(/ cli .* never$/m)
    for (const expires of ['soon', '', '5 days', '99999999999d'])
      await expect(createKey(env, { ...of, expires })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('--expires: a time such as 24h, 30d or 90m is needed, or an instant'),
      })
    for (const expires of ['2020-01-01T00:00:00Z', '2999-06-30', '0d', '9999999d'])
      await expect(createKey(env, { ...of, expires })).rejects.toMatchObject({ details: { status: 422 } })
  })

  it('rotates a key and keeps its old secret for some time, or ends it', async () => {
    const of = { level: 'env', access: 'read', environment: 'development', name: 'kept' } as const
    const secret = (await printedBy(() => createKey(env, of))).trim()
    const rows = parseLines(await printedBy(() => listKeys(env, { json: true })))
    const { id } = rows.find(({ name }: { name: string }) => name === 'kept')
    const rotated = (await printedBy(() => rotateKey(env, id, { keepOld: '24h' }))).trim()
    expect([await may(secret), await may(rotated)]).toEqual([200, 200])
    expect(await printedBy(() => listKeys(env, {}))).toMatch(/ kept .* never, old secret \d{4}-\S+Z$/m)
    expect(await printedBy(() => endOldSecret(env, id, {}))).toBe('')
    expect([await may(secret), await may(rotated)]).toEqual([401, 200])
    await expect(rotateKey(env, id, { keepOld: 'a day' })).rejects.toThrow('--keep-old: a time such as 24h')
    await expect(rotateKey(env, id, { keepOld: '31d' })).rejects.toMatchObject({ details: { status: 422 } })
  })

  it('shows a key what it reaches, and refuses what it may not', async () => {
    const [, production] = api.made.environments
    const own = parseLines(await printedBy(() => listKeys(as(production!.secret), { json: true })))
    expect(own.map(({ environment }: { environment: string }) => environment)).toEqual(['production'])
    await api.addKey('env', 'read', 'r'.repeat(40))
    const create = () => createKey(as('r'.repeat(40)), { level: 'env', access: 'admin', environment: 'development' })
    await expect(create()).rejects.toMatchObject({ details: { status: 403 } })
    await expect(listKeys({ ...env, pdpApiKey: undefined } as Env, {})).rejects.toThrow('set PDP_API_KEY')
  })

  it('lists the organization of the key, with counts for a key of the organization', async () => {
    const rowsAs = async (key: string) =>
      parseLines(await printedBy(() => listOrganizations(as(key), { json: true }))) as object[]
    const organization = { id: api.made.organization.id, key: 'default', name: 'Default Organization' }
    expect(await rowsAs(api.made.organization.secret)).toEqual([{ ...organization, projects: 1, environments: 2 }])
    expect(await rowsAs('r'.repeat(40))).toEqual([{ ...organization, projects: null, environments: null }])
    expect(await printedBy(() => listOrganizations(as('r'.repeat(40)), {}))).toMatch(/Default Organization +– +–\n$/)
  })
})
