// `keys.json`: written once, and it never keeps a key that is dead.
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readKeys } from '../../src/pap/keys-file.ts'
import { openPap, type Pap } from '../../src/pap/open.ts'
import { temporaryFolder } from '../support/folders.ts'
import { BY } from './harness.ts'

const open = (data: string): Promise<Pap> => openPap({ data, newId: () => randomBytes(16).toString('hex') })

describe('keys.json', () => {
  it('loses a key that is rotated or deleted, with the commit', async () => {
    const data = temporaryFolder('keys-file')
    const { store, organization } = await open(data)
    expect(Object.keys(readKeys(data)?.environments ?? {})).toEqual(['development', 'production'])
    const view = store.view(organization)
    const keyOf = (name: string) => {
      const { id } = view.require('environment', `default/${name}`)
      return [...view.by('keys_of_environment', id)][0]!.id
    }
    const first = [...view.list('api_key')].find(({ level }) => level === 'org')!.id
    const development = keyOf('development')
    await store.commit(organization, 'rotateApiKey', { ref: development }, BY)
    expect(Object.keys(readKeys(data)?.environments ?? {})).toEqual(['production'])
    expect(readKeys(data)?.organization).toMatch(/^zh_org_/)
    await store.commit(organization, 'deleteApiKey', { ref: first }, BY)
    expect(readKeys(data)).not.toHaveProperty('organization')
    const { id } = store.view(organization).require('environment', 'default/production')
    await store.commit(organization, 'deleteEnvironment', { ref: id }, BY)
    expect(readKeys(data)).toEqual({ environments: {} })
    expect(statSync(join(data, 'keys.json')).mode & 0o777).toBe(0o600)
    await store.close()
    const again = await open(data)
    expect(readKeys(data)).toEqual({ environments: {} })
    await again.store.close()
  })
})
