// An import that meets damage takes itself back: the folder stays the truth, and the database is as empty as before.
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importData } from '../../src/cli/commands/database.ts'
import { readEnv } from '../../src/cli/configuration/env.ts'
import { type LogId, withoutRequest } from '../../src/log/change.ts'
import { type ManagementData, openManagementData } from '../../src/management/host/open.ts'
import { openTables } from '../../src/store/tables.ts'
import { damageEntry } from '../support/damage.ts'
import { temporaryFolder } from '../support/folders.ts'
import { endPostgres, type Postgres, startPostgres, withoutPostgres } from '../support/postgres.ts'

const BY = withoutRequest('test')
const SECRETS_KEY = randomBytes(32)

const open = (data: string, url?: string): Promise<ManagementData> =>
  openManagementData({
    data,
    newId: () => randomBytes(16).toString('hex'),
    ...(url === undefined
      ? {}
      : { replica: { settings: { url, replica: randomUUID(), version: 'test' }, secretsKey: SECRETS_KEY } }),
  })

/** A folder with the chains of the entries of one of its logs. */
async function filledFolder(): Promise<{ data: string; log: LogId; chains: readonly string[] }> {
  const data = temporaryFolder('embedded')
  const { store, organization } = await open(data)
  const { id: log } = store.view(organization).require('environment', 'default/development')
  for (let user = 0; user < 5; user++) await store.commit(log, 'createUser', { key: `user-${user}` }, BY)
  const chains = store.entries(log, 0).map(({ chain }) => chain)
  await store.close()
  return { data, log, chains }
}

type Folder = Awaited<ReturnType<typeof filledFolder>>

const changeByte = async ({ data, chains }: Folder) => expect(damageEntry(data, chains[2]!)).toBeGreaterThan(0)

async function takeEntryAway({ data, chains }: Folder): Promise<void> {
  const tables = openTables(data, 'write')
  const found = [...tables.log.range()].filter(({ content }) =>
    Buffer.from(content.subarray(0, 32)).equals(Buffer.from(chains[2]!, 'hex')),
  )
  expect(found).toHaveLength(1)
  for (const { key } of found) tables.root.transactionSync(() => tables.log.remove(key))
  await tables.root.close()
}

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('an import', () => {
  let server: Postgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(endPostgres)

  it.each([
    ['an entry of which a byte changed', changeByte, /does not match its checksum/],
    ['an entry that is missing', takeEntryAway, /entries of log \d+ are missing from revision \d+ on/],
  ])('of a folder with %s is refused, and another one works', async (_, damage, message) => {
    const url = await server.database()
    const importFrom = (data: string) =>
      importData(
        readEnv({
          ZEROHOP_DATA: data,
          ZEROHOP_DATABASE_URL: url,
          ZEROHOP_SECRETS_KEY: SECRETS_KEY.toString('hex'),
        }),
        { again: false, json: true },
      )
    const folder = await filledFolder()
    await damage(folder)
    await expect(importFrom(folder.data)).rejects.toMatchObject({
      code: 'DATA_DAMAGED',
      message: expect.stringMatching(message),
    })
    expect(existsSync(join(folder.data, 'moved.json'))).toBe(false)
    for (const table of ['logs', 'entries', 'snapshots', 'secrets'])
      expect([table, await server.query(url, `SELECT FROM zerohop.${table}`)]).toEqual([table, []])
    const whole = await filledFolder()
    await importFrom(whole.data)
    const replica = await open(temporaryFolder('cache'), url)
    expect(replica.store.view(whole.log).count('user')).toBeGreaterThanOrEqual(5)
    await replica.store.close()
  })
})
