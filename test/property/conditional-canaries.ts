// Access diffs that are wrong in one point each. conditional.test.ts shows that the law tells each of them from the
// right one.
import { accessDiff } from '../../src/image/access-diff/access-diff.ts'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import type { AccessDiff, ConditionalChange } from '../../src/model/access-diff.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import type { Step } from './access-diff-law.ts'
import type { MakeDiff } from './conditional-law.ts'
import { MIDNIGHT } from './values.ts'

const right = ({ images: [before, after], changes }: Step): AccessDiff =>
  accessDiff(before, after, changes, { now: MIDNIGHT, first: 10_000 })

/** Without some of the lines. */
const without =
  (isForgotten: (line: ConditionalChange) => boolean): MakeDiff =>
  (step) => {
    const diff = right(step)
    const conditional = diff.access.conditional.filter((line) => !isForgotten(line))
    return { ...diff, access: { ...diff.access, conditional } }
  }
const naming = (text: string) => without(({ before, after }) => before.includes(text) || after.includes(text))

/** As if something of the image afterwards were still as before. */
const asBefore =
  (isKept: (change: PolicyChange, step: Step) => boolean): MakeDiff =>
  (step) => {
    const [before, after] = step.images
    const kept = new Map<string, PolicyChange>()
    const all = (image: Image) =>
      [...image.contents()].map((change) => [`${change.kind} ${change.key}`, change] as const)
    for (const [name, change] of all(after)) kept.set(name, change)
    for (const [name, change] of all(before)) if (isKept(change, step)) kept.set(name, change)
    const wrong = Image.build(ENVIRONMENT, makePosition(2), kept.values())
    return right({ ...step, images: [before, wrong] })
  }

export interface WrongDiff {
  readonly make: MakeDiff
  /** the edits among which it is looked for (EDITS of filter-worlds.ts) */
  readonly edits: readonly string[]
  /** where to begin in the fixed sequence of random changes, so that it is caught soon */
  readonly from: number
}

export const WRONG_DIFFS: Readonly<Record<string, WrongDiff>> = {
  'a derivation is forgotten': {
    make: asBefore(({ kind }) => kind === 'resource_role'),
    edits: ['reader', 'keeper'],
    from: 22,
  },
  'a parent set is forgotten': {
    make: asBefore(
      ({ kind, key }, { after }) =>
        kind === 'condition_set' && [...after.condition_set.values()].some(({ parent }) => parent === key),
    ),
    edits: ['parentSet'],
    from: 87,
  },
  'a deleted tenant is forgotten': { make: asBefore(({ kind }) => kind === 'tenant'), edits: ['noTenant'], from: 6 },
  'attributes of the action are forgotten': { make: naming('action.'), edits: ['set', 'sets'], from: 41 },
  'the context is forgotten': { make: naming('context.'), edits: ['set', 'sets'], from: 3 },
  'relations that are sent are forgotten': {
    make: naming('resource parent'),
    edits: ['reader', 'assignOn', 'unassign'],
    from: 8,
  },
  'what is stored of instances is forgotten': {
    make: naming('with what is stored of'),
    edits: ['attributes', 'newInstance', 'noInstance'],
    from: 127,
  },
  'instances that a condition follows are forgotten': {
    make: naming('as stored'),
    edits: ['attributes', 'newInstance', 'noInstance'],
    from: 113,
  },
  'other attributes of the user are forgotten': {
    make: (step) => {
      const diff = right(step)
      return { ...diff, access: { ...diff.access, overridable: [] } }
    },
    edits: ['rule', 'set', 'sets'],
    from: 8,
  },
}
