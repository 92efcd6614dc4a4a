// Bytes of the data file that changed: refused with table and record, never read as something else.
// docs/adr/0015-checksums.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import { describe, expect, it } from 'vitest'
import { revisionKey } from '../../src/store/table-keys.ts'
import { openTables } from '../../src/store/tables.ts'
import { damageEntry, overwrite } from '../support/damage.ts'
import { BY, error, LOG, openTestStore, seed, temporaryFolder } from './support.ts'

const OTHER = '2'.repeat(32)

/** Two logs with users and assignments each; `eve1` may be found in the file. */
async function folder(): Promise<string> {
  const data = temporaryFolder()
  const store = await openTestStore(data)
  for (const log of [LOG, OTHER]) {
    await seed(store, log)
    for (const key of ['ann', log === LOG ? 'eve1' : 'bob', 'zoe']) await store.commit(log, 'createMember', { key }, BY)
  }
  await store.close()
  return data
}

const damaged = (text: string) => ({ ...error('DATA_DAMAGED'), message: expect.stringContaining(text) })
const failure = (read: () => unknown): unknown => {
  try {
    return { read: read() }
  } catch (thrown) {
    return thrown
  }
}

describe('a byte of a stored object that changed', () => {
  it('is refused with table and record; other objects and other logs are read', async () => {
    const data = await folder()
    expect(overwrite(data, '"key":"eve1/viewer/default"', '"key":"eve3/viewer/default"')).toBeGreaterThan(0)
    const store = await openTestStore(data)
    const view = store.view(LOG)
    const refused = damaged(
      `environment \`${LOG}\` is damaged: role assignment 9 in table objects_role_assignment does not match its checksum`,
    )
    expect(failure(() => [...view.list('role_assignment')])).toMatchObject(refused)
    expect(failure(() => view.get('role_assignment', 'eve1/viewer/default'))).toMatchObject(refused)
    expect(failure(() => [...view.by('assignments_of_user', 'eve1')])).toMatchObject(refused)
    expect(view.get('role_assignment', 'eve1/admin/default')).toBeDefined()
    expect([...store.view(OTHER).list('role_assignment')]).toHaveLength(6)
  })

  it('fails the write that would replace it, and no other of the same batch', async () => {
    const data = await folder()
    overwrite(data, '"key":"eve1","created_at"', '"key":"eve3","created_at"')
    const store = await openTestStore(data)
    const writes = [
      store.commit(LOG, 'renameUser', { key: 'ann', first_name: 'Ann' }, BY),
      store.commit(LOG, 'deleteUser', { key: 'eve1' }, BY),
      store.commit(LOG, 'renameUser', { key: 'zoe', first_name: 'Zoe' }, BY),
    ]
    const [first, second, third] = await Promise.allSettled(writes)
    expect([first?.status, third?.status]).toEqual(['fulfilled', 'fulfilled'])
    expect(second).toMatchObject({ status: 'rejected', reason: damaged('table objects_user') })
    expect(store.view(LOG).get('user', 'zoe')?.first_name).toBe('Zoe')
  })
})

describe('records that are missing or stale while every checksum is valid', () => {
  it('are found by count and digest when the kind is read as a whole', async () => {
    const data = await folder()
    const tables = openTables(data, 'write')
    const users = tables.objects('user')
    const [first, second] = [...users.range()]
    tables.root.transactionSync(() => users.remove(first!.key))
    await tables.root.close()
    const missing = await openTestStore(data)
    expect(failure(() => [...missing.view(LOG).list('user')])).toMatchObject(damaged('user has 2 records instead of 3'))
    expect([...missing.view(OTHER).list('user')]).toHaveLength(3)
    await missing.close()

    const again = openTables(data, 'write')
    again.root.transactionSync(() => {
      again.objects('user').put(first!.key, first!.content)
      again.objects('user').put(second!.key, second!.content.replace('"first_name":null', '"first_name":"old"'))
    })
    await again.root.close()
    const stale = await openTestStore(data)
    const refused = damaged('the records of user are not those that were written')
    expect(failure(() => [...stale.view(LOG).list('user')])).toMatchObject(refused)
  })
})

describe('a byte of the log that changed', () => {
  it('is never handed out, and what is before it is', async () => {
    const data = await folder()
    const before = await openTestStore(data)
    const [fourth] = before.entries(LOG, 3, 1)
    await before.close()
    expect(damageEntry(data, fourth!.chain)).toBeGreaterThan(0)
    const store = await openTestStore(data)
    expect(store.entries(LOG, 0, 3)).toHaveLength(3)
    expect(failure(() => store.entries(LOG, 0))).toMatchObject(damaged('revision 4 in table log'))
    expect(store.entries(LOG, 5)).toHaveLength(1)
  })
})

describe('a log that lost its last entries', () => {
  it('is damaged, not shorter: the head says where it ends', async () => {
    const data = await folder()
    const before = await openTestStore(data)
    const { revision } = before.head(LOG)
    await before.close()
    const tables = openTables(data, 'write')
    const { number } = tables.heads.get(LOG)!
    tables.root.transactionSync(() => {
      for (const lost of [revision - 1, revision]) tables.log.remove(revisionKey(number, lost))
    })
    await tables.root.close()

    const store = await openTestStore(data)
    const missing = damaged(`revision ${revision - 1} in table log is missing`)
    expect(failure(() => store.entries(LOG, 0))).toMatchObject(missing) // read as a range
    expect(failure(() => store.entries(LOG, revision - 2))).toMatchObject(missing) // read one by one
    expect(store.entries(LOG, 0, revision - 2)).toHaveLength(revision - 2)
    expect(failure(() => store.history(LOG, revision + 1, 10))).toMatchObject(
      damaged(`revision ${revision} in table log is missing`),
    )
    expect(store.history(LOG, revision - 1, 10)).toHaveLength(revision - 2)
    expect(store.entries(OTHER, 0)).toHaveLength(store.head(OTHER).revision)
  })
})

describe('damage that concerns every log', () => {
  it('in the heads, the totals or the format refuses to start', async () => {
    for (const [from, to] of [
      [`"number":2,"lineage"`, `"number":3,"lineage"`],
      ['{"next_log":3', '{"next_log":1'],
    ] as const) {
      const data = await folder()
      expect(overwrite(data, from, to)).toBeGreaterThan(0)
      await expect(openTestStore(data)).rejects.toMatchObject(damaged(`data folder \`${data}\` is damaged`))
    }
    const data = await folder()
    const root = open({ path: data, noSubdir: false, maxDbs: 32 })
    const heads = root.openDB<Buffer, Buffer>({ name: 'heads', keyEncoding: 'binary', encoding: 'binary' })
    heads.removeSync(Buffer.from(OTHER))
    await root.close()
    await expect(openTestStore(data)).rejects.toMatchObject(damaged('table heads has 1 records instead of 2'))
  })

  it('in the number of the last transaction is refused: LMDB would go back to the one before', async () => {
    for (const bit of [0, 1, 5]) {
      const data = await folder()
      const file = join(data, 'data.mdb')
      const bytes = readFileSync(file)
      const pages = bytes.readUInt32LE(48)
      const last = bytes.readBigUInt64LE(152) > bytes.readBigUInt64LE(pages + 152) ? 152 : pages + 152
      bytes[last]! ^= 1 << bit
      writeFileSync(file, bytes)
      await expect(openTestStore(data)).rejects.toMatchObject(damaged('do not follow each other'))
    }
  })
})
