// A run of a sync as people read it on a terminal: how many facts of each kind change, who gains and loses access, what
// stays and why.
import { isCounted, kindText } from '../../model/change-words.ts'
import { counted } from '../../model/counted.ts'
import { plain } from '../../model/plain-text.ts'
import { countItems, type DifferencePlan } from '../../sync/make-plan.ts'
import type { Review } from '../../sync/review.ts'
import type { Written } from '../../sync/write-plan.ts'
import { accessLines, joinBlocks, type PlanTextOptions, stylist } from './plan-text.ts'

/** Lines of a list that are shown without `details`. */
const SHOWN = 20

export function formatReview(plan: DifferencePlan, review: Review, options: PlanTextOptions): string {
  if (countItems(plan) === 0) return 'Nothing would change.\n'
  const styled = stylist(options)
  const sections = plan.sections.map(
    ({ name, held, creates, changes, drops }) =>
      `${name}: ${number(creates)} to create, ${number(changes)} to change, ${number(drops)} to delete; ${number(held)} held`,
  )
  return joinBlocks([
    sections,
    problemLines(review.problems, options.details),
    review.access === null ? groupLines(plan, review) : [...accessLines(review.access, options, styled)],
    review.complete || (review.access !== null && !isCounted(review.access))
      ? []
      : [styled('red', 'There is too much to compare all access: these are roles, by tenant.')],
  ])
}

const number = (count: number): string => count.toLocaleString('en-US')

function groupLines(plan: DifferencePlan, { groups }: Review): string[] {
  if (groups.length === 0) return []
  const lines = groups.map(
    ({ role, tenant, gained, lost }) =>
      `  ${plain(role)} in ${plain(tenant)}: ${number(gained)} given, ${number(lost)} taken`,
  )
  const more = plan.groups.count - groups.length
  return ['Roles:', ...lines, ...(more > 0 ? [`  … and ${number(more)} more`] : [])]
}

function problemLines(problems: Review['problems'], details: boolean): string[] {
  const shown = details ? problems : problems.slice(0, SHOWN)
  const lines = shown.map((problem) => `  ${plain(formatProblem(problem))}`)
  const more = problems.length - shown.length
  return [
    ...(lines.length === 0 ? [] : ['Not as the rows say:']),
    ...lines,
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ]
}

function formatProblem({
  op,
  kind,
  key,
  reason,
  blocking = [],
  blocking_total: total = 0,
}: Review['problems'][number]): string {
  const name = `${kindText(kind)} ${key ?? ''}`.trim()
  if (op === 'put') return `${name} is refused: ${reason}`
  const [first] = blocking
  const others =
    first === undefined ? '' : `, such as ${kindText(first.kind)} ${first.key} of ${first.claims.join(', ')}`
  return `${name} stays: ${counted(total, 'fact')} of others ${total === 1 ? 'depends' : 'depend'} on it${others}`
}

export function formatWritten({ revision, slices, counts, problems }: Written): string {
  const words = Object.entries(counts)
    .filter(([outcome, count]) => count > 0 && outcome !== 'same')
    .map(([outcome, count]) => `${number(count)} ${outcome}`)
  const lines = problemLines(problems, true)
  const done = `Written in ${counted(slices, 'revision')}: ${words.join(', ') || 'nothing changed'}; revision ${revision}`
  return `${[...lines, done].join('\n')}\n`
}
