// Rows of CSV files (RFC 4180), each with the line on which it begins. A byte order mark, CRLF and empty lines are read
// over, and so are comments where the caller says how they begin.
import { IMPORTED_LINES_MAX } from '../../model/limits.ts'

export interface Row {
  readonly values: readonly string[]
  readonly line: number
}

export interface RowForm {
  /** between two values; a comma unless it is said */
  readonly delimiter?: string
  /** what a line that is not read begins with */
  readonly comment?: string
}

/** undefined after an error */
export function splitRows(
  text: string,
  refuse: (message: string, line: number) => void,
  { delimiter = ',', comment }: RowForm = {},
): readonly Row[] | undefined {
  const rows: Row[] = []
  const sign = delimiter.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const field = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${sign}\\r\\n]*))(${sign}|\\r?\\n|$)`, 'y')
  const whole = text.startsWith('\ufeff') ? text.slice(1) : text
  let [line, begun, values]: [number, number, string[]] = [1, 1, []]
  while (field.lastIndex < whole.length || values.length > 0) {
    if (comment !== undefined && values.length === 0 && whole.startsWith(comment, field.lastIndex)) {
      const end = whole.indexOf('\n', field.lastIndex)
      field.lastIndex = end === -1 ? whole.length : end + 1
      begun = ++line
      continue
    }
    const found = field.exec(whole)
    if (found === null) {
      refuse('a quote is not closed, or text stands beside it', line)
      return undefined
    }
    const [all, quoted, plain = '', end = ''] = found
    values.push(quoted?.replaceAll('""', '"') ?? plain)
    line += all.split('\n').length - 1
    if (end === delimiter) continue
    if (values.length > 1 || values[0] !== '') rows.push({ values, line: begun })
    if (rows.length > IMPORTED_LINES_MAX) {
      refuse(`more than ${IMPORTED_LINES_MAX} lines in one file`, line)
      return undefined
    }
    ;[values, begun] = [[], line]
  }
  return rows
}
