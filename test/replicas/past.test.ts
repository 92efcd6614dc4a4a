// Past revisions where the log of record is in PostgreSQL: any replica answers them, also one with an empty folder,
// from the snapshots that stay for it.
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { buildSnapshot } from '../../src/management/snapshot/snapshot.ts'
import { withoutPostgres } from '../support/postgres.ts'
import {
  age,
  createUsers,
  DUE,
  development,
  lookUntil,
  of,
  openReplica,
  type Replica,
  readEntryRange,
  snapshot,
  useServer,
} from '../support/snapshots.ts'

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('past revisions of replicas', () => {
  useServer()

  const hashNow = ({ store }: Replica, log: string) => Image.load(buildSnapshot(store.view(log)).bytes).hash()
  const hashAt = async ({ past }: Replica, log: string, revision: number) =>
    (await past.image(log, past.find(log, { revision }))).hash()

  it('go back to the oldest snapshot that is kept, on every replica', async () => {
    const url = await of.server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const log = development(one)
    const kept = { deltaRevisions: 1, historyRevisions: 1_000, pastRevisions: 2 * DUE, pastDays: 30 }
    const hashes = new Map<number, string>()
    const write = async (prefix: string) => {
      for (let at = 0; at < 3; at++) {
        await createUsers(one, log, `${prefix}-${at}`, DUE / 2)
        hashes.set(one.store.head(log).revision, hashNow(one, log))
      }
    }
    const rounds: number[] = []
    for (const round of ['first', 'second', 'third']) {
      await write(round)
      rounds.push(await snapshot(url, log, one, other, kept))
    }
    await age(url)
    const [first = 0, , third = 0] = rounds
    const whole = async () => (await readEntryRange(url, log)).whole
    // what followers need is over, the past keeps the changes after the snapshot before its reach
    await lookUntil(one, whole, first, kept)
    const fresh = await openReplica(url)
    for (const [revision, hash] of hashes) {
      if (revision < first) continue
      for (const replica of [one, fresh])
        expect([revision, await hashAt(replica, log, revision)]).toEqual([revision, hash])
    }
    expect(await fresh.past.reach(log)).toMatchObject({ from: first })
    await expect(hashAt(fresh, log, first - 1)).rejects.toMatchObject({ code: 'REVISION_GONE' })
    // without a past everything before the newest snapshot goes
    await lookUntil(one, whole, third, { ...kept, pastRevisions: 0 })
    await expect(hashAt(other, log, first + 1)).rejects.toMatchObject({ code: 'REVISION_GONE' })
    expect(await hashAt(other, log, third)).toBe(hashes.get(third))
  })
})
