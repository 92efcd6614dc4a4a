// Backup and restore: what comes back is what was there at one moment, also while writes go on, under a history of its
// own.
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { LogId } from '../../src/log/change.ts'
import { localFeed } from '../../src/management/feed/local-feed.ts'
import { ADMIN, describeBackup, openAdminStore } from '../../src/management/host/admin.ts'
import { type ManagementData, openManagementData } from '../../src/management/host/open.ts'
import type { ManagementUseCases } from '../../src/management/host/registry.ts'
import { hashSecret } from '../../src/management/objects/api-key.ts'
import { policyOf, Snapshots } from '../../src/management/snapshot/snapshot.ts'
import { type BackupManifest, restoreBackup } from '../../src/store/backup.ts'
import type { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/folders.ts'
import { BY } from './harness.ts'

const newId = () => randomBytes(16).toString('hex')
const newLineage = () => randomBytes(32).toString('hex')
const imageHash = (store: Store<ManagementUseCases>, log: LogId): string => {
  const view = store.view(log)
  return Image.build(log, view.position, policyOf(view)).hash()
}

describe('a backup', () => {
  const data = temporaryFolder('backup-data')
  const folders = temporaryFolder('backups')
  let management: ManagementData
  let development: LogId
  const take = async (name: string): Promise<BackupManifest> => {
    const folder = join(folders, name)
    await ADMIN.backup({ store: management.store, data, newId }, { folder })
    return describeBackup(folder, 1)
  }
  const createUser = (key: string) =>
    management.store.commit(development, 'createUser', { key, role_assignments: [{ role: 'admin' }] }, BY)

  beforeAll(async () => {
    management = await openManagementData({ data, newId })
    development = management.store.view(management.organization).require('environment', 'default/development').id
  })
  afterAll(() => management.store.close())

  it('under load restores to the revision and the image that it reported', async () => {
    let writing = true
    let written = 0
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let at = 0; writing; at++, written++) await createUser(`user-${writer}-${at}`)
    })
    while (written < 200) await new Promise((resolve) => setTimeout(resolve, 5))
    const manifest = await take('under-load')
    writing = false
    await Promise.all(writers)

    const restored = temporaryFolder('restored')
    await restoreBackup(join(folders, 'under-load'), restored, newLineage)
    const store = await openAdminStore(restored, join(data, 'secrets.key'))
    const log = manifest.logs.find(({ name }) => name === 'default/default/development')!
    expect(log.revision).toBeGreaterThan(200)
    expect(store.head(development).revision).toBe(log.revision)
    expect(imageHash(store, development)).toBe(log.image_sha256)
    expect(store.view(development).count('user')).toBe(log.revision - 1 + 2)
    // who follows the old history takes an image; the restored one goes on under its own
    expect(store.head(development).chain).not.toBe(log.chain)
    const followed = { environment: development, organization: management.organization }
    const feed = localFeed({ store, snapshots: new Snapshots(store, restored) }, followed)
    const first = (revision: number, chain: string) => feed.deltas({ revision, chain })[Symbol.asyncIterator]().next()
    await expect(first(log.revision, log.chain)).rejects.toMatchObject({ code: 'FEED_FORK' })
    const earlier = management.store.entries(development, log.revision - 3)[0]!
    await expect(first(earlier.revision, earlier.chain)).rejects.toMatchObject({ code: 'FEED_GAP' })
    const head = store.head(development)
    await store.commit(development, 'createUser', { key: 'after' }, BY)
    expect(await first(head.revision, head.chain)).toMatchObject({
      value: { type: 'delta', delta: { previous: head.chain } },
    })
    await store.close()
  })

  it('has no key in it that opens secrets, and is for its owner alone', async () => {
    await take('private')
    const folder = join(folders, 'private')
    expect(readdirSync(folder).sort()).toEqual(['backup.json', 'data.mdb'])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600)
    const secret = management.store.readSecret(
      [...management.store.view(management.organization).list('api_key')][0]!.id,
    )!
    expect(readFileSync(join(folder, 'data.mdb')).includes(secret)).toBe(false)
    const [entry] = management.store.history(management.organization, Number.MAX_SAFE_INTEGER, 1)
    expect(entry?.by.operation).toBe('backup')
  })

  it('restores keys, and their secrets only under the key file that sealed them', async () => {
    await take('keys')
    const key = [...management.store.view(management.organization).list('api_key')][0]!
    const secret = management.store.readSecret(key.id)!
    const [sealed, lost] = [temporaryFolder('restored'), temporaryFolder('restored')]
    for (const folder of [sealed, lost]) await restoreBackup(join(folders, 'keys'), folder, newLineage)
    const store = await openAdminStore(sealed, join(data, 'secrets.key'))
    expect(store.findApiKey(hashSecret(secret))?.key.id).toBe(key.id)
    expect(store.readSecret(key.id)).toBe(secret)
    await store.close()
    const other = await openAdminStore(lost, undefined)
    expect(other.findApiKey(hashSecret(secret))?.key.id).toBe(key.id)
    expect(other.readSecret(key.id)).toBeUndefined()
    await other.close()
  })

  it('goes only into an empty folder, and so does a restore', async () => {
    await expect(take('keys')).rejects.toMatchObject({ code: 'FOLDER_NOT_EMPTY' })
    const taken = temporaryFolder('taken')
    writeFileSync(join(taken, 'mine'), '')
    await expect(restoreBackup(join(folders, 'keys'), taken, newLineage)).rejects.toMatchObject({
      code: 'FOLDER_NOT_EMPTY',
    })
    expect(readdirSync(taken)).toEqual(['mine'])
  })

  it('that is cut off or damaged is refused, and nothing is restored', async () => {
    const restored = join(temporaryFolder('restored'), 'inner')
    await ADMIN.backup({ store: management.store, data, newId }, { folder: join(folders, 'cut-off') })
    await expect(restoreBackup(join(folders, 'cut-off'), restored, newLineage)).rejects.toMatchObject({
      code: 'BACKUP_DAMAGED',
    })
    await take('damaged')
    const file = join(folders, 'damaged', 'data.mdb')
    truncateSync(file, statSync(file).size - 4096)
    await expect(restoreBackup(join(folders, 'damaged'), restored, newLineage)).rejects.toMatchObject({
      code: 'BACKUP_DAMAGED',
    })
    await expect(restoreBackup(join(folders, 'nowhere'), restored, newLineage)).rejects.toMatchObject({
      code: 'BACKUP_DAMAGED',
    })
    expect(existsSync(restored)).toBe(false)
  })
})
