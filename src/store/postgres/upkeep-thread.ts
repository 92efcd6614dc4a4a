// Entry of the worker thread in which a replica writes and checks snapshots, and trims the record: that reads and packs
// whole logs, and writes must not wait for it. It has a connection of its own, and only reads the cache.
import { workerData } from 'node:worker_threads'
import { ZerohopError } from '../../model/errors.ts'
import { sendEvent, serveSlow } from '../../threads/worker-host.ts'
import type { UpkeepEvent } from '../settings.ts'
import { ClaimLost, claim, release } from './claims.ts'
import { Database } from './database.ts'
import { forgetLog } from './forget-log.ts'
import { checkSnapshot, type UpkeepWork, writeDueSnapshot } from './snapshot-upkeep.ts'
import { trimLog } from './trim-entries.ts'
import type { UpkeepData } from './upkeep.ts'
import { isPastOff, type UpkeepTask } from './upkeep-plan.ts'

const { settings, folder, replica, retention, stop } = workerData as UpkeepData
const report = (event: UpkeepEvent): void => sendEvent(event)
const isStopped = new Int32Array(stop)

const requireOpen = (): void => {
  if (Atomics.load(isStopped, 0) !== 0) throw new ZerohopError('CLOSED', { what: 'the store' })
}

async function runTasks(tasks: readonly UpkeepTask[]): Promise<void> {
  const connection = await new Database(settings).open('upkeep')
  try {
    const work = { connection, folder, replica, requireOpen, report } satisfies UpkeepWork
    for (const task of tasks) {
      requireOpen()
      await runTask(work, task)
    }
  } finally {
    connection.destroy()
  }
}

async function runTask(work: UpkeepWork, task: UpkeepTask): Promise<void> {
  const { connection } = work
  const claimed = await claim(connection, task.log.number, replica)
  if (claimed === undefined) return
  // the claim of a log that was removed in part stays
  let isEnded = task.do !== 'forget'
  try {
    if (task.do === 'forget') {
      await forgetLog(work, claimed, task)
      isEnded = true
    } else if (task.do === 'write') await writeDueSnapshot(work, claimed, task.log, task.newest)
    else if (task.do === 'check') {
      const keepsOlder = !isPastOff(retention.past)
      await checkSnapshot(work, claimed, task.log, { revision: task.revision, keepsOlder })
    } else await trimLog(work, claimed, task.log, retention)
  } catch (error) {
    if (!(error instanceof ClaimLost)) throw error
  } finally {
    if (isEnded && !connection.isLost) await release(connection, claimed)
  }
}

serveSlow(runTasks)
