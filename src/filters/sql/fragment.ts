// Pieces of SQL: text with bound values between. A value never becomes text: only `sqlText` and the names that a
// dialect quotes do.

/** A value that is sent apart from the text. The same object may stand in several places. */
export class Bound {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

/** A name of the row that its table does not go before: inside a subquery it could be that of another table. */
export class Unqualified {
  readonly text: string
  /** what to do where it is inside of one */
  readonly advice: string

  constructor(text: string, advice: string) {
    this.text = text
    this.advice = advice
  }
}

/** A query builder's own object for a column, which writes it as it is called where the condition stands. */
export class BuilderColumn {
  readonly column: unknown

  constructor(column: unknown) {
    this.column = column
  }
}

type Part = string | Bound | Unqualified | BuilderColumn

export class Sql {
  readonly parts: readonly Part[]

  constructor(parts: readonly Part[]) {
    this.parts = parts
  }
}

/** What `toSql` returns: the text of a condition, and the values of its placeholders in their order. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** Text that is already SQL. */
export const sqlText = (text: string): Sql => new Sql([text])

/** SQL with pieces and bound values in it. */
export function sql(texts: TemplateStringsArray, ...inside: readonly (Sql | Bound)[]): Sql {
  const parts: Part[] = [texts[0]!]
  for (const [index, each] of inside.entries()) {
    if (each instanceof Bound) parts.push(each)
    else for (const part of each.parts) parts.push(part) // not as arguments: a stack has room for some 100,000
    parts.push(texts[index + 1]!)
  }
  return new Sql(parts)
}

export function joined(pieces: readonly Sql[], between: string): Sql {
  return new Sql(pieces.flatMap(({ parts }, index) => (index === 0 ? parts : [between, ...parts])))
}

/** True and false without a word that an old database may take for a column. */
export const TRUE = sqlText('1 = 1')
export const FALSE = sqlText('1 = 0')

/** All of the conditions. Each is true or false, never unknown, and so is the answer. */
export function all(conditions: readonly Sql[]): Sql {
  if (conditions.includes(FALSE)) return FALSE
  return joinInGroups(
    conditions.filter((each) => each !== TRUE),
    ' AND ',
    TRUE,
  )
}

/** Any of the conditions. */
export function any(conditions: readonly Sql[]): Sql {
  if (conditions.includes(TRUE)) return TRUE
  return joinInGroups(
    conditions.filter((each) => each !== FALSE),
    ' OR ',
    FALSE,
  )
}

/** Conditions in a row: SQLite takes 1,000 levels, and counts each of a row as one, again in every subquery. */
const IN_A_ROW_MAX = 50

function joinInGroups(conditions: readonly Sql[], between: string, none: Sql): Sql {
  if (conditions.length < 2) return conditions[0] ?? none
  if (conditions.length <= IN_A_ROW_MAX) return sql`(${joined(conditions, between)})`
  const groups = Array.from({ length: Math.ceil(conditions.length / IN_A_ROW_MAX) }, (_, at) => {
    return joinInGroups(conditions.slice(at * IN_A_ROW_MAX, (at + 1) * IN_A_ROW_MAX), between, none)
  })
  return joinInGroups(groups, between, none)
}

export function not(condition: Sql): Sql {
  if (condition === TRUE) return FALSE
  if (condition === FALSE) return TRUE
  return sql`NOT (${condition})`
}

/** The condition, false also where it was unknown before. */
export const isTrue = (condition: Sql): Sql =>
  condition === TRUE || condition === FALSE ? condition : sql`(${condition}) IS TRUE`

/** The text with placeholders: `$1` and on from `first`, each value once; or a `?` for each place. */
export function statement({ parts }: Sql, placeholder: 'numbered' | 'question', first: number): Statement {
  const values: unknown[] = []
  const numbers = new Map<Bound, number>()
  const text = parts.map((part) => {
    if (typeof part === 'string') return part
    if (part instanceof Unqualified) return part.text
    if (part instanceof BuilderColumn) throw new Error('a column of a query builder is no text')
    const known = placeholder === 'numbered' ? numbers.get(part) : undefined
    if (known !== undefined) return `$${known}`
    values.push(part.value)
    if (placeholder === 'question') return '?'
    numbers.set(part, first + values.length - 1)
    return `$${first + values.length - 1}`
  })
  return { text: text.join(''), values }
}

/** The pieces between values, and the values: what the tag of a template takes. */
export function template({ parts }: Sql): { readonly texts: readonly string[]; readonly values: readonly unknown[] } {
  const texts = ['']
  const values: unknown[] = []
  for (const part of parts) {
    if (part instanceof Bound || part instanceof BuilderColumn) {
      values.push(part instanceof Bound ? part.value : part.column)
      texts.push('')
    } else texts[texts.length - 1] += typeof part === 'string' ? part : part.text
  }
  return { texts, values }
}

/** Levels of parentheses and CASE. What a quoted name holds does not count. */
export function countNesting({ parts }: Sql): number {
  const text = parts.map((part) => (typeof part === 'string' ? part : '?')).join('')
  let [level, most] = [0, 0]
  for (const [word] of text.replaceAll(/`[^`]*`/g, '').matchAll(/[()]|\bCASE\b|\bEND\b/g)) {
    level += word === '(' || word === 'CASE' ? 1 : -1
    most = Math.max(most, level)
  }
  return most
}
