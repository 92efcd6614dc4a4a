// kill -9 in the middle of approvals, under load: afterwards every request is pending or approved with the assignment that it
// gave, never half of that, and what was acknowledged has become of it. Needs the build.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { formatOrigin } from '../../src/kinds/access-request.ts'
import type { ManagementUseCases } from '../../src/management/host/registry.ts'
import { assignmentKey } from '../../src/model/objects.ts'
import { openStore } from '../../src/store/store.ts'
import { threadUrl } from '../../src/threads/thread-url.ts'
import { BY } from '../management/harness.ts'
import { scaled } from '../property/seed.ts'
import { temporaryFolder } from '../support/folders.ts'

const KILLS = scaled(3)
const USERS = 12
const writerThread = threadUrl(new URL('../../src/management/host/', import.meta.url).href, './writer-thread.ts')
const open = (data: string) => openStore<ManagementUseCases>({ data, writerThread })

/** An environment in which many users may ask, and `lead` approves. Returns its id. */
async function prepare(data: string): Promise<string> {
  const store = await open(data)
  const made = await store.commit(randomBytes(16).toString('hex'), 'bootstrap', { noExample: true }, BY)
  const environment = made.result.environments[0]!.id
  const write = (name: string, input: unknown) => store.commit(environment, name as 'createRole', input as never, BY)
  const requestable = { approvers: ['lead'], max_duration: 86_400, reason: 'optional' }
  await write('createTenant', { key: 'acme' })
  await write('createRole', { key: 'lead' })
  await write('createRole', { key: 'support', requestable })
  await write('createUser', { key: 'lead', role_assignments: [{ role: 'lead', tenant: 'acme' }] })
  for (let n = 0; n < USERS; n++) {
    await write('createUser', { key: `user-${n}` })
    await write('addTenantUser', { tenant: 'acme', user: { key: `user-${n}` } })
  }
  await store.close()
  return environment
}

/** Returns what was acknowledged, the last state of each request. */
async function approveUntilKilled(data: string, environment: string, delayMs: number): Promise<Map<string, string>> {
  const script = fileURLToPath(new URL('./approving-child.mjs', import.meta.url))
  const child = spawn(process.execPath, [script, data, environment], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const closed = once(child, 'close')
  await Promise.race([once(child.stdout, 'data'), closed])
  await pause(delayMs)
  expect(child.exitCode).toBeNull()
  child.kill('SIGKILL')
  await closed
  const lines = output.split('\n').slice(0, -1)
  return new Map(lines.map((line) => line.split(' ') as [string, string]))
}

it(`every request is pending, or approved with its assignment, after ${KILLS} kills in the middle of approvals`, async () => {
  const data = temporaryFolder('killed-approvals')
  const environment = await prepare(data)
  let approved = 0
  for (let round = 0; round < KILLS; round++) {
    const acknowledged = await approveUntilKilled(data, environment, (round * 37) % 120)
    const store = await open(data)
    const view = store.view(environment)
    for (const [id, state] of acknowledged) {
      const stored = view.require('access_request', id)
      // the answer, or what a later write that was not acknowledged made of it
      const later = state === 'approved' ? ['approved', 'revoked', 'superseded'] : [state]
      expect([id, later.includes(stored.state)]).toEqual([id, true])
    }
    for (const { key, user, state, valid_until } of view.list('access_request')) {
      const held = view.get('role_assignment', assignmentKey(user, 'support', 'acme'))
      const given = held?.origin === formatOrigin(key)
      expect([key, state, given]).toEqual([key, state, state === 'approved'])
      if (!given) continue
      expect(held.valid_until).toBe(valid_until)
      approved++
    }
    for (const { user, origin } of view.by('assignments_of_role', 'support'))
      expect([user, origin]).toEqual([user, expect.stringMatching(/^request\//)])
    await store.close()
  }
  expect(approved).toBeGreaterThan(0)
})
