// Snapshots of replicas that are wrong, are damaged later, or are not completed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { connectTo, withoutPostgres } from '../support/postgres.ts'
import {
  createUsers,
  DUE,
  damage,
  development,
  listSnapshots,
  look,
  of,
  openReplica,
  requireRefused,
  SECRETS_KEY,
  serializeState,
  snapshot,
  trim,
  useServer,
} from '../support/snapshots.ts'

const CHILD = fileURLToPath(new URL('./upkeep-child.mjs', import.meta.url))

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('snapshots by replicas', () => {
  useServer()

  it('are refused, never used, and nothing is trimmed behind them, when its writer had another state', async () => {
    await requireRefused(true, 'its hash differs')
  })

  it('are replaced when one is damaged that was confirmed before', async () => {
    const url = await of.server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const log = development(one)
    await createUsers(one, log, 'first')
    await snapshot(url, log, one, other)
    await damage(url, false)
    // all entries are there: an empty replica folds them instead
    expect(serializeState(await openReplica(url), log)).toBe(serializeState(one, log))
    const { revision } = one.store.head(log)
    expect(await listSnapshots(url, log)).toEqual([{ revision, state: 'refused' }])
    await snapshot(url, log, one, other)
    await trim(url, log, one)
    await damage(url, false)
    // now it is all that there was, so that an empty replica cannot begin before those that run wrote another one
    await expect(openReplica(url)).rejects.toMatchObject({
      code: 'DATABASE_REFUSED',
      message: expect.stringContaining('no snapshot that can be used'),
    })
    await snapshot(url, log, one, other)
    expect(serializeState(await openReplica(url), log)).toBe(serializeState(one, log))
  })

  it('go on at another replica when their writer is killed in the middle', async () => {
    const url = await of.server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const log = development(one)
    await createUsers(one, log, 'first')
    const holder = await connectTo(url)
    // its parts are written, and the row that completes them has to wait
    await holder.query('BEGIN; LOCK TABLE zerohop.snapshots IN SHARE MODE')
    const options = {
      url,
      data: temporaryFolder('replica'),
      secretsKey: SECRETS_KEY.toString('hex'),
      snapshotEntries: DUE,
    }
    const child = spawn(process.execPath, [CHILD, JSON.stringify(options)], { stdio: 'ignore' })
    const count = async (table: string) =>
      (await of.server.query<{ n: number }>(url, `SELECT count(*)::int AS n FROM zerohop.${table}`))[0]?.n
    await eventually(() => count('snapshot_parts'), 1)
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    await of.server.query(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'zerohop upkeep' AND datname = current_database()",
    )
    await holder.end()
    await eventually(() => count('upkeep'), 1)
    for (let round = 0; round < 5; round++) {
      await look(one)
      await pause(50)
    }
    // the claim of the dead one holds for some minutes
    expect([await count('snapshots'), await count('snapshot_parts')]).toEqual([0, 1])
    await of.server.query(url, "UPDATE zerohop.upkeep SET at = at - interval '1 hour'")
    await createUsers(one, log, 'second', 3)
    await snapshot(url, log, one, other)
    await eventually(async () => [await count('upkeep'), await count('snapshot_parts')], [0, 1])
    expect(serializeState(await openReplica(url), log)).toBe(serializeState(one, log))
  })
})
