// A plan as people read it on a terminal: deletions first, then the other changes, then who gains and who loses access,
// the widest first. The words are those of src/model/change-words.ts.
import { styleText } from 'node:util'
import type { Plan } from '../../management/schemas/plan.ts'
import type { AccessChange, AccessDiff } from '../../model/access-diff.ts'
import {
  BY_POLICY,
  type ChangedObject,
  changesAccess,
  conditionalText,
  countsText,
  fieldTexts,
  flipText,
  formatChangeCounts,
  groupText,
  inReadingOrder,
  isCounted,
  isNobody,
  keptRulesText,
  keptText,
  keyText,
  kindText,
  laterText,
  MAY_CHANGE,
  NOT_COUNTED,
  NOTHING_CHANGES,
  NOTHING_UPCOMING,
  noticeTexts,
  objectText,
  overridableText,
  policyLines,
  sideText,
  turnText,
  UPCOMING,
  widestFirst,
} from '../../model/change-words.ts'
import { plain } from '../../model/plain-text.ts'

export interface PlanTextOptions {
  readonly colour: boolean
  /** everything, instead of the first of each list */
  readonly details: boolean
}

type Style = 'red' | 'green' | 'yellow' | 'bold' | 'dim'

/** Lines of a list that are shown without `details`. */
const SHOWN = 20
const SIGNS = { delete: '-', create: '+', update: '~', move: '>' } as const
const STYLES = { delete: 'red', create: 'green', update: 'yellow', move: 'yellow' } as const
const RULE_STYLES = { lost: 'red', gained: 'green', changed: 'yellow' } as const
/** Before a line of `policyLines`. */
export const RULE_SIGNS = { lost: '-', gained: '+', changed: '~' } as const

/** The plan as lines, each with a line break. */
export function planText(plan: Plan, options: PlanTextOptions): string {
  if (plan.changes.length === 0 && plan.tenant_roles === undefined && plan.at === undefined)
    return `${NOTHING_CHANGES}\n`
  const styled = stylist(options)
  return joinBlocks([
    [...changeLines(plan, options, styled)],
    [...tenantRoleLines(plan, options, styled)],
    [...factLines(plan, styled)],
    [...turnLines(plan, options, styled)],
    [...accessLines(plan, options, styled)],
    ...laterBlocks(plan, options, styled),
    [...hints(plan, styled)],
    [styled('bold', planCountsText(plan))],
  ])
}

/** How many of each kind of change, roles of tenants among them, in one line. */
export function planCountsText({ changes, tenant_roles: roles = [], more }: Plan): string {
  const others = roles.map((role) => ({ kind: 'tenant_role', ...role }))
  return formatChangeCounts({ changes: [...changes, ...others], more })
}

/** What time does by itself. */
export function upcomingText(plan: Plan, options: PlanTextOptions): string {
  const styled = stylist(options)
  if (plan.turns?.length === 0 && !changesAccess(plan)) return `${NOTHING_UPCOMING}\n`
  return joinBlocks([[...turnLines(plan, options, styled)], [...accessLines(plan, options, styled)]])
}

function* turnLines(
  { turns = [], more_turns: more = 0 }: Plan,
  options: PlanTextOptions,
  styled: Styled,
): Iterable<string> {
  if (turns.length === 0) return
  yield styled('bold', `${UPCOMING}:`)
  for (const turn of some(turns, options)) yield `  ${turnText(turn)}`
  yield* rest(turns, options, styled, more)
}

/** What grants of the plan do later. */
function laterBlocks({ scheduled = [] }: Plan, options: PlanTextOptions, styled: Styled): string[][] {
  return scheduled.map(({ at, grants, more, access }) => [
    styled('bold', `${laterText(at, grants.length + more)}:`),
    ...some(grants, options).map((grant) => `  ${objectText(grant)}`),
    ...rest(grants, options, styled, more),
    ...(access ? sideLines('gain', access.gained, options, styled) : []),
    ...(access ? sideLines('lose', access.lost, options, styled) : []),
  ])
}

/** Blocks of lines with an empty line between them. */
export function joinBlocks(blocks: readonly (readonly string[])[]): string {
  const texts = blocks.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'))
  return `${texts.join('\n\n')}\n`
}

type Styled = (style: Style, text: string) => string

/** Colours, or none. */
export function stylist({ colour }: Pick<PlanTextOptions, 'colour'>): Styled {
  return (style, text) => (colour ? styleText(style, text) : text)
}

/** What changes, deletions first, field by field. */
export function* changeLines(
  { changes, more }: Pick<Plan, 'more'> & { readonly changes: readonly ChangedObject[] },
  { details }: PlanTextOptions,
  styled: Styled,
): Iterable<string> {
  const inOrder = inReadingOrder(changes)
  const shown = details ? inOrder : inOrder.slice(0, SHOWN)
  for (const change of shown) {
    yield styled(STYLES[change.op], `${SIGNS[change.op]} ${objectText(change)}`)
    for (const [name, text] of fieldTexts(change)) yield `    ${name}: ${text}`
  }
  const left = changes.length - shown.length + more
  if (left > 0) yield styled('dim', `  … and ${left} more`)
}

/** Roles of tenants that a copy takes along. */
function* tenantRoleLines(
  { tenant_roles: roles = [] }: Plan,
  options: PlanTextOptions,
  styled: Styled,
): Iterable<string> {
  if (roles.length === 0) return
  yield styled('bold', 'Roles of tenants:')
  yield* changeLines({ changes: roles.map((role) => ({ kind: 'tenant_role', ...role })), more: 0 }, options, styled)
}

function* factLines({ cascade, carried }: Plan, styled: Styled): Iterable<string> {
  if (carried.length > 0) yield `Also moved: ${countsText(carried)}`
  if (cascade.length > 0)
    yield styled('red', `Also deleted, not managed by the policy: ${countsText(cascade)} (needs --cascade)`)
}

/** Who gains and who loses access. */
export function* accessLines(
  { policy, access }: AccessDiff,
  options: PlanTextOptions,
  styled: Styled,
): Iterable<string> {
  yield* ruleLines(policy, options, styled)
  yield* sideLines('gain', access.gained, options, styled)
  yield* sideLines('lose', access.lost, options, styled)
  const kept = keptText(access)
  if (kept !== undefined) yield styled('bold', kept)
  if (access.conditional.length > 0) yield styled('bold', `${MAY_CHANGE}:`)
  const conditional = access.conditional.toSorted((left, right) => right.users - left.users)
  for (const change of some(conditional, options)) yield `  ${conditionalText(change)}`
  yield* rest(conditional, options, styled)
  for (const rule of access.overridable) yield styled('yellow', `  ${overridableText(rule)}`)
  if (!isCounted({ policy, access })) yield styled('red', NOT_COUNTED)
}

function* ruleLines(policy: AccessDiff['policy'], options: PlanTextOptions, styled: Styled): Iterable<string> {
  const lines = policyLines(policy).map(({ is, text }) => styled(RULE_STYLES[is], `  ${RULE_SIGNS[is]} ${text}`))
  const kept = keptRulesText(policy)
  if (kept !== undefined) lines.push(styled('dim', `  ${kept}`))
  if (lines.length === 0) return
  yield styled('bold', `${BY_POLICY}:`)
  yield* some(lines, options)
  yield* rest(lines, options, styled)
}

function* sideLines(
  verb: 'gain' | 'lose',
  side: AccessChange,
  options: PlanTextOptions,
  styled: Styled,
): Iterable<string> {
  if (isNobody(side)) return
  yield styled('bold', `${sideText(verb, side)}:`)
  const widest = widestFirst(side.groups)
  for (const group of some(widest, options)) yield `  ${groupText(group)}`
  yield* rest(widest, options, styled, side.more_groups)
  if (options.details) for (const flip of side.first) yield styled('dim', `    ${flipText(flip)}`)
}

const some = <T>(all: readonly T[], { details }: PlanTextOptions): readonly T[] => (details ? all : all.slice(0, SHOWN))

function* rest(all: readonly unknown[], { details }: PlanTextOptions, styled: Styled, more = 0): Iterable<string> {
  const left = more + (details ? 0 : Math.max(0, all.length - SHOWN))
  if (left > 0) yield styled('dim', `  … and ${left} more`)
}

function* hints({ changes, outside, suggested, warnings = [] }: Plan, styled: Styled): Iterable<string> {
  for (const text of noticeTexts(changes)) yield styled('yellow', text)
  for (const warning of warnings) yield styled('yellow', plain(warning))
  for (const { kind, key, by, revision } of outside) {
    const who = revision === null ? '' : ` by ${plain(by ?? 'someone')} at revision ${revision}`
    yield styled('yellow', `${kindText(kind)} ${keyText(kind, key)} was changed outside the file${who}`)
  }
  for (const { kind, from, to } of suggested)
    yield `If ${kindText(kind)} ${plain(from)} was renamed to ${plain(to)}, add: moved: [{ kind: ${kind}, from: ${plain(from)}, to: ${plain(to)} }]`
}
