// Replicas that are processes of their own announce each end exactly once, also when one of them is killed between two
// announcements (D15). What a single process does is tested in test/management/ending.test.ts.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { ENDING_PER_REVISION } from '../../src/model/limits.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { withoutPostgres } from '../support/postgres.ts'
import { BY, development, of, openReplica, SECRETS_KEY, useServer } from '../support/snapshots.ts'

const CHILD = fileURLToPath(new URL('./ending-child.mjs', import.meta.url))
const HOUR = 3_600_000
/** As many as take three revisions. */
const GRANTS = 2 * ENDING_PER_REVISION + ENDING_PER_REVISION / 2

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('what ends soon', () => {
  useServer()
  const children: ChildProcess[] = []
  afterEach(async () => {
    await Promise.all(children.splice(0).map(kill))
  })

  async function kill(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  /** A replica that is ready, and the lines that it writes from then on. */
  async function start(url: string, isSlow: boolean) {
    const options = {
      ...{ url, isSlow, noticeMs: 24 * HOUR },
      ...{ data: temporaryFolder('replica'), secretsKey: SECRETS_KEY.toString('hex') },
    }
    const child = spawn(process.execPath, [CHILD, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] })
    children.push(child)
    const lines: string[] = []
    createInterface({ input: child.stdout! }).on('line', (line) => lines.push(line))
    await eventually(async () => lines.splice(0), ['ready'])
    return { child, lines, go: () => child.stdin!.write('go\n') }
  }

  it('is announced once for each end by two processes, one of which is killed between two announcements', async () => {
    const url = await of.server.database()
    const { store, ...one } = await openReplica(url)
    const log = development({ store, ...one })
    await store.commit(log, 'createRole', { key: 'editor' }, BY)
    const users = Array.from({ length: GRANTS }, (_, at) => ({ key: `u${at}` }))
    await store.commit(log, 'createUsers', { operations: users }, BY)
    const valid_until = Date.now() + HOUR
    const assignments = users.map(({ key: user }) => ({ user, role: 'editor', valid_until }))
    for (let from = 0; from < GRANTS; from += ENDING_PER_REVISION) {
      const part = assignments.slice(from, from + ENDING_PER_REVISION)
      await store.commit(log, 'assignMany', { assignments: part, missing_user_policy: 'fail' }, BY)
    }
    const announcements = () =>
      store.history(log, Number.MAX_SAFE_INTEGER, 1_000).filter(({ by }) => by.operation === 'announceEnding')
    const listKeys = () =>
      announcements().flatMap(({ revision }) =>
        store.entries(log, revision - 1, 1).flatMap(({ changes }) => changes.map(({ key }) => key)),
      )
    const [slow, other] = await Promise.all([start(url, true), start(url, false)])
    slow.go()
    await eventually(async () => slow.lines, [`announced ${ENDING_PER_REVISION}`])
    other.go()
    await kill(slow.child)
    await eventually(async () => listKeys().length, GRANTS)
    expect(new Set(listKeys()).size).toBe(GRANTS)
    await eventually(
      async () => other.lines,
      [`announced ${ENDING_PER_REVISION}`, `announced ${ENDING_PER_REVISION / 2}`],
    )
    // another end is announced once more, by who is left
    await store.commit(log, 'putAssignment', { user: 'u0', role: 'editor', valid_until: valid_until + HOUR }, BY)
    await eventually(async () => other.lines.slice(2), ['announced 1'])
    await eventually(async () => [announcements().length, listKeys().length], [4, GRANTS + 1])
  })
})
