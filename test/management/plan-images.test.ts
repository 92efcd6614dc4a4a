// The images that plans compare with: where the first one of a large environment comes from, and that it is the state.
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LogId } from '../../src/log/change.ts'
import { PlanImages } from '../../src/management/plan/plan-images.ts'
import { Planner } from '../../src/management/plan/planner.ts'
import { buildSnapshot } from '../../src/management/snapshot/snapshot.ts'
import { snapshotPath } from '../../src/management/snapshot/snapshot-file.ts'
import { BULK_USERS_MAX, SNAPSHOT_IN_TURN_MAX } from '../../src/model/limits.ts'
import { type Management, openManagement } from '../../src/server.ts'
import { openReader, type Reader } from '../../src/store/reader.ts'
import { TESTER } from '../support/environments.ts'
import { temporaryFolder } from '../support/folders.ts'

const data = temporaryFolder('plan-images')
let management: Management
let reader: Reader
let log: LogId

const createUser = (key: string) => management.store.commit(log, 'createUser', { key }, TESTER)
const writeUsers = async (by: 'createUsers' | 'replaceUsers', fields: object) => {
  for (let from = 0; from <= SNAPSHOT_IN_TURN_MAX; from += BULK_USERS_MAX) {
    const length = Math.min(BULK_USERS_MAX, SNAPSHOT_IN_TURN_MAX + 1 - from)
    const operations = Array.from({ length }, (_, at) => ({ key: `user${from + at}`, ...fields }))
    await management.store.commit(log, by, { operations }, TESTER)
  }
}
const view = () => {
  reader.refresh()
  return reader.view(log)
}
const fresh = () => new PlanImages(reader, data)

beforeAll(async () => {
  management = await openManagement({ data })
  log = [...management.store.view(management.organization).list('environment')][0]!.id
  reader = openReader(data)
  await writeUsers('createUsers', {})
})
afterAll(async () => {
  await reader.close()
  await management.store.close()
})

describe('the first image of a large environment', () => {
  const isState = (image: { save(): Uint8Array } | undefined) =>
    image !== undefined && Buffer.compare(image.save(), buildSnapshot(view()).bytes) === 0

  it('is built where there is no file, if that is allowed', () => {
    expect(fresh().of(view(), false)).toBeUndefined()
    expect(isState(fresh().of(view(), true))).toBe(true)
  })

  it('is the file for followers, brought to the last revision', async () => {
    await management.snapshots.renew(log)
    expect(isState(fresh().of(view(), false))).toBe(true)
    await createUser('late')
    const image = fresh().of(view(), false)
    expect(image?.position).toEqual(view().position)
    expect(image?.user('late')).not.toBe(0)
  })

  it('is kept, and followed', async () => {
    const images = fresh()
    const image = images.of(view(), false)
    await createUser('later')
    expect(images.of(view(), false)).toBe(image)
    expect(image?.user('later')).not.toBe(0)
  })

  it('is not a file that is damaged', async () => {
    writeFileSync(snapshotPath(data, log, 'image'), 'not an image')
    expect(fresh().of(view(), false)).toBeUndefined()
    await management.snapshots.renew(log)
    expect(fresh().of(view(), false)).toBeDefined()
  })

  it('is not a file from which there are more changes than objects', async () => {
    const images = fresh()
    expect(images.of(view(), false)).toBeDefined()
    for (const name of ['one', 'other']) await writeUsers('replaceUsers', { first_name: name })
    expect([images.of(view(), false), fresh().of(view(), false)]).toEqual([undefined, undefined])
  })
})

describe('a plan that needs an image which is nowhere', () => {
  const task = () => ({
    environment: log,
    now: 0,
    changes: [{ op: 'delete', kind: 'user', key: 'user0' }] as const,
  })

  it('has it written while others are made, and then finds it', async () => {
    const written: LogId[] = []
    const planner = new Planner(data, async (environment) => {
      written.push(environment)
      await management.snapshots.renew(environment)
    })
    const made: number[] = []
    const note = ({ entries }: { readonly entries: readonly unknown[] }) => made.push(entries.length)
    await Promise.all([planner.plan(task()).then(note), planner.plan({ ...task(), changes: [] }).then(note)])
    await planner.plan(task()).then(note)
    expect(made).toEqual([0, 1, 1])
    expect(written).toEqual([log])
    await planner.close()
  })

  it('builds it when it cannot be written', async () => {
    writeFileSync(snapshotPath(data, log, 'image'), '')
    const planner = new Planner(data, () => Promise.reject(new Error('the disk is full')))
    expect((await planner.plan(task())).entries).toHaveLength(1)
    await planner.close()
  })
})
