// The first organization: what exists after it, and where its secrets are.
import { randomBytes } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { looksMinted } from '../../src/management/api-keys/api-key.ts'
import { BY, openPap, type Pap, printChange } from './harness.ts'

describe('bootstrap', () => {
  let pap: Pap
  afterEach(() => pap.close())

  it('makes project `default` with two environments at revision 1, each with tenant `default` and an API key', async () => {
    pap = await openPap()
    const { organization, project, environments } = pap.made
    expect(project.key).toBe('default')
    expect(environments.map(({ key }) => key)).toEqual(['development', 'production'])
    for (const { id, secret } of environments) {
      expect(pap.store.head(id).revision).toBe(1)
      expect([...pap.store.view(id).list('tenant')]).toMatchObject([{ key: 'default', name: 'Default Tenant' }])
      expect(looksMinted(secret)).toBe(true)
      const [config] = pap.store.view(organization.id).by('pdp_configs_of_environment', id)
      expect(pap.store.readSecret(config?.api_key_id ?? '')).toBe(secret)
    }
    expect(looksMinted(organization.secret)).toBe(true)
  })

  it('puts the example policy into `development` alone', async () => {
    pap = await openPap({})
    const view = pap.view()
    expect(view.get('role', 'admin')?.permissions).toEqual(['hello:say', 'hello:wave'])
    expect(view.get('role', 'viewer')?.permissions).toEqual(['hello:wave'])
    expect([...view.list('role_assignment')].map(({ key }) => key)).toEqual(['ana/admin/default', 'ben/viewer/default'])
    expect(pap.revision()).toBe(1)
    const production = pap.store.view(pap.made.environments[1]?.id ?? '')
    expect(production.count('user') + production.count('role') + production.count('resource')).toBe(0)
  })

  it('takes a given organization key of at least 16 characters', async () => {
    pap = await openPap({ organizationKey: 'a key of my own'.replaceAll(' ', '-').padEnd(16, '!') })
    expect(pap.made.organization.secret).toBe('a-key-of-my-own!')
    const commit = pap.store.commit(
      randomBytes(16).toString('hex'),
      'bootstrap',
      { organizationKey: 'fifteen-letters' },
      BY,
    )
    await expect(commit).rejects.toMatchObject({ code: 'INPUT_INVALID', path: ['body', 'organizationKey'] })
  })

  it('runs once on a log', async () => {
    pap = await openPap()
    const again = pap.store.commit(pap.made.organization.id, 'bootstrap', {}, BY)
    await expect(again).rejects.toMatchObject({ code: 'OBJECT_EXISTS' })
  })

  it('lets no secret into a change', async () => {
    pap = await openPap()
    const { organization, environments } = pap.made
    const logs = [organization.id, ...environments.map(({ id }) => id)]
    const text = JSON.stringify(logs.flatMap((log) => pap.store.entries(log, 0)))
    for (const secret of [organization.secret, ...environments.map((one) => one.secret)])
      expect(text).not.toContain(secret)
    expect(pap.store.entries(organization.id, 0)[0]?.changes.map(printChange)[0]).toBe(`put organization default`)
  })
})
