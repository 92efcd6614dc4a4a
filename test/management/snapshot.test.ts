// Images of environments for followers: what they hold, when they are built anew, and that a large one says the same as
// a small one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { toDelta } from '../../src/log/delta.ts'
import { buildSnapshot, policyOf } from '../../src/management/snapshot/snapshot.ts'
import { SNAPSHOT_IN_TURN_BYTES_MAX, SNAPSHOT_IN_TURN_MAX } from '../../src/model/limits.ts'
import { type Management, openManagement } from '../../src/server.ts'
import { TESTER } from '../support/environments.ts'
import { temporaryFolder } from '../support/folders.ts'
import { tenantPermissionsIn } from '../support/listings.ts'

describe('snapshots', () => {
  let management: Management
  const environment = (name: string) => {
    const environments = [...management.store.view(management.organization).list('environment')]
    return environments.find((each) => each.environment === name)!.id
  }
  const createUser = (log: string, key: string) => management.store.commit(log, 'createUser', { key }, TESTER)

  beforeAll(async () => {
    management = await openManagement({ data: temporaryFolder('snapshot') })
  })
  afterAll(() => management.store.close())

  it('hold what bears on decisions, at the head', async () => {
    const log = environment('development')
    const { bytes, position } = await management.snapshots.image(log)
    const image = Image.load(bytes)
    expect([image.environment, image.position, position]).toEqual([log, management.store.head(log), position])
    const keys = [...image.contents()].map(({ kind, key }) => `${kind} ${key}`)
    expect(keys.sort()).toEqual([
      'resource hello',
      'role admin',
      'role viewer',
      'role_assignment ana/admin/default',
      'role_assignment ben/viewer/default',
      'tenant default',
      'user ana',
      'user ben',
    ])
    const text = Buffer.from(bytes).toString('latin1')
    for (const name of ['Admin', 'Viewer', 'Default']) expect(text).not.toContain(name)
  })

  it('of a small environment follow every write', async () => {
    const log = environment('development')
    const before = await management.snapshots.image(log)
    expect((await management.snapshots.image(log)).bytes).toBe(before.bytes)
    const { revision } = await createUser(log, 'cleo')
    expect((await management.snapshots.image(log)).position.revision).toBe(revision)
  })

  it('are built once for all who wait', async () => {
    const log = environment('development')
    await createUser(log, 'dan')
    const [one, other] = await Promise.all([management.snapshots.image(log), management.snapshots.image(log)])
    expect(one.bytes).toBe(other.bytes)
  })

  it('of a large environment come from a thread, equal a build in this one, and are kept over a few writes', async () => {
    const log = environment('production')
    const users = Array.from({ length: SNAPSHOT_IN_TURN_MAX + 1 }, (_, i) => `user${i}`)
    await Promise.all(users.map((key) => createUser(log, key)))
    const snapshot = await management.snapshots.image(log)
    expect(snapshot.position).toEqual(management.store.head(log))
    expect(Buffer.compare(snapshot.bytes, buildSnapshot(management.store.view(log)).bytes)).toBe(0)
    const { revision } = await createUser(log, 'late')
    const kept = await management.snapshots.image(log)
    expect([kept.position.revision, kept.bytes]).toEqual([revision - 1, snapshot.bytes])
    expect([...policyOf(management.store.view(log))].length).toBe(users.length + 2)
  })

  it('of few objects with much in them come from a thread too', async () => {
    const [project] = management.store.view(management.organization).list('project')
    const input = { project: project!.id, environment: { key: 'heavy' } }
    await management.store.commit(management.organization, 'createEnvironment', input, TESTER)
    const log = environment('heavy')
    const text = 'x'.repeat(60_000)
    for (let at = 0; at * text.length <= SNAPSHOT_IN_TURN_BYTES_MAX; at++)
      await management.store.commit(log, 'createUser', { key: `heavy${at}`, attributes: { text } }, TESTER)
    const snapshot = await management.snapshots.image(log)
    expect(Buffer.compare(snapshot.bytes, buildSnapshot(management.store.view(log)).bytes)).toBe(0)
    await createUser(log, 'late')
    expect((await management.snapshots.image(log)).position).toEqual(snapshot.position)
  })

  it('[D9] hold what is declared of users and tenants, as deltas bring it, and types of these names are asked about in vain', async () => {
    const log = environment('development')
    const { store } = management
    const commit = (name: Parameters<typeof store.commit>[1], input: object) =>
      store.commit(log, name, input as never, TESTER)
    const set = { key: 'later', conditions: { 'user.since': { 'greater-than': '2026-01-01T00:00:00+01:00' } } }
    await commit('createConditionSet', set)
    await commit('createSetRule', { user_set: 'later', permission: 'hello:say', resource_set: 'hello' })
    const follower = Image.load((await management.snapshots.image(log)).bytes)
    const builtIns = (image: Image) => [...image.contents()].filter(({ key }) => key.startsWith('__'))
    const ask = (since: unknown) =>
      [follower, Image.load(buildSnapshot(store.view(log)).bytes)].map((image) =>
        image.check('ben', 'say', 'hello', 'default', undefined, { user: { since } }),
      )
    const follow = () => {
      for (const entry of store.entries(log, follower.revision)) follower.apply(toDelta(entry))
      const built = Image.build(log, store.view(log).position, policyOf(store.view(log)))
      expect(follower.hash()).toBe(built.hash())
      expect(builtIns(follower)).toEqual(builtIns(built))
      return builtIns(follower)
    }
    const value = (attributes: object) => ({ actions: [], attributes })

    // The text comes last of the two, the instant first.
    expect([follow(), ask('2025-12-31T23:30:00Z'), ask(1798758000000)]).toEqual([[], [false, false], [false, false]])
    await commit('createAttribute', { resource: '__user', attribute: { key: 'since', type: 'time' } })
    await commit('createAttribute', { resource: '__tenant', attribute: { key: 'plan', type: 'string' } })
    expect(follow()).toEqual([
      { op: 'put', kind: 'resource', key: '__tenant', value: value({ plan: 'string' }) },
      { op: 'put', kind: 'resource', key: '__user', value: value({ since: 'time' }) },
    ])
    expect([ask('2025-12-31T23:30:00Z'), ask(1798758000000), ask(true)]).toEqual([
      [true, true],
      [true, true],
      [false, false],
    ])
    for (const type of ['__user', '__tenant']) {
      expect(follower.check('ana', 'say', type, 'default')).toBe(false)
      expect(follower.explain('ana', 'say', type, 'default').code).toBe('no_such_resource')
    }
    expect(tenantPermissionsIn(follower, 'ana')).toEqual([
      { tenant: 'default', roles: ['admin'], permissions: ['hello:say', 'hello:wave'] },
    ])

    await commit('deleteAttribute', { resource: '__tenant', ref: 'plan' })
    expect(follow()).toEqual([{ op: 'put', kind: 'resource', key: '__user', value: value({ since: 'time' }) }])
    await commit('deleteSetRule', { user_set: 'later', permission: 'hello:say', resource_set: 'hello' })
    await commit('deleteConditionSet', { ref: 'later' })
    await commit('deleteAttribute', { resource: '__user', ref: 'since' })
    expect(follow()).toEqual([])
  })

  it('of an environment that does not exist are refused', async () => {
    await expect(management.snapshots.image('f'.repeat(32))).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' })
  })
})
