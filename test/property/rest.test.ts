// The management API against a plain model of the REST rules and cascades: random calls get the status that the model
// says, every list reads as the model holds it after every call, and the image built from state is the image that
// followed the deltas, and decides as the model.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { LogId } from '../../src/log/change.ts'
import { toDelta } from '../../src/log/delta.ts'
import { policyOf } from '../../src/management/snapshot/snapshot.ts'
import { type Ask, type Harness, openHarness } from '../http/management/harness.ts'
import { check } from '../reference/check.ts'
import { countedBytes } from '../support/image-bytes.ts'
import { type Call, withoutStamps } from './rest/call.ts'
import { sequences } from './rest/calls.ts'
import { known, listsOf } from './rest/lists.ts'
import { expected, questions } from './rest/model.ts'
import { policyIn } from './rest/policy.ts'
import { State } from './rest/state.ts'
import { parameters } from './seed.ts'

let api: Harness
beforeAll(async () => {
  api = await openHarness()
})
afterAll(() => api.close())

/** A fresh environment, and how to ask in it. */
async function freshEnvironment(): Promise<{ log: LogId; ask: Ask }> {
  const made = await api.another({ noExample: true })
  const ask: Ask = (method, path, body) => api.ask(method, path, body, { key: made.organization.secret })
  return { log: made.environments[0]!.id, ask }
}

/** The ids of what exists, by the path that names it by key. */
type Ids = Map<string, string>

function resolvePath({ path, byId }: Call, ids: Ids): string {
  const id = byId ? ids.get(path) : undefined
  return id === undefined ? path : `${path.slice(0, path.lastIndexOf('/'))}/${dashed(id)}`
}
const dashed = (id: string) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** Compares every list; returns the ids in them. */
async function compareLists(ask: Ask, state: State, after: string): Promise<Ids> {
  const ids: Ids = new Map()
  for (const [path, rows] of listsOf(state)) {
    const { status, body } = await ask('GET', `${path}?per_page=100`)
    expect([path, status, known(path, withoutStamps(body))], `after ${after}`).toEqual([path, 200, rows])
    for (const { key, resource, id } of body.data ?? body) {
      const name = path === '$F/resource_instances' ? `${resource}:${key}` : key
      if (name) ids.set(`${path}/${encodeURIComponent(name)}`, id)
    }
  }
  return ids
}

/** The image that followed the deltas, the one built from state, and the definition must agree. */
function compareImages(log: LogId, follower: Image, state: State): void {
  for (const entry of api.store.entries(log, follower.revision)) follower.apply(toDelta(entry))
  const view = api.store.view(log)
  const built = Image.build(log, view.position, policyOf(view))
  expect(follower.position).toEqual(built.position)
  expect(follower.hash()).toBe(built.hash())
  expect(built.stats().bytes).toBeLessThanOrEqual(api.store.imageBytes(log)!)
  expect(api.store.imageBytes(log)).toBe(countedBytes(view))
  const policy = policyIn(state)
  for (const request of questions()) {
    const { user, action, resource } = request
    const ask = (image: Image) => image.check(user, action, resource.type, resource.tenant, resource.key)
    expect([request, ask(follower), ask(built)]).toEqual([request, check(policy, request), check(policy, request)])
  }
}

describe('random calls of the management API', () => {
  it('[D11] get the status and leave the state that the REST rules say, and every image agrees', async () => {
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        const { log, ask } = await freshEnvironment()
        const state = new State()
        const view = api.store.view(log)
        const follower = Image.build(log, view.position, policyOf(view))
        let ids: Ids = new Map()
        for (const one of sequence) {
          const before = api.store.head(log).revision
          const outcome = expected(state, one)
          const { status, body } = await ask(one.method, resolvePath(one, ids), one.body)
          const exchange = `${one.method} ${one.path} ${JSON.stringify(one.body)} answered ${status} ${JSON.stringify(body)}`
          expect([outcome.status].flat(), exchange).toContain(status)
          if (outcome.answer !== undefined) expect(withoutStamps(body), exchange).toEqual(outcome.answer)
          const grown = api.store.head(log).revision - before
          if (status > 299 || one.method === 'GET') expect(grown, exchange).toBe(0)
          else expect(grown, exchange).toBeLessThanOrEqual(1)
          ids = await compareLists(ask, state, exchange)
          compareImages(log, follower, state)
        }
      }),
      parameters(8),
    )
  })
})
