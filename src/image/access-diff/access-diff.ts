// The access diff of two images: what a change does to who may do what. docs/access-diff.md defines it.
import type { PolicyChange } from '../../log/delta.ts'
import type { AccessChange, AccessDiff, RenamedAccess } from '../../model/access-diff.ts'
import { ACCESS_DIFF_WORK_MAX, ACCESS_PAGE_DEFAULT, ACCESS_PAGE_MAX } from '../../model/limits.ts'
import type { Image } from '../image.ts'
import { type Changed, changedBy } from './changed.ts'
import { conditionalChanges } from './conditional.ts'
import { Meter } from './meter.ts'
import { makeObjects } from './objects.ts'
import { diffPolicies, readPolicies } from './policy-diff.ts'
import { Questions } from './questions.ts'
import { ReachRelations } from './reach-relations.ts'
import { ReachRoles } from './reach-roles.ts'
import { ReachRules } from './reach-rules.ts'
import { reallyChanged } from './really-changed.ts'
import type { Renames } from './renames.ts'
import { type Inside, Side } from './side.ts'

export interface AccessDiffOptions {
  /** milliseconds since 1970: `context.now` of every question */
  readonly now: number
  /** flips of a page of each direction; default ACCESS_PAGE_DEFAULT, at most ACCESS_PAGE_MAX */
  readonly first?: number | undefined
  /** the `next` of an earlier answer about the same change: its direction continues there */
  readonly after?: string | undefined
  /** work of each part, counted as that of a listing; default and most ACCESS_DIFF_WORK_MAX, CONDITIONAL_WORK_MAX */
  readonly budget?: number | undefined
  /** what has another key afterwards: access that only has another name is counted as renamed */
  readonly renames?: Renames | undefined
}

/**
 * What the changes that lead from one image to the other do. `changes` must name every object that differs between the
 * images, with all that a delete took along, as a delta does; more than that costs time, but changes no answer.
 * @throws INPUT_INVALID for a cursor that no page gave, DELTA_INVALID on a key that names nothing, POISONED
 */
export function accessDiff(
  before: Image,
  after: Image,
  changes: readonly PolicyChange[],
  options: AccessDiffOptions,
): AccessDiff {
  const named = changedBy(changes, after.revision)
  const isCopy = after.isCopyOf(before)
  const { now } = options
  return before.inside((was) => after.inside((is) => computeDiff([was, is], changes, named, isCopy, options), now), now)
}

function computeDiff(
  insides: readonly [Inside, Inside],
  changes: readonly PolicyChange[],
  named: Changed,
  isCopy: boolean,
  options: AccessDiffOptions,
): AccessDiff {
  const { budget = ACCESS_DIFF_WORK_MAX } = options
  const kernels = [insides[0].kernel, insides[1].kernel] as const
  const policies = readPolicies(kernels, changes)
  const meter = new Meter(budget)
  const sides = [new Side(insides[0], meter), new Side(insides[1], meter)] as const
  const questions = new Questions(sides, makeObjects(kernels, isCopy ? named : undefined), meter)
  const changed = reallyChanged(questions, named)
  const { gained, lost, renamed, upstream } = whoChanges(questions, changed, options)
  const found = { upstream, policies, isCopy }
  const conditional = conditionalChanges(insides, questions, changed, found, budget)
  const policy = diffPolicies(policies, undefined, options.renames)
  return { policy, access: { gained, lost, ...(renamed.decisions === 0 ? {} : { renamed }), ...conditional } }
}

const NOTHING_RENAMED: RenamedAccess = { users: 0, decisions: 0 }

/** The flips of stored users, from the changes to what they can reach. */
function whoChanges(
  questions: Questions,
  changed: Changed,
  { first = ACCESS_PAGE_DEFAULT, after, renames }: AccessDiffOptions,
): { gained: AccessChange; lost: AccessChange; renamed: RenamedAccess; upstream: ReadonlySet<number> } {
  const { meter } = questions
  const relations = new ReachRelations(questions, changed)
  meter.run(() => {
    const roles = new ReachRoles(questions, changed)
    const roleChanges = roles.roleChanges()
    roles.askHolders(roleChanges)
    roles.askAssigned()
    relations.askHolders(roleChanges)
    relations.askChanged()
    new ReachRules(questions, changed).ask()
  })
  const page = { first: Math.min(first, ACCESS_PAGE_MAX), after }
  const { flips } = questions
  const renamed = renames === undefined ? NOTHING_RENAMED : flips.takeRenamed(renames)
  return {
    renamed,
    gained: flips.change('gained', meter.complete, page),
    lost: flips.change('lost', meter.complete, page),
    upstream: relations.upstream,
  }
}
