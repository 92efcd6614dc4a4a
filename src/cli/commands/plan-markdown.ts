// A plan as Markdown, for a comment on a pull request. Keys of users are left out unless asked for: whoever reads the
// repository need not know them.

import type { Plan } from '../../management/schemas/plan.ts'
import type { AccessChange } from '../../model/access-diff.ts'
import {
  BY_POLICY,
  formatChangeCounts,
  isCounted,
  isNobody,
  keptRulesText,
  keptText,
  keyText,
  NOT_COUNTED,
  NOTHING_CHANGES,
  noticeTexts,
  policyLines,
  sideText,
  sourceText,
  widestFirst,
} from '../../model/change-words.ts'
import { counted } from '../../model/counted.ts'
import { plain } from '../../model/plain-text.ts'
import { RULE_SIGNS } from './plan-text.ts'

export interface MarkdownOptions {
  /** keys of users, of instances and of tenants */
  readonly names: boolean
}

/** Rows of one table: a comment on a pull request has a bound. */
const ROWS = 50
/** Kinds of objects whose keys are those of people or of their data. */
const FACTS = /^(user|tenant|membership|resource_instance|relationship_tuple|role_assignment)$/

/** The comment, ending in a line break. */
export function planMarkdown(plan: Plan, target: string, { names }: MarkdownOptions): string {
  const title = `### Policy plan for \`${code(target)}\``
  if (plan.changes.length === 0) return `${title}\n\n${NOTHING_CHANGES}\n`
  const { gained, lost, conditional } = plan.access
  const rules = policyLines(plan.policy).map(({ is, text }) => `${RULE_SIGNS[is]} ${text}`)
  const blocks = [
    title,
    `**${formatChangeCounts(plan)}**`,
    plan.cascade.length > 0
      ? `⚠ Also deleted: ${plan.cascade.map(({ kind, count }) => `${count} × ${kind}`).join(', ')}`
      : '',
    rules.length > 0 ? [`${BY_POLICY}:`, '```diff', ...diffLines(rules), '```'].join('\n') : '',
    ...side('gain', gained, names),
    ...side('lose', lost, names),
    bold(keptText(plan.access)),
    escaped(keptRulesText(plan.policy) ?? ''),
    noticeTexts(plan.changes, { names })
      .map((text) => `⚠ ${escaped(text)}`)
      .join('\n\n'),
    conditional.length > 0
      ? folded(`${counted(conditional.length, 'permission')} might change, depending on request data`, [
          '| action | resource | before | after | users |',
          '|---|---|---|---|--:|',
          ...rows(conditional, ({ action, resource, before, after, users }) => [
            action,
            resource,
            before,
            after,
            users,
          ]),
        ])
      : '',
    isCounted(plan) ? '' : `⚠ ${NOT_COUNTED}`,
    folded('Changes', [
      '| | kind | key | fields |',
      '|---|---|---|---|',
      ...rows(plan.changes, ({ op, kind, key, fields }) => {
        const isHidden = !names && FACTS.test(kind)
        return [op, kind, isHidden ? '…' : keyText(kind, key), isHidden ? '' : Object.keys(fields).join(', ')]
      }),
    ]),
    plan.outside.length > 0
      ? `⚠ Changed outside the file: ${plan.outside.map(({ kind, key }) => `${kind} \`${code(keyText(kind, key))}\``).join(', ')}`
      : '',
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function side(verb: 'gain' | 'lose', change: AccessChange, names: boolean): string[] {
  const { groups, first } = change
  if (isNobody(change)) return []
  const widest = widestFirst(groups)
  const table = [
    '| action | resource | tenant | as | users |',
    '|---|---|---|---|--:|',
    ...rows(widest, ({ action, resource, tenant, source, users, everybody }) => [
      action,
      resource,
      names ? tenant : '…',
      sourceText(source),
      everybody ? ['everyone', ...(users === 0 ? [] : [users])].join(' + ') : users,
    ]),
  ]
  const who = [
    '| user | action | resource | tenant |',
    '|---|---|---|---|',
    ...rows(first, ({ user, action, resource: { type, key }, tenant }) => {
      return [user, action, key ? `${type}:${key}` : type, tenant]
    }),
  ]
  return [`**${sideText(verb, change)}**`, folded('By role and rule', table), ...(names ? [folded('Who', who)] : [])]
}

/** Lines of a block of code, which they cannot end. */
function diffLines(lines: readonly string[]): string[] {
  const shown = lines.slice(0, ROWS).map((line) => code(line).replace(/^~/, '!'))
  return lines.length <= ROWS ? shown : [...shown, `… and ${lines.length - ROWS} more`]
}

function rows<T>(all: readonly T[], cells: (one: T) => readonly (string | number)[]): string[] {
  const shown = all.slice(0, ROWS).map(
    (one) =>
      `| ${cells(one)
        .map((cell) => escaped(String(cell)))
        .join(' | ')} |`,
  )
  return all.length <= ROWS ? shown : [...shown, `| … and ${all.length - ROWS} more |`]
}

const bold = (text: string | undefined): string => (text === undefined ? '' : `**${text}**`)

const folded = (summary: string, lines: readonly string[]): string =>
  [`<details><summary>${summary}</summary>`, '', ...lines, '', '</details>'].join('\n')

/** Text of a policy must not become markup, nor another cell. */
const escaped = (text: string): string =>
  plain(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/([`*_[\]\\@#|])/g, '\\$1')

const code = (text: string): string => plain(text).replaceAll('`', 'ʼ')
