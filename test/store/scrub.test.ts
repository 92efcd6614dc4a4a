// The comparison of all data beside a running store: no false alarm under writes, and damage is found, told and
// counted. src/store/scrub.ts.
import { spawnSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import type { Damage } from '../../src/store/verify-part.ts'
import { type Verified, verifyBesideServer } from '../../src/store/verify-process.ts'
import { overwrite } from '../support/damage.ts'
import { BY, error, LOG, openTestStore, seed, type TestStore, temporaryFolder } from './support.ts'

const OTHER = '4'.repeat(32)
const HOUR = 3_600_000

/** Starts scrubbing and waits for one round. */
function round(store: TestStore, damaged: (damage: Damage) => void = () => undefined): Promise<Verified> {
  return new Promise((resolve, reject) =>
    store.scrub.start({
      everyMs: HOUR,
      firstMs: 0,
      now: Date.now,
      onEvent: (event) => {
        if (event.event === 'damaged') damaged(event.damage)
        else if (event.event === 'completed') resolve(event.verified)
        else reject(event.error)
      },
    }),
  )
}

/** The process that compares has the lowest priority: beside other tests it waits for a core. */
vi.setConfig({ testTimeout: 600_000 })
/**
 * So that there is an end to what is compared, however slowly it goes: each record that is written is one more for a
 * process that gets a hundredth of a busy core. With pauses, the writes go on while it compares on a quiet one.
 */
const WRITES_MAX = 200
const PAUSE_MS = 5

it('the comparison finds nothing while logs move and end, and reports how much it compared', async () => {
  const store = await openTestStore(temporaryFolder())
  await seed(store)
  let isDone = false
  let written = 0
  const first = round(store).finally(() => {
    isDone = true
  })
  while (!isDone && written < WRITES_MAX) {
    const key = `member-${written++}`
    await store.commit(LOG, 'createMember', { key }, BY)
    if (written % 3 === 0) await store.commit(LOG, 'deleteUser', { key }, BY)
    else await store.commit(LOG, 'renameUser', { key, first_name: 'x' }, BY)
    await pause(PAUSE_MS)
  }
  const { checked, damages } = await first
  expect(damages).toBe(0)
  expect(checked).toBeGreaterThan(10)
  const { stats } = store.scrub
  expect(stats).toMatchObject({ checked, damages: 0, progress: 0 })
  expect(stats.completedAt).toBeGreaterThan(Date.now() - 60_000)
})

it('the comparison finds bytes that changed under a running store, and nothing more is written into that log', async () => {
  const data = temporaryFolder()
  const store = await openTestStore(data)
  for (const log of [LOG, OTHER]) {
    await seed(store, log)
    await store.commit(log, 'createMember', { key: `eve1-${log}` }, BY)
  }
  const before = store.view(LOG).get('user', `eve1-${LOG}`)
  expect(before).toBeDefined()
  expect(overwrite(data, `"user":"eve1-${LOG}","role"`, `"user":"eve3-${LOG}","role"`)).toBeGreaterThan(0)
  const messages: string[] = []
  const { damages } = await round(store, ({ error: { message } }) => messages.push(message))
  expect(messages.length).toBe(damages)
  expect(messages[0]).toContain('in table objects_role_assignment does not match its checksum')
  expect(store.scrub.stats.damages).toBe(damages)
  await expect(store.commit(LOG, 'createUser', { key: 'x' }, BY)).rejects.toMatchObject(error('DATA_DAMAGED'))
  await expect(store.commit(OTHER, 'createUser', { key: 'x' }, BY)).resolves.toBeDefined()
  expect(store.damage(LOG)?.message).toBe(messages[0])
})

it('the comparison opens the folder only while nothing is written, and lets the writes go on', async () => {
  const data = temporaryFolder()
  const store = await openTestStore(data)
  await seed(store)
  const steps: string[] = []
  const { ended } = verifyBesideServer(data, {
    damage: ({ error }) => steps.push(error.message),
    progress: () => steps.push('compared'),
    whileNothingIsWritten: async (open) => {
      steps.push('asked')
      await pause(300)
      steps.push('open')
      await open()
      steps.push('opened')
    },
  })
  expect(await ended).toMatchObject({ damages: 0 })
  expect(steps.slice(0, 4)).toEqual(['asked', 'open', 'opened', 'compared'])
})

it('nothing is compared when writes cannot be kept waiting', async () => {
  const data = temporaryFolder()
  await openTestStore(data)
  const { ended } = verifyBesideServer(data, {
    damage: ({ error }) => expect.fail(error.message),
    progress: () => expect.fail('it compared'),
    whileNothingIsWritten: () => Promise.reject(new Error('the writer died')),
  })
  expect(await ended).toBeUndefined()
})

it('the comparison ends with the store, in the middle of a round', async () => {
  const store = await openTestStore(temporaryFolder())
  await seed(store)
  store.scrub.start({ everyMs: HOUR, firstMs: 0, now: Date.now })
  await pause(100)
  await store.close()
  expect(store.scrub.stats.progress).toBe(0)
})

/** The process that compares, a child of this one. */
function comparingProcess(): number {
  const { stdout } = spawnSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
  return Number.parseInt(stdout.split('\n').find((line) => line.includes('verify-child')) ?? '', 10)
}

it('a round that could not be completed counts as a failure, not as damage, and writes go on', async () => {
  const store = await openTestStore(temporaryFolder())
  await seed(store)
  const firstEvent = new Promise((resolve) => {
    const onEvent = (event: { readonly event: string }): void => resolve(event.event)
    store.scrub.start({ everyMs: HOUR, firstMs: 0, now: Date.now, onEvent })
  })
  await vi.waitUntil(() => comparingProcess() > 0, { timeout: 60_000 })
  process.kill(comparingProcess(), 'SIGTERM')
  expect(await firstEvent).toBe('failed')
  expect(store.scrub.stats).toMatchObject({ damages: 0, failures: 1, completedAt: 0 })
  await expect(store.commit(LOG, 'createUser', { key: 'x' }, BY)).resolves.toBeDefined()
})
