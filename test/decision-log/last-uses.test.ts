// When something was last used, in a folder: what is answered is what a look at every record that was ever stored finds,
// whatever was forgotten meanwhile, over restarts, and after an older version wrote to the folder.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type DecisionRecord, formatLine } from '../../src/client/decision-record.ts'
import { type AuditTables, openAuditTables } from '../../src/decision-log/audit-tables.ts'
import { FolderAuditLog } from '../../src/decision-log/folder-audit-log.ts'
import { addUses, readKnownUses, readUses } from '../../src/decision-log/folder-last-uses.ts'
import { nameUse, type Use, UseSums } from '../../src/decision-log/last-uses.ts'
import { Random } from '../replicas/consistency/random.ts'
import { temporaryFolder } from '../support/folders.ts'
import { RECORD } from './support.ts'

const INSTANCE = randomBytes(16).toString('hex')
const { environment } = RECORD
const DAY_MS = 86_400_000
const USERS = ['ana', 'ben', 'cas', '*']
const ACTIONS = ['say', 'wave']
const TENANTS = ['default', 'acme']

type Asked = Pick<DecisionRecord, 'at' | 'user' | 'tenant' | 'action' | 'allow' | 'person'>

const formatRecord = (seq: number, record: Asked, dropped = 0, instance = INSTANCE): string =>
  `{"instance":"${instance}","seq":${seq}${formatLine({ ...RECORD, ...record }, dropped)}`

/** Every use that can be asked about. */
const USES: readonly Use[] = [...USERS, undefined].flatMap((user) => [
  ...(user === undefined ? [] : [{ user }]),
  ...ACTIONS.flatMap((action) => {
    const permission = `hello:${action}`
    return [
      { user, permission },
      ...(user === undefined ? [] : TENANTS.map((tenant) => ({ user, permission, tenant }))),
    ]
  }),
])

/** The reference: by every record. */
function lastUse(records: readonly Asked[], { user, permission, tenant }: Use): number | undefined {
  const fits = records.filter(
    (record) =>
      record.allow &&
      record.person === undefined &&
      record.user === (user ?? record.user) &&
      `hello:${record.action}` === (permission ?? `hello:${record.action}`) &&
      record.tenant === (tenant ?? record.tenant),
  )
  return fits.reduce<number | undefined>((latest, { at }) => Math.max(latest ?? 0, at), undefined)
}

const expectAll = async (log: FolderAuditLog, records: readonly Asked[]): Promise<void> => {
  const found = await log.uses(environment, USES.map(nameUse))
  expect(USES.map((use, at) => ({ use, at: found[at] }))).toEqual(
    USES.map((use) => ({ use, at: lastUse(records, use) })),
  )
}

const randomRecord = (random: Random): Asked => ({
  at: RECORD.at + random.between(0, 60 * 24) * 3_600_000,
  user: random.pick(USERS),
  tenant: random.pick(TENANTS),
  action: random.pick(ACTIONS),
  allow: random.chance(0.5),
  ...(random.chance(0.1) ? { person: 'Eva' } : {}),
})

it.each([1, 2])('answers as a look at every record, with trims and restarts between (seed %i)', async (seed) => {
  const random = new Random(seed)
  const data = temporaryFolder('audit')
  let log = new FolderAuditLog(data)
  const records: Asked[] = []
  let [seq, dropped, oldest] = [0, 0, Number.POSITIVE_INFINITY]
  for (let round = 0; round < 8; round++) {
    const lines = Array.from({ length: random.between(1, 8) }, () => {
      const record = randomRecord(random)
      const lost = random.chance(0.1) ? 2 : 0
      records.push(record)
      dropped += lost
      return formatRecord(++seq, record, lost)
    })
    if (round === 0) oldest = records.reduce((least, { at }) => Math.min(least, at), oldest)
    const batch = { lines: Buffer.from(lines.join('')), isCompressed: false }
    await log.append(batch)
    expect(await log.append(batch)).toMatchObject({ stored: 0 }) // what comes twice is counted once
    if (random.chance(0.5))
      await log.trim({ now: RECORD.at + 60 * DAY_MS, ms: random.between(1, 60) * DAY_MS, records: 9 })
    if (random.chance(0.3)) {
      await log.close()
      log = new FolderAuditLog(data)
    }
    await expectAll(log, records)
    const newest = records.reduce((most, { at }) => Math.max(most, at), 0)
    expect(await log.knownUses(environment)).toMatchObject({ since: oldest, until: newest, dropped })
  }
  await log.close()
})

it('forgets uses that are older than it knows, and keeps the others', async () => {
  const log = new FolderAuditLog(temporaryFolder('audit'))
  const records = [
    { at: RECORD.at, user: 'ana', tenant: 'acme', action: 'say', allow: true },
    { at: RECORD.at + 10 * DAY_MS, user: 'ana', tenant: 'acme', action: 'wave', allow: true },
  ]
  await log.append({
    lines: Buffer.from(records.map((record, at) => formatRecord(at + 1, record)).join('')),
    isCompressed: false,
  })
  await log.trim({ now: RECORD.at + 405 * DAY_MS, ms: DAY_MS, records: 10 })
  expect(await log.count(environment)).toBe(0)
  await expectAll(log, records.slice(1))
  await log.trim({ now: RECORD.at + 411 * DAY_MS, ms: DAY_MS, records: 10 })
  await expectAll(log, [])
  await log.close()
})

it('what an older version stored is known after some rounds, and not before it is said to be', async () => {
  const data = temporaryFolder('audit')
  const random = new Random(4)
  const records = Array.from({ length: 1_500 }, () => randomRecord(random))
  const lines = (from: number, to: number, instance = INSTANCE) =>
    Buffer.from(
      records
        .slice(from, to)
        .map((record, at) => formatRecord(from + at + 1, record, 0, instance))
        .join(''),
    )
  let log = new FolderAuditLog(data)
  await log.append({ lines: lines(0, 1_400), isCompressed: false })
  await log.close()
  await asOlderVersion(data)
  log = new FolderAuditLog(data)
  expect((await log.knownUses(environment))?.since).toBeUndefined()
  await log.append({ lines: lines(1_400, 1_500, 'cd'.repeat(16)), isCompressed: false })
  expect((await log.knownUses(environment))?.since).toBeUndefined()
  // nothing is forgotten before what it used is known
  const keep = { now: RECORD.at + 60 * DAY_MS, ms: 1e12, records: 5 }
  expect(await log.trim(keep)).toEqual({ rows: 0, more: true })
  await log.close()
  log = new FolderAuditLog(data) // goes on where it was
  expect((await log.knownUses(environment))?.since).toBeUndefined()
  await log.trim(keep)
  const oldest = records.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY)
  expect((await log.knownUses(environment))?.since).toBe(oldest)
  await expectAll(log, records)
  await log.close()
  // all are marked: nothing is looked at again
  log = new FolderAuditLog(data)
  expect((await log.knownUses(environment))?.since).toBe(oldest)
  await log.close()
})

/** Leaves the folder as a version does that knows nothing of uses. */
async function asOlderVersion(data: string): Promise<void> {
  const tables = openAuditTables(join(data, 'audit'))
  await tables.uses.clearAsync()
  await tables.knownUses.clearAsync()
  for (const { key, value } of [...tables.instances.getRange()]) {
    const { uses: _, ...older } = value
    await tables.instances.put(key, older)
  }
  await tables.root.close()
}

it('with no more room, uses that are there are kept up to date, and what is known begins behind what had none', async () => {
  const tables: AuditTables = openAuditTables(temporaryFolder('audit'))
  const add = (user: string, at: number, roomFor: number): void => {
    const sums = new UseSums()
    const asked = { user, tenant: 'acme', action: 'say', resource_type: 'hello', decision: true }
    sums.add(environment, { ...asked, at }, 0)
    tables.root.transactionSync(() => addUses(tables, sums, roomFor))
  }
  add('ana', 1_000, 4)
  add('ben', 2_000, 4)
  add('ana', 3_000, 4)
  expect(await readUses(tables, environment, [nameUse({ user: 'ana' }), nameUse({ user: 'ben' })])).toEqual([
    3_000,
    undefined,
  ])
  expect(await readUses(tables, environment, [nameUse({ permission: 'hello:say' })])).toEqual([3_000])
  expect(readKnownUses(tables, environment)?.since).toBe(2_000)
  await tables.root.close()
})
