// `zerohop data verify`: finds whatever is not as it was written, and says so of nothing else.
// src/store/verify-folder.ts.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { User } from '../../src/kinds/user.ts'
import { SearchEdits } from '../../src/store/search-texts.ts'
import { idKey, indexKey, nameKey, revisionKey } from '../../src/store/table-keys.ts'
import { openTables, type Tables } from '../../src/store/tables.ts'
import { verifyData } from '../../src/store/verify-data.ts'
import { damageEntry, overwrite } from '../support/damage.ts'
import { asFormat1 } from '../support/old-format.ts'
import { SHORT_LIVED } from '../support/short-lived.ts'
import { BY, error, LOG, openTestStore, seed, temporaryFolder } from './support.ts'

const HASH = 'b'.repeat(64)

/** A folder with updates, deletes, an environment and an API key behind it. */
async function folder(): Promise<string> {
  const data = temporaryFolder()
  const store = await openTestStore(data)
  await seed(store)
  for (let at = 0; at < 30; at++) await store.commit(LOG, 'createMember', { key: `user-${at}` }, BY)
  await store.commit(LOG, 'renameUser', { key: 'user-4', first_name: 'Ann' }, BY)
  await store.commit(LOG, 'deleteUser', { key: 'user-9' }, BY)
  await store.commit(LOG, 'createEnvironment', { log: '3'.repeat(32), key: 'production' }, BY)
  await store.commit(LOG, 'createApiKey', { hash: HASH }, BY)
  await store.close()
  return data
}

async function found(data: string): Promise<string[]> {
  const texts: string[] = []
  await verifyData(data, { damage: (text) => texts.push(text) })
  return texts
}

/** Changes tables as no use case can. */
async function change(data: string, how: (tables: Tables) => void): Promise<void> {
  const tables = openTables(data, 'write')
  tables.root.transactionSync(() => how(tables))
  await tables.root.close()
}

function editSearch(tables: Tables, how: (edits: SearchEdits, user: User) => void): void {
  const edits = new SearchEdits(tables.search)
  const [first] = [...tables.objects('user').range()]
  how(edits, JSON.parse(first!.content) as User)
  edits.flush()
}

it('a folder is whole after updates, deletes, an upgrade and retention', async () => {
  const data = await folder()
  expect(await verifyData(data)).toMatchObject({ damages: 0 })
  await asFormat1(data)
  await expect(verifyData(data)).rejects.toMatchObject(error('DATA_FOREIGN'))
  expect(await verifyData(data, { upgrading: () => undefined })).toMatchObject({ damages: 0 })
  const store = await openTestStore(data)
  const keep = { revisions: 5, ms: Number.POSITIVE_INFINITY }
  const kept = { revisions: 10, ms: Number.POSITIVE_INFINITY }
  const retention = { now: Date.now(), deltas: keep, history: kept, deleted: [], forgotten: [] }
  expect((await store.maintain(retention)).rows).toBeGreaterThan(20)
  await store.close()
  const { checked, damages } = await verifyData(data)
  expect(damages).toBe(0)
  expect(checked).toBeGreaterThan(500)
})

describe('what leads to objects', () => {
  it.each<[string, (tables: Tables) => void, string]>([
    ['a key', ({ keys }) => keys.remove(nameKey(1, 'user', 'user-3')), 'user `user-3` is not found by its key'],
    [
      'an id',
      (tables) => {
        const [first] = [...tables.objects('user').range()]
        tables.ids.remove(idKey(1, 'user', JSON.parse(first!.content).id))
      },
      'user `user-0` is not found by its id',
    ],
    [
      'an index entry',
      ({ indexes }) => indexes.remove(indexKey(1, 'assignments_of_user', 'user-5'), 20),
      'role assignment `user-5/admin/default` is missing in index assignments_of_user',
    ],
    [
      'a reference',
      ({ indexes }) => indexes.remove(indexKey(1, 'users_of_role', 'viewer'), 4),
      'role assignment `user-0/viewer/default` is missing in index users_of_role',
    ],
    ['a hash', ({ hashes }) => hashes.remove(HASH), `api key \`${HASH}\` is not found by its hash`],
    ['search texts', (tables) => editSearch(tables, (edits) => edits.remove(1, 'user', 7)), 'user `user-1` has other'],
    [
      'search texts of another value',
      (tables) => editSearch(tables, (edits, user) => edits.put(1, 'user', 7, { ...user, last_name: 'x' })),
      'user `user-1` has other search texts',
    ],
  ])('%s that is missing', async (_, how, text) => {
    const data = await folder()
    await change(data, how)
    expect(await found(data)).toEqual([expect.stringContaining(text)])
  })

  it.each<[string, (tables: Tables) => void, string]>([
    ['a key', ({ keys }) => keys.put(nameKey(1, 'user', 'nobody'), 7), 'an entry of table keys leads'],
    ['an id', ({ ids }) => ids.put(idKey(1, 'user', 'f'.repeat(32)), 7), 'an entry of table ids leads'],
    [
      'an index entry',
      ({ indexes }) => indexes.put(indexKey(1, 'assignments_of_user', 'user-5'), 8),
      'an entry of table indexes leads',
    ],
    [
      'search texts',
      (tables) => editSearch(tables, (edits, user) => edits.put(1, 'user', 7_000, user)),
      'an entry of table search leads',
    ],
    ['an entry of another log', ({ keys }) => keys.put(nameKey(9, 'user', 'x'), 7), 'table keys has records of a log'],
  ])('%s that leads nowhere or elsewhere', async (_, how, text) => {
    const data = await folder()
    await change(data, how)
    expect(await found(data)).toEqual([expect.stringContaining(text)])
  })
})

describe('records', () => {
  it('that are missing or changed are each named, in every table', async () => {
    const data = await folder()
    const store = await openTestStore(data)
    const [twelfth] = store.entries(LOG, 11, 1)
    await store.close()
    await change(data, (tables) => {
      const [first] = [...tables.objects('user').range()]
      tables.objects('user').remove(first!.key)
      const key = revisionKey(1, 7)
      const entry = Buffer.from(tables.log.get(key)!)
      tables.log.put(key, Buffer.from(entry.toString('latin1').replace('user-3', 'user-X'), 'latin1'))
    })
    expect(overwrite(data, '"key":"user-8","created_at"', '"key":"user-Z","created_at"')).toBeGreaterThan(0)
    expect(damageEntry(data, twelfth!.chain)).toBeGreaterThan(0)
    const texts = (await found(data)).join('\n')
    for (const text of [
      /user \d+ in table objects_user does not match its checksum/,
      /user has 28 records instead of 29/,
      /revision 12 in table log does not match its checksum/,
      /revision 7 in table log does not continue the chain/,
      /the records of table log are not those that were written/,
      /an entry of table keys leads to another object/,
    ])
      expect(texts).toMatch(text)
  })

  it('in a page that makes LMDB fail or end the process are found too, and never end this one', async () => {
    const data = await folder()
    const file = join(data, 'data.mdb')
    const bytes = readFileSync(file)
    bytes.fill(0xa5, 3 * 4096, bytes.length - 4096)
    writeFileSync(file, bytes)
    expect((await found(data)).length).toBeGreaterThan(0)
  })
})

describe('the command', () => {
  const run = (...args: string[]) => {
    const script = fileURLToPath(new URL('../../dist/bundle/zerohop.js', import.meta.url))
    return spawnSync(process.execPath, [...SHORT_LIVED, script, 'data', 'verify', ...args], { encoding: 'utf8' })
  }

  it('ends with 0 when the folder is whole, 1 when not, 2 when it cannot be compared', async () => {
    const data = await folder()
    expect(run('--data', data)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^intact: [\d,]+ records/) })
    const store = await openTestStore(data)
    expect(run('--data', data)).toMatchObject({ status: 2, stderr: expect.stringContaining('is in use') })
    await store.close()
    expect(run('--data', join(data, 'nothing'))).toMatchObject({ status: 2 })
    expect(run('--nothing')).toMatchObject({ status: 2 })
    overwrite(data, '"key":"user-8","created_at"', '"key":"user-Z","created_at"')
    const damaged = run('--data', data, '--json')
    expect(damaged.status).toBe(1)
    const { whole, listed } = JSON.parse(damaged.stdout)
    expect(whole).toBe(false)
    expect(listed[0]).toContain('in table objects_user does not match its checksum')
  })
})
