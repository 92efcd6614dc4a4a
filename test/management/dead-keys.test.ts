// Keys of tenants that were deleted: upkeep deletes them as a revision of the system, and no other key.
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deleteAllDeadKeys } from '../../src/management/host/dead-key-upkeep.ts'
import { type ManagementData, openManagementData } from '../../src/management/host/open.ts'
import { DEAD_KEY_AGE_MS, DEAD_KEYS_PER_REVISION } from '../../src/model/limits.ts'
import { temporaryFolder } from '../support/folders.ts'
import { BY } from './harness.ts'

describe('the key of a deleted tenant', () => {
  let management: ManagementData
  let log: string
  const failures: unknown[] = []
  beforeEach(async () => {
    failures.length = 0
    const newId = () => randomBytes(16).toString('hex')
    management = await openManagementData({ data: temporaryFolder('dead-keys'), newId, noExample: true })
    log = management.store.view(management.organization).require('environment', 'default/development').id
    for (const key of ['acme', 'globex']) await management.store.commit(log, 'createTenant', { key, name: key }, BY)
  })
  afterEach(() => management.store.close())

  const upkeep = (now: number) => deleteAllDeadKeys(management.store, now, (error) => failures.push(error))
  const createKey = async (tenant: string | null) => {
    const { store, organization } = management
    const place = tenant === null ? {} : { tenant }
    const level = tenant === null ? 'env' : 'tenant'
    const input = { level, access: 'write', project: 'default', environment: 'development', ...place } as const
    return (await store.commit(organization, 'createApiKey', input, BY)).result.key.id
  }
  const findKey = (id: string) => management.store.view(management.organization).find('api_key', id)
  const later = () => Date.now() + 2 * DEAD_KEY_AGE_MS

  it('goes, with its old secret, and those of other tenants and of environments stay', async () => {
    const { store, organization } = management
    const [dead, live, wide] = [await createKey('acme'), await createKey('globex'), await createKey(null)]
    await store.commit(organization, 'rotateApiKey', { ref: dead, keepOldSeconds: 600 }, BY)
    const old = findKey(dead)!.old_secret!.hash
    expect(await upkeep(later())).toBe(0)
    await store.commit(log, 'deleteTenant', { ref: 'acme' }, BY)
    await store.commit(log, 'createTenant', { key: 'acme', name: 'Another' }, BY)
    const another = await createKey('acme')
    const { revision } = store.head(organization)
    expect(await upkeep(later())).toBe(1)
    expect([dead, live, wide, another].map((id) => findKey(id) !== undefined)).toEqual([false, true, true, true])
    expect(store.findApiKey(old)).toBeUndefined()
    const [entry] = store.history(organization, Number.MAX_SAFE_INTEGER, 1)
    expect(entry).toMatchObject({ revision: revision + 1, summary: 'delete keys of deleted tenants: 1 deleted' })
    expect([entry!.by.operation, entry!.by.api_key_id]).toEqual(['deleteDeadKeys', null])
    expect(await upkeep(later())).toBe(0)
    expect([failures, store.head(organization).revision]).toEqual([[], revision + 1])
  })

  it('stays for its first hour, because a replica may see it before its tenant', async () => {
    const id = await createKey('acme')
    await management.store.commit(log, 'deleteTenant', { ref: 'acme' }, BY)
    expect(await upkeep(Date.now() + DEAD_KEY_AGE_MS / 2)).toBe(0)
    expect(findKey(id)).toBeDefined()
    expect(await upkeep(later())).toBe(1)
  })

  it('is looked at again by the writer', async () => {
    const { store, organization } = management
    const [live, wide] = [await createKey('globex'), await createKey(null)]
    const input = { ids: [live, wide, 'f'.repeat(32)], before: later() }
    expect((await store.commit(organization, 'deleteDeadKeys', input, BY)).result).toBe(0)
    expect([findKey(live), findKey(wide)]).not.toContain(undefined)
  })

  it('goes with others in revisions of a bounded size', async () => {
    const { store, organization } = management
    await Promise.all(Array.from({ length: DEAD_KEYS_PER_REVISION + 1 }, () => createKey('acme')))
    await store.commit(log, 'deleteTenant', { ref: 'acme' }, BY)
    const { revision } = store.head(organization)
    expect(await upkeep(later())).toBe(DEAD_KEYS_PER_REVISION + 1)
    expect(store.head(organization).revision).toBe(revision + 2)
  })
})
