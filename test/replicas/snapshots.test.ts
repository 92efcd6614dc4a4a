// Snapshots that replicas write, and confirm for each other; lost-snapshots.test.ts has more of what can go wrong.
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ClaimLost, claim, release, renew } from '../../src/store/postgres/claims.ts'
import { Database } from '../../src/store/postgres/database.ts'
import { eventually } from '../support/eventually.ts'
import { withoutPostgres } from '../support/postgres.ts'
import {
  createUsers,
  DUE,
  development,
  listSnapshots,
  look,
  lookUntil,
  of,
  openReplica,
  requireRefused,
  snapshot,
  useServer,
} from '../support/snapshots.ts'

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('snapshots by replicas', () => {
  useServer()

  it('are written by one, confirmed by another, and replaced by the next', async () => {
    const url = await of.server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const log = development(one)
    await look(one)
    await createUsers(one, log, 'first')
    const { revision } = one.store.head(log)
    // both look at once: one of them writes
    await Promise.all([look(one), look(other)])
    await eventually(() => listSnapshots(url, log), [{ revision, state: 'written' }])
    const [row] = await of.server.query<{ writer: string }>(url, 'SELECT writer::text AS writer FROM zerohop.snapshots')
    const [writer, checker] = row?.writer === one.id ? [one, other] : [other, one]
    // its writer does not confirm it while there is another one
    await look(writer)
    await createUsers(one, log, 'second', 3)
    await checker.store.confirm()
    await lookUntil(checker, () => listSnapshots(url, log), [{ revision, state: 'confirmed' }])
    await eventually(() => checker.events, [{ what: 'confirmed', log, revision }])
    await eventually(() => writer.events.map(({ what }) => what), ['written'])
    await createUsers(one, log, 'third', 3 * DUE)
    expect(await snapshot(url, log, one, other)).toBe(one.store.head(log).revision)
    // they are removed just after what they were parts of
    const parts = () => of.server.query(url, 'SELECT DISTINCT revision FROM zerohop.snapshot_parts')
    await eventually(async () => (await parts()).length, 1)
  })

  it('are confirmed by their writer when there is no other replica, after it has loaded what it wrote', async () => {
    const url = await of.server.database()
    const alone = await openReplica(url)
    const log = development(alone)
    await createUsers(alone, log, 'first')
    const { revision } = alone.store.head(log)
    await lookUntil(alone, () => listSnapshots(url, log), [{ revision, state: 'confirmed' }])
    await eventually(() => alone.events.map(({ what }) => what), ['written', 'confirmed'])
    expect(readdirSync(alone.data).filter((name) => name.startsWith('scratch'))).toEqual([])
  })

  it('are refused, never used, and nothing is trimmed behind them, when what is stored is not what was written', async () => {
    await requireRefused(false, 'does not match its hash')
  })

  it('are the work of one replica, which has lost it when another took it over', async () => {
    const url = await of.server.database()
    await openReplica(url)
    const connection = await new Database({ url }).open('test')
    const first = (await claim(connection, 1, randomUUID()))!
    expect(await claim(connection, 1, randomUUID())).toBeUndefined()
    await renew(connection, first)
    await of.server.query(url, "UPDATE zerohop.upkeep SET at = at - interval '1 hour'")
    const second = (await claim(connection, 1, randomUUID()))!
    await expect(renew(connection, first)).rejects.toThrow(ClaimLost)
    await release(connection, first)
    await renew(connection, second)
    await release(connection, second)
    expect(await claim(connection, 1, randomUUID())).toBeDefined()
    connection.destroy()
  })
})
