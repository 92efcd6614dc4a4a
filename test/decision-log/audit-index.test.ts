// The index of recorded decisions in a folder: what it finds is what a look at every record finds; it is made for
// records of an older version; counts by minute stay when records are forgotten.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { formatLine } from '../../src/client/decision-record.ts'
import { type AuditWanted, makeFilter } from '../../src/decision-log/audit-filter.ts'
import { indexRecord, matchTerms } from '../../src/decision-log/audit-index.ts'
import { readAudit } from '../../src/decision-log/audit-queries.ts'
import { openAuditTables } from '../../src/decision-log/audit-tables.ts'
import { FolderAuditLog } from '../../src/decision-log/folder-audit-log.ts'
import { temporaryFolder } from '../support/folders.ts'
import { RECORD } from './support.ts'

const INSTANCE = randomBytes(16).toString('hex')
const { environment } = RECORD
const PDP = 'f'.repeat(32)
/** More than what is read at once of one term. */
const COUNT = 1_200

const pick = <T>(from: readonly T[], by: number): T => from[by % from.length]!
const lineAt = (seq: number, at: number): string =>
  `{"instance":"${INSTANCE}","seq":${seq}${formatLine(
    {
      ...RECORD,
      at,
      // users come in runs, so that terms lie far from each other
      user: seq % 401 === 0 ? 'rare' : pick(['ana', 'ben', 'cas'], Math.floor(seq / 200)),
      action: pick(['say', 'wave', 'shout'], seq),
      tenant: pick(['default', 'acme'], Math.floor(seq / 7)),
      resourceKey: pick([null, 'one', 'two'], Math.floor(seq / 3)),
      allow: seq % 5 !== 0,
    },
    0,
  )}`

const ANY: AuditWanted = { users: [], actions: [], resources: [], tenants: [], decision: undefined, pdps: [] }
const QUERIES: readonly Partial<AuditWanted>[] = [
  { users: ['ana'] },
  { users: ['rare', 'cas'], decision: false },
  { users: ['ana'], actions: ['shout'], tenants: ['acme'], resources: ['hello:two'] },
  { resources: ['hello', 'other'], decision: true, users: ['rare'] },
  { resources: ['hello:one'], actions: ['say', 'wave'] },
  { users: ['absent'], actions: ['say'] },
  { users: ['ana'], pdps: [PDP] },
]
const filter = (wanted: Partial<AuditWanted>) => makeFilter({ ...ANY, ...wanted }, PDP)

async function filled(data: string): Promise<FolderAuditLog> {
  const log = new FolderAuditLog(data)
  const lines = Array.from({ length: COUNT }, (_, seq) => lineAt(seq + 1, RECORD.at + seq * 1_000))
  await log.append({ lines: Buffer.from(lines.join('')), isCompressed: false })
  return log
}

/** Each query by the index, and by a look at every record. */
async function expectAlike(log: FolderAuditLog): Promise<void> {
  for (const asked of QUERIES) {
    for (const since of [undefined, RECORD.at + 400_500]) {
      const { fits, groups } = filter(asked)
      const query = { environment, since, until: undefined, fits, page: { offset: 3, rows: 100 } }
      const byIndex = await readAudit(log, { ...query, groups })
      expect(byIndex).toEqual(await readAudit(log, { ...query, groups: undefined }))
    }
  }
}

it('the index finds what a look at every record finds', async () => {
  const log = await filled(temporaryFolder('audit'))
  const { fits, groups } = filter({ users: ['rare'] })
  const query = { environment, since: undefined, until: undefined, fits, groups, page: { offset: 0, rows: 10 } }
  // 401 and 802, the newest first
  expect((await readAudit(log, query)).rows.map(({ seq }) => seq)).toEqual([802, 401])
  expect((await log.match(environment, groups!, { limit: 10 }))?.ids).toHaveLength(2)
  await expectAlike(log)
  await log.close()
})

/** A term of each group: how often, and where; `seldom` and `often` meet in few records, which lie far apart. */
const FREQUENT: readonly ((at: number) => Partial<typeof RECORD>)[] = [
  (at) => ({ action: at % 1_000 === 0 || at % 5 === 1 ? 'export' : 'read' }),
  (at) => ({ tenant: at % 1_000 === 0 || at % 5 === 2 ? 'globex' : 'acme' }),
  (at) => ({ user: at % 2_500 < 40 ? 'runs' : 'ana' }),
]

it('several frequent filters find all that fits all of them, in order, over many turns and in pages', () => {
  const tables = openAuditTables(temporaryFolder('audit'))
  const asked = (at: number) => Object.assign({}, ...FREQUENT.map((part) => part(at)))
  const records = Array.from({ length: 9_000 }, (_, at) => {
    const id = `${(RECORD.at + at).toString(16).padStart(12, '0')}${'0'.repeat(7)}1${at.toString(16).padStart(12, '0')}`
    const question = {
      resource_type: 'doc',
      resource_key: null,
      decision: at % 3 > 0,
      user: '',
      action: '',
      tenant: '',
    }
    return { ...question, ...asked(at), id }
  })
  tables.root.transactionSync(() => {
    for (const record of records) indexRecord(tables, environment, record)
  })
  const wanted: readonly Partial<AuditWanted>[] = [
    { actions: ['export'], tenants: ['globex'] },
    { resources: ['doc'], decision: true, tenants: ['globex'], actions: ['export', 'read'] },
    { resources: ['doc'], tenants: ['acme'], users: ['runs'] },
    { users: ['ana', 'absent'], decision: false, actions: ['export'], tenants: ['globex', 'acme'] },
    { users: ['absent'], resources: ['doc'] },
  ]
  for (const each of wanted) {
    const { fits, groups } = filter(each)
    const expected = records.filter((record) => fits!(record as never)).map(({ id }) => id)
    for (const limit of [3, 10_000]) {
      const found: string[] = []
      let turns = 0
      for (let after: string | undefined; ; turns++) {
        const { ids, next } = matchTerms(tables, environment, groups!, { limit, ...(after && { after }) })
        found.push(...ids)
        if (next === undefined) break
        after = next
      }
      expect({ each, limit, found }).toEqual({ each, limit, found: expected.toReversed() })
      if (each.tenants?.length === 2) expect(turns).toBeGreaterThan(0)
    }
  }
})

it('what is forgotten is not found any more, and stays counted until its time is over', async () => {
  const log = await filled(temporaryFolder('audit'))
  const now = RECORD.at + COUNT * 1_000
  const all = { since: 0, before: now + 60_000, minutes: 1 }
  const before = await log.minutes(environment, all)
  expect(before).toHaveLength(COUNT / 60)
  expect(before[0]).toEqual({ at: RECORD.at, allowed: 48, denied: 12 })
  await log.trim({ now, ms: 1e9, records: 500 })
  await expectAlike(log)
  const { groups } = filter({ decision: true })
  expect((await log.match(environment, groups!, { limit: COUNT }))?.ids).toHaveLength(400)
  expect(await log.minutes(environment, all)).toEqual(before)
  expect(await log.minutes(environment, { ...all, minutes: 60 })).toEqual([
    { at: RECORD.at, allowed: (COUNT * 4) / 5, denied: COUNT / 5 },
  ])
  await log.trim({ now, ms: 60_000, records: 500 })
  expect(await log.minutes(environment, all)).toEqual(before.slice(-1))
  await log.close()
})

it('records of an older version are listed at once; the index is made in steps, and counts each once', async () => {
  const data = temporaryFolder('audit')
  await (await filled(data)).close()
  const tables = openAuditTables(join(data, 'audit'))
  await tables.terms.clearAsync()
  await tables.minutes.clearAsync()
  tables.meta.putSync('format', 1)
  await tables.root.close()
  const log = new FolderAuditLog(data)
  const { fits, groups } = filter({ users: ['rare'] })
  const query = { environment, since: undefined, until: undefined, fits, groups, page: { offset: 0, rows: 10 } }
  expect(await log.match(environment, groups!, { limit: 10 })).toBeUndefined()
  expect((await readAudit(log, query)).total).toBe(2)
  // one that comes meanwhile
  await log.append({ lines: Buffer.from(lineAt(COUNT + 1, RECORD.at + 5_000)), isCompressed: false })
  const keep = { now: RECORD.at, ms: 1e9, records: 1e6 }
  expect(await log.trim(keep)).toEqual({ rows: 0, more: true })
  expect(await log.trim(keep)).toEqual({ rows: 0, more: false })
  expect((await log.match(environment, groups!, { limit: 10 }))?.ids).toHaveLength(2)
  await expectAlike(log)
  const [sum] = await log.minutes(environment, { since: 0, before: RECORD.at + 1e8, minutes: 1_440 })
  expect(sum!.allowed + sum!.denied).toBe(COUNT + 1)
  await log.close()
})
