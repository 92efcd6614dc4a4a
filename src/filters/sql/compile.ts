// A filter as a condition of SQL: one that is true exactly for the rows for which src/filters/evaluate.ts says so.
// Every leaf is true or false and never unknown, so that `NOT` and what an application builds around it mean what they
// say.

import { isObject } from '../../model/attribute-types.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { FilterNode, Leaf, Match, RowPath, Term } from '../../model/filter.ts'
import { parseInstant } from '../../model/instant.ts'
import type { AttributeType, Json } from '../../model/objects.ts'
import { OPERATORS, type Operator, type OperatorShape } from '../../model/operators.ts'
import { type Column, type Columns, type LinkCondition, SqlExpression, type ThroughTable } from '../meaning/mapping.ts'
import { compare as compareValues, findMember } from '../meaning/operators.ts'
import {
  columnKind,
  type Dialect,
  type Held,
  isArrayType,
  type JsonValue,
  type Kind,
  type Order,
  type Scalar,
  type TextTest,
} from './dialect.ts'
import {
  all,
  any,
  BuilderColumn,
  FALSE,
  isTrue,
  joined,
  not,
  Sql,
  sql,
  sqlText,
  TRUE,
  Unqualified,
} from './fragment.ts'
import { exists, type Item, type List, type Operand, presentScalar, toList, toScalars } from './operands.ts'

export interface CompileOptions {
  /** how the statement calls the table of the rows, or the table of a query builder */
  readonly table: string | BuilderTable | undefined
  /** the time of asking */
  readonly now: number | undefined
  /** of the rows that the condition is about */
  readonly tenant: string
}

/** A query builder's own table. */
export interface BuilderTable {
  /** @throws INPUT_INVALID when it has no column of the name */
  column(name: string): unknown
  /** names by which a text may call it */
  readonly names: readonly string[]
}

const FLIPPED = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const

type ListShape = Extract<OperatorShape, { readonly shape: 'list' }>

export class Compiler {
  readonly #dialect: Dialect
  readonly #columns: Columns
  readonly #options: CompileOptions
  #aliases = 0

  constructor(dialect: Dialect, columns: Columns, options: CompileOptions) {
    this.#dialect = dialect
    this.#columns = columns
    this.#options = options
  }

  node(node: FilterNode, item?: Item): Sql {
    if ('and' in node) return all(node.and.map((each) => this.node(each, item)))
    if ('or' in node) return any(node.or.map((each) => this.node(each, item)))
    if ('not' in node) return not(this.#leaf(node.not, item))
    return this.#leaf(node, item)
  }

  /** The row is of the tenant. */
  tenant(): Sql {
    const { tenant } = this.#columns
    return tenant === null ? TRUE : this.#isOne(this.#held(tenant), [this.#options.tenant])
  }

  #leaf(leaf: Leaf, item: Item | undefined): Sql {
    if ('op' in leaf) return this.#compare(leaf.op, this.#operand(leaf.left, item), this.#operand(leaf.right, item))
    if ('match' in leaf) return this.#match(leaf, this.#operand(leaf.left, item))
    if ('related' in leaf) return this.#related(leaf.related, leaf.type, leaf.in)
    return this.#isOne(this.#held(this.#columns.key), leaf.key.in)
  }

  #isOne(held: Held, values: readonly Scalar[]): Sql {
    const possible = values.filter((each) => typeof each !== 'string' || this.#dialect.canHold(each))
    if (possible.length === 0) return FALSE
    return possible.length === 1 ? this.#dialect.equals(held, possible[0]!) : this.#dialect.isOneOf(held, possible)
  }

  #related(name: string, type: string, keys: readonly string[]): Sql {
    const { resource, held } = this.#columns.relations.get(name)!
    if (resource !== type) return FALSE
    return 'table' in held ? this.#linked(held, keys) : this.#isOne(this.#held(held), keys)
  }

  /** Some link of the row is to one of the keys. */
  #linked({ table, from, to, tenant, where }: ThroughTable, keys: readonly string[]): Sql {
    const alias = this.#alias()
    const columnAt = (name: string) => sqlText(this.#qualified(alias, name))
    const heldAt = (column: Column) => this.#checked(column, this.#written(column.column, columnAt))
    const [{ link, row }, ...others] = from.toReversed() as [(typeof from)[number], ...typeof from]
    const tests = [
      this.#isOne(heldAt(to), keys),
      ...(tenant === undefined ? [] : [this.#isOne(heldAt(tenant), [this.#options.tenant])]),
      ...(where instanceof SqlExpression
        ? [isTrue(this.#written(where, columnAt))]
        : where.map((each) => this.#passesLink(heldAt(each.column), each.test))),
      ...others.map((each) => this.#sameKeys(heldAt(each.link), this.#held(each.row))),
    ]
    const passes = all(tests)
    if (passes === FALSE) return FALSE
    const source = typeof table === 'string' ? sqlText(this.#dialect.identifier(table)) : this.#written(table, columnAt)
    const named = sql`${source} AS ${sqlText(this.#dialect.identifier(alias))}`
    return this.#dialect.isIn(this.#held(row), heldAt(link), named, passes)
  }

  #passesLink(held: Held, test: LinkCondition['test']): Sql {
    if (test === 'null') return sql`${held.at} IS NULL`
    if (test === 'not null') return sql`${held.at} IS NOT NULL`
    return this.#isOne(held, test.oneOf)
  }

  #sameKeys(one: Held, other: Held): Sql {
    const [a, b] = [this.#dialect.value(one), this.#dialect.value(other)]
    return all([this.#dialect.present(one), this.#dialect.present(other), this.#dialect.equalTexts(a, b)])
  }

  #match({ match, where }: Match, left: Operand): Sql {
    if (match === 'object') return this.#passes(where, left)
    const list = toList(this.#context, left)
    if (list === undefined) return FALSE
    const passes = (each: Operand) => this.#passes(where, each)
    return match === 'any' ? this.#some(list, passes) : this.#every(list, passes)
  }

  #passes(where: FilterNode, value: Operand): Sql {
    if (value.is === 'constant') return isObject(value.value) ? this.node(where, { constant: value.value }) : FALSE
    if (value.is !== 'json' || value.only === 'list' || value.only === 'scalar') return FALSE
    return all([this.#dialect.isJson(value.json, 'object'), this.node(where, { json: value.json })])
  }

  #some({ sources, isList }: List, test: (item: Operand) => Sql): Sql {
    return all([isList, any(sources.map((source) => exists(source, test)))])
  }

  #every({ sources, isList }: List, test: (item: Operand) => Sql): Sql {
    return all([isList, ...sources.map((source) => not(exists(source, (item) => not(test(item)))))])
  }

  get #context() {
    return { dialect: this.#dialect, alias: () => this.#alias() }
  }

  #alias(): string {
    this.#aliases++
    return `zerohop_${this.#aliases}`
  }

  // terms

  #operand(term: Term, item: Item | undefined): Operand {
    if ('value' in term) return { is: 'constant', value: term.value, time: term.time === true }
    if ('now' in term) return { is: 'constant', value: this.#now(), time: true }
    if ('key' in term) return { is: 'held', held: this.#held(this.#columns.key), time: false }
    if ('path' in term) return this.#path(term)
    if (item === undefined) return MISSING
    if ('constant' in item) return { is: 'constant', value: findMember(item.constant, term.item), time: false }
    return { is: 'json', json: term.item.reduce((json, name) => this.#member(json, name), item.json) }
  }

  #member(json: JsonValue, name: string): JsonValue {
    return this.#dialect.member(json, name, this.#alias())
  }

  #now(): number {
    if (this.#options.now === undefined) throw invalid('this filter reads the time of asking: give `now`')
    return this.#options.now
  }

  #path({ path, type }: RowPath): Operand {
    const [name = '', ...inside] = path
    const column = this.#columns.attributes.get(name)!
    const held = this.#held(column)
    const kind = columnKind(column)
    if (kind === undefined && type === 'time')
      throw refused(name, 'it is a time, and held as text or JSON: only columns of times and numbers are compared')
    if (kind !== undefined) {
      requireFit(name, kind, type, inside)
      return { is: 'held', held, time: type === 'time' }
    }
    if (isArrayType(column.type)) {
      if (inside.length > 0 || (type !== 'array' && type !== 'json')) throw unfit(name, type, inside)
      return { is: 'held', held, time: false }
    }
    if (inside.length > 0 && type !== 'object' && type !== 'json') return MISSING
    const root = this.#dialect.json(held)
    if (inside.length > 0) return { is: 'json', json: inside.reduce((json, each) => this.#member(json, each), root) }
    return { is: 'json', json: root, ...ONLY[type as keyof typeof ONLY] }
  }

  #held(column: Column): Held {
    const { column: of } = column
    if (of instanceof SqlExpression && typeof of.text === 'string')
      return this.#checked(column, new Sql([new Unqualified(this.#unchecked(of.text), AS_FUNCTION)]))
    return this.#checked(
      column,
      this.#written(of, (name) => this.#rowColumn(name)),
    )
  }

  /** @throws FILTER_REFUSED when the dialect cannot read the column */
  #checked(column: Column, at: Sql): Held {
    const refusal = this.#dialect.refusal(column.type)
    if (refusal !== undefined) throw refused(column.name, refusal)
    return { column, at }
  }

  #rowColumn(name: string): Sql {
    const { table } = this.#options
    if (typeof table === 'string') return sqlText(this.#qualified(table, name))
    if (table === undefined) return new Sql([new Unqualified(this.#dialect.identifier(name), NAME_TABLE)])
    return new Sql([new BuilderColumn(table.column(name))])
  }

  /** A column by its name, or an expression with the columns that it asks for. */
  #written(of: string | SqlExpression, columnAt: (name: string) => Sql): Sql {
    if (typeof of === 'string') return columnAt(of)
    if (typeof of.text === 'string') return sqlText(this.#unchecked(of.text))
    const columns: Sql[] = []
    // a text of SQL has no NUL, so that one on each side of its number tells where a column stands
    const text: unknown = of.text((name) => `\0${columns.push(columnAt(name)) - 1}\0`)
    if (typeof text !== 'string') throw invalid('an expression of the mapping must give text')
    const parts = text.split('\0').map((part, index) => (index % 2 === 0 ? sqlText(part) : columns[Number(part)]!))
    return sql`(${joined(parts, '')})`
  }

  /** @throws INPUT_INVALID where the text names the table of a query builder, which may call another one so */
  #unchecked(text: string): string {
    const { table } = this.#options
    const names = typeof table === 'object' ? table.names : []
    for (const [, name = ''] of text.matchAll(BEFORE_DOT))
      if (names.some((each) => each.toLowerCase() === name.toLowerCase()))
        throw invalid(`the expression ${text} names \`${name}\`, which could be another table there: ${AS_FUNCTION}`)
    return `(${text})`
  }

  #qualified(table: string, column: string): string {
    return `${this.#dialect.identifier(table)}.${this.#dialect.identifier(column)}`
  }

  // comparisons

  #compare(op: Operator, left: Operand, right: Operand): Sql {
    if (left.is === 'constant' && right.is === 'constant') return compareValues(op, left, right) ? TRUE : FALSE
    const rule = OPERATORS[op]
    switch (rule.shape) {
      case 'equality':
        if (rule.sign === '=') return this.#equal(left, right)
        return all([this.#comparable(left, right), not(this.#equal(left, right))])
      case 'order':
        return this.#ordered(left, rule.sign, right)
      case 'range':
        return this.#between(left, rule.ends, right)
      case 'text':
        return this.#texts(left, rule.sign, right)
      case 'list':
        return this.#lists(left, rule, right)
    }
  }

  /** Both sides are there, and scalars; as instants when one of them is a time. */
  #comparable(left: Operand, right: Operand): Sql {
    const inTime = isTime(left) || isTime(right)
    return all([left, right].map((side) => presentScalar(this.#dialect, inTime ? asInstant(side) : side)))
  }

  #equal(first: Operand, second: Operand): Sql {
    const [left, right] = constantLast(...asCompared(first, second))
    const { dialect } = this.#context
    if (right.is === 'constant') {
      const value = right.value
      if (!isScalar(value) || (typeof value === 'string' && !dialect.canHold(value))) return FALSE
      if (left.is === 'held') {
        return columnKind(left.held.column) === kindOfValue(value) ? dialect.equals(left.held, value) : FALSE
      }
    }
    const [a, b] = [toScalars(dialect, left), toScalars(dialect, right)]
    const pairs: Sql[] = []
    if (a.text !== undefined && b.text !== undefined) pairs.push(dialect.equalTexts(a.text, b.text))
    if (a.number !== undefined && b.number !== undefined) pairs.push(sql`${a.number} = ${b.number}`)
    if (a.boolean !== undefined && b.boolean !== undefined) pairs.push(sql`${a.boolean} = ${b.boolean}`)
    return isTrue(any(pairs))
  }

  #ordered(first: Operand, order: Order, second: Operand): Sql {
    const [one, other] = asCompared(first, second)
    const [left, right] = constantLast(one, other)
    const way = left === one ? order : FLIPPED[order]
    const { dialect } = this.#context
    if (right.is === 'constant') {
      const value = right.value
      if (typeof value !== 'string' && typeof value !== 'number') return FALSE
      this.#requireHeld(value)
      if (left.is === 'held')
        return columnKind(left.held.column) === kindOfValue(value) ? dialect.ordered(left.held, way, value) : FALSE
    }
    const [a, b] = [toScalars(dialect, left), toScalars(dialect, right)]
    const pairs: Sql[] = []
    if (a.text !== undefined && b.text !== undefined) pairs.push(dialect.orderedTexts(a.text, way, b.text))
    if (a.number !== undefined && b.number !== undefined) pairs.push(sql`${a.number} ${sqlText(way)} ${b.number}`)
    return isTrue(any(pairs))
  }

  #between(left: Operand, [from, to]: readonly [Operator, Operator], right: Operand): Sql {
    if (right.is !== 'constant') throw refused('between', 'its bounds are of the row')
    if (!Array.isArray(right.value)) return FALSE
    const [low, high] = right.value.map((value: Json) => ({ is: 'constant' as const, value, time: false }))
    if (low === undefined || high === undefined) return FALSE
    return all([this.#compare(from, left, low), this.#compare(to, left, high)])
  }

  #texts(left: Operand, test: TextTest, right: Operand): Sql {
    for (const side of [left, right]) if (side.is === 'constant') this.#requireHeld(side.value)
    const [whole, part] = [toScalars(this.#dialect, left).text, toScalars(this.#dialect, right).text]
    return whole === undefined || part === undefined ? FALSE : isTrue(this.#dialect.testTexts(test, whole, part))
  }

  #lists(left: Operand, { items, within }: ListShape, right: Operand): Sql {
    const lists = { left: toList(this.#context, left), right: toList(this.#context, right) }
    const [value, others, whole, list] =
      within === 'right' ? [left, lists.left, right, lists.right] : [right, lists.right, left, lists.left]
    if (list === undefined) return FALSE
    if (items === 'one') return this.#isIn(value, whole, list)
    if (others === undefined) return FALSE
    const isInWhole = (item: Operand) => this.#isIn(item, whole, list)
    return items === 'some' ? this.#some(others, isInWhole) : all([list.isList, this.#every(others, isInWhole)])
  }

  /** The list, which is that of an operand too, has an item equal to the value. */
  #isIn(value: Operand, whole: Operand, list: List): Sql {
    if (whole.is !== 'constant' || value.is === 'constant') return this.#some(list, (item) => this.#equal(value, item))
    const compared = isTime(value) ? asInstant(value) : value
    const items = (whole.value as readonly Json[])
      .map((item) => (isTime(value) ? parseInstant(item) : item))
      .filter(isScalar)
      .filter((item) => typeof item !== 'string' || this.#dialect.canHold(item))
    return any(
      (['text', 'number', 'boolean'] as const).map((kind) => {
        const values = [...new Set(items.filter((item) => kindOfValue(item) === kind))]
        if (values.length === 0) return FALSE
        if (compared.is === 'held')
          return columnKind(compared.held.column) === kind ? this.#dialect.isOneOf(compared.held, values) : FALSE
        const scalar = toScalars(this.#dialect, compared)[kind]
        return scalar === undefined ? FALSE : isTrue(this.#dialect.isInList(kind, scalar, values))
      }),
    )
  }

  #requireHeld(value: Json | undefined): void {
    if (typeof value === 'string' && !this.#dialect.canHold(value))
      throw refused('a constant', `${this.#dialect.name} cannot hold its text`)
  }
}

/** Names in SQL, quoted or not, that a point comes after. */
const BEFORE_DOT = /([^\s"`.()[\],;:+\-*/|=<>!%']+)["`\]]?\s*\./gu
const NAME_TABLE = 'give the name of the table, as `table`'
const AS_FUNCTION = "write it as sql((column) => …), with column('…') for each of its columns"
const MISSING: Operand = { is: 'constant', value: undefined, time: false }

/** What a value in JSON must be when an attribute is declared, by the type that it is declared as. */
const ONLY = {
  bool: { only: 'scalar', kind: 'boolean' },
  number: { only: 'scalar', kind: 'number' },
  string: { only: 'scalar', kind: 'text' },
  object: { only: 'object' },
  array: { only: 'list' },
  object_array: { only: 'list', ofObjects: true },
  json: {},
} as const

const isScalar = (value: Json | undefined): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

function kindOfValue(value: Scalar): Kind {
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'boolean'
}

const isTime = (operand: Operand): boolean => (operand.is === 'constant' || operand.is === 'held') && operand.time

/** The value as an instant: a number. Where only text could tell it, it is refused. */
function asInstant(operand: Operand): Operand {
  switch (operand.is) {
    case 'constant':
      return { is: 'constant', value: parseInstant(operand.value), time: false }
    case 'held': {
      const kind = columnKind(operand.held.column)
      if (kind === 'number') return { ...operand, time: false }
      if (kind === 'text') throw refused(operand.held.column.name, AS_TEXT)
      return MISSING
    }
    case 'json':
      if (operand.kind === 'boolean' || operand.only === 'list' || operand.only === 'object') return MISSING
      if (operand.kind === 'number') return operand
      throw refused('a value in JSON', AS_TEXT)
    case 'value':
      if (operand.kind === 'number') return operand
      if (operand.kind === 'boolean') return MISSING
      throw refused('an item of a list', AS_TEXT)
  }
}

const AS_TEXT = 'it is compared as an instant, and held as text or JSON: only columns of times and numbers are'

function asCompared(left: Operand, right: Operand): [Operand, Operand] {
  return isTime(left) || isTime(right) ? [asInstant(left), asInstant(right)] : [left, right]
}

const constantLast = (left: Operand, right: Operand): [Operand, Operand] =>
  left.is === 'constant' ? [right, left] : [left, right]

/** A column can have values of the type that the attribute is declared as, and it has no members. */
function requireFit(name: string, kind: Kind, type: AttributeType, inside: readonly string[]): void {
  if (type === 'time' && kind === 'text')
    throw refused(name, 'it is a time, and held as text: only columns of times and numbers are compared')
  const fits = { bool: 'boolean', number: 'number', string: 'text', time: 'number', json: kind }[type as string]
  if (fits !== kind || inside.length > 0) throw unfit(name, type, inside)
}

function unfit(name: string, type: AttributeType, inside: readonly string[]): ZerohopError {
  const what = inside.length > 0 ? `reads \`${inside.join('.')}\` inside \`${name}\`` : `takes \`${name}\` for ${type}`
  return invalid(`the filter ${what}, and the mapping has another type`)
}

export function invalid(reason: string): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason })
}

function refused(what: string, reason: string): ZerohopError {
  return new ZerohopError('FILTER_REFUSED', { what: `\`${what}\``, reason })
}
