// The laws of log, state and image together, on a real disk: what management commits becomes exactly the policy that it
// says.
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { toDelta } from '../../src/log/delta.ts'
import { buildSnapshot, policyOf } from '../../src/management/snapshot/snapshot.ts'
import type { View } from '../../src/store/view.ts'
import { check } from '../reference/check.ts'
import { listPermissions } from '../reference/listing.ts'
import { toPolicy as fold } from '../reference/policy.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { Environments, TESTER } from '../support/environments.ts'
import { policyIn } from '../support/instants.ts'
import { tenantPermissionsIn } from '../support/listings.ts'
import { type Operation, World } from '../support/world.ts'
import {
  type Edit,
  findPool,
  type History,
  listOperations,
  numbers,
  POOLS,
  roleHistories,
  withTimedToo,
} from './histories.ts'
import { ask, askedIn } from './laws.ts'
import { questions } from './questions.ts'
import { parameters } from './seed.ts'
import { definedAt, instants, makeInstants } from './times.ts'

const environments = new Environments()
afterAll(() => environments.close())

const small = withTimedToo(roleHistories)
  .filter(({ pool }) => pool === 'small' || pool === 'odd')
  .map((history) => ({ ...history, revisions: history.revisions.slice(0, 7) }))

/** The operations of one revision's edits. */
function accepted(world: World, history: History, edits: readonly Edit[]): Operation[] {
  const operations: Operation[] = []
  const ahead = new World(world)
  for (const edit of edits) {
    for (const operation of listOperations(ahead, findPool(history), edit)) {
      operations.push(operation)
      ahead.run(operation)
    }
  }
  return operations
}

/** The hash of what a view says, under one name and number. */
const viewHash = (view: View) => Image.build(ENVIRONMENT, makePosition(1), policyOf(view)).hash()

const sorted = (changes: Iterable<{ readonly kind: string; readonly key: string }>) =>
  [...changes].map((change) => JSON.stringify(change)).sort()

describe('management, its log and the image', () => {
  it('[D11] agree with the definition after every step: state, deltas, answers and listings', async () => {
    await fc.assert(
      fc.asyncProperty(small, fc.nat(), async (history, seed) => {
        const [log] = await environments.create()
        const store = await environments.store()
        const world = new World()
        const follower = Image.load(buildSnapshot(store.view(log)).bytes)
        const logged = [...policyOf(store.view(log))]
        for (const edits of history.revisions) {
          await environments.write(log, world, accepted(world, history, edits))
          // The deltas, folded, are the state; cascades are in them change by change.
          for (const entry of store.entries(log, follower.revision)) {
            follower.apply(toDelta(entry))
            logged.push(...(toDelta(entry).changes as typeof logged))
          }
          const view = store.view(log)
          expect(follower.position).toEqual(view.position)
          expect(follower.hash()).toBe(Image.build(log, view.position, world.contents()).hash())
          expect(fold(logged)).toEqual(fold([...policyOf(view)]))
          const when = makeInstants(world.policy, numbers(seed))
          for (const request of questions(world, findPool(history), numbers(seed), 20)) {
            for (const t of when())
              expect([request, t, ask(follower, request, t)]).toEqual([
                request,
                t,
                definedAt(world.policy, request, t, check),
              ])
          }
        }
        for (const user of POOLS[history.pool].users)
          for (const t of instants(world.policy, numbers(seed), 2))
            expect(askedIn(follower, t, () => tenantPermissionsIn(follower, user))).toEqual(
              listPermissions(policyIn(world.policy, t), user),
            )
      }),
      parameters(20),
    )
  })

  it('a write in one environment changes no other: neither its revision nor the hash of its image', async () => {
    const [still, busy] = await environments.create()
    const [foreign] = await environments.create()
    const store = await environments.store()
    const base: Operation[] = [
      ['put', 'resource', { key: 'hello', actions: ['say'] }],
      ['put', 'role', { key: 'admin', permissions: ['hello:say'] }],
      ['put', 'user', { key: 'ana' }],
      ['put', 'role_assignment', { user: 'ana', role: 'admin', tenant: 'default' }],
    ]
    for (const log of [still, foreign]) await environments.write(log, new World(), base)
    const readState = (log: string) => {
      const { bytes, position } = buildSnapshot(store.view(log))
      return { position, hash: Image.load(bytes).hash(), entries: store.entries(log, 0).length }
    }
    const before = [readState(still), readState(foreign)]
    const world = new World()
    for (const history of fc.sample(small, { ...parameters<History>(6), numRuns: 6 })) {
      for (const edits of history.revisions) {
        await environments.write(busy, world, accepted(world, history, edits))
        expect([readState(still), readState(foreign)]).toEqual(before)
      }
    }
    expect(store.head(busy).revision).toBeGreaterThan(10)
    const image = Image.load(buildSnapshot(store.view(still)).bytes)
    expect(image.check('ana', 'say', 'hello', 'default')).toBe(true)
    expect(Image.load(buildSnapshot(store.view(busy)).bytes).environment).toBe(busy)
  })

  it('equal state in two environments is the same policy under two names, whatever the way to it', async () => {
    await fc.assert(
      fc.asyncProperty(small, async (history) => {
        const [first, second] = await environments.create()
        const store = await environments.store()
        const world = new World()
        for (const edits of history.revisions) await environments.write(first, world, accepted(world, history, edits))
        const straight = new World()
        const operations: Operation[] = []
        for (const change of inOrder(world)) {
          const { kind, key, value } = change
          operations.push(
            (kind === 'role_assignment' ? ['put', kind, value] : ['put', kind, { key, ...value }]) as Operation,
          )
        }
        if (!world.policy.tenant.has('default')) operations.push(['delete', 'tenant', { key: 'default' }])
        await environments.write(second, straight, operations)
        expect(viewHash(store.view(second))).toBe(viewHash(store.view(first)))
      }),
      parameters(10),
    )
  })

  it('a refused write leaves no trace: no revision, no change, no entry', async () => {
    const [log] = await environments.create()
    const store = await environments.store()
    const world = new World()
    await environments.write(log, world, [
      ['put', 'role', { key: 'a' }],
      ['put', 'role', { key: 'b', extends: ['a'] }],
      ['put', 'user', { key: 'ana' }],
    ])
    const before = [store.head(log), sorted(policyOf(store.view(log)))]
    const commit = (name: 'createUser' | 'replaceRole' | 'assign', input: never) =>
      store.commit(log, name, input, TESTER)
    const refused: [Parameters<typeof commit>[0], object, string][] = [
      ['createUser', { key: 'ana' }, 'OBJECT_EXISTS'],
      ['createUser', { key: 'a b' }, 'KEY_INVALID'],
      ['createUser', { key: 'k'.repeat(257) }, 'KEY_TOO_LONG'],
      ['createUser', { key: 'new', role_assignments: [{ role: 'nothing' }] }, 'OBJECT_NOT_FOUND'],
      ['replaceRole', { ref: 'a', fields: { extends: ['b'] } }, 'EXTENDS_CYCLE'],
      ['replaceRole', { ref: 'a', fields: { extends: ['a'] } }, 'EXTENDS_CYCLE'],
      ['replaceRole', { ref: 'a', fields: { permissions: ['nothing:say'] } }, 'OBJECT_NOT_FOUND'],
      ['replaceRole', { ref: 'a', fields: { permissions: ['nothing'] } }, 'PERMISSION_INVALID'],
      ['assign', { user: 'nobody', role: 'a' }, 'OBJECT_NOT_FOUND'],
      ['assign', { user: 'ana', role: 'a', tenant: 'nowhere' }, 'OBJECT_NOT_FOUND'],
    ]
    for (const [name, input, code] of refused) {
      await expect(commit(name, input as never), JSON.stringify(input)).rejects.toMatchObject({ code })
      expect([store.head(log), sorted(policyOf(store.view(log)))]).toEqual(before)
    }
  })
})

/** The contents, each role after those that it extends. */
function inOrder(world: World) {
  const contents = world.contents() as { kind: string; key: string; value: { extends?: string[] } }[]
  const roles = contents.filter(({ kind }) => kind === 'role')
  const done = new Set<string>()
  const ordered: typeof roles = []
  while (ordered.length < roles.length) {
    for (const role of roles) {
      if (done.has(role.key) || !role.value.extends!.every((parent) => done.has(parent))) continue
      done.add(role.key)
      ordered.push(role)
    }
  }
  const before = contents.filter(({ kind }) => kind === 'resource')
  const after = contents.filter(({ kind }) => kind !== 'resource' && kind !== 'role')
  return [...before, ...ordered, ...after]
}
