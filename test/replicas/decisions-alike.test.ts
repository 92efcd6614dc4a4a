// The database keeps, counts, lists and forgets records of decisions as the folder of a single process does: the same
// random batches go to a folder, and to two replicas in turn.
import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditBatch } from '../../src/decision-log/audit-lines.ts'
import type { AuditKeep, AuditLog, AuditMatchRange, AuditRecord } from '../../src/decision-log/audit-log.ts'
import { readAudit } from '../../src/decision-log/audit-queries.ts'
import { makeTerm, type TermGroups } from '../../src/decision-log/audit-terms.ts'
import { DatabaseAuditLog } from '../../src/decision-log/database-audit-log.ts'
import { idAt, LIST_RECORDS } from '../../src/decision-log/database-audit-reads.ts'
import { FolderAuditLog } from '../../src/decision-log/folder-audit-log.ts'
import { nameUse } from '../../src/decision-log/last-uses.ts'
import { AUDIT_BATCHES_MAX, AUDIT_READS_MAX } from '../../src/model/limits.ts'
import { Database } from '../../src/store/postgres/database.ts'
import { migrate } from '../../src/store/postgres/migrations.ts'
import { temporaryFolder } from '../support/folders.ts'
import { connectTo, endPostgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { Random } from './consistency/random.ts'
import { decisionLine } from './decision-lines.ts'

const START = Date.UTC(2026, 10, 20, 12)
const BATCHES = 60
const id = () => randomBytes(16).toString('hex')

/** Filters of the index; the last one has no records. */
const GROUPS: readonly TermGroups[] = [
  [[makeTerm('user', 'ana')]],
  [[makeTerm('user', 'nul\0'), makeTerm('user', 'ä')], [makeTerm('decision', true)]],
  [
    [makeTerm('type', 'hello'), makeTerm('instance', 'hello')],
    [makeTerm('tenant', 'default')],
    [makeTerm('user', 'ben')],
  ],
  [[makeTerm('user', 'ana')], [makeTerm('action', 'absent')]],
]

/** Uses that are asked for. */
const USES = ['ana', 'ben', 'nul\0', '\ud800', 'ä', undefined].flatMap((user) => [
  nameUse({ user }),
  nameUse({ user, permission: 'hello:say' }),
  nameUse({ user, permission: 'hello:say', tenant: 'default' }),
  nameUse({ user, permission: 'hello:say', tenant: 'absent' }),
])

/** Everything that the index has, in pieces. */
async function allMatches(
  log: AuditLog,
  environment: string,
  groups: TermGroups,
  range: Omit<AuditMatchRange, 'limit'>,
) {
  const ids: string[] = []
  for (let after: string | undefined; ; ) {
    const found = await log.match(environment, groups, {
      ...range,
      ...(after === undefined ? {} : { after }),
      limit: 7,
    })
    ids.push(...found!.ids)
    if (found!.next === undefined) return ids
    after = found!.next
  }
}

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('records of decisions in a folder and in the database', () => {
  const environments = [id(), id(), id()].sort()
  const series = Array.from({ length: 12 }, id)
  const random = new Random(1)
  let url: string
  let folder: AuditLog
  let replicas: AuditLog[]

  beforeAll(async () => {
    url = await (await startPostgres()).database()
    const connection = await new Database({ url }).open('test')
    await migrate(connection)
    connection.destroy()
    folder = new FolderAuditLog(temporaryFolder('audit'))
    replicas = [0, 1].map(() => new DatabaseAuditLog(temporaryFolder('audit'), { url }))
  })
  afterAll(async () => {
    for (const log of [folder, ...(replicas ?? [])]) await log?.close()
    await endPostgres()
  })

  /** A batch of one series, as a PDP sends it: new records, some that came before, some that are refused. */
  const makeBatch = (instance: string): AuditBatch => {
    const of = series.indexOf(instance)
    const environment = environments[of % environments.length]!
    // some series are those of a process that needs no key
    const apiKey = of % 4 === 0 ? undefined : `key-${random.chance(0.1) ? 'other' : of}`
    const lines = Array.from({ length: random.between(1, 40) }, () => {
      const seq = random.between(1, 150)
      // a record that comes again has the same time: records of several series have one, too
      const at = START + Math.floor(seq / 3) * 1000
      const user = ['ana', 'ben', 'nul\0', '\ud800', 'ä'][seq % 5]!
      const dropped = seq % 7 === 0 ? 3 : 0
      const line = decisionLine({ environment, instance, seq, at, apiKey: apiKey ?? 'own', user, dropped })
      return random.chance(0.03) ? line.slice(5) : line
    })
    const bytes = Buffer.from(lines.join(''))
    const isCompressed = random.chance(0.5)
    const sender = apiKey === undefined ? {} : { environment, sentBy: { id: apiKey, hash: '' } }
    return { lines: isCompressed ? gzipSync(bytes) : bytes, isCompressed, ...sender }
  }

  /** All that can be asked, without the time at which records came. */
  const readContents = async (log: AuditLog) => {
    const lists: AuditRecord[][] = []
    for (const environment of environments) {
      for (const since of [undefined, START + 10_000]) {
        for (const [skip, before] of [[0, START + 40_000], [0], [7, START + 30_000], [1_000]] as const) {
          const range = { ...(since === undefined ? {} : { since }), ...(before === undefined ? {} : { before }) }
          lists.push(await log.list(environment, { ...range, skip, limit: 50 }))
        }
      }
    }
    const records = lists.map((list) => list.map((record) => ({ ...record, received_at: 0 })))
    const found = await Promise.all(
      environments.flatMap((environment) => lists.map(async ([first]) => log.find(environment, first?.id ?? id()))),
    )
    const range = { since: START + 5_000, before: START + 45_000 }
    const matches = await Promise.all(
      environments.flatMap((environment) => GROUPS.map((groups) => allMatches(log, environment, groups, range))),
    )
    return {
      records,
      matches,
      minutes: await Promise.all(
        environments.map((of) => log.minutes(of, { since: 0, before: START + 3_600_000, minutes: 1 })),
      ),
      uses: await Promise.all(environments.map((of) => log.uses(of, USES))),
      known: await Promise.all(environments.map((of) => log.knownUses(of))),
      found: found.map((record) => record?.id),
      counts: await Promise.all(environments.map((environment) => log.count(environment))),
      together: [...(await log.counts(environments))].filter(([, count]) => count > 0).sort(),
      series: (await Promise.all(series.map((name) => log.instance(name)))).map((each) => each && { ...each, seen: 0 }),
    }
  }

  const trimAll = async (log: AuditLog, keep: AuditKeep): Promise<number> => {
    let rows = 0
    for (let more = true; more; ) {
      const trimmed = await log.trim(keep)
      rows += trimmed.rows
      more = trimmed.more
    }
    return rows
  }

  it('are answered for alike, batch by batch', async () => {
    for (let number = 0; number < BATCHES; number++) {
      const batch = makeBatch(random.pick(series))
      expect(await replicas[number % 2]!.append(batch)).toEqual(await folder.append(batch))
    }
    expect(folder.stats.known).toBeGreaterThan(0)
    expect(folder.stats.refused).toBeGreaterThan(0)
    expect(folder.stats.stored).toBe(replicas.reduce((sum, { stats }) => sum + stats.stored, 0))
  })

  it('are listed, counted and found alike', async () => {
    const contents = await readContents(folder)
    expect(contents.records.flat().length).toBeGreaterThan(100)
    expect(contents.uses.flat().filter((at) => at !== undefined).length).toBeGreaterThan(30)
    expect(contents.known.every((known) => known!.dropped > 0 && known!.since! >= START)).toBe(true)
    expect(contents.matches.filter((ids) => ids.length > 7).length).toBeGreaterThan(3)
    expect(contents.minutes.flat().reduce((sum, { allowed, denied }) => sum + allowed + denied, 0)).toBe(
      contents.together.reduce((sum, [, count]) => sum + count, 0),
    )
    for (const replica of replicas) expect(await readContents(replica)).toEqual(contents)
  })

  it('are forgotten alike, by number and by age, also when both replicas do it at once', async () => {
    const keeps = [
      { now: START + 60_000, ms: 1_000_000, records: 60 },
      { now: START + 60_000, ms: 40_000, records: 50 },
      { now: START + 60_000, ms: 40_000, records: 50 },
    ]
    for (const keep of keeps) {
      const rows = await trimAll(folder, keep)
      const [one, other] = await Promise.all(replicas.map((replica) => trimAll(replica, keep)))
      // whoever finds the other one at work leaves it to that one
      expect(one! + other!).toBe(rows)
      expect(await readContents(replicas[0]!)).toEqual(await readContents(folder))
    }
  })

  it('are forgotten by one replica at a time', async () => {
    const client = await connectTo(url)
    await client.query('BEGIN; SELECT pg_advisory_xact_lock(6214507222)')
    const keep = { now: START + 60_000, ms: 1_000_000, records: 1 }
    expect(await replicas[0]!.trim(keep)).toEqual({ rows: 0, more: false })
    await client.query('ROLLBACK')
    await client.end()
    expect((await replicas[0]!.trim(keep)).rows).toBeGreaterThan(0)
  })

  it('and their series are forgotten when nothing came for long; a number is never given again', async () => {
    const last = Math.max(
      ...(await Promise.all(series.map((name) => replicas[0]!.instance(name)))).map((each) => each?.number ?? 0),
    )
    const keep = { now: Date.now() + 1_000, ms: 0, records: 1 }
    expect(await trimAll(replicas[0]!, keep)).toBeGreaterThan(0)
    expect((await readContents(replicas[1]!)).series).toEqual(series.map(() => undefined))
    expect((await readContents(replicas[1]!)).counts).toEqual([0, 0, 0])
    const [instance] = series
    const line = decisionLine({ environment: environments[0]!, instance: instance!, seq: 1, apiKey: 'own', at: START })
    await replicas[1]!.append({ lines: Buffer.from(line), isCompressed: false })
    expect((await replicas[0]!.instance(instance!))?.number).toBe(last + 1)
  })

  it('are forgotten in steps of bounded size, in whatever environments they are', async () => {
    const many = Array.from({ length: 120 }, id)
    const lines = many.flatMap((environment, at) =>
      Array.from({ length: 60 }, (_, seq) =>
        decisionLine({ environment, instance: series[1]!, seq: at * 60 + seq, apiKey: 'own', at: START + seq }),
      ),
    )
    const stored = await replicas[0]!.append({ lines: gzipSync(lines.join('')), isCompressed: true })
    expect(stored).toMatchObject({ stored: 7_200, refused: 0 })
    const keep = { now: START + 60_000, ms: 1_000_000, records: 5 }
    expect(await replicas[1]!.trim(keep)).toEqual({ rows: 5_000, more: true })
    expect(await trimAll(replicas[1]!, keep)).toBe(55 * 120 - 5_000)
    expect([...(await replicas[0]!.counts(many)).values()]).toEqual(many.map(() => 5))
  })

  it('of an older version are listed at once, and found by the index and counted after the next round', async () => {
    const environment = id()
    const lines = ['ana', 'ben', 'ana'].map((user, seq) =>
      decisionLine({ environment, instance: series[2]!, seq, apiKey: 'own', at: START + seq, user }),
    )
    const log = replicas[0]!
    await log.append({ lines: Buffer.from(lines.join('')), isCompressed: false })
    const client = await connectTo(url)
    await client.query(
      `UPDATE zerohop.decisions SET user_term = NULL, action_term = NULL, type_term = NULL, instance_term = NULL,
        tenant_term = NULL, allowed = NULL, is_used = NULL WHERE environment = '${environment}'`,
    )
    await client.query(`DELETE FROM zerohop.decision_minutes WHERE environment = '${environment}'`)
    await client.query(`DELETE FROM zerohop.uses WHERE environment = '${environment}'`)
    await client.query(`UPDATE zerohop.known_uses SET since = NULL, rows = 0 WHERE environment = '${environment}'`)
    await client.end()
    const groups = [[makeTerm('user', 'ana')]]
    const fits = ({ user }: AuditRecord) => user === 'ana'
    const query = { environment, since: undefined, until: undefined, fits, groups, page: { offset: 0, rows: 10 } }
    expect(await log.match(environment, groups, { limit: 10 })).toBeUndefined()
    expect((await readAudit(log, query)).rows.map(({ seq }) => seq)).toEqual([2, 0])
    expect((await log.knownUses(environment))?.since).toBeUndefined()
    await trimAll(log, { now: START + 60_000, ms: 1_000_000, records: 1_000 })
    expect((await log.knownUses(environment))?.since).toBe(START)
    expect(
      await log.uses(
        environment,
        ['ana', 'ben'].map((user) => nameUse({ user })),
      ),
    ).toEqual([START + 2, START + 1])
    expect((await log.match(environment, groups, { limit: 10 }))?.ids).toHaveLength(2)
    expect((await readAudit(log, query)).rows.map(({ seq }) => seq)).toEqual([2, 0])
    const [sum, ...more] = await log.minutes(environment, { since: 0, before: START + 60_000, minutes: 1_440 })
    expect([(sum?.allowed ?? 0) + (sum?.denied ?? 0), more]).toEqual([3, []])
  })

  it('that come while a list is searched are not in it, and move no place', async () => {
    const environment = id()
    const batchFrom = (first: number, count: number): AuditBatch => {
      const seqs = Array.from({ length: count }, (_, at) => first + at)
      const lines = seqs.map((seq) =>
        decisionLine({ environment, instance: series[0]!, seq, apiKey: 'own', at: START + seq }),
      )
      return { lines: Buffer.from(lines.join('')), isCompressed: false }
    }
    for (const log of [folder, replicas[0]!]) {
      await log.append(batchFrom(1_000, 1_700))
      let next = 10_000
      const growing: Pick<AuditLog, 'list' | 'count' | 'match' | 'records'> = {
        count: (of) => log.count(of),
        match: (of, groups, range) => log.match(of, groups, range),
        records: (of, ids) => log.records(of, ids),
        list: async (of, range) => {
          const page = await log.list(of, range)
          await log.append(batchFrom(next, 30))
          next += 30
          return page
        },
      }
      const query = {
        environment,
        since: undefined,
        until: undefined,
        fits: () => true,
        groups: undefined,
        page: { offset: 1_600, rows: 100 },
      }
      const { rows, total } = await readAudit(growing, query)
      expect([total, rows.map(({ seq }) => seq)]).toEqual([1_700, Array.from({ length: 100 }, (_, at) => 1_099 - at)])
    }
  })

  it('are read along the index, without statistics of the table too', async () => {
    const connection = await new Database({ url }).open('test')
    await connection.script(`BEGIN; SET LOCAL enable_seqscan = off; TRUNCATE zerohop.decisions;
      INSERT INTO zerohop.decisions SELECT lpad(to_hex(n % 3), 32, '0')::uuid, lpad(to_hex(n), 32, '0')::uuid, '{}'
        FROM generate_series(1, 20000) n`)
    const of = [`${'0'.repeat(31)}1`, idAt(0), idAt(START), 0, 30]
    const plan = (await connection.query(`EXPLAIN ${LIST_RECORDS}`, of)).map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('Index Scan Backward using decisions_pkey')
    expect(plan).not.toContain('Sort')
    await connection.script('ROLLBACK')
    connection.destroy()
  })

  it('wait for the database up to a bound, whether they come or are asked for', async () => {
    const client = await connectTo(url)
    await client.query('BEGIN; LOCK TABLE zerohop.decisions IN ACCESS EXCLUSIVE MODE')
    const log = replicas[0]!
    const [environment] = environments
    const outcomeCode = (asked: Promise<unknown>) =>
      asked.then(
        () => 'done',
        ({ code }) => code,
      )
    const batch = { lines: Buffer.from('{}'), isCompressed: false }
    const line = decisionLine({ environment: environment!, instance: id(), seq: 1, apiKey: 'own', at: START })
    const first = outcomeCode(log.append({ ...batch, lines: Buffer.from(line) }))
    const appended = Array.from({ length: AUDIT_BATCHES_MAX }, () => outcomeCode(log.append(batch)))
    const listed = Array.from({ length: AUDIT_READS_MAX + 1 }, () => outcomeCode(log.list(environment!, { limit: 1 })))
    expect([await appended.pop(), await listed.pop()]).toEqual(['OVERLOADED', 'OVERLOADED'])
    await client.query('ROLLBACK')
    await client.end()
    expect(new Set(await Promise.all([first, ...appended, ...listed]))).toEqual(new Set(['done']))
  })

  it('are refused after the close, and the question that is on its way is answered', async () => {
    const log = new DatabaseAuditLog(temporaryFolder('audit'), { url })
    const line = decisionLine({ environment: environments[0]!, instance: id(), seq: 1, apiKey: 'own', at: START })
    const batch = { lines: Buffer.from(line), isCompressed: false }
    await log.count(environments[0]!)
    const storing = log.append(batch)
    await log.close()
    expect(await storing).toMatchObject({ stored: 1 })
    await expect(log.append(batch)).rejects.toMatchObject({ code: 'CLOSED' })
    await expect(log.count(environments[0]!)).rejects.toMatchObject({ code: 'CLOSED' })
  })
})
