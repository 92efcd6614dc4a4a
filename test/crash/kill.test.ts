// kill -9 at any moment: every acknowledged write is there, no multi-object write is half there, the history is whole.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { type LogEntry, withoutRequest } from '../../src/log/change.ts'
import { scaled } from '../property/seed.ts'
import { LOG, openTestStore, type TestStore, temporaryFolder } from '../store/support.ts'

const KILLS = scaled(10)

/** Writes in a child until it is killed, `delayMs` after its start or its first write. Returns what it acknowledged. */
async function writeUntilKilled(
  data: string,
  round: number,
  from: 'start' | 'first write',
  delayMs: number,
): Promise<string[]> {
  const script = fileURLToPath(new URL('./writing-child.mjs', import.meta.url))
  const child = spawn(process.execPath, [script, data, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const closed = once(child, 'close')
  if (from === 'first write') await Promise.race([once(child.stdout, 'data'), closed])
  await sleep(delayMs)
  expect(child.exitCode).toBeNull()
  child.kill('SIGKILL')
  await closed
  return output.split('\n').slice(0, -1)
}

function readLog(store: TestStore): LogEntry[] {
  const entries: LogEntry[] = []
  for (let part = store.entries(LOG, 0); part.length > 0; part = store.entries(LOG, entries.length))
    entries.push(...part)
  return entries
}

function expectWholeHistory(entries: LogEntry[]): void {
  let previous = entries[0]?.previous ?? ''
  for (const [at, { log, revision, at: time, by, status, changes, chain }] of entries.entries()) {
    const body = JSON.stringify({ log, revision, at: time, by, status, changes })
    previous = createHash('sha256').update(Buffer.from(previous, 'hex')).update(body).digest('hex')
    expect([revision, chain]).toEqual([at + 1, previous])
  }
}

/** The state must be exactly what the log folds to, in the same order. */
function expectStateIsFold(store: TestStore, entries: LogEntry[]): void {
  const folded = { user: new Map<string, unknown>(), role_assignment: new Map<string, unknown>() }
  for (const change of entries.flatMap(({ changes }) => changes)) {
    if (change.op === 'put' && (change.kind === 'user' || change.kind === 'role_assignment')) {
      folded[change.kind].set(change.key, change.value)
    }
  }
  const view = store.view(LOG)
  for (const kind of ['user', 'role_assignment'] as const) {
    expect([...view.list(kind)]).toEqual([...folded[kind].values()])
    expect(view.count(kind)).toBe(folded[kind].size)
  }
}

it(`loses nothing that was acknowledged and shows no half of a write, killed at ${KILLS} moments`, async () => {
  const data = temporaryFolder()
  const acknowledged: string[] = []
  for (let round = 0; round < KILLS; round++) {
    const delayMs = (round * 37) % 120
    acknowledged.push(...(await writeUntilKilled(data, round, 'first write', delayMs)))
    const store = await openTestStore(data)
    const view = store.view(LOG)
    for (const line of acknowledged) {
      const [key, revision] = line.split(' ')
      expect(view.get('user', key ?? ''), `${line}, killed after ${delayMs} ms`).toBeDefined()
      expect(view.position.revision).toBeGreaterThanOrEqual(Number(revision))
    }
    expect(view.count('role_assignment')).toBe(2 * view.count('user'))
    expect(view.countBy('assignments_of_role', 'admin')).toBe(view.count('user'))
    if (round % 5 === 4) {
      const entries = readLog(store)
      expect(entries).toHaveLength(store.head(LOG).revision)
      expectWholeHistory(entries)
      expectStateIsFold(store, entries)
    }
    await store.close()
  }
  expect(acknowledged.length).toBeGreaterThan(KILLS)
})

it('a folder opens whose first holder was killed while making it', async () => {
  for (const delayMs of [40, 60, 70, 80, 90, 100]) {
    const data = temporaryFolder()
    await writeUntilKilled(data, 0, 'start', delayMs)
    const store = await openTestStore(data)
    expect((await store.commit(LOG, 'countUp', null, nobody)).result).toBe(1)
    await store.close()
  }
})

const nobody = withoutRequest('test')
