// Laws of plans over random pairs of policy files: what a plan says is done by applying it, and nothing is left to say;
// nothing is deleted without `prune`, and with it nothing is left that the file does not name.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KindName } from '../../src/kinds/index.ts'
import { KIND_NAMES } from '../../src/kinds/index.ts'
import { fileObjects } from '../../src/management/differences/file-words.ts'
import { namedObjects } from '../../src/management/differences/managed.ts'
import { type Reconciled, reconcile } from '../../src/management/differences/reconcile.ts'
import { builtIns } from '../../src/management/objects/resource-parts.ts'
import { exportSchema } from '../../src/management/policy-file/export.ts'
import type { Moved, PolicyFile } from '../../src/management/schemas/policy-file.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import { FACT_KINDS } from '../../src/model/policy-kinds.ts'
import { Draft } from '../../src/store/draft.ts'
import { EmptyView } from '../../src/store/empty.ts'
import type { Mint, View } from '../../src/store/view.ts'
import { randomPolicy } from './policies.ts'
import { parameters, scaled } from './seed.ts'

function makeMint(): Mint {
  let id = 0
  return { now: 1, id: () => (++id).toString(16).padStart(32, 'f'), secret: () => '' }
}

const seeds = fc.tuple(fc.nat(), fc.nat(), fc.boolean())
const LOG = '0'.repeat(32)

/** A new environment with the policy of a file, and facts. */
function makeEnvironment(policy: PolicyFile, mint: Mint): Draft {
  const empty = new Draft(new EmptyView(LOG)).stage(builtIns(mint))
  return commit(empty, reconcile(empty, policy, {}, mint))
}

/** The environment after the plan, as the writer leaves it. */
function commit(view: View, { changes, remembered }: Reconciled): Draft {
  return new Draft(view).stage([...changes, ...remembered('key')])
}

const expectNothing = (plan: Reconciled): void => {
  expect(plan.entries).toEqual([])
  expect(plan.changes).toEqual([])
  expect(plan.cascade).toEqual([])
  expect(plan.remembered('other')).toEqual([])
}

/** Every object of a file that the environment holds, as `kind key`. */
function* held(view: View): Generator<string> {
  for (const kind of KIND_NAMES) {
    if (kind === 'organization') return
    for (const object of view.list(kind as KindName))
      for (const one of fileObjects(kind, object as never)) yield `${one.kind} ${one.key}`
  }
}

const inFile = (policy: PolicyFile, view: View): string[] =>
  [...namedObjects(policy, view)].map(([kind, key]) => `${kind} ${key}`)

describe('a plan of a policy file', () => {
  it('without prune is done once it is applied, and deletes nothing', () => {
    let refused = 0
    fc.assert(
      fc.property(seeds, ([one, other, withFacts]) => {
        const mint = makeMint()
        const isSteady = other % 4 > 0
        const view = makeEnvironment(randomPolicy(one, true, isSteady), mint)
        const policy = randomPolicy(other, withFacts, isSteady)
        const before = new Set(held(view))
        let plan: Reconciled
        try {
          plan = reconcile(view, policy, {}, mint)
        } catch (error) {
          refused++
          // another type of a set or end of a relation: that takes a delete
          if (isZerohopError(error, 'INPUT_INVALID', 'OBJECT_IN_USE', 'EXTENDS_CYCLE', 'PARENT_CYCLE')) return
          if (isZerohopError(error, 'ATTRIBUTE_MISMATCH', 'RELATION_MISMATCH')) return
          throw error
        }
        expect(plan.entries.filter(({ op }) => op === 'delete')).toEqual([])
        const after = commit(view, plan)
        expectNothing(reconcile(after, policy, {}, mint))
        const now = new Set(held(after))
        expect([...before].filter((name) => !now.has(name))).toEqual([])
        expect(inFile(policy, after).filter((name) => !now.has(name))).toEqual([])
      }),
      parameters(25),
    )
    // most pairs can be applied: the law is about those
    expect(refused).toBeLessThan(scaled(25) / 2)
  })

  it('with prune leaves nothing of its kinds that the file does not name', () => {
    fc.assert(
      fc.property(seeds, ([one, other, withFacts]) => {
        const mint = makeMint()
        const view = makeEnvironment(randomPolicy(one, true), mint)
        const policy = randomPolicy(other, withFacts)
        let plan: Reconciled
        try {
          plan = reconcile(view, policy, { prune: true }, mint)
        } catch (error) {
          if (isZerohopError(error, 'PRUNE_EMPTY')) return
          // facts that a new file does not manage may refer to what it deletes
          if (withFacts && isZerohopError(error, 'RELATION_MISMATCH')) return
          throw error
        }
        const after = commit(view, plan)
        expectNothing(reconcile(after, policy, { prune: true }, mint))
        const named = new Set(inFile(policy, after))
        const left = [...held(after)].filter((name) => !named.has(name) && !FACT_KINDS.has(name.split(' ')[0]!))
        expect(left).toEqual([])
        // the same as the file alone in a new environment
        expect(exportUnordered(after)).toEqual(exportUnordered(makeEnvironment(policy, makeMint())))
      }),
      parameters(25),
    )
  })
})

describe('`moved`', () => {
  it('renames and takes along everything that names the object', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (one, choice) => {
        const mint = makeMint()
        const policy = randomPolicy(one, true)
        const view = makeEnvironment(policy, mint)
        const moved = listMoves(view, choice)
        const plan = reconcile(view, { zerohop: 2, moved }, {}, mint)
        expect(plan.entries.map(({ op }) => op)).toEqual(moved.map(() => 'move'))
        for (const { fields } of plan.entries) expect(Object.keys(fields)).toEqual(['key'])
        const after = commit(view, plan)
        expectNothing(reconcile(after, { zerohop: 2, moved }, {}, mint))
        // renamed in the text of what it was, it is the same
        expect(renamed(everything(view), moved)).toEqual(everything(after))
        for (const kind of KIND_NAMES) expect([kind, after.count(kind)]).toEqual([kind, view.count(kind)])
        // and back again it is what it was
        const back = moved.map(({ kind, from, to }) => ({ kind, from: to, to: from })).toReversed()
        const again = commit(after, reconcile(after, { zerohop: 2, moved: back }, {}, mint))
        expect(everything(again)).toEqual(everything(view))
      }),
      parameters(25),
    )
  })
})

/** A rename of some objects of the environment, to keys that nothing else has. */
function listMoves(view: View, choice: number): Moved[] {
  const all = [
    ...['doc', 'folder', 'team'].map((key) => ({ kind: 'resource' as const, from: key, to: `new-${key}` })),
    ...['admin', 'viewer'].map((key) => ({ kind: 'role' as const, from: key, to: `new-${key}` })),
    ...['staff', 'night'].map((key) => ({ kind: 'condition_set' as const, from: key, to: `new-${key}` })),
    { kind: 'user' as const, from: 'ana', to: 'new-ana' },
    { kind: 'tenant' as const, from: 'acme', to: 'new-acme' },
    { kind: 'user_attribute' as const, from: 'region', to: 'new-region' },
  ]
  const there = [...held(view)]
  return all.filter(({ kind, from }, at) => (choice >> at) % 2 === 1 && there.includes(`${kind} ${from}`))
}

/** Lists in the order of their items, which renaming changes; what follows the first place of the line is one. */
const sortedText = (line: unknown): string =>
  JSON.stringify(line, (name, value) => (name !== '' && Array.isArray(value) ? value.toSorted() : value))

/** The environment as text, one line for each object. */
const everything = (view: View): string[] =>
  KIND_NAMES.filter((kind) => kind !== 'applied_object')
    .flatMap((kind) => [...view.list(kind)].flatMap((object) => fileObjects(kind, object as never)))
    .map(({ kind, key, fields }) => sortedText([kind, key, fields]))
    .sort()

/** The keys are words that occur as nothing else. */
const renamed = (lines: readonly string[], moved: readonly Moved[]): string[] =>
  lines
    .map((line) =>
      moved.reduce((text, { from, to }) => text.replaceAll(new RegExp(`(?<=\\b|__autogen_)${from}\\b`, 'g'), to), line),
    )
    .map((line) => sortedText(JSON.parse(line)))
    .sort()

const KEYED = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((item) => JSON.stringify(item)).sort() : value

/** What is exported, without the order of lists and maps. */
const exportUnordered = (view: View): unknown =>
  JSON.parse(JSON.stringify(exportSchema(view)), (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
      : KEYED(value),
  )
