// SCIM filters (RFC 7644, 3.4.2.2): read into a tree, which is asked about one resource after the other. The same form
// stands in brackets in the path of an operation, about the values of one attribute.
import { foldCase } from '../../model/fold-case.ts'
import { SCIM_FILTER_DEPTH_MAX, SCIM_FILTER_LENGTH_MAX, SCIM_FILTER_TERMS_MAX } from '../../model/limits.ts'
import type { Json, JsonObject } from '../../model/objects.ts'
import { type AttributePath, findValue, NAME, resolvePath } from './paths.ts'
import { isObject, toBoolean } from './read-resource.ts'
import { type Attribute, findPart, type ResourceType } from './schemas.ts'
import { quote, refusal } from './scim-error.ts'

const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
type Operator = (typeof OPERATORS)[number]
type Literal = string | number | boolean | null

export type Filter =
  | { readonly kind: 'and' | 'or'; readonly items: readonly Filter[] }
  | { readonly kind: 'not'; readonly item: Filter }
  | { readonly kind: 'present'; readonly path: AttributePath }
  | { readonly kind: 'compare'; readonly path: AttributePath; readonly operator: Operator; readonly value: Literal }
  /** true when one value of the attribute fits */
  | { readonly kind: 'values'; readonly path: AttributePath; readonly item: Filter }

/** How the names of a filter are found: in a type of resource, or among the parts of an attribute. */
type Resolve = (name: string) => AttributePath | undefined

/** Reads a filter about resources. @throws SCIM_INVALID */
export const parseFilter = (type: ResourceType, text: string): Filter =>
  new Parser(text).whole((name) => resolvePath(type, name))

/** Reads a filter in brackets about the values of an attribute, from `[` on. @throws SCIM_INVALID */
export function parseValueFilter(attribute: Attribute, text: string, from: number): { filter: Filter; end: number } {
  const parser = new Parser(text, from)
  return { filter: parser.bracketed(attribute), end: parser.at }
}

class Parser {
  at: number
  readonly #text: string
  #terms = 0
  #depth = 0

  constructor(text: string, at = 0) {
    if (text.length > SCIM_FILTER_LENGTH_MAX)
      throw refusal('invalidFilter', `the filter has more than ${SCIM_FILTER_LENGTH_MAX} characters`)
    this.#text = text
    this.at = at
  }

  whole(resolve: Resolve): Filter {
    const filter = this.#or(resolve)
    this.#blanks()
    if (this.at < this.#text.length) throw this.#wrong('an operator or the end')
    return filter
  }

  bracketed(attribute: Attribute): Filter {
    this.#take('[')
    const filter = this.#inside(() =>
      this.#or((name) => {
        const part = findPart(attribute, name)
        return part && { attribute: part }
      }),
    )
    this.#blanks()
    this.#take(']')
    return filter
  }

  #or(resolve: Resolve): Filter {
    const items = [this.#and(resolve)]
    while (this.#word('or')) items.push(this.#and(resolve))
    return items.length === 1 ? items[0]! : { kind: 'or', items }
  }

  #and(resolve: Resolve): Filter {
    const items = [this.#term(resolve)]
    while (this.#word('and')) items.push(this.#term(resolve))
    return items.length === 1 ? items[0]! : { kind: 'and', items }
  }

  #term(resolve: Resolve): Filter {
    this.#blanks()
    if (this.#text[this.at] === '(') return this.#parentheses(resolve)
    const start = this.at
    const name = this.#name()
    if (name.toLowerCase() === 'not') {
      this.#blanks()
      if (this.#text[this.at] === '(') return { kind: 'not', item: this.#parentheses(resolve) }
    }
    const path = resolve(name)
    if (path === undefined) {
      this.at = start
      throw refusal('invalidFilter', `there is no attribute ${quote(name)}`)
    }
    if (++this.#terms > SCIM_FILTER_TERMS_MAX)
      throw refusal('invalidFilter', `the filter has more than ${SCIM_FILTER_TERMS_MAX} comparisons`)
    if (this.#text[this.at] === '[') {
      if (path.part !== undefined || path.attribute.type !== 'complex') throw this.#wrong('an operator')
      return { kind: 'values', path, item: this.bracketed(path.attribute) }
    }
    if (this.#word('pr')) return { kind: 'present', path }
    const operator = OPERATORS.find((one) => this.#word(one))
    if (operator === undefined) throw this.#wrong('an operator')
    return comparison(path, operator, this.#literal())
  }

  #parentheses(resolve: Resolve): Filter {
    this.#take('(')
    const filter = this.#inside(() => this.#or(resolve))
    this.#blanks()
    this.#take(')')
    return filter
  }

  #inside<T>(read: () => T): T {
    if (++this.#depth > SCIM_FILTER_DEPTH_MAX)
      throw refusal('invalidFilter', `the filter is nested deeper than ${SCIM_FILTER_DEPTH_MAX} levels`)
    const value = read()
    this.#depth--
    return value
  }

  #name(): string {
    NAME.lastIndex = this.at
    const found = NAME.exec(this.#text)?.[0]
    if (found === undefined) throw this.#wrong('the name of an attribute')
    this.at += found.length
    return found
  }

  #literal(): Literal {
    this.#blanks()
    const rest = this.#text.slice(this.at)
    const found = /^(?:"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?=[\s)\]]|$)/i.exec(
      rest,
    )?.[0]
    if (found === undefined) throw this.#wrong('a value: a text in quotes, a number, true, false or null')
    this.at += found.length
    try {
      return JSON.parse(found.startsWith('"') ? found : found.toLowerCase()) as Literal
    } catch {
      throw refusal('invalidFilter', `${quote(found)} is not a text in JSON`)
    }
  }

  /** Takes a word when it is next, in any letter case. */
  #word(word: string): boolean {
    const from = this.at
    this.#blanks()
    const next = this.#text.slice(this.at, this.at + word.length)
    const after = this.#text[this.at + word.length]
    if (next.toLowerCase() === word && (after === undefined || /[\s()[\]"]/.test(after))) {
      this.at += word.length
      return true
    }
    this.at = from
    return false
  }

  #take(sign: string): void {
    if (this.#text[this.at] !== sign) throw this.#wrong(`\`${sign}\``)
    this.at++
  }

  #blanks(): void {
    while (this.#text[this.at] === ' ' || this.#text[this.at] === '\t') this.at++
  }

  #wrong(expected: string): Error {
    const found = this.#text.slice(this.at, this.at + 20)
    const where = found === '' ? 'at the end' : `at ${quote(found)}`
    return refusal('invalidFilter', `expected ${expected} ${where} of the filter ${quote(this.#text)}`)
  }
}

/** @throws SCIM_INVALID where the attribute has no such operator or value */
function comparison(path: AttributePath, operator: Operator, sent: Literal): Filter {
  // `emails eq "a@b.c"` is about the main part
  const main =
    path.part === undefined && path.attribute.type === 'complex' ? findPart(path.attribute, 'value') : undefined
  const full = main === undefined ? path : { ...path, part: main }
  const about = full.part ?? full.attribute
  const isEquality = operator === 'eq' || operator === 'ne'
  const refuse = (reason: string) => refusal('invalidFilter', `${quote(about.name)}: ${reason}`)
  if (about.type === 'complex') throw refuse('it has parts, and is compared by one of them')
  if (sent === null) {
    if (!isEquality) throw refuse(`null is compared by eq and ne alone`)
    return { kind: 'compare', path: full, operator, value: null }
  }
  const value = about.type === 'boolean' ? toBoolean(sent) : typeof sent === 'string' ? sent : undefined
  if (value === undefined) throw refuse(`it is compared with ${about.type === 'boolean' ? 'true or false' : 'a text'}`)
  if (about.type === 'boolean' && !isEquality) throw refuse(`it is compared by eq and ne alone`)
  if (
    about.type === 'dateTime' &&
    (Number.isNaN(Date.parse(value as string)) || (/^[cse]/.test(operator) && operator !== 'eq'))
  )
    throw refuse('it is an instant, compared with another one')
  return { kind: 'compare', path: full, operator, value }
}

/** Whether a filter is true of a resource, or of one value of an attribute. */
export function holds(filter: Filter, of: JsonObject): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.items.every((item) => holds(item, of))
    case 'or':
      return filter.items.some((item) => holds(item, of))
    case 'not':
      return !holds(filter.item, of)
    case 'present':
      return valuesAt(of, filter.path).some((value) => value !== '')
    case 'values':
      return valuesAt(of, filter.path).some((value) => isObject(value) && holds(filter.item, value))
    case 'compare': {
      const values = valuesAt(of, filter.path)
      const { operator } = filter
      if (operator === 'ne') return !holds({ ...filter, operator: 'eq' }, of)
      if (filter.value === null) return values.length === 0
      const about = filter.path.part ?? filter.path.attribute
      return values.some((value) => compare(about, operator, value, filter.value as string | boolean))
    }
    default:
      return filter satisfies never
  }
}

/** Every value of an attribute, or of a part of it. */
function valuesAt(of: JsonObject, path: AttributePath): readonly Json[] {
  const value = findValue(of, path)
  const all = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]
  const { part } = path
  if (part === undefined) return all
  return all.flatMap((one: Json) => (isObject(one) ? (one[part.name] ?? []) : []))
}

function compare(about: Attribute, operator: Exclude<Operator, 'ne'>, stored: Json, sent: string | boolean): boolean {
  if (typeof stored !== 'string' || typeof sent !== 'string') return stored === sent
  if (about.type === 'dateTime') return ordered(operator, Date.parse(stored), Date.parse(sent))
  const [one, other] = about.caseExact ? [stored, sent] : [foldCase(stored), foldCase(sent)]
  if (operator === 'co') return one.includes(other)
  if (operator === 'sw') return one.startsWith(other)
  if (operator === 'ew') return one.endsWith(other)
  return ordered(operator, one, other)
}

function ordered<T extends number | string>(operator: Operator, one: T, other: T): boolean {
  if (operator === 'gt') return one > other
  if (operator === 'ge') return one >= other
  if (operator === 'lt') return one < other
  if (operator === 'le') return one <= other
  return one === other
}

/** The texts that must be equal for the filter to be true, by the path of the attribute: they are looked up. */
export function* equalities(filter: Filter): Iterable<{ readonly name: string; readonly value: string }> {
  if (filter.kind === 'and') for (const item of filter.items) yield* equalities(item)
  if (filter.kind === 'values' && filter.path.extension === undefined)
    for (const { name, value } of equalities(filter.item))
      yield { name: `${filter.path.attribute.name}.${name}`, value }
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || typeof filter.value !== 'string') return
  const { attribute, part, extension } = filter.path
  if (extension === undefined)
    yield { name: part ? `${attribute.name}.${part.name}` : attribute.name, value: filter.value }
}
