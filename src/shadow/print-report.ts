// A report of a shadow run as text. Names come from a file and may be anything: they are printed without control signs.
import { counted } from '../model/counted.ts'
import { plain } from '../model/plain-text.ts'
import { CAUSES } from './cause.ts'
import type { Difference } from './difference.ts'
import { DIRECTIONS, type DifferenceReport, type Direction } from './report.ts'

const HEADINGS: Readonly<Record<Direction, string>> = {
  gained: 'old denies, new allows',
  failed: 'one of them did not answer',
  lost: 'old allows, new denies',
}

/** The report, a group in a line, with examples. */
export function printShadowReport(report: DifferenceReport): string {
  const { counts, groups, others, unreadable } = report
  const lines = [
    `${counted(report.differences, 'difference')}${counts === null ? '' : `, ${counted(counts.sampled, 'question')} compared of ${counts.asked} asked`}`,
  ]
  if (counts !== null && counts.dropped + counts.unwritten > 0)
    lines.push(`${counted(counts.dropped + counts.unwritten, 'more difference')} counted, but not in the file`)
  if (unreadable > 0) lines.push(`${counted(unreadable, 'line')} could not be read`)
  for (const direction of DIRECTIONS) {
    const own = groups.filter((group) => group.direction === direction)
    if (own.length === 0) continue
    const sum = own.reduce((all, { count }) => all + count, 0)
    lines.push('', `${HEADINGS[direction]}: ${sum}`)
    for (const { cause, detail, count, examples } of own) {
      lines.push(`  ${String(count).padStart(7)}  ${CAUSES[cause]}${detail === '' ? '' : ` (${plain(detail)})`}`)
      for (const example of examples) lines.push(`           ${printExample(example)}`)
    }
  }
  if (others > 0) lines.push('', `${counted(others, 'difference')} of more groups`)
  return `${lines.join('\n')}\n`
}

function printExample({ user, action, resource, new_reason: found, old_reason: old }: Difference): string {
  const { type, key, tenant } = resource
  const where = `${type}${key === undefined ? '' : `:${key}`}${tenant === undefined ? '' : ` in ${tenant}`}`
  const reasons = `new: ${found}${old === undefined ? '' : `; old: ${old}`}`
  return plain(`${user ?? 'no one'} ${action} ${where}: ${reasons}`)
}
