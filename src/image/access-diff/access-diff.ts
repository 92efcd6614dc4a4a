// The access diff of two images: what a change does to who may do what. docs/access-diff.md defines it.
import type { PolicyChange } from '../../log/delta.ts'
import type { AccessChange, AccessDiff, RenamedAccess } from '../../model/access-diff.ts'
import { ACCESS_DIFF_WORK_MAX, ACCESS_PAGE_DEFAULT, ACCESS_PAGE_MAX } from '../../model/limits.ts'
import type { Image } from '../image.ts'
import { ownAloneIn } from '../records/everybody.ts'
import { type Changed, changedBy } from './changed.ts'
import { conditionalChanges } from './conditional.ts'
import { Meter } from './meter.ts'
import { makeObjects } from './objects.ts'
import { diffPolicies, readPolicies, ruleDiffs } from './policy-diff.ts'
import { Questions } from './questions.ts'
import { ReachRelations } from './reach-relations.ts'
import { ReachRoles } from './reach-roles.ts'
import { ReachRules } from './reach-rules.ts'
import { reallyChanged } from './really-changed.ts'
import type { Renames } from './renames.ts'
import { type Inside, Side } from './side.ts'
import { withSince } from './since.ts'
import { withGrantsOfSuspended } from './suspended.ts'

export interface AccessDiffOptions {
  /** milliseconds since 1970: the instant of every question (D10), or of those about the first image */
  readonly now: number
  /** the instant of the questions about the second image; `changes` must name what `listTurns` lists between the two */
  readonly nowAfter?: number | undefined
  /** whether some of that is left out: then no part is complete */
  readonly isCut?: boolean | undefined
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
  const { now, nowAfter = now } = options
  const compute = (was: Inside, is: Inside) =>
    /* canary: diffs-by-own-roles */ ownAloneIn([was.kernel, is.kernel], () =>
      computeDiff([was, is], changes, { ...options, named, isCopy }),
    )
  const diff = before.inside((was) => after.inside((is) => compute(was, is), nowAfter), now)
  if (nowAfter === now) return diff
  const { gained, lost, ...access } = diff.access
  const dated = (change: AccessChange): AccessChange => ({
    ...change,
    first: withSince(after, change.first, now, nowAfter),
  })
  return { ...diff, access: { gained: dated(gained), lost: dated(lost), ...access } }
}

function computeDiff(
  insides: readonly [Inside, Inside],
  changes: readonly PolicyChange[],
  { named, isCopy, ...options }: AccessDiffOptions & { readonly named: Changed; readonly isCopy: boolean },
): AccessDiff {
  const { budget = ACCESS_DIFF_WORK_MAX, now, nowAfter = now, isCut = false, renames } = options
  const kernels = [insides[0].kernel, insides[1].kernel] as const
  const instants = nowAfter === now ? undefined : ([now, nowAfter] as const)
  const policies = readPolicies(kernels, changes, instants)
  const timed = instants === undefined ? [] : ruleDiffs(...policies!, instants).map(({ rule }) => rule)
  const meter = new Meter(budget)
  meter.complete = !isCut
  const sides = [new Side(insides[0], meter), new Side(insides[1], meter)] as const
  const questions = new Questions(sides, makeObjects(kernels, isCopy ? named : undefined), meter)
  const changed = withGrantsOfSuspended(
    kernels,
    reallyChanged(questions, { ...named, rules: [...named.rules, ...timed] }),
    instants !== undefined,
  )
  const mark = () => markConditions(questions, insides[0], timed, nowAfter)
  const { gained, lost, renamed, upstream } = whoChanges(questions, changed, mark, options)
  const found = { upstream, policies, isCopy, instants }
  const conditional = conditionalChanges(insides, questions, changed, found, budget)
  const policy = diffPolicies(policies, { renames, instants })
  const access = { gained, lost, ...(renamed.decisions === 0 ? {} : { renamed }), ...conditional }
  return { policy, access: { ...access, conditional_complete: access.conditional_complete && !isCut } }
}

/** Marks what flips already when the first image is asked with the other `context.now`, and nothing starts or ends. */
function markConditions(
  questions: Questions,
  inside: Inside,
  rules: readonly { readonly permission: string }[],
  nowAfter: number,
): void {
  const permissions = new Set(rules.map(({ permission }) => questions.permissions.named(permission)))
  if (permissions.size === 0) return
  const { required } = inside
  const { clock } = required
  const side = new Side(inside, questions.meter)
  required.clock = () => nowAfter
  try {
    questions.flips.markConditions(
      (direction, asked) =>
        permissions.has(asked.permission) && questions.decide(side, 0, asked) === (direction === 'gained'),
    )
  } finally {
    required.clock = clock
  }
}

const NOTHING_RENAMED: RenamedAccess = { users: 0, decisions: 0 }

/** The flips of stored users, from the changes to what they can reach. */
function whoChanges(
  questions: Questions,
  changed: Changed,
  mark: () => void,
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
    mark()
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
