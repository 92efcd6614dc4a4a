// Rows of a source as facts: what names each, and what it says. Everything that a row may get wrong is a problem with
// the number of the row: NULL in a key, a number that would lose digits, a time without a zone, a column that no fact
// has. Nothing is guessed.
import { hint } from '../management/policy-file/form-sentence.ts'
import { parseInstant } from '../model/instant.ts'
import { EVERYBODY, KEY_PATTERN, USER_KEY_PATTERN } from '../model/keys.ts'
import { KEY_BYTES_MAX, SYNC_ROW_BYTES_MAX, SYNC_ROW_PROBLEMS_MAX } from '../model/limits.ts'
import type { Json } from '../model/objects.ts'
import { shortText } from '../model/shorten.ts'
import { formatContent, formatIdentity, joinIdentity } from './fact-lines.ts'
import { type Column, Columns, type ColumnType, type SectionName } from './file/sections.ts'
import type { Section } from './file/sync-file.ts'
import { Inexact, readJson } from './sources/numbers.ts'
import type { RowBatch, SourceValue } from './sources/source.ts'

/** What is wrong with a row, or, without a number, with the columns. */
export interface RowProblem {
  readonly section: SectionName
  readonly rows: readonly number[]
  readonly message: string
}

/** A row as a fact. */
export interface FactRow {
  readonly number: number
  /** components joined, so that texts in the order of their bytes are in the order of the stream */
  readonly identity: string
  /** the other fields, as one JSON text of one form */
  readonly content: string
}

/** Thrown to end the reading of a section. */
class TooMany extends Error {}

export class RowReader {
  readonly problems: RowProblem[] = []
  readonly #section: SectionName
  readonly #columns: Columns
  readonly #types: Readonly<Record<string, ColumnType>>
  #names: Set<string> | undefined
  #number = 0

  constructor(name: SectionName, { types }: Section) {
    this.#section = name
    this.#columns = new Columns(name)
    this.#types = types ?? {}
  }

  /** The facts of the rows that are right; the others are problems. Ends when there are too many of them. */
  *read({ first, columns, rows }: RowBatch): Generator<FactRow, void, undefined> {
    if (columns.length === 0 && rows.length === 0) return // nothing names the columns where there are no rows
    try {
      const known = this.#sameColumns(columns, first) ? this.#resolve(columns) : undefined
      if (known === undefined) throw new TooMany()
      for (const [at, values] of rows.entries()) {
        this.#number = first + at
        const fact = this.#readRow(known, values)
        if (fact !== undefined) yield fact
      }
    } catch (error) {
      if (!(error instanceof TooMany)) throw error
    }
  }

  /** No more rows are wanted. */
  get isFull(): boolean {
    return this.problems.length >= SYNC_ROW_PROBLEMS_MAX || this.problems.some(({ rows }) => rows.length === 0)
  }

  /** Two rows that say different things of one fact. */
  addTwice(first: number, second: number, identity: string): void {
    this.#push(`two rows differ, and both are about \`${shortText(formatIdentity(identity))}\``, first, second)
  }

  #push(message: string, ...rows: number[]): void {
    this.problems.push({ section: this.#section, rows: rows.sort((one, other) => one - other), message })
  }

  #add(message: string, ...rows: number[]): void {
    this.#push(message, ...rows)
    if (this.problems.length >= SYNC_ROW_PROBLEMS_MAX) throw new TooMany()
  }

  /** What one row names and another one does not would be changed in one fact and stay in the other. */
  #sameColumns(names: readonly string[], row: number): boolean {
    this.#names ??= new Set(names)
    const known = this.#names
    const odd = names.find((name) => !known.has(name)) ?? [...known].find((name) => !names.includes(name))
    if (odd === undefined) return true
    this.#push(`every row needs the columns of the first one: \`${shortText(odd)}\` is only in one of them`, row)
    return false
  }

  /** undefined when the columns are wrong, which is said then */
  #resolve(names: readonly string[]): Resolved[] | undefined {
    const before = this.problems.length
    const wrong = (message: string) => this.problems.push({ section: this.#section, rows: [], message })
    const resolved = names.map((name): Resolved | undefined => {
      const column = this.#columns.find(name)
      if (column !== undefined) return { name, column, type: this.#types[name] }
      wrong(`there is no field for the column \`${shortText(name)}\`${hint(name, this.#columns.list())}`)
      return undefined
    })
    for (const name of new Set(names.filter((each, at) => names.indexOf(each) !== at)))
      wrong(`two columns are called \`${shortText(name)}\``)
    for (const name of this.#columns.required()) if (!names.includes(name)) wrong(`the column \`${name}\` is missing`)
    for (const name of Object.keys(this.#types))
      if (!names.includes(name)) wrong(`\`types\` names the column \`${name}\`, which the result does not have`)
    return this.problems.length > before ? undefined : (resolved as Resolved[])
  }

  #readRow(known: readonly Resolved[], values: readonly SourceValue[]): FactRow | undefined {
    const before = this.problems.length
    const components: string[] = Array(this.#columns.components.length).fill('')
    const content: Record<string, Json> = {}
    const attributes: [string, Json][] = []
    for (const [at, resolved] of known.entries()) {
      const value = values[at] ?? null
      const { column } = resolved
      if (column.is === 'component') components[column.at] = this.#readComponent(resolved, column.form, value)
      else if (column.is === 'field') content[column.name] = this.#readField(resolved, column.form, value)
      else attributes.push([column.name, this.#readAttribute(resolved, value)])
    }
    if (attributes.length > 0) content.attributes = Object.fromEntries(attributes)
    if (this.problems.length > before) return undefined
    const text = formatContent(content)
    const identity = joinIdentity(components)
    if (text.length + identity.length > SYNC_ROW_BYTES_MAX) {
      this.#add(`the row is longer than ${SYNC_ROW_BYTES_MAX} characters`, this.#number)
      return undefined
    }
    return { number: this.#number, identity, content: text }
  }

  #readComponent({ name }: Resolved, form: Component, value: SourceValue): string {
    const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value
    if (value === null) return this.#wrong(`\`${name}\` is NULL`, '')
    if (typeof text !== 'string' || (typeof value === 'number' && !Number.isSafeInteger(value)))
      return this.#wrong(`\`${name}\` is ${describe(value)}: a key is a text or a whole number`, '')
    const fault = findFault(form, text)
    return fault === undefined ? text : this.#wrong(`\`${name}\` is \`${shortText(text)}\`: ${fault}`, '')
  }

  #readField({ name, type }: Resolved, form: 'text' | 'key' | 'instant', value: SourceValue): Json {
    if (form === 'key') return this.#readComponent({ name } as Resolved, 'key', value)
    if (value === null) return null
    if (form === 'instant') return this.#readInstant(name, value)
    if (type !== undefined && type !== 'text') return this.#wrong(`\`${name}\` is a text, and no ${type}`, null)
    if (typeof value === 'string') return this.#requireText(name, value)
    return this.#wrong(`\`${name}\` is ${describe(value)}: a text is wanted`, null)
  }

  #readInstant(name: string, value: SourceValue): Json {
    const hasZone = typeof value === 'string' && /T.*(Z|[+-]\d\d:?\d\d)$/.test(value.replace(' ', 'T'))
    if (!hasZone) return this.#wrong(`\`${name}\` is ${describe(value)}: a time with a zone is wanted`, null)
    const ms = parseInstant(value.replace(' ', 'T').replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
    if (ms === undefined) return this.#wrong(`\`${name}\` is ${describe(value)}: there is no such time`, null)
    return new Date(ms).toISOString()
  }

  #readAttribute({ name, type }: Resolved, value: SourceValue): Json {
    if (value === null) return null
    switch (type) {
      case 'number':
        return this.#readNumber(name, value)
      case 'boolean':
        if (/^(true|t|1)$/i.test(String(value))) return true
        if (/^(false|f|0)$/i.test(String(value))) return false
        return this.#wrong(`\`${name}\` is ${describe(value)}: true or false is wanted`, null)
      case 'time':
        return this.#readInstant(name, value)
      case 'json':
        return typeof value === 'string' ? this.#readJson(name, value) : this.#readJsonValue(name, value)
      case 'text':
        return typeof value === 'object'
          ? this.#wrong(`\`${name}\` is ${describe(value)}: a text is wanted`, null)
          : this.#requireText(name, String(value))
      default:
        return this.#readJsonValue(name, value)
    }
  }

  #readNumber(name: string, value: SourceValue): Json {
    const number =
      typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
        ? readJson(value.replace(/^(-?)0+(?=\d)/, '$1'))
        : value
    if (typeof number === 'number' && Number.isFinite(number)) return number
    return this.#wrong(`\`${name}\` is ${describe(value)}: a number that is kept exactly is wanted`, null)
  }

  #readJson(name: string, text: string): Json {
    try {
      return this.#readJsonValue(name, readJson(text))
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      return this.#wrong(`\`${name}\` is no JSON`, null)
    }
  }

  #readJsonValue(name: string, value: SourceValue): Json {
    if (typeof value === 'bigint' || value instanceof Inexact)
      return this.#wrong(`\`${name}\` is ${describe(value)}: it cannot be kept exactly`, null)
    if (typeof value === 'number' && !Number.isFinite(value)) return this.#wrong(`\`${name}\` is ${value}`, null)
    if (typeof value === 'string') return this.#requireText(name, value)
    if (value instanceof Uint8Array) return this.#wrong(`\`${name}\` has bytes, which no attribute has`, null)
    return value as Json
  }

  #requireText(name: string, text: string): Json {
    return text.isWellFormed() ? text : this.#wrong(`\`${name}\` is no well-formed text`, null)
  }

  #wrong<T>(message: string, instead: T): T {
    this.#add(message, this.#number)
    return instead
  }
}

interface Resolved {
  readonly name: string
  readonly column: Column
  readonly type: ColumnType | undefined
}

type Component = Extract<Column, { is: 'component' }>['form']

const PATTERNS = { key: new RegExp(KEY_PATTERN), user: new RegExp(USER_KEY_PATTERN), role: /^[\w-]+(@[\w-]+)?$/ }

/** What is wrong with a component; undefined when nothing is. */
function findFault(form: Component, text: string): string | undefined {
  if (text === '') return 'it is empty'
  if (form === 'instance') {
    const parts = text.split(':')
    return parts.length === 2 && parts.every((part) => findFault('key', part) === undefined)
      ? undefined
      : 'an instance is `type:key`'
  }
  if (form === 'holder' && text === EVERYBODY) return undefined
  if (text.length > KEY_BYTES_MAX) return `it is longer than ${KEY_BYTES_MAX} characters`
  return PATTERNS[form === 'holder' ? 'user' : form].test(text) ? undefined : 'a key has no such character'
}

function describe(value: SourceValue): string {
  if (value instanceof Inexact) return `the number ${shortText(value.text)}`
  if (typeof value === 'string') return `the text \`${shortText(value)}\``
  if (typeof value === 'bigint') return `the number ${value}`
  if (value === null) return 'NULL'
  return typeof value === 'object' ? 'an object' : `the ${typeof value} ${String(value)}`
}
