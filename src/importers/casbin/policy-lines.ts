// Reads the rules of casbin: `policy.csv`, or the rows of a database adapter as JSON. Values are those that casbin's own
// reader gives (blanks around them are cut, `""` is a quote, commas inside of parentheses do not divide); what that
// reader takes in an odd way, such as a quote that is not closed, is a problem here.
import type { Problem, Source } from '../../management/policy-file/problem.ts'
import { YamlDocument } from '../../management/policy-file/yaml-document.ts'
import { IMPORTED_LINES_MAX } from '../../model/limits.ts'

/** A rule: `p, alice, data1, read`. */
export interface PolicyLine {
  /** `p`, `g`, `g2` … */
  readonly type: string
  readonly values: readonly string[]
  readonly file: string
  readonly line: number
}

export interface PolicyLines {
  readonly lines: readonly PolicyLine[]
  readonly problems: readonly Problem[]
}

/** The rules of a file: JSON where it begins with a bracket, else CSV. */
export function readPolicyLines(source: Source): PolicyLines {
  return /^\s*\[/.test(source.text) ? readRows(source) : readCsv(source)
}

function readCsv({ name, text }: Source): PolicyLines {
  const lines: PolicyLine[] = []
  const problems: Problem[] = []
  const report = (line: number, message: string): void => {
    problems.push({ severity: 'error', message, place: { file: name, line, column: 1, length: 1 } })
  }
  if (text.startsWith('\ufeff')) report(1, 'the file begins with a byte order mark, and casbin ignores that line')
  const all = text.replace(/^\ufeff/, '').split('\n')
  if (all.length > IMPORTED_LINES_MAX) {
    report(IMPORTED_LINES_MAX, `the file has more than ${IMPORTED_LINES_MAX.toLocaleString('en-US')} lines`)
    return { lines, problems }
  }
  for (const [at, whole] of all.entries()) {
    const line = whole.trim()
    if (line === '' || line.startsWith('#')) continue
    const parsed = parseLine(line)
    if (typeof parsed === 'string') report(at + 1, parsed)
    else lines.push({ type: parsed[0] ?? '', values: parsed.slice(1), file: name, line: at + 1 })
  }
  return { lines, problems }
}

/** The values of a line, or what is wrong with it. */
function parseLine(line: string): readonly string[] | string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(line)) return 'the line has control characters'
  const fields: string[] = []
  for (let rest = line; ; ) {
    const quoted = /^\s*"((?:[^"]|"")*)"\s*(,|$)/s.exec(rest)
    const field = quoted ?? /^([^,]*)(,|$)/s.exec(rest)
    if (field === null || (quoted === null && /^\s*"/.test(rest))) return 'a quote is not closed, or text follows it'
    fields.push(quoted === null ? (field[1] ?? '').trim() : (quoted[1] ?? '').replaceAll('""', '"').trim())
    if (field[2] === '') break
    rest = rest.slice(field[0].length)
  }
  const joined = joinParentheses(fields)
  return joined === undefined ? 'a parenthesis is not closed' : joined.map(unquote)
}

/** Fields that a comma inside of parentheses divided. */
function joinParentheses(fields: readonly string[]): string[] | undefined {
  const joined: string[] = []
  let [open, depth] = ['', 0]
  for (const field of fields) {
    for (const char of field) depth += char === '(' ? 1 : char === ')' ? -1 : 0
    open += (open === '' ? '' : ',') + field
    if (depth !== 0) continue
    joined.push(open)
    open = ''
  }
  return depth === 0 ? joined : undefined
}

/** Casbin takes quotes away a second time. */
function unquote(value: string): string {
  const inner = value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
  return inner.replaceAll('""', '"').trim()
}

/** Rows as adapters keep them: `{ "ptype": "p", "v0": "alice", … }`, or lists of texts. */
function readRows(source: Source): PolicyLines {
  const lines: PolicyLine[] = []
  const problems: Problem[] = []
  const document = new YamlDocument(source)
  if (!Array.isArray(document.value)) return { lines, problems: document.problems }
  for (const [at, row] of document.value.entries()) {
    const place = document.place([at])
    const values = listValues(row)
    if (typeof values === 'string') problems.push({ severity: 'error', message: values, place })
    else lines.push({ type: values[0] ?? '', values: values.slice(1), file: source.name, line: place.line })
  }
  return { lines, problems }
}

const COLUMNS = ['v0', 'v1', 'v2', 'v3', 'v4', 'v5']
const TYPES = ['ptype', 'p_type', 'pType']
const IGNORED = ['id', '_id', 'createdAt', 'updatedAt']

function listValues(row: unknown): readonly string[] | string {
  if (Array.isArray(row)) return requireTexts(row)
  if (typeof row !== 'object' || row === null)
    return 'a row is an object with `ptype`, `v0`, `v1` …, or a list of texts'
  const fields = row as Record<string, unknown>
  const type = TYPES.map((name) => fields[name]).find((value) => value !== undefined)
  const unknown = Object.keys(fields).find((name) => ![...COLUMNS, ...TYPES, ...IGNORED].includes(name))
  if (unknown !== undefined) return `a row has the unknown member \`${unknown}\``
  const columns = COLUMNS.map((name) => fields[name] ?? '')
  return requireTexts([type, ...columns.slice(0, columns.findLastIndex((value) => value !== '') + 1)])
}

function requireTexts(values: readonly unknown[]): readonly string[] | string {
  if (values.every((value): value is string => typeof value === 'string')) return values.map((value) => value.trim())
  return 'a row has a value that is not text'
}
