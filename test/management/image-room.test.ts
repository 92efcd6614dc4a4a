// A write that would make the image of an environment larger than images can be is refused, whole; what is accounted
// survives whatever a data folder goes through, and is counted anew where it is missing.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { imageBytes, NO_SIZE } from '../../src/kernel/image-bytes.ts'
import type { ManagementUseCases } from '../../src/management/host/registry.ts'
import { exportEverything } from '../../src/management/policy-file/export.ts'
import { finishBackup, makeBackupFolder, restoreBackup } from '../../src/store/backup.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { openTables } from '../../src/store/tables.ts'
import { threadUrl } from '../../src/threads/thread-url.ts'
import { temporaryFolder } from '../support/folders.ts'
import { countedBytes } from '../support/image-bytes.ts'
import { BY } from './harness.ts'

const writerThread = threadUrl(new URL('../../src/management/host/', import.meta.url).href, './writer-thread.ts')
/** Room for the objects that a new environment has, and for some users. */
const FEW = imageBytes(NO_SIZE) + 20_000
const user = (key: string, bytes: number) => ({ key, attributes: { text: 'x'.repeat(bytes) } })

async function open(data: string, imageBytesMax?: number): Promise<Store<ManagementUseCases>> {
  const store = await openStore<ManagementUseCases>({ data, writerThread, ...(imageBytesMax ? { imageBytesMax } : {}) })
  onTestFinished(() => store.close())
  return store
}

async function begin(data: string, most?: number) {
  const store = await open(data, most)
  const organization = randomBytes(16).toString('hex')
  const made = (await store.commit(organization, 'bootstrap', { noExample: true }, BY)).result
  const [first, second] = made.environments.map(({ id }) => id)
  return { store, organization, first: first!, second: second! }
}

describe('the room of an image', () => {
  const refused = { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('the image of the environment in bytes') }

  it('is a limit to writes, which are refused whole, and not to deletes', async () => {
    const { store, first } = await begin(temporaryFolder('room'), FEW)
    for (const key of ['a', 'b', 'c']) await store.commit(first, 'createUser', user(key, 4_000), BY)
    const before = [store.head(first).revision, store.imageBytes(first)]
    await expect(store.commit(first, 'createUser', user('d', 9_000), BY)).rejects.toMatchObject(refused)
    const many = [user('e', 10), user('f', 9_000)]
    await expect(store.commit(first, 'createUsers', { operations: many }, BY)).rejects.toMatchObject(refused)
    expect([store.head(first).revision, store.imageBytes(first)]).toEqual(before)
    expect(store.view(first).get('user', 'e')).toBeUndefined()

    const { attributes } = user('a', 100)
    await store.commit(first, 'updateUser', { ref: 'a', fields: { attributes } }, BY)
    await store.commit(first, 'deleteUser', { ref: 'b' }, BY)
    await store.commit(first, 'createUser', user('d', 4_000), BY)
    expect(store.imageBytes(first)).toBe(countedBytes(store.view(first)))
    expect(store.imageBytes(first)).toBeLessThanOrEqual(FEW)
  })

  it('is one for each environment, also for what a copy or an import brings', async () => {
    const { store, organization, first, second } = await begin(temporaryFolder('room'), FEW)
    const actions = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`action-${at}`, {}]))
    await store.commit(first, 'createResource', { key: 'one', actions }, BY)
    await store.commit(second, 'createResource', { key: 'two', actions }, BY)
    for (const [log, key] of [
      [first, 'three'],
      [second, 'four'],
    ] as const)
      await store.commit(log, 'createResource', { key, actions }, BY)
    const copy = { source: first, existing: second, fresh: null, overwrite: true, scope: null }
    await expect(store.commit(organization, 'copyEnvironment', copy, BY)).rejects.toMatchObject(refused)
    const bundle = exportEverything(store.view(first))
    await expect(store.commit(second, 'importBundle', { bundle }, BY)).rejects.toMatchObject(refused)
    expect(store.view(second).count('resource')).toBe(2)
    const fresh = { ...copy, existing: null, fresh: { key: 'fresh' } }
    const made = await store.commit(organization, 'copyEnvironment', fresh, BY)
    expect(store.imageBytes(made.result.id)).toBe(countedBytes(store.view(made.result.id)))
  })

  it('is known again after a restart, a restore, and where a folder does not say', async () => {
    const data = temporaryFolder('room')
    const { store, first } = await begin(data)
    for (const key of ['a', 'b']) await store.commit(first, 'createUser', user(key, 4_000), BY)
    const bytes = store.imageBytes(first)
    const backup = join(temporaryFolder('room'), 'backup')
    makeBackupFolder(backup)
    await store.copyData(backup)
    await finishBackup(backup, 0, () => [])
    await store.close()

    const restored = join(temporaryFolder('room'), 'restored')
    await restoreBackup(backup, restored, () => randomBytes(32).toString('hex'))
    for (const folder of [data, restored]) expect((await open(folder)).imageBytes(first)).toBe(bytes)

    const older = temporaryFolder('room')
    await restoreBackup(backup, join(older, 'data'), () => randomBytes(32).toString('hex'))
    const tables = openTables(join(older, 'data'), 'write')
    const { image: _, ...head } = tables.heads.get(first)!
    tables.root.transactionSync(() => tables.heads.put(first, head))
    await tables.root.close()
    const again = await open(join(older, 'data'), FEW)
    expect(again.imageBytes(first)).toBeUndefined()
    await again.commit(first, 'createUser', user('c', 4_000), BY)
    expect(again.imageBytes(first)).toBe(countedBytes(again.view(first)))
    await expect(again.commit(first, 'createUser', user('d', 9_000), BY)).rejects.toMatchObject(refused)
  })
})
