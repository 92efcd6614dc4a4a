// A check of the data folder whose process was ended from outside says nothing about the data: a supervisor that ends a
// whole group, an operator, a machine without memory. src/store/child-end.ts.
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { verifyData } from '../../src/store/verify-data.ts'
import type { Damage } from '../../src/store/verify-part.ts'
import { verifyBesideServer } from '../../src/store/verify-process.ts'
import { listChildren } from '../support/processes.ts'
import { BY, error, LOG, openTestStore, seed, temporaryFolder } from './support.ts'

const onLinux = process.platform === 'linux'

/** The child process that this one starts next. */
async function nextChild(before: readonly number[]): Promise<number> {
  for (;;) {
    const pid = listChildren(process.pid).find((each) => !before.includes(each))
    if (pid !== undefined) return pid
    await pause(1)
  }
}

// the child process is found in /proc
describe.runIf(onLinux)('a check that is ended from outside', () => {
  async function endedBy(signal: NodeJS.Signals): Promise<{ damages: Damage[]; ended: unknown }> {
    const data = temporaryFolder()
    await seed(await openTestStore(data))
    const damages: Damage[] = []
    const before = listChildren(process.pid)
    const { ended } = verifyBesideServer(data, {
      damage: (damage) => damages.push(damage),
      progress: () => undefined,
      whileNothingIsWritten: async () => {
        process.kill(await nextChild(before), signal)
      },
    })
    return { damages, ended: await ended.catch((reason: unknown) => reason) }
  }

  it.each(['SIGTERM', 'SIGKILL', 'SIGHUP'] as const)('by %s did not finish, and found no damage', async (signal) => {
    const { damages, ended } = await endedBy(signal)
    expect(damages).toEqual([])
    expect(ended).toMatchObject({ code: 'CHECK_UNFINISHED', message: expect.stringContaining(signal) })
  })

  it.each(['SIGBUS'] as const)('by %s, as a damaged page does it, is damage', async (signal) => {
    const { damages, ended } = await endedBy(signal)
    expect(damages.map(({ error: { code } }) => code)).toEqual(['DATA_DAMAGED'])
    expect(ended).toMatchObject({ damages: 1 })
  })

  it('is tried again in the next round of a running server, which goes on writing', async () => {
    const store = await openTestStore(temporaryFolder())
    await seed(store)
    const before = listChildren(process.pid)
    const events: string[] = []
    const verified = new Promise<void>((resolve) =>
      store.scrub.start({
        everyMs: 1,
        firstMs: 0,
        now: Date.now,
        onEvent: ({ event }) => {
          events.push(event)
          if (event === 'completed') resolve()
        },
      }),
    )
    process.kill(await nextChild(before), 'SIGTERM')
    await verified
    expect(events).toEqual(['failed', 'completed'])
    expect(store.scrub.stats.damages).toBe(0)
    await expect(store.commit(LOG, 'createUser', { key: 'x' }, BY)).resolves.toBeDefined()
  })

  it('ends `data verify` with an error instead of a report', async () => {
    const data = temporaryFolder()
    const store = await openTestStore(data)
    await seed(store)
    await store.close()
    const before = listChildren(process.pid)
    const damages: string[] = []
    const verified = verifyData(data, { damage: (text) => damages.push(text) })
    process.kill(await nextChild(before), 'SIGKILL')
    await expect(verified).rejects.toMatchObject(error('CHECK_UNFINISHED'))
    expect(damages).toEqual([])
  })
})
