// A deleted environment leaves the record, and the cache of every replica, when its history has expired.
import { cpSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { claim } from '../../src/store/postgres/claims.ts'
import { Database } from '../../src/store/postgres/database.ts'
import { forgetLog } from '../../src/store/postgres/forget-log.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { withoutPostgres } from '../support/postgres.ts'
import {
  BY,
  close,
  createUsers,
  look,
  of,
  openReplica,
  type Replica,
  snapshot,
  useServer,
} from '../support/snapshots.ts'

/** Nothing that is deleted is kept for its history. */
const AT_ONCE = { deltaDays: 0, historyDays: 0 }

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('a deleted environment', () => {
  useServer()

  const production = ({ store, organization }: Replica) =>
    store.view(organization).require('environment', 'default/production').id
  const remove = ({ store, organization }: Replica, ref: string) =>
    store.commit(organization, 'deleteEnvironment', { ref }, BY)
  const readLogNumber = async (url: string, log: string) =>
    (await of.server.query<{ number: number }>(url, 'SELECT number FROM zerohop.logs WHERE id = $1', [log]))[0]!.number
  /** How many rows there are of a log in each table that has any. */
  const countRows = async (url: string, number: number) => {
    const counts: Record<string, number> = {}
    for (const table of ['logs', 'entries', 'snapshots', 'snapshot_parts', 'secrets', 'upkeep']) {
      const sql = `SELECT count(*)::int AS rows FROM zerohop.${table} WHERE number = $1`
      const [{ rows } = { rows: 0 }] = await of.server.query<{ rows: number }>(url, sql, [number])
      if (rows > 0) counts[table] = rows
    }
    return counts
  }

  it('is removed from the record and from every replica, also from one that was stopped, and nothing else is', async () => {
    const url = await of.server.database()
    const [one, other, stopped] = [await openReplica(url), await openReplica(url), await openReplica(url)]
    const { organization } = one
    const log = production(one)
    const number = await readLogNumber(url, log)
    await createUsers(one, log, 'gone')
    await snapshot(url, log, one, other)
    await stopped.store.confirm()
    await close(stopped)
    const copy = temporaryFolder('replica')
    cpSync(stopped.data, copy, { recursive: true })
    await remove(one, log)
    await look(one)
    const whole = await countRows(url, number)
    expect(whole).toMatchObject({ logs: 1, snapshots: 1, snapshot_parts: 1 })
    expect(whole.entries).toBeGreaterThan(20)
    const lookAt = async (...some: Replica[]) => {
      for (const replica of some) await look(replica, AT_ONCE)
    }
    await eventually(async () => {
      await lookAt(one, other)
      return countRows(url, number)
    }, {})
    const known = ({ store }: Replica) => [
      store.exists(log),
      store.view(organization).count('deleted_environment'),
      store.view(organization).count('environment'),
    ]
    const everywhere = async (...some: Replica[]) => {
      await eventually(
        async () => {
          await lookAt(...some)
          return some.map(known)
        },
        some.map(() => [false, 0, 1]),
      )
    }
    await everywhere(one, other)
    const [fresh, back] = [await openReplica(url), await openReplica(url, copy)]
    expect(known(fresh)).toEqual([false, 0, 1])
    expect(known(back)).toEqual([true, 0, 1])
    await everywhere(back)
    expect([one, other, fresh, back].map(({ store }) => [store.trouble?.code, store.historyLost])).toEqual(
      Array(4).fill([undefined, undefined]),
    )
    // the others go on, and so do new environments
    const input = { project: 'default', environment: { key: 'next', name: 'Next' } }
    const { result } = await back.store.commit(organization, 'createEnvironment', input, BY)
    await createUsers(other, result.id, 'new', 1)
    for (const replica of [one, other, fresh, back]) {
      await replica.store.confirm()
      expect(replica.store.head(organization)).toEqual(one.store.head(organization))
    }
    expect(await of.server.query(url, 'SELECT id FROM zerohop.logs')).toHaveLength(3)
  })

  it('goes on being removed when its replica ended in the middle', async () => {
    const url = await of.server.database()
    const one = await openReplica(url)
    const log = production(one)
    const number = await readLogNumber(url, log)
    await createUsers(one, log, 'gone')
    await remove(one, log)
    await of.server.query(url, 'DELETE FROM zerohop.logs WHERE number = $1', [number])
    const claimed = `INSERT INTO zerohop.upkeep (number, token, replica, at)
      VALUES ($1, gen_random_uuid(), gen_random_uuid(), clock_timestamp() - $2::interval)`
    await of.server.query(url, claimed, [number, '1 hour'])
    await eventually(async () => {
      await look(one, AT_ONCE)
      return countRows(url, number)
    }, {})
  })

  it('stays when the record does not say that it was deleted, or not for so long', async () => {
    const url = await of.server.database()
    const one = await openReplica(url)
    const { organization: control, store } = one
    const log = production(one)
    const number = await readLogNumber(url, log)
    await remove(one, log)
    const position = store.head(control)
    const before = await countRows(url, number)
    const connection = await new Database({ url }).open('test')
    const held = (await claim(connection, number, one.id))!
    const work = { connection, folder: one.data, replica: one.id, report: () => {}, requireOpen: () => {} }
    const asked = { log, control, position, deletedAt: Date.now() - 60_000, keepMs: 0 }
    for (const wrong of [
      { position: { ...position, chain: '0'.repeat(64) } },
      { position: { ...position, revision: position.revision + 1 } },
      { control: log },
      { keepMs: 3_600_000 },
    ]) {
      const task = { do: 'forget', log: { number, id: log }, deletion: { ...asked, ...wrong } } as const
      expect(await forgetLog(work, held, task)).toBe(false)
      expect(await countRows(url, number)).toEqual({ ...before, upkeep: 1 })
    }
    expect(await forgetLog(work, held, { do: 'forget', log: { number, id: log }, deletion: asked })).toBe(true)
    expect(await countRows(url, number)).toEqual({ upkeep: 1 })
    connection.destroy()
  })
})
