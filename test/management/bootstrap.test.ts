// The first organization: what exists after it, and where its secrets are.
import { randomBytes } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { looksMinted } from '../../src/management/objects/api-key.ts'
import { BY, type ManagementData, openManagementData, printChange } from './harness.ts'

describe('bootstrap', () => {
  let management: ManagementData
  afterEach(() => management.close())

  it('makes project `default` with two environments at revision 1, each with tenant `default` and an API key', async () => {
    management = await openManagementData()
    const { organization, project, environments } = management.made
    expect(project.key).toBe('default')
    expect(environments.map(({ key }) => key)).toEqual(['development', 'production'])
    for (const { id, secret } of environments) {
      expect(management.store.head(id).revision).toBe(1)
      expect([...management.store.view(id).list('tenant')]).toMatchObject([{ key: 'default', name: 'Default Tenant' }])
      expect(looksMinted(secret)).toBe(true)
      const [config] = management.store.view(organization.id).by('pdp_configs_of_environment', id)
      expect(management.store.readSecret(config?.api_key_id ?? '')).toBe(secret)
    }
    expect(looksMinted(organization.secret)).toBe(true)
  })

  it('puts the example policy into `development` alone', async () => {
    management = await openManagementData({})
    const view = management.view()
    expect(view.get('role', 'admin')?.permissions).toEqual(['hello:say', 'hello:wave'])
    expect(view.get('role', 'viewer')?.permissions).toEqual(['hello:wave'])
    expect([...view.list('role_assignment')].map(({ key }) => key)).toEqual(['ana/admin/default', 'ben/viewer/default'])
    expect(management.revision()).toBe(1)
    const production = management.store.view(management.made.environments[1]?.id ?? '')
    expect(production.count('user') + production.count('role') + production.count('resource')).toBe(0)
  })

  it('takes a given organization key of at least 16 characters', async () => {
    management = await openManagementData({ organizationKey: 'a key of my own'.replaceAll(' ', '-').padEnd(16, '!') })
    expect(management.made.organization.secret).toBe('a-key-of-my-own!')
    const commit = management.store.commit(
      randomBytes(16).toString('hex'),
      'bootstrap',
      { organizationKey: 'fifteen-letters' },
      BY,
    )
    await expect(commit).rejects.toMatchObject({ code: 'INPUT_INVALID', path: ['body', 'organizationKey'] })
  })

  it('runs once on a log', async () => {
    management = await openManagementData()
    const again = management.store.commit(management.made.organization.id, 'bootstrap', {}, BY)
    await expect(again).rejects.toMatchObject({ code: 'OBJECT_EXISTS' })
  })

  it('lets no secret into a change', async () => {
    management = await openManagementData()
    const { organization, environments } = management.made
    const logs = [organization.id, ...environments.map(({ id }) => id)]
    const text = JSON.stringify(logs.flatMap((log) => management.store.entries(log, 0)))
    for (const secret of [organization.secret, ...environments.map((one) => one.secret)])
      expect(text).not.toContain(secret)
    expect(management.store.entries(organization.id, 0)[0]?.changes.map(printChange)[0]).toBe(
      `put organization default`,
    )
  })
})
