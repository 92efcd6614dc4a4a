// `zerohop data repair`: what something proves is made anew, everything else is said and stays refused.
// src/store/repair.ts.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { repairData } from '../../src/store/repair-data.ts'
import { openTables } from '../../src/store/tables.ts'
import { verifyData } from '../../src/store/verify-data.ts'
import { SHORT_LIVED } from '../support/short-lived.ts'
import { BY, error, LOG, openTestStore, seed, type TestStore, temporaryFolder } from './support.ts'

const HASH = 'c'.repeat(64)

function contents(store: TestStore): unknown {
  const view = store.view(LOG)
  const kinds = ['user', 'role', 'tenant', 'role_assignment', 'api_key'] as const
  return {
    head: store.head(LOG),
    entries: store.entries(LOG, 0),
    objects: kinds.map((kind) => [...view.list(kind)]),
    assignments: [...view.by('assignments_of_user', 'user-4')],
    users: [...view.by('users_of_role', 'viewer')],
    secret: store.readSecret(store.findApiKey(HASH)?.key.id ?? ''),
  }
}

async function folder(): Promise<{ data: string; before: unknown }> {
  const data = temporaryFolder()
  const store = await openTestStore(data)
  await seed(store)
  for (let at = 0; at < 8; at++) await store.commit(LOG, 'createMember', { key: `user-${at}` }, BY)
  await store.commit(LOG, 'renameUser', { key: 'user-4', first_name: 'Ann' }, BY)
  await store.commit(LOG, 'deleteUser', { key: 'user-2' }, BY)
  await store.commit(LOG, 'createApiKey', { hash: HASH }, BY)
  const before = contents(store)
  await store.close()
  return { data, before }
}

/**
 * Changes one byte of the object that holds a text: found by its checksum too, which its copy in the log does not have.
 */
async function damageUser(data: string, text: string): Promise<void> {
  const tables = openTables(data, 'read')
  const found = [...tables.objects('user').range()].find(({ content }) => content.includes(text))
  await tables.root.close()
  const crc = Buffer.alloc(4)
  crc.writeUInt32LE(found!.crc)
  const record = Buffer.concat([Buffer.from(found!.content), crc])
  const path = join(data, 'data.mdb')
  const bytes = readFileSync(path)
  let count = 0
  for (let at = bytes.indexOf(record); at >= 0; at = bytes.indexOf(record, at)) {
    bytes[at + record.indexOf(text)]! ^= 1
    count++
  }
  expect(count).toBeGreaterThan(0)
  writeFileSync(path, bytes)
}

it('indexes are made anew from the objects', async () => {
  const { data, before } = await folder()
  const tables = openTables(data, 'write')
  tables.root.transactionSync(() => {
    for (const { key } of [...tables.keys.rows({})].slice(0, 3)) tables.keys.remove(key)
    for (const { key } of [...tables.indexes.rows({})].slice(5, 20)) tables.indexes.remove(key)
    tables.hashes.remove(HASH)
  })
  await tables.root.close()
  const { found, left, aside } = await repairData(data)
  expect(found).toBeGreaterThan(4)
  expect(left).toBe(0)
  expect(existsSync(aside ?? '')).toBe(true)
  expect(contents(await openTestStore(data))).toEqual(before)
})

it('objects are made anew from a log that is whole, and the command reports it', async () => {
  const { data, before } = await folder()
  await damageUser(data, '"key":"user-6"')
  const script = fileURLToPath(new URL('../../dist/bundle/zerohop.js', import.meta.url))
  const repair = () =>
    spawnSync(process.execPath, [...SHORT_LIVED, script, 'data', 'repair', '--data', data], { encoding: 'utf8' })
  const first = repair()
  expect(first.stdout).toContain(`environment \`${LOG}\`: objects (user) rebuilt from its log`)
  expect(first.status).toBe(0)
  expect(repair()).toMatchObject({ status: 0, stdout: 'intact: there is nothing to repair\n' })
  const store = await openTestStore(data)
  expect(contents(store)).toEqual(before)
  await store.commit(LOG, 'createMember', { key: 'later' }, BY)
  await store.close()
  expect(await verifyData(data)).toMatchObject({ damages: 0 })
})

it('what cannot be repaired is reported and stays refused', async () => {
  const { data } = await folder()
  const store = await openTestStore(data)
  const keep = { revisions: 2, ms: Number.POSITIVE_INFINITY }
  await store.maintain({ now: 0, deltas: keep, history: keep, deleted: [], forgotten: [] })
  await store.close()
  await damageUser(data, '"key":"user-6"')
  const tables = openTables(data, 'write')
  tables.root.transactionSync(() => tables.keys.remove([...tables.keys.rows({})][0]!.key))
  await tables.root.close()
  const [reported, listed]: [string[], string[]] = [[], []]
  const { left, aside } = await repairData(data, {
    report: (text) => reported.push(text),
    reportLeft: (text) => listed.push(text),
  })
  expect(aside).toBeDefined()
  expect(left).toBe(listed.length)
  expect(reported).toEqual([
    expect.stringContaining('objects (user) damaged, and its log does not go back to the beginning'),
  ])
  expect(listed.join('\n')).toContain('user has 6 records instead of 7')
  const again = await openTestStore(data)
  expect(() => [...again.view(LOG).list('user')]).toThrow(expect.objectContaining(error('DATA_DAMAGED')))
  expect(again.view(LOG).get('user', 'user-7')).toBeDefined()
})

it('a folder stays as it was when its heads are damaged, and when it is in use', async () => {
  const { data } = await folder()
  const path = join(data, 'data.mdb')
  const bytes = readFileSync(path)
  for (let at = bytes.indexOf('"lineage"'); at >= 0; at = bytes.indexOf('"lineage"', at + 1)) bytes[at + 3]! ^= 1
  writeFileSync(path, bytes)
  const reported: string[] = []
  expect(await repairData(data, { report: (text) => reported.push(text) })).toMatchObject({ aside: undefined })
  expect(reported[0]).toContain('in table heads does not match its checksum')
  expect(readFileSync(path).equals(bytes)).toBe(true)
  const other = await folder()
  await openTestStore(other.data)
  await expect(repairData(other.data)).rejects.toMatchObject(error('DATA_IN_USE'))
})
