// Applies a plan: compares access once more, refuses what the caller did not agree to, and commits. Facts may move on
// between plan and apply; objects that the plan touches may not.

import type { LogId } from '../../log/change.ts'
import type { AccessChange, AccessDiff } from '../../model/access-diff.ts'
import { usersText } from '../../model/change-words.ts'
import { counted } from '../../model/counted.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { APPLY_TRIES_MAX } from '../../model/limits.ts'
import { requireNoConflict } from '../differences/conflicts.ts'
import { requireCascade, type Wanted } from './decide-plan.ts'
import type { MadePlan } from './plan-task.ts'
import type { Planner } from './planner.ts'
import type { ApplyInput } from './use-cases.ts'

/** What is applied, and what its caller agreed to. */
export interface Applying extends Wanted {
  readonly fingerprints?: Readonly<Record<string, string | null>> | null | undefined
  readonly expected?: AccessDiff | null | undefined
  readonly force?: boolean | null | undefined
}

export interface ApplyDeps {
  readonly planner: Planner
  readonly environment: LogId
  /** id of the API key; null for the command line */
  readonly by: string | null
  /** milliseconds since 1970 */
  readonly now: () => number
  /** commits the use case `applyPlan` in the environment */
  readonly commit: (input: ApplyInput) => Promise<{ readonly revision: number }>
  /** what is on record for this very request; undefined for a new one, and where a request cannot come again */
  readonly repeated?: (() => Promise<MadePlan | undefined>) | undefined
}

/**
 * Returns what was applied, with the new revision. A request that comes again gets its answer before anything is
 * compared: by then its changes are made, and its objects are others.
 * @throws PLAN_OUTDATED when an object of the plan changed, PLAN_GREW when more access changes than expected and it is
 *   not forced, PRUNE_CASCADES, REVERT_CONFLICTS, PLAN_MOVING when others keep writing policy, and what single writes
 *   throw
 */
export async function applyInto(
  { planner, environment, by, now, commit, repeated }: ApplyDeps,
  { fingerprints, expected, force, ...wanted }: Applying,
): Promise<MadePlan> {
  const before = await repeated?.()
  if (before !== undefined) return before
  for (let tries = 0; tries < APPLY_TRIES_MAX; tries++) {
    const plan = await planner.plan({ environment, now: now(), ...wanted })
    if (fingerprints) requireSame(plan, fingerprints)
    requireNoConflict(plan)
    requireCascade(plan, wanted)
    if (expected && !force) requireNotGrown(plan.diff, expected)
    try {
      const { revision } = await commit({
        ...wanted,
        digest: plan.digest,
        by,
        answer: repeated === undefined ? null : plan,
      })
      return { ...plan, revision }
    } catch (error) {
      if (!isZerohopError(error, 'PLAN_MOVING')) throw error
    }
  }
  throw new ZerohopError('PLAN_MOVING', { times: APPLY_TRIES_MAX })
}

/** Names that an error lists. */
const NAMED_MAX = 20

function listed(names: readonly string[]): string {
  const more = names.length - NAMED_MAX
  return [...names.slice(0, NAMED_MAX), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** @throws PLAN_OUTDATED */
function requireSame({ fingerprints: now, outside }: MadePlan, then: Readonly<Record<string, string | null>>): void {
  const changed = [...new Set([...Object.keys(now), ...Object.keys(then)])].filter(
    (name) => !Object.hasOwn(now, name) || !Object.hasOwn(then, name) || now[name] !== then[name],
  )
  if (changed.length === 0) return
  const at = new Map(outside.map(({ kind, key, revision }) => [`${kind}:${key}`, revision]))
  const names = changed.map((name) => {
    const [kind = '', key = ''] = name.split(/:(.*)/s)
    const revision = at.get(name)
    const where = revision === undefined || revision === null ? '' : ` (revision ${revision})`
    return `${kind.replaceAll('_', ' ')} \`${key}\`${where}`
  })
  throw new ZerohopError('PLAN_OUTDATED', { what: listed(names) })
}

/** @throws PLAN_GREW when a group is new or larger, a condition is new, or a rule is */
function requireNotGrown({ policy, access }: AccessDiff, { policy: pairs, access: then }: AccessDiff): void {
  const grown = [
    ...listNew('gained by policy', policy.gained, pairs.gained, nameOfPair),
    ...listNew('lost by policy', policy.lost, pairs.lost, nameOfPair),
    ...listGrown('gained', access.gained, then.gained),
    ...listGrown('lost', access.lost, then.lost),
    ...listNew('changed by policy', policy.changed, pairs.changed, (rule) => {
      return `${rule.permission} by ${sourceText(rule.source)}: ${rule.before} → ${rule.after}`
    }),
    ...moreConditional(access.conditional, then.conditional),
    ...listNew('overridable', access.overridable, then.overridable, (rule) => {
      return `${rule.user_set} × ${rule.resource_set} ${rule.permission}`
    }),
  ]
  if (grown.length > 0) throw new ZerohopError('PLAN_GREW', { what: listed(grown) })
}

function listNew<T>(what: string, now: readonly T[], then: readonly T[], formatName: (one: T) => string): string[] {
  const known = new Set(then.map(formatName))
  const names = now.map(formatName).filter((name) => !known.has(name))
  return names.map((name) => `${what} ${name}`)
}

function listGrown(what: string, now: AccessChange, then: AccessChange): string[] {
  const known = new Map(then.groups.map((group) => [nameOfGroup(group), group]))
  const grown = now.groups.filter((group) => {
    const before = known.get(nameOfGroup(group))
    return before === undefined || isMore(group, before)
  })
  if (grown.length > 0) return grown.map((group) => `${what} ${nameOfGroup(group)} (${usersText(group)})`)
  if (!isMore(now, then) && (!then.complete || now.complete)) return []
  return [`${what}: ${counted(now.decisions, 'permission')} of ${usersText(now)}`]
}

/** Whether there are more users or answers, or everyone (D16) is new among them. */
const isMore = (now: Group | AccessChange, then: Group | AccessChange): boolean =>
  now.users > then.users || now.decisions > then.decisions || (now.everybody === true && !then.everybody)

type Line = AccessDiff['access']['conditional'][number]

/** Lines that are new, or about more users or tenants. */
function moreConditional(now: readonly Line[], then: readonly Line[]): string[] {
  const formatName = ({ resource, action, before, after }: Line) => `${resource}:${action}: ${before} → ${after}`
  const known = new Map(then.map((line) => [formatName(line), line]))
  const more = now.filter((line) => {
    const before = known.get(formatName(line))
    return before === undefined || line.users > before.users || line.tenants > before.tenants
  })
  return more.map((line) => `conditional ${formatName(line)} (${counted(line.users, 'user')})`)
}

type Group = AccessChange['groups'][number]
type Pair = AccessDiff['policy']['gained'][number]

const sourceText = ({ role, user_set, resource_set }: Group['source']): string =>
  role ?? `${user_set ?? ''} × ${resource_set ?? ''}`

const nameOfPair = ({ source, permission }: Pair): string => `${permission} by ${sourceText(source)}`

function nameOfGroup({ source, resource, action, tenant, lifecycle }: Group): string {
  const because = lifecycle ? `, ${lifecycle.replaceAll('_', ' ')}` : ''
  return `${resource}:${action} by ${sourceText(source)} in ${tenant}${because}`
}
