// Laws of reverts over random revisions: the revert of the newest revision gives the state before it, that of an older
// one gives exactly the three-way result or is refused, and a reverted revert is the state again. Apart from ids and
// times.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KindName, Objects } from '../../src/kinds/index.ts'
import { KIND_NAMES } from '../../src/kinds/index.ts'
import type { Change } from '../../src/log/change.ts'
import { fileObjects } from '../../src/management/differences/file-words.ts'
import { reconcile } from '../../src/management/differences/reconcile.ts'
import type { UndoneObject } from '../../src/management/differences/undone.ts'
import { builtIns } from '../../src/management/objects/resource-parts.ts'
import { revert } from '../../src/management/revert/revert.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import { Draft } from '../../src/store/draft.ts'
import { EmptyView } from '../../src/store/empty.ts'
import type { Mint, View } from '../../src/store/view.ts'
import { randomPolicy } from './policies.ts'
import { parameters, scaled } from './seed.ts'

function makeMint(): Mint {
  let id = 0
  return { now: 1, id: () => (++id).toString(16).padStart(32, 'f'), secret: () => '' }
}

const seeds = fc.tuple(fc.nat(), fc.nat(), fc.nat())
const LOG = '0'.repeat(32)

/** What the changes of a revision did, as the past tells it. */
const undone = (before: View, changes: readonly Change[]): UndoneObject[] =>
  changes.map(({ kind, key, ...change }) => ({
    ...{ kind, key, before: before.get(kind, key) ?? null },
    after: 'value' in change ? (change.value as Objects[KindName]) : null,
  }))

/** A revision that makes the environment what a random policy says; undefined when single writes refuse that. */
function findRevision(view: View, seed: number, mint: Mint): readonly Change[] | undefined {
  try {
    return reconcile(view, randomPolicy(seed, true, seed % 4 > 0), { prune: seed % 3 > 0 }, mint).changes
  } catch (error) {
    if (isZerohopError(error)) return undefined
    throw error
  }
}

/** Every object of a file, as text by its name. */
function readObjects(view: View): Map<string, string> {
  const state = new Map<string, string>()
  for (const kind of KIND_NAMES) {
    for (const object of view.list(kind))
      for (const one of fileObjects(kind, object as never)) state.set(`${one.kind}:${one.key}`, sortedText(one.fields))
  }
  return state
}

const sortedText = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  )

const commit = (view: View, changes: readonly Change[]): Draft => new Draft(view).stage(changes)

describe('the revert', () => {
  it('of the newest revision gives the state before it, and reverted it is the state again', () => {
    let done = 0
    fc.assert(
      fc.property(seeds, ([one, other]) => {
        const mint = makeMint()
        const empty = new Draft(new EmptyView(LOG)).stage(builtIns(mint))
        const first = findRevision(empty, one, mint)
        const before = first && commit(empty, first)
        const changes = before && findRevision(before, other, mint)
        if (before === undefined || changes === undefined) return
        const now = commit(before, changes)
        const reverted = revert(now, { revision: 2, objects: undone(before, changes) }, mint)
        expect(reverted.conflicts).toEqual([])
        const back = commit(now, reverted.changes)
        expect(readObjects(back)).toEqual(readObjects(before))
        const again = revert(back, { revision: 3, objects: undone(now, reverted.changes) }, mint)
        expect(again.conflicts).toEqual([])
        expect(readObjects(commit(back, again.changes))).toEqual(readObjects(now))
        done++
      }),
      parameters(20),
    )
    expect(done).toBeGreaterThan(scaled(20) / 4)
  })

  it('of an older revision gives the three-way result, or is refused', () => {
    const outcomes = { done: 0, refused: 0 }
    fc.assert(
      fc.property(seeds, fc.boolean(), ([one, other, third], cascade) => {
        const mint = makeMint()
        const empty = new Draft(new EmptyView(LOG)).stage(builtIns(mint))
        const first = findRevision(empty, one, mint)
        const before = first && commit(empty, first)
        const changes = before && findRevision(before, other, mint)
        const middle = before && changes && commit(before, changes)
        const later = middle && smallerRevision(middle, third, mint)
        if (before === undefined || changes === undefined || middle === undefined || later === undefined) return
        const now = commit(middle, later)
        const reverted = revert(now, { revision: 2, objects: undone(before, changes), cascade }, mint)
        if (reverted.conflicts.length > 0) {
          outcomes.refused++
          expect(reverted.changes).toEqual([])
          return
        }
        outcomes.done++
        const [then, left, is, result] = [before, middle, now, commit(now, reverted.changes)].map(readObjects)
        for (const name of new Set([...then!.keys(), ...left!.keys(), ...is!.keys(), ...result!.keys()])) {
          if (then!.get(name) !== left!.get(name)) expect([name, result!.get(name)]).toEqual([name, then!.get(name)])
          // only `cascade` may touch anything else
          else if (!cascade) expect([name, result!.get(name)]).toEqual([name, is!.get(name)])
        }
      }),
      parameters(25),
    )
    expect(Math.min(outcomes.done, outcomes.refused)).toBeGreaterThan(0)
  })
})

/** A later revision that writes a part of a random policy, without deleting. */
function smallerRevision(view: View, seed: number, mint: Mint): readonly Change[] | undefined {
  const policy = randomPolicy(seed, true, true)
  const lists = Object.keys(policy).filter((name) => name !== 'zerohop')
  const kept = lists.filter((_, at) => (seed >> at) % 4 === 0)
  const part = Object.fromEntries(kept.map((name) => [name, policy[name as keyof typeof policy]]))
  try {
    return reconcile(view, { zerohop: 2, ...part }, {}, mint).changes
  } catch (error) {
    if (isZerohopError(error)) return undefined
    throw error
  }
}
