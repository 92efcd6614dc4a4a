// The sides of a comparison in SQL: what is known while the condition is written, a column, a value inside JSON, an
// item of a list of constants.
import { ZerohopError } from '../../model/errors.ts'
import type { Json, JsonObject } from '../../model/objects.ts'
import { columnKind, type Dialect, type Held, isArrayType, type JsonValue, type Kind, type Scalar } from './dialect.ts'
import { all, any, FALSE, not, type Sql, sql, TRUE, Unqualified } from './fragment.ts'

export type Operand =
  | { readonly is: 'constant'; readonly value: Json | undefined; readonly time: boolean }
  | { readonly is: 'held'; readonly held: Held; readonly time: boolean }
  | {
      readonly is: 'json'
      readonly json: JsonValue
      /** what it must be; anything when absent */
      readonly only?: 'scalar' | 'list' | 'object'
      /** of a scalar that must be of one kind */
      readonly kind?: Kind
      /** a list that counts only when all of its items are objects */
      readonly ofObjects?: boolean
    }
  | { readonly is: 'value'; readonly value: Sql; readonly kind: Kind }

/** What the terms of a match read. */
export type Item = { readonly constant: JsonObject } | { readonly json: JsonValue }

/** A value as each kind of scalar: NULL when it is not of that kind, absent when it can never be. */
export type Scalars = { readonly [K in Kind]?: Sql }

export function toScalars(dialect: Dialect, operand: Operand): Scalars {
  switch (operand.is) {
    case 'constant': {
      const { value } = operand
      if (typeof value === 'string') return { text: dialect.constant(value) }
      if (typeof value === 'number') return { number: dialect.constant(value) }
      return typeof value === 'boolean' ? { boolean: dialect.constant(value) } : {}
    }
    case 'held': {
      const kind = columnKind(operand.held.column)
      return kind === undefined ? {} : { [kind]: dialect.value(operand.held) }
    }
    case 'value':
      return { [operand.kind]: operand.value }
    case 'json': {
      const { json, only, kind } = operand
      if (only === 'list' || only === 'object') return {}
      const kinds: readonly Kind[] = kind === undefined ? ['text', 'number', 'boolean'] : [kind]
      return Object.fromEntries(kinds.map((each) => [each, dialect.scalar(json, each)]))
    }
  }
}

/** It has a value that is a scalar. */
export function presentScalar(dialect: Dialect, operand: Operand): Sql {
  if (operand.is === 'held')
    return columnKind(operand.held.column) === undefined ? FALSE : dialect.present(operand.held)
  const scalars = Object.values(toScalars(dialect, operand))
  if (operand.is === 'constant') return scalars.length > 0 ? TRUE : FALSE
  return any(scalars.map((each) => sql`${each} IS NOT NULL`))
}

/** A list: whether there is one, and its items in one or more sources. */
export interface List {
  readonly isList: Sql
  readonly sources: readonly Items[]
}
interface Items {
  /** what the items are read from; one item when absent */
  readonly from?: Sql
  readonly item: Operand
}

interface Context {
  readonly dialect: Dialect
  readonly alias: () => string
}

/** The operand as a list; undefined when it cannot be one. */
export function toList({ dialect, alias }: Context, operand: Operand): List | undefined {
  if (operand.is === 'constant')
    return Array.isArray(operand.value) ? constantList(operand.value, { dialect, alias }) : undefined
  if (operand.is === 'held') {
    const { held } = operand
    if (!isArrayType(held.column.type)) return undefined
    const { from, item } = dialect.arrayItems(held, alias())
    return { isList: dialect.isArray(held), sources: [{ from, item: { is: 'held', held: item, time: false } }] }
  }
  if (operand.is !== 'json' || operand.only === 'scalar' || operand.only === 'object') return undefined
  const { from, item } = dialect.jsonItems(operand.json, alias())
  const items: Items = { from, item: { is: 'json', json: item } }
  const isArray = dialect.isJson(operand.json, 'array')
  if (operand.ofObjects !== true) return { isList: isArray, sources: [items] }
  const others = exists(items, () => not(dialect.isJson(item, 'object')))
  return { isList: all([isArray, not(others)]), sources: [items] }
}

/** Scalars of one kind are rows of one parameter; other items are looked at one by one. */
function constantList(values: readonly Json[], { dialect, alias }: Context): List {
  const sources: Items[] = []
  for (const kind of ['text', 'number', 'boolean'] as const) {
    const type = kind === 'text' ? 'string' : kind
    const scalars = values.filter((each) => typeof each === type) as Scalar[]
    const held = scalars.filter((each) => typeof each !== 'string' || dialect.canHold(each))
    if (held.length > 0) {
      const { from, item } = dialect.constants(kind, held, alias())
      sources.push({ from, item: { is: 'value', value: item, kind } })
    }
    // a text that the database cannot hold is equal to nothing in it
    if (held.length < scalars.length) sources.push({ item: { is: 'constant', value: null, time: false } })
  }
  for (const value of values)
    if (typeof value === 'object') sources.push({ item: { is: 'constant', value, time: false } })
  return { isList: TRUE, sources }
}

/** Some item passes the test. */
export function exists({ from, item }: Items, test: (item: Operand) => Sql): Sql {
  const passes = test(item)
  if (from === undefined || passes === FALSE) return passes
  return subquery(sql`EXISTS (SELECT 1 FROM ${from} WHERE ${passes})`)
}

/** @throws INPUT_INVALID when it has a name of the row without its table */
export function subquery(text: Sql): Sql {
  const bare = text.parts.find((part) => part instanceof Unqualified)
  if (bare === undefined) return text
  throw new ZerohopError('INPUT_INVALID', {
    reason: `this filter needs a subquery with ${bare.text}, which could be a name of another table there: ${bare.advice}`,
  })
}
