// Every question and every write through a PDP that the published client knows, against `zerohop api` and `zerohop pdp`
// (as processes of their own: two-processes.test.ts): both forms of a check, bulk, all tenants, permissions of a user,
// and facts through the PDP with and without waiting.
import { createRequire } from 'node:module'
import { Permit } from 'permitio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { apiHere, pdpHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'

type Options = NonNullable<ConstructorParameters<typeof Permit>[0]>
type Axios = NonNullable<Options['opaAxiosInstance']>

/** The client asks an OPA at port 8181, whatever the port of the PDP is: here it asks at the one that the test has. */
function opaAt(port: number): Axios {
  const { create } = createRequire(import.meta.resolve('permitio'))('axios') as { create: () => Intercepted & Axios }
  const instance = create()
  instance.interceptors.request.use((config) => ({
    ...config,
    baseURL: String(config.baseURL).replace(':8181/', `:${port}/`),
  }))
  return instance
}

interface Intercepted {
  readonly interceptors: { readonly request: { use(change: (config: { baseURL?: string }) => object): void } }
}

describe('the published client and a PDP next to the management API', () => {
  let direct: Permit
  let through: Permit

  beforeAll(async () => {
    const data = temporaryFolder('pdp-calls')
    const [apiPort, pdpPort, opaPort] = [await freePort(), await freePort(), await freePort()]
    await apiHere(data, apiPort)
    const token = readKeys(data).environments.development
    await pdpHere({
      ZEROHOP_DATA: temporaryFolder('pdp-of-calls'),
      PDP_PORT: String(pdpPort),
      PDP_OPA_PORT: String(opaPort),
      PDP_API_KEY: token,
      PDP_CONTROL_PLANE: url(apiPort),
    })
    const options: Options = {
      token,
      apiUrl: url(apiPort),
      pdp: url(pdpPort),
      log: { level: 'silent' },
      throwOnError: true,
      opaAxiosInstance: opaAt(opaPort),
    }
    direct = new Permit(options)
    through = new Permit({ ...options, proxyFactsViaPdp: true })
    await direct.api.resources.create({ key: 'hello', name: 'Hello', actions: { say: {}, wave: {} } })
    await direct.api.roles.create({ key: 'admin', name: 'Admin', permissions: ['hello:say', 'hello:wave'] })
    await direct.api.roles.create({ key: 'viewer', name: 'Viewer', permissions: ['hello:wave'] })
    await through.api.tenants.create({ key: 'acme', name: 'Acme', attributes: { plan: 'free' } })
    await through.api.users.create({ key: 'ana', email: 'ana@acme.com' })
    await through.api.users.assignRole({ user: 'ana', role: 'admin', tenant: 'acme' })
    await through.api.users.assignRole({ user: 'ana', role: 'viewer', tenant: 'default' })
  })
  afterAll(endServers)

  const say = (tenant: string) => ({ type: 'hello', tenant })

  it('check, and check with useOpa', async () => {
    for (const config of [{}, { useOpa: true }]) {
      expect(await direct.check('ana', 'say', say('acme'), {}, config)).toBe(true)
      expect(await direct.check('ana', 'say', say('default'), {}, config)).toBe(false)
      expect(await direct.check({ key: 'ana', attributes: { a: 1 } }, 'wave', 'hello:one', {}, config)).toBe(true)
      expect(await direct.check('nobody', 'wave', 'hello', {}, config)).toBe(false)
    }
  })

  it('bulkCheck', async () => {
    const checks = ['acme', 'default', 'nowhere'].map((tenant) => ({
      user: 'ana',
      action: 'say',
      resource: say(tenant),
    }))
    expect(await direct.bulkCheck(checks)).toEqual([true, false, false])
    expect(await direct.bulkCheck([])).toEqual([])
  })

  it('checkAllTenants', async () => {
    const acme = { key: 'acme', attributes: { plan: 'free' } }
    expect(await direct.checkAllTenants('ana', 'say', 'hello')).toEqual([acme])
    const both = await direct.checkAllTenants({ key: 'ana' }, 'wave', { type: 'hello' })
    expect(both.map(({ key }) => key)).toEqual(['acme', 'default'])
    expect(await direct.checkAllTenants('nobody', 'wave', 'hello')).toEqual([])
  })

  it('getUserPermissions', async () => {
    const permissions = await direct.getUserPermissions('ana')
    expect(permissions).toMatchObject({
      '__tenant:acme': {
        tenant: { key: 'acme', attributes: { plan: 'free' } },
        permissions: ['hello:say', 'hello:wave'],
      },
      '__tenant:default': { permissions: ['hello:wave'] },
    })
    expect(Object.keys(await direct.getUserPermissions('ana', ['acme']))).toEqual(['__tenant:acme'])
  })

  it('facts through the PDP are seen by the next check', async () => {
    for (let round = 0; round < 10; round++) {
      const user = `waited-${round}`
      await through.api.users.create({ key: user })
      await through.api.users.assignRole({ user, role: 'viewer', tenant: 'acme' })
      expect(await through.check(user, 'wave', say('acme'))).toBe(true)
      await through.api.users.unassignRole({ user, role: 'viewer', tenant: 'acme' })
      expect(await through.check(user, 'wave', say('acme'))).toBe(false)
    }
  })

  it('facts that wait for a second, or for nothing', async () => {
    await through.api.users.waitForSync(1, 'fail').create({ key: 'una' })
    await through.api.roleAssignments.waitForSync(null).assign({ user: 'una', role: 'viewer', tenant: 'acme' })
    expect(await through.check('una', 'wave', say('acme'))).toBe(true)
    // A machine may stand still between the write and the check; that none of many is seen at once would be no chance.
    const seen: boolean[] = []
    for (let round = 0; round < 20 && !seen.includes(false); round++) {
      const user = `unwaited-${round}`
      await through.api.users.create({ key: user })
      await through.api.users.waitForSync(0).assignRole({ user, role: 'viewer', tenant: 'acme' })
      seen.push(await through.check(user, 'wave', say('acme')))
      await expect.poll(() => through.check(user, 'wave', say('acme')), { timeout: 60_000 }).toBe(true)
    }
    expect(seen).toContain(false)
  })

  it('what the management API refuses is passed on as its own error', async () => {
    await expect(through.api.users.create({ key: 'ana' })).rejects.toMatchObject({ response: { status: 409 } })
    await expect(
      through.api.users.assignRole({ user: 'nobody', role: 'viewer', tenant: 'acme' }),
    ).rejects.toMatchObject({ response: { status: 404 } })
  })
})
