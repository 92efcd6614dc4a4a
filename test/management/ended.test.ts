// What was granted for a time is deleted some time after its end (D15): by the system, in revisions of bounded size, and
// only when neither clock nor writer says otherwise.
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { deleteAllEnded } from '../../src/management/host/ended-upkeep.ts'
import { type ManagementData, openManagementData } from '../../src/management/host/open.ts'
import { keepRetention } from '../../src/management/host/retention.ts'
import { deleteEnded } from '../../src/management/objects/ended.ts'
import { BULK_ASSIGNMENTS_MAX, BULK_USERS_MAX, ENDED_PER_REVISION, RETENTION_EVERY_MS } from '../../src/model/limits.ts'
import type { View } from '../../src/store/view.ts'
import { temporaryFolder } from '../support/folders.ts'
import { BY } from './harness.ts'

const DAY = 86_400_000
const GRANTS = 10_000

describe('what has ended', () => {
  let management: ManagementData
  let log: string
  const failures: unknown[] = []
  beforeEach(async () => {
    failures.length = 0
    management = await openManagementData({
      data: temporaryFolder('ended'),
      newId: () => randomBytes(16).toString('hex'),
      noExample: true,
    })
    log = management.store.view(management.organization).require('environment', 'default/development').id
    await management.store.commit(log, 'createRole', { key: 'editor' }, BY)
    await management.store.commit(log, 'createUser', { key: 'ana' }, BY)
  })
  afterEach(() => management.store.close())

  const upkeep = (keptMs: number, now = Date.now()) =>
    deleteAllEnded(management.store, keptMs, now, (error) => failures.push(error))
  const assign = (user: string, times: object) =>
    management.store.commit(log, 'putAssignment', { user, role: 'editor', ...times }, BY)
  const find = (user: string) => management.store.view(log).get('role_assignment', `${user}/editor/default`)

  it('is deleted in revisions of the system, also ten thousand grants that end in the same millisecond', async () => {
    const { store } = management
    const users = Array.from({ length: GRANTS }, (_, at) => ({ key: `u${at}` }))
    for (let from = 0; from < GRANTS; from += BULK_USERS_MAX)
      await store.commit(log, 'createUsers', { operations: users.slice(from, from + BULK_USERS_MAX) }, BY)
    const valid_until = Date.now() - 1
    const assignments = users.map(({ key: user }) => ({ user, role: 'editor', valid_until }))
    for (let from = 0; from < GRANTS; from += BULK_ASSIGNMENTS_MAX) {
      const part = assignments.slice(from, from + BULK_ASSIGNMENTS_MAX)
      await store.commit(log, 'assignMany', { assignments: part, missing_user_policy: 'fail' }, BY)
    }
    await assign('ana', {})
    expect(store.view(log).count('role_assignment')).toBe(GRANTS + 1)
    const { revision } = store.head(log)
    expect(await upkeep(0)).toBe(GRANTS)
    expect(failures).toEqual([])
    expect(store.view(log).count('role_assignment')).toBe(1)
    expect([...store.view(log).list('membership')].map(({ user }) => user)).toEqual(['ana'])
    const entries = store.history(log, Number.MAX_SAFE_INTEGER, 100).filter((entry) => entry.revision > revision)
    expect(entries).toHaveLength(GRANTS / ENDED_PER_REVISION)
    for (const { by, summary } of entries) {
      expect([by.operation, by.api_key_id]).toEqual(['deleteEnded', null])
      expect(summary).toBe(`delete what has ended: ${ENDED_PER_REVISION} deleted`)
    }
    expect(await upkeep(0)).toBe(0)
    expect(store.head(log).revision).toBe(revision + GRANTS / ENDED_PER_REVISION)
  }, 60_000)

  it('stays as long as it is to be kept, and what has no end, or has not ended, stays', async () => {
    const { store } = management
    for (const key of ['ben', 'cleo', 'dan']) await store.commit(log, 'createUser', { key }, BY)
    await assign('ana', { valid_until: Date.now() - 2 * DAY })
    await assign('ben', { valid_until: Date.now() - DAY / 2 })
    await assign('cleo', { valid_until: Date.now() + DAY })
    await assign('dan', {})
    expect(await upkeep(DAY)).toBe(1)
    expect(['ana', 'ben', 'cleo', 'dan'].map((user) => find(user) !== undefined)).toEqual([false, true, true, true])
    expect(await upkeep(0)).toBe(1)
    expect(['ben', 'cleo', 'dan'].map((user) => find(user) !== undefined)).toEqual([false, true, true])
  })

  it('[D16] of everybody is deleted as that of a user is, and the role may then say that it is for nobody else', async () => {
    const { store } = management
    const open = (everybody: boolean) => store.commit(log, 'updateRole', { ref: 'editor', fields: { everybody } }, BY)
    await open(true)
    await assign('*', { valid_until: Date.now() - DAY / 2 })
    expect(await upkeep(DAY)).toBe(0)
    await expect(open(false)).rejects.toMatchObject({ code: 'OBJECT_IN_USE' })
    expect([await upkeep(0), find('*'), store.view(log).count('membership')]).toEqual([1, undefined, 0])
    await open(false)
  })

  it('is an access request that was decided or whose role has ended, and not one that is pending or in force', async () => {
    const { store } = management
    const run = async (name: 'createUser' | 'createRole', input: object) =>
      (await store.commit(log, name, input as never, BY)).result
    await run('createRole', { key: 'lead' })
    const requestable = { by: 'everybody', approvers: ['lead'], max_duration: 60, reason: 'optional' }
    for (const key of ['one', 'two', 'three', 'four']) await run('createRole', { key, requestable })
    await run('createUser', { key: 'ben', role_assignments: [{ role: 'lead' }] })
    const ask = async (role: string, time: object) => {
      const { result } = await store.commit(log, 'createAccessRequest', { as: 'ana', role, ...time }, BY)
      return result.key
    }
    const fields = { as: 'ben' }
    const denied = await ask('one', { duration: 60 })
    await store.commit(log, 'denyAccessRequest', { ref: denied, fields }, BY)
    const ended = await ask('two', { until: Date.now() + 1_000 })
    await store.commit(log, 'approveAccessRequest', { ref: ended, fields }, BY)
    const inForce = await ask('three', { duration: 60 })
    await store.commit(log, 'approveAccessRequest', { ref: inForce, fields }, BY)
    const pending = await ask('four', { duration: 60 })
    expect(await upkeep(DAY)).toBe(0)
    await vi.waitUntil(() => Date.now() > store.view(log).require('access_request', ended).valid_until!, 5_000)
    await run('createUser', { key: 'cleo' }) // the time of the last entry
    expect(await upkeep(0)).toBe(3) // with the assignment of the one that has ended
    const left = [...store.view(log).list('access_request')].map(({ key }) => key)
    expect(left.toSorted()).toEqual([inForce, pending].toSorted())
    expect(failures).toEqual([])
  })

  it('takes a tuple along its index, and leaves a membership that was asked for', async () => {
    const { store } = management
    const relations = { parent: 'doc' }
    await store.commit(log, 'createResource', { key: 'doc', actions: {}, relations }, BY)
    const tuple = { subject: 'doc:a', relation: 'parent', object: 'doc:b', tenant: 'default' }
    await store.commit(log, 'putTuple', { ...tuple, valid_until: 5 }, BY)
    await store.commit(log, 'addTenantUser', { tenant: 'default', user: { key: 'ana' } }, BY)
    await assign('ana', { valid_until: 5 })
    expect(await upkeep(DAY)).toBe(2)
    expect(store.view(log).count('relationship_tuple')).toBe(0)
    expect(store.view(log).get('membership', 'default/ana')).toMatchObject({ explicit: true })
  })

  it('is not deleted by a clock that is ahead of the last entry', async () => {
    await assign('ana', { valid_until: Date.now() + DAY })
    const { revision } = management.store.head(log)
    expect(await upkeep(0, Date.now() + 365 * DAY)).toBe(0)
    const view = management.store.view(log)
    const keys = { role_assignments: ['ana/editor/default'], relationship_tuples: [], keptMs: 0 }
    const mint = { id: () => '', secret: () => '', now: Date.now() + 365 * DAY }
    expect(deleteEnded(view, keys, mint)).toMatchObject({ changes: [], result: 0 })
    const unknown = Object.create(view, { writtenAt: { value: () => undefined } }) as View
    expect(deleteEnded(unknown, keys, mint)).toMatchObject({ changes: [], result: 0 })
    expect(management.store.head(log).revision).toBe(revision)
  })

  it('is looked at again by the writer: who was prolonged or made anew meanwhile stays', async () => {
    await assign('ana', { valid_until: 5 })
    const keys = { role_assignments: ['ana/editor/default', 'gone/editor/default'], relationship_tuples: [], keptMs: 0 }
    await assign('ana', { valid_until: Date.now() + DAY })
    const { result } = await management.store.commit(log, 'deleteEnded', keys, BY)
    expect([result, find('ana') !== undefined]).toEqual([0, true])
    await assign('ana', { valid_until: 5 })
    await management.store.commit(log, 'assign', { user: 'ana', role: 'editor' }, BY)
    expect((await management.store.commit(log, 'deleteEnded', keys, BY)).result).toBe(0)
    expect(find('ana')).not.toHaveProperty('valid_until')
  })

  it('is deleted in the other environments when one fails, and the failure is said', async () => {
    const { store } = management
    const other = store.view(management.organization).require('environment', 'default/production').id
    for (const environment of [log, other]) {
      await store.commit(environment, 'putRoles', { operations: [{ key: 'editor' }] }, BY)
      await store.commit(environment, 'syncUser', { key: 'ana' }, BY)
      await store.commit(environment, 'putAssignment', { user: 'ana', role: 'editor', valid_until: 5 }, BY)
    }
    const commit = vi.spyOn(store, 'commit')
    commit.mockImplementationOnce(() => Promise.reject(new Error('the disk is gone')))
    expect(await upkeep(0)).toBe(1)
    commit.mockRestore()
    expect(failures.map(String)).toEqual(['Error: the disk is gone'])
    expect([log, other].map((id) => store.view(id).count('role_assignment')).sort()).toEqual([0, 1])
  })

  it('goes with the rounds of retention, and a failing one is said and followed by others', async () => {
    const events: unknown[] = []
    await assign('ana', { valid_until: 5 })
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const images = {
      floors: () => {
        throw new Error('no floors')
      },
      forget: () => Promise.resolve(),
    }
    const onEvent = (event: unknown) => events.push(event)
    const stop = keepRetention(management.store, { images, endedKeptMs: 0 }, { now: Date.now, onEvent })
    vi.advanceTimersByTime(RETENTION_EVERY_MS)
    stop()
    vi.useRealTimers()
    await expect.poll(() => find('ana')).toBeUndefined()
    expect(events).toMatchObject([{ event: 'failed' }])
  })
})
