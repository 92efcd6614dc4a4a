// A data folder of an older format is upgraded when it is opened, as a whole or not at all. src/store/upgrade.ts.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { KindName } from '../../src/kinds/index.ts'
import { finishBackup, makeBackupFolder, restoreBackup } from '../../src/store/backup.ts'
import { verifyData } from '../../src/store/verify-data.ts'
import { asFormat1, asFormat2, asInterruptedFormat2 } from '../support/old-format.ts'
import { BY, error, LOG, openTestStore, seed, type TestStore, temporaryFolder } from './support.ts'

const KINDS: readonly KindName[] = ['user', 'role', 'tenant', 'role_assignment', 'api_key']
const HASH = 'a'.repeat(64)

/** Everything that can be read of a store. */
function contents(store: TestStore): unknown {
  const view = store.view(LOG)
  return {
    head: store.head(LOG),
    entries: store.entries(LOG, 0),
    objects: KINDS.map((kind) => [...view.list(kind)]),
    found: ['user-1', 'SER-1', 'nobody'].map((part) => listFound(store, part)),
    assignments: [...view.by('assignments_of_user', 'user-7')],
    key: store.findApiKey(HASH),
    secret: store.readSecret(store.findApiKey(HASH)?.key.id ?? ''),
  }
}

function listFound(store: TestStore, part: string): string[] {
  const search = store.view(LOG).search('user', { parts: [part] })
  const keys: string[] = []
  try {
    for (let places = search.next(1); places !== undefined; places = search.next(1))
      for (const place of places) keys.push(search.read(place).key)
    return keys
  } finally {
    search.close()
  }
}

/** A folder of format 1, or another older one, and what it holds. */
async function oldFolder(fillers = 0, asOld = asFormat1): Promise<{ data: string; before: unknown }> {
  const data = temporaryFolder()
  const store = await openTestStore(data)
  await seed(store)
  for (let at = 0; at < 12; at++) await store.commit(LOG, 'createMember', { key: `user-${at}` }, BY)
  await store.commit(LOG, 'deleteUser', { key: 'user-3' }, BY)
  await store.commit(LOG, 'createApiKey', { hash: HASH }, BY)
  await Promise.all(Array.from({ length: fillers }, () => store.commit(LOG, 'fill', { bytes: 10 }, BY)))
  const before = contents(store)
  await store.close()
  await asOld(data)
  return { data, before }
}

it.each([
  ['format 1', asFormat1],
  ['format 2', asFormat2],
  ['format 2 with what an interrupted upgrade left behind', asInterruptedFormat2],
])('an upgrade of %s keeps everything that was there, and reports its progress', async (_, asOld) => {
  const { data, before } = await oldFolder(0, asOld)
  const progress: [number, number][] = []
  const store = await openTestStore(data, { upgrading: (done, total) => progress.push([done, total]) })
  expect(contents(store)).toEqual(before)
  const [done, total] = progress.at(-1) ?? [0, 1]
  expect(done).toBe(total)
  expect(existsSync(join(data, 'data.new'))).toBe(false)
  await store.commit(LOG, 'createMember', { key: 'later' }, BY)
  expect(listFound(store, 'LATER')).toEqual(['later'])
  await store.close()
  expect(await verifyData(data)).toMatchObject({ damages: 0 })
  const again = await openTestStore(data, { upgrading: () => expect.unreachable('it is upgraded already') })
  expect(again.view(LOG).count('user')).toBe(12)
})

it('an upgrade that is killed on the way leaves the old file as it was, and begins anew with the next start', async () => {
  const { data, before } = await oldFolder(400)
  const file = readFileSync(join(data, 'data.mdb'))
  const script = fileURLToPath(new URL('./upgrade-child.mjs', import.meta.url))
  const child = spawn(process.execPath, [script, data], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(child.signalCode).toBe('SIGKILL')
  expect(existsSync(join(data, 'data.new'))).toBe(true)
  expect(readFileSync(join(data, 'data.mdb')).equals(file)).toBe(true)
  expect(contents(await openTestStore(data))).toEqual(before)
})

it('an upgrade is refused when the disk has no room for it or runs full on the way, and the old file stays', async () => {
  const { data } = await oldFolder(400)
  const file = readFileSync(join(data, 'data.mdb'))
  const script = fileURLToPath(new URL('./upgrade-child.mjs', import.meta.url))
  const limited = ['-c', 'ulimit -f 100 && exec "$0" "$@"', process.execPath, script, data]
  const child = spawnSync('sh', limited, { encoding: 'utf8' })
  expect(child.stderr).toContain('DISK_FULL')
  expect(readFileSync(join(data, 'data.mdb')).equals(file)).toBe(true)
  expect(existsSync(join(data, 'data.new'))).toBe(false)
  truncateSync(join(data, 'data.mdb'), 2 ** 43) // a hole: it takes no disk, but its copy might
  await expect(openTestStore(data)).rejects.toMatchObject(error('COPY_ROOM'))
})

it('an upgrade is refused when records are missing that the old heads count', async () => {
  const { data } = await oldFolder()
  const { open } = await import('lmdb')
  const root = open({ path: data, noSubdir: false, maxDbs: 32 })
  const users = root.openDB<string, Uint8Array>({ name: 'objects_user', keyEncoding: 'binary', encoding: 'string' })
  const [first] = [...users.getKeys({ limit: 1 })]
  users.removeSync(first!)
  await root.close()
  const damaged = { ...error('DATA_DAMAGED'), message: expect.stringContaining('user: 10 records instead of 11') }
  await expect(openTestStore(data)).rejects.toMatchObject(damaged)
  await expect(openTestStore(data)).rejects.toMatchObject(damaged)
})

it('restoring an older backup upgrades it', async () => {
  const { data, before } = await oldFolder()
  const backup = temporaryFolder()
  makeBackupFolder(backup)
  writeFileSync(join(backup, 'data.mdb'), readFileSync(join(data, 'data.mdb')))
  const upgraded = await openTestStore(data)
  const whole = temporaryFolder()
  await upgraded.copyData(whole)
  const { sha256: _, ...manifest } = await finishBackup(whole, 0, () => [])
  const { createHash } = await import('node:crypto')
  const sha256 = createHash('sha256')
    .update(readFileSync(join(backup, 'data.mdb')))
    .digest('hex')
  writeFileSync(join(backup, 'backup.json'), JSON.stringify({ ...manifest, format: 1, sha256 }))
  const restored = join(temporaryFolder(), 'restored')
  await restoreBackup(backup, restored, () => 'f'.repeat(64))
  const store = await openTestStore(restored)
  expect((contents(store) as { objects: unknown }).objects).toEqual((before as { objects: unknown }).objects)
})
