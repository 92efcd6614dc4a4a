// An access review as CSV (RFC 4180). Each line says of which environment and revision it is, so that it still does
// when lines are sorted, filtered or copied.
import type { ComparedLine } from '../../image/access-review/review.ts'
import { formatInstant } from '../../model/print-time.ts'
import type { NotedLine } from './notes.ts'

/** What every line begins with. */
export interface CsvHead {
  /** as `project/environment` */
  readonly environment: string
  readonly revision: number
  /** when it was written */
  readonly time: string
  /** the revision that it is compared with */
  readonly since: number | null
  /** with a last column for when the access was last used */
  readonly hasUses?: boolean
}

const COLUMNS = [
  ...['environment', 'revision', 'time', 'since', 'change', 'user', 'access', 'action', 'resource'],
  ...['resource_instance', 'tenant', 'by', 'role', 'user_set', 'resource_set', 'derived', 'when'],
  ...['valid_from', 'valid_until', 'reason', 'ticket'],
]

const END = '\r\n'

/** The first line of a file. */
export const csvHeader = ({ hasUses = false }: Pick<CsvHead, 'hasUses'>): string =>
  `${[...COLUMNS, ...(hasUses ? ['last_used'] : [])].join(',')}${END}`

/** A line of the review, or the last one of the file. */
export type CsvLine = Omit<NotedLine, 'access'> & {
  readonly access: ComparedLine['access'] | 'complete'
  /** as ISO 8601, where it is asked for */
  readonly last_used?: string | null
}

export function csvLine({ environment, revision, time, since, hasUses = false }: CsvHead, line: CsvLine): string {
  const { user, tenant, resource, resource_instance: instance, action, access, source, derived, when, change } = line
  const { valid_from: from, valid_until: until, reason, ticket, last_used: used } = line
  const isAbout = resource !== null
  const values = [
    ...[environment, revision, time, since, change, user, access, action, resource],
    ...[isAbout ? (instance ?? '*') : null, isAbout ? (tenant ?? '*') : null],
    ...[source?.kind, source?.role, source?.user_set, source?.resource_set, derived ? 'yes' : null, when],
    ...[from, until].map((at) => (at === undefined ? null : formatInstant(at))),
    ...[reason, ticket],
    ...(hasUses ? [used] : []),
  ]
  return `${values.map(cell).join(',')}${END}`
}

/** Where a spreadsheet takes a text for a formula, an apostrophe before it makes it a text. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const QUOTED = /[",\r\n]|^\s|\s$/

/** A value as a cell: quoted where it must be, and never a formula. */
export function cell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return ''
  const text = String(value)
  const safe = FORMULA.test(text) ? `'${text}` : text
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
