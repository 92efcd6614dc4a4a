// Images of past revisions: built from checkpoints and the entries after them, they answer as the PDPs did then; how
// far back they go, and what is said before that.
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Image } from '../../../src/image/image.ts'
import { type ManagementData, openManagementData } from '../../../src/management/host/open.ts'
import { applyRetention } from '../../../src/management/host/retention.ts'
import type { CheckpointEvent, PastOptions } from '../../../src/management/past/checkpoints.ts'
import { exportAt } from '../../../src/management/past/past-export.ts'
import { imageAt as buildAt } from '../../../src/management/past/past-image.ts'
import { exportEverything } from '../../../src/management/policy-file/export.ts'
import { buildSnapshot } from '../../../src/management/snapshot/snapshot.ts'
import { listCheckpoints } from '../../../src/store/checkpoint-file.ts'
import { FolderPastReader } from '../../../src/store/past-reader.ts'
import { openReader } from '../../../src/store/reader.ts'
import { memoryFolder } from '../../support/folders.ts'
import { BY } from '../harness.ts'

const DAY = 86_400_000
/** small, so that little is much */
const FEW: PastOptions = { pastRevisions: 10, pastDays: 30 }

describe('past revisions of a data folder', () => {
  let data: string
  let management: ManagementData
  let log: string
  /** hash of the image at each revision */
  let hashes: Map<number, string>
  const newId = () => randomBytes(16).toString('hex')

  beforeEach(async () => {
    data = memoryFolder('past')
    management = await openManagementData({ data, newId })
    log = management.store.view(management.organization).require('environment', 'default/development').id
    hashes = new Map([[revision(), hashNow()]])
  })
  afterEach(() => management.store.close())

  const revision = () => management.store.head(log).revision
  const hashNow = () => Image.load(buildSnapshot(management.store.view(log)).bytes).hash()
  const keep = (options: PastOptions = FEW, now = Date.now()) => {
    const { store, checkpoints } = management
    return applyRetention(store, { deltaRevisions: 1, historyRevisions: 1000, checkpoints, ...options }, now)
  }
  const write = async (count: number) => {
    for (let at = 0; at < count; at++) {
      const key = `user-${revision()}`
      await management.store.commit(log, 'createUser', { key, attributes: { at } }, BY)
      hashes.set(revision(), hashNow())
    }
  }
  /** in this thread */
  const reading = async <T>(read: (reader: FolderPastReader) => Promise<T>): Promise<T> => {
    const reader = new FolderPastReader(data, openReader(data), log)
    try {
      return await read(reader)
    } finally {
      await reader.close()
    }
  }
  const hashAt = async (wanted: number) => (await reading((reader) => buildAt(reader, log, wanted))).hash()
  const imageAt = async (wanted: number) => {
    const { past } = management
    const image = await past.image(log, past.find(log, { revision: wanted }))
    expect(image.revision).toBe(wanted)
    return image.hash()
  }
  const revisionsOfFiles = () => listCheckpoints(data, log).map((each) => each.revision)

  it('are the same images as then', async () => {
    await write(4)
    for (const [at, hash] of hashes) expect([at, await hashAt(at)]).toEqual([at, hash])
    expect(await imageAt(revision() - 1)).toBe(hashes.get(revision() - 1))
    await expect(imageAt(revision() + 1)).rejects.toMatchObject({ code: 'REVISION_UNKNOWN' })
  })

  it('are exported as they were then, from whatever they start', async () => {
    const { store } = management
    const commit = (name: never, input: object) => store.commit(log, name, input as never, BY)
    const writes: [name: string, input: object][] = [
      ['createRole', { key: 'reader', name: 'Reader', permissions: ['hello:say'] }],
      ['createUser', { key: 'eve' }],
      ['updateRole', { ref: 'reader', fields: { description: 'reads' } }],
      ['deleteUser', { ref: 'eve' }],
      ['deleteRole', { ref: 'reader' }],
      ['createRole', { key: 'reader', name: 'Reader again' }],
    ]
    const then = new Map([[revision(), exportEverything(store.view(log))]])
    for (const [at, [name, input]] of writes.entries()) {
      await commit(name as never, input)
      then.set(revision(), exportEverything(store.view(log)))
      if (at === 2) await keep()
    }
    for (const [at, exported] of then) {
      const read = async (facts: boolean) => {
        const bytes = await reading((reader) => exportAt(reader, log, { revision: at, facts }))
        return JSON.parse(Buffer.from(bytes).toString())
      }
      expect(await read(true)).toEqual(JSON.parse(JSON.stringify(exported)))
      const { users, tenants, memberships, role_assignments, resource_instances, relationship_tuples, ...schema } =
        exported
      expect(await read(false)).toEqual(JSON.parse(JSON.stringify(schema)))
    }
  })

  it('go back as far as it is set, whatever followers need; before that the error says from when on', async () => {
    await write(9)
    await keep()
    expect(revisionsOfFiles()).toEqual([revision()])
    const first = revision()
    await write(9)
    await keep()
    await write(3)
    await keep()
    // the empty beginning is a start until a checkpoint is beyond the reach
    expect(management.store.changesFrom(log)).toBe(first)
    expect(revisionsOfFiles()[0]).toBe(first)
    for (let at = first; at <= revision(); at++) expect([at, await hashAt(at)]).toEqual([at, hashes.get(at)])
    const [entry] = management.store.history(log, first + 1, 1)
    const since = new Date(entry!.at).toISOString()
    await expect(imageAt(first - 1)).rejects.toMatchObject({
      code: 'REVISION_GONE',
      message: `revision ${first - 1} is no longer kept: history goes back to revision ${first}, of ${since}`,
    })
    expect(await management.past.reach(log)).toEqual({ from: first, since: entry!.at })
  })

  it('of a log that was trimmed before begin with the next round', async () => {
    await write(5)
    await applyRetention(management.store, { deltaRevisions: 1 }, Date.now())
    await write(2)
    const at = revision()
    await expect(imageAt(at - 3)).rejects.toMatchObject({ code: 'REVISION_GONE' })
    await keep()
    await write(2)
    expect(await management.past.reach(log)).toMatchObject({ from: at })
    expect(await imageAt(at + 1)).toBe(hashes.get(at + 1))
  })

  it('are forgotten when they are old: what was deleted cannot be read a tenth later than is set', async () => {
    const secret = 'the address of somebody'
    const byAge = { pastRevisions: 1_000_000, pastDays: 30 }
    await management.store.commit(log, 'createUser', { key: 'gone', attributes: { secret } }, BY)
    await management.store.commit(log, 'deleteUser', { ref: 'gone' }, BY)
    const deleted = revision()
    await keep(byAge, Date.now() + 29 * DAY)
    expect(management.store.entries(log, deleted - 2)).toHaveLength(2)
    expect(await hashAt(deleted - 1)).not.toBe(await hashAt(deleted))
    await keep(byAge, Date.now() + 33 * DAY)
    expect(management.store.entries(log, deleted - 2)).toHaveLength(0)
    await expect(imageAt(deleted - 1)).rejects.toMatchObject({ code: 'REVISION_GONE' })
    expect(revisionsOfFiles()).toEqual([deleted])
    expect(readdirSync(join(data, 'checkpoints', log)).map((name) => name.split('.')[0])).toEqual([String(deleted)])
  })

  it('are kept within a number of bytes: the oldest go first, the newest stays', async () => {
    for (let round = 0; round < 3; round++) {
      await write(1)
      await keep(FEW, Date.now() + (round + 1) * 4 * DAY)
    }
    expect(revisionsOfFiles()).toHaveLength(3)
    await keep({ ...FEW, pastBytes: management.checkpoints!.bytes - 1 })
    expect(revisionsOfFiles()).toHaveLength(2)
    await keep({ ...FEW, pastBytes: 1 })
    expect(revisionsOfFiles()).toEqual([revision()])
  })

  it('are off with 0: nothing stays for them', async () => {
    await write(3)
    await keep()
    await keep({ pastRevisions: 0 })
    expect(existsSync(join(data, 'checkpoints', log))).toBe(false)
    expect(management.store.changesFrom(log)).toBe(revision())
    await expect(imageAt(revision() - 1)).rejects.toMatchObject({ code: 'REVISION_GONE' })
    expect(await imageAt(revision())).toBe(hashNow())
  })

  it('go on after a restart, and without a checkpoint that is damaged or cut off', async () => {
    await write(3)
    await keep()
    const [old] = listCheckpoints(data, log)
    await write(3)
    await keep()
    await management.store.close()
    management = await openManagementData({ data, newId })
    for (const at of [old!.revision, old!.revision + 1, revision()]) expect(await hashAt(at)).toBe(hashes.get(at))
    const newest = listCheckpoints(data, log).at(-1)!
    const whole = readFileSync(newest.path)
    const wrong = Buffer.from(whole)
    wrong[wrong.length >> 1]! ^= 1
    writeFileSync(newest.path, wrong)
    await write(1)
    expect(await hashAt(newest.revision)).toBe(hashes.get(newest.revision))
    truncateSync(newest.path, 10)
    await management.store.close()
    const events: CheckpointEvent[] = []
    management = await openManagementData({ data, newId, onCheckpoint: (event) => void events.push(event) })
    expect(await hashAt(newest.revision)).toBe(hashes.get(newest.revision))
    // the old one is beyond the reach, but until the other is known to be whole it stays
    await write(11)
    await keep()
    expect(events).toEqual([{ event: 'checkpoint damaged', environment: log, revision: newest.revision }])
    expect(management.checkpoints!.failures).toBe(1)
    expect(revisionsOfFiles()).toEqual([old!.revision, revision()])
    for (const [at, hash] of hashes) if (at >= old!.revision) expect([at, await hashAt(at)]).toEqual([at, hash])
  })

  it('begin later while a checkpoint cannot be written, which is reported', async () => {
    const events: CheckpointEvent[] = []
    await management.store.close()
    management = await openManagementData({ data, newId, onCheckpoint: (event) => void events.push(event) })
    await write(2)
    writeFileSync(join(data, 'checkpoints'), 'in the way')
    await keep()
    const failed = { event: 'checkpoint failed', environment: log, error: expect.any(Error) }
    expect(events.filter(({ environment }) => environment === log)).toEqual([failed])
    const { length } = events
    expect([management.checkpoints!.failures, management.checkpoints!.bytes]).toEqual([length, 0])
    rmSync(join(data, 'checkpoints'))
    await keep()
    expect(revisionsOfFiles()).toEqual([revision()])
    expect([management.checkpoints!.failures, management.checkpoints!.bytes > 0]).toEqual([length, true])
  })

  it('go when the environment is deleted', async () => {
    await write(2)
    await keep()
    const { store, organization } = management
    await store.commit(organization, 'deleteEnvironment', { ref: log, expected: undefined }, BY)
    await keep()
    expect(existsSync(join(data, 'checkpoints', log))).toBe(false)
  })

  it('are found by an instant: the revision that was in force', async () => {
    await write(3)
    const entries = management.store.history(log, revision() + 1, 100).toReversed()
    const { past } = management
    for (const { at, revision: number } of entries) {
      const found = past.find(log, { instant: at })
      // several may be written in one millisecond: the last of them was in force after it
      expect(found.at).toBe(at)
      expect(found.revision).toBeGreaterThanOrEqual(number)
      expect(entries.find((each) => each.revision === found.revision + 1)?.at).not.toBe(at)
    }
    expect(past.find(log, { instant: Date.now() + DAY }).revision).toBe(revision())
    expect(() => past.find(log, { instant: entries[0]!.at - 1 })).toThrow('is no longer kept')
  })

  it('are built once for all who wait, and kept', async () => {
    await write(1)
    const { past } = management
    const found = past.find(log, { revision: revision() - 1 })
    const [one, other] = await Promise.all([past.image(log, found), past.image(log, found)])
    expect(one).toBe(other)
    expect(await past.image(log, found)).toBe(one)
    past.forget(log)
    expect(past.bytes).toBe(0)
  })
})
