// `keys.json`: written once, then kept in step with the keys: a rotation replaces a secret, and no dead key stays.
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ManagementData, openManagementData } from '../../src/management/host/open.ts'
import { hashSecret } from '../../src/management/objects/api-key.ts'
import { readKeys } from '../../src/management/objects/keys-file.ts'
import { temporaryFolder } from '../support/folders.ts'
import { BY } from './harness.ts'

const open = (data: string): Promise<ManagementData> =>
  openManagementData({ data, newId: () => randomBytes(16).toString('hex') })

describe('keys.json', () => {
  it('has the new secret of a key that is rotated, and loses one that is deleted, with the commit', async () => {
    const data = temporaryFolder('keys-file')
    const { store, organization } = await open(data)
    expect(Object.keys(readKeys(data)?.environments ?? {})).toEqual(['development', 'production'])
    const view = store.view(organization)
    const findKeyId = (name: string) => {
      const { id } = view.require('environment', `default/${name}`)
      return [...view.by('keys_of_environment', id)][0]!.id
    }
    const first = [...view.list('api_key')].find(({ level }) => level === 'org')!.id
    const before = readKeys(data)
    const rotate = async (ref: string) => (await store.commit(organization, 'rotateApiKey', { ref }, BY)).result.secret
    const secret = await rotate(findKeyId('development'))
    const production = before?.environments.production
    expect(readKeys(data)).toEqual({ ...before, environments: { development: secret, production } })
    const wider = await rotate(first)
    expect(readKeys(data)).toEqual({ organization: wider, environments: { development: secret, production } })
    expect(readdirSync(data)).not.toContain('keys.json.tmp')
    await store.commit(organization, 'deleteApiKey', { ref: first }, BY)
    expect(readKeys(data)).not.toHaveProperty('organization')
    await store.commit(organization, 'deleteApiKey', { ref: findKeyId('development') }, BY)
    const { id } = store.view(organization).require('environment', 'default/production')
    await store.commit(organization, 'deleteEnvironment', { ref: id }, BY)
    expect(readKeys(data)).toEqual({ environments: {} })
    expect(statSync(join(data, 'keys.json')).mode & 0o777).toBe(0o600)
    await store.close()
    const again = await open(data)
    expect(readKeys(data)).toEqual({ environments: {} })
    await again.store.close()
  })

  it('is brought up to date at the next start when the process died after a commit and before the file', async () => {
    const data = temporaryFolder('keys-file')
    const { store, organization } = await open(data)
    const path = join(data, 'keys.json')
    const before = readFileSync(path)
    const { development } = readKeys(data)?.environments ?? {}
    const { id: rotated } = store.findApiKey(hashSecret(development!))!.key
    const { id: deleted } = store.findApiKey(hashSecret(readKeys(data)!.organization!))!.key
    await store.commit(organization, 'rotateApiKey', { ref: rotated }, BY)
    const { secret } = (await store.commit(organization, 'rotateApiKey', { ref: rotated }, BY)).result
    await store.commit(organization, 'rotateApiKey', { ref: deleted }, BY)
    await store.commit(organization, 'deleteApiKey', { ref: deleted }, BY)
    await store.close()
    writeFileSync(path, before) // as a kill would have left it, with half of the next file
    writeFileSync(`${path}.tmp`, '{"environments":{', { mode: 0o644 })
    const again = await open(data)
    expect(readKeys(data)).toEqual({
      environments: { development: secret, production: JSON.parse(before.toString()).environments.production },
    })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await again.store.close()
  })

  it('names the key of an environment when it is made anew, and never that of one of its tenants', async () => {
    const data = temporaryFolder('keys-file')
    const { store, organization } = await open(data)
    const place = { project: 'default', environment: 'development', tenant: 'default' }
    await store.commit(organization, 'createApiKey', { level: 'tenant', access: 'write', ...place }, BY)
    const { id: ref } = store.findApiKey(hashSecret(readKeys(data)!.environments.development!))!.key
    await store.commit(organization, 'deleteApiKey', { ref }, BY)
    const before = readKeys(data)
    await store.close()
    rmSync(join(data, 'keys.json'))
    const again = await open(data)
    expect(readKeys(data)).toEqual(before)
    expect(Object.keys(before!.environments)).toEqual(['production'])
    await again.store.close()
  })

  it('is made by nobody who rotates a key: an operator who removed it wants none', async () => {
    const data = temporaryFolder('keys-file')
    const { store, organization } = await open(data)
    const { development } = readKeys(data)?.environments ?? {}
    const { id: ref } = store.findApiKey(hashSecret(development!))!.key
    rmSync(join(data, 'keys.json'))
    await store.commit(organization, 'rotateApiKey', { ref }, BY)
    expect(readKeys(data)).toBeUndefined()
    await store.close()
  })
})
