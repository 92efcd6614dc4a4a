// Filters as `where` objects of Prisma (docs/filters-in-databases.md): only what these say exactly. Prisma's conditions
// are unknown where a field is null, and its negations leave such rows out, so every negation here names them too.
// They never contain a list of values: Prisma sends a statement for each part of a long list, and none of these asks
// the whole condition. Everything else is refused by name: `toPrismaSql` expresses it in SQL.
import { ZerohopError } from '../model/errors.ts'
import type { Comparison, ConditionalFilter, Filter, FilterNode, Leaf, Term } from '../model/filter.ts'
import { parseInstant } from '../model/instant.ts'
import {
  FILTER_PRISMA_OTHER_VALUES,
  FILTER_PRISMA_VALUES_MAX,
  PRISMA_POSTGRESQL_VALUES_MAX,
  PRISMA_SQLITE_VALUES_MAX,
} from '../model/limits.ts'
import type { Json } from '../model/objects.ts'
import { OPERATORS } from '../model/operators.ts'
import { requireFilter } from './form.ts'
import { type Column, type Columns, type Mapping, readColumns } from './meaning/mapping.ts'
import { columnKind, isUuidText, type Order, wholeBound } from './sql/dialect.ts'
import { requireMapped, requireOneTable } from './to-sql.ts'

/** A `where` object: what it may hold depends on the model, which is generated. */
export type PrismaWhere = Record<string, unknown>

export interface PrismaOptions {
  /** of the database, as in the schema */
  readonly provider: (typeof PROVIDERS)[number]
  /** names of fields of the model that cannot be null: Prisma does not take a comparison of one with null */
  readonly required?: readonly string[]
  /** how many values the statement has in addition to those of the filter, with `take` and `skip`; default 99 */
  readonly otherValues?: number
  /**
   * Makes the condition false, and not unknown, for a row with null in a field that it reads: say it where the condition
   * stands below `NOT`, `isNot` or `every`. `required` then names every field of the mapping that cannot be null.
   */
  readonly neverUnknown?: boolean
  /** the instant of the question, in milliseconds since 1970; default: that of the clock */
  readonly now?: number
}

const PROVIDERS = ['postgresql', 'sqlite'] as const
/** Conditions that stand side by side on SQLite, which takes 1,000 levels and counts one for each: once more in a subquery. */
const SIDE_BY_SIDE = 100
const STATEMENT_VALUES_MAX = { postgresql: PRISMA_POSTGRESQL_VALUES_MAX, sqlite: PRISMA_SQLITE_VALUES_MAX }
/** Times that Prisma can send. 'infinity', which no date is, lies beyond them. */
const [FIRST, END] = [new Date('0001-01-01T00:00:00.000Z'), new Date('9999-01-01T00:00:00.000Z')]
/** Numbers that Prisma can send. It rounds those of many digits from some size on; infinity and NaN lie beyond it. */
const LARGEST = 1.7976931348623e308
const WAYS = { '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' } as const satisfies Record<Order, string>
type Word = 'AND' | 'OR'

/**
 * For `findMany({ where: { AND: [toPrismaWhere(filter, mapping), …] } })` on PostgreSQL and SQLite. The fields are the
 * properties of the mapping, which by default have the names of the columns.
 * @throws INPUT_INVALID as `toSql`, for another provider, and for a required field that the mapping has not;
 *   FILTER_REFUSED for what a `where` object does not say exactly, and for more values than Prisma sends in one statement
 */
export function toPrismaWhere(
  filter: Filter | readonly Filter[],
  mapping: Mapping,
  { provider, required = [], otherValues = FILTER_PRISMA_OTHER_VALUES, neverUnknown = false, now }: PrismaOptions,
): PrismaWhere {
  if (!PROVIDERS.includes(provider))
    throw new ZerohopError('INPUT_INVALID', { reason: `\`provider\` must be one of ${PROVIDERS.join(', ')}` })
  if (!Number.isSafeInteger(otherValues) || otherValues < 0)
    throw new ZerohopError('INPUT_INVALID', { reason: '`otherValues` must be a whole number, 0 or more' })
  const filters = (Array.isArray(filter) ? filter : [filter]) as readonly Filter[]
  for (const each of filters) requireFilter(each, now)
  const columns = readColumns(mapping)
  requireOneTable(filters, columns)
  requireFields(required, columns)
  const maker = new WhereMaker(columns, { provider, required: new Set(required), neverUnknown })
  const where = maker.any(filters.map((each) => maker.filter(each)))
  const most = Math.min(FILTER_PRISMA_VALUES_MAX, STATEMENT_VALUES_MAX[provider] - otherValues)
  const count = valuesIn(where)
  if (count > most)
    throw refused(
      `a condition of ${count} values`,
      `a where object has at most ${most} of them beside ${otherValues} others: use \`toPrismaSql\``,
    )
  return where
}

/** @throws INPUT_INVALID for a field that the mapping has not, such as a misspelt one */
function requireFields(required: readonly string[], { tenant, key, attributes, relations }: Columns): void {
  const held = [...relations.values()].flatMap((each) => ('table' in each.held ? [] : [each.held]))
  const fields = new Set([tenant, key, ...attributes.values(), ...held].map((column) => column?.property))
  const other = required.find((field) => !fields.has(field))
  if (other === undefined) return
  throw new ZerohopError('INPUT_INVALID', { reason: `\`required\`: the mapping has no field \`${other}\`` })
}

/** How many values Prisma would send of a condition. */
function valuesIn(part: unknown): number {
  if (part === null) return 0
  if (typeof part !== 'object' || part instanceof Date) return 1
  return Object.values(part).reduce<number>((sum, each) => sum + valuesIn(each), 0)
}

interface WhereForm {
  readonly provider: PrismaOptions['provider']
  readonly required: ReadonlySet<string>
  readonly neverUnknown: boolean
}

class WhereMaker {
  readonly #columns: Columns
  readonly #form: WhereForm
  /**
   * No row, and every row. An empty list of `OR` or `AND` cannot say them: Prisma leaves it out wherever it is not the
   * whole condition, and `{ AND: [a, { OR: [] }] }` is `a`.
   */
  readonly #none: PrismaWhere
  readonly #every: PrismaWhere

  constructor(columns: Columns, form: WhereForm) {
    this.#columns = columns
    this.#form = form
    this.#none = { [columns.key.property]: { in: [] } }
    this.#every = { NOT: this.#none }
  }

  /** Rows for which some of the conditions is true. */
  any(parts: readonly PrismaWhere[]): PrismaWhere {
    return this.#joined('OR', parts, this.#none, this.#every)
  }

  #all(parts: readonly PrismaWhere[]): PrismaWhere {
    return this.#joined('AND', parts, this.#every, this.#none)
  }

  /** `nothing` changes nothing where it stands among others, and `whole` decides alone. */
  #joined(word: Word, parts: readonly PrismaWhere[], nothing: PrismaWhere, whole: PrismaWhere): PrismaWhere {
    const some = parts.filter((each) => each !== nothing)
    if (some.includes(whole)) return whole
    if (some.length < 2) return some[0] ?? nothing
    if (this.#form.provider !== 'sqlite' || some.length <= SIDE_BY_SIDE) return { [word]: some }
    const groups = Array.from({ length: Math.ceil(some.length / SIDE_BY_SIDE) }, (_, at) => {
      return { [word]: some.slice(at * SIDE_BY_SIDE, (at + 1) * SIDE_BY_SIDE) }
    })
    // Prisma puts a list in a list of the same word into one: the other word goes between, with a part that adds nothing
    const every = { [this.#columns.key.property]: { notIn: [] } }
    const [other, between] = word === 'OR' ? ['AND', every] : ['OR', { NOT: every }]
    return { [word]: groups.map((group) => ({ [other as Word]: [between, group] })) }
  }

  filter(filter: Filter): PrismaWhere {
    if (filter.kind === 'never') return this.#none
    const { tenant } = this.#columns
    const own = tenant === null ? this.#every : this.#known(tenant, this.#keyIn(tenant, [filter.tenant]))
    if (filter.kind === 'always') return own
    const { where } = filter as ConditionalFilter
    requireMapped(where, this.#columns)
    return this.#all([own, this.#node(where)])
  }

  #node(node: FilterNode): PrismaWhere {
    if ('and' in node) return this.#all(node.and.map((each) => this.#node(each)))
    if ('or' in node) return this.any(node.or.map((each) => this.#node(each)))
    if (!('not' in node)) return this.#known(this.#findColumn(node), this.#leaf(node))
    const column = this.#findColumn(node.not)
    const leaf = this.#leaf(node.not)
    if (leaf === this.#none) return this.#every
    return this.#isRequired(column) ? { NOT: leaf } : { OR: [{ [column.property]: null }, { NOT: leaf }] }
  }

  #isRequired = ({ property }: Column): boolean => this.#form.required.has(property)

  /** The condition on one column, false also where it was unknown before, if that is asked for. */
  #known(column: Column, where: PrismaWhere): PrismaWhere {
    if (!this.#form.neverUnknown || this.#isRequired(column)) return where
    return this.#all([{ [column.property]: { not: null } }, where])
  }

  #leaf(leaf: Leaf): PrismaWhere {
    const column = this.#findColumn(leaf)
    if ('key' in leaf) return this.#keyIn(column, leaf.key.in)
    if ('related' in leaf)
      return this.#columns.relations.get(leaf.related)!.resource === leaf.type
        ? this.#keyIn(column, leaf.in)
        : this.#none
    return this.#comparison(leaf as Comparison, column)
  }

  /** The one column that a leaf reads. */
  #findColumn(leaf: Leaf): Column {
    if ('match' in leaf) throw refused('a match', INSIDE)
    if ('key' in leaf) return this.#columns.key
    if ('related' in leaf) {
      const { held } = this.#columns.relations.get(leaf.related)!
      if ('table' in held) throw refused(`relation \`${leaf.related}\``, 'it is held in another table')
      return held
    }
    if (!('value' in leaf.right)) throw refused(`\`${leaf.op}\``, 'its right side is of the row')
    return this.#columnOfTerm(leaf.left)
  }

  #columnOfTerm(term: Term): Column {
    if ('key' in term) {
      const { key } = this.#columns
      if (key.type === 'integer') throw refused('`key`', KEY_NUMBER)
      return key
    }
    if (!('path' in term)) throw refused('a comparison', 'its left side is no column')
    const column = this.#columns.attributes.get(term.path[0] ?? '')!
    if (term.path.length > 1 || columnKind(column) === undefined) throw refused(`\`${column.name}\``, INSIDE)
    if (typeof column.column !== 'string') throw refused(`\`${column.name}\``, 'it is an expression')
    if (column.type === 'decimal') throw refused(`\`${column.name}\``, 'a decimal is compared as a double')
    if (column.isNondeterministic) throw refused(`\`${column.name}\``, 'its collation takes different texts for equal')
    return column
  }

  #keyIn(column: Column, keys: readonly string[]): PrismaWhere {
    if (column.type === 'integer') throw refused(`\`${column.name}\``, KEY_NUMBER)
    const possible = keys.filter((key) => canHold(column, key))
    return this.any(possible.map((key) => ({ [column.property]: key })))
  }

  #comparison({ op, left, right }: Comparison, column: Column): PrismaWhere {
    const { value, time = false } = right as { value: Json; time?: true }
    const isTime = time || ('path' in left && left.type === 'time')
    const of = (each: Json): Json | undefined => (isTime ? parseInstant(each) : each)
    if (isTime && columnKind(column) === 'boolean') return this.#none // no instant: nothing is true of it, not-equals neither
    if (isTime && columnKind(column) === 'text') throw refused(`\`${column.name}\``, 'it is a time, and held as text')
    if ('path' in left && !fits(column, left.type)) throw refused(`\`${column.name}\``, 'the mapping has another type')
    const rule = OPERATORS[op]
    switch (rule.shape) {
      case 'equality':
        if (rule.sign === '=') return this.#equals(column, of(value))
        return isScalar(of(value)) ? this.#unequal(column, of(value)) : this.#none
      case 'order':
        return this.#ordered(column, rule.sign, of(value))
      case 'range': {
        const bounds = Array.isArray(value) ? value.map(of) : []
        return this.#all(rule.ends.map((end, at) => this.#ordered(column, OPERATORS[end].sign, bounds[at])))
      }
      case 'list':
        if (rule.items !== 'one' || rule.within !== 'right') break
        return Array.isArray(value) ? this.any(value.map((each) => this.#equals(column, of(each)))) : this.#none
    }
    throw refused(`\`${op}\``, 'a where object does not say it exactly')
  }

  #equals(column: Column, value: Json | undefined): PrismaWhere {
    const { property, type } = column
    if (typeof value === 'string') return canHold(column, value) ? { [property]: value } : this.#none
    if (typeof value === 'boolean') return columnKind(column) === 'boolean' ? { [property]: value } : this.#none
    if (typeof value !== 'number' || columnKind(column) !== 'number') return this.#none
    if (type === 'double') return { [property]: requireExact(column, value) }
    if (!Number.isInteger(value)) return this.#none
    return this.#all([this.#ordered(column, '>=', value), this.#ordered(column, '<=', value)])
  }

  #unequal(column: Column, value: Json | undefined): PrismaWhere {
    const equal = this.#equals(column, value)
    return this.#all([this.#present(column), equal === this.#none ? this.#every : { NOT: equal }])
  }

  #ordered(column: Column, sign: Order, bound: Json | undefined): PrismaWhere {
    if (typeof bound === 'string' && columnKind(column) === 'text')
      throw refused(`\`${column.name}\``, 'the order of text depends on the collation')
    if (typeof bound !== 'number' || columnKind(column) !== 'number') return this.#none
    const { property, type } = column
    const way = WAYS[sign]
    // NaN is above all numbers in PostgreSQL
    if (type === 'double')
      return {
        [property]: {
          [way]: requireExact(column, bound),
          ...(way.startsWith('g') ? { lte: LARGEST } : { gte: -LARGEST }),
        },
      }
    const whole = wholeBound(sign, bound)
    if (type === 'integer') {
      if (!Number.isSafeInteger(whole))
        throw refused(`\`${column.name}\``, 'a number beyond 2^53 is compared as a double')
      return { [property]: { [way]: whole } }
    }
    // what a column has below the millisecond does not count: up to 5 ms is before 6 ms
    const instant = new Date(way === 'lte' || way === 'gt' ? whole + 1 : whole)
    if (!(instant >= FIRST && instant <= END))
      throw refused(`\`${column.name}\``, 'it is compared with a time outside of the years 1 to 9998')
    return { [property]: way.startsWith('l') ? { gte: FIRST, lt: instant } : { gte: instant, lt: END } }
  }

  #present(column: Column): PrismaWhere {
    const { property, type } = column
    if (type === 'double') return { [property]: { gte: -LARGEST, lte: LARGEST } }
    if (type.startsWith('timestamp')) return { [property]: { gte: FIRST, lt: END } }
    return this.#isRequired(column) ? this.#every : { [property]: { not: null } }
  }
}

/** The number as Prisma sends it. @throws FILTER_REFUSED when it would send another */
function requireExact({ name }: Column, value: number): number {
  if (Math.abs(value) < 1e21 || Number(value.toPrecision(15)) === value) return value
  throw refused(`\`${name}\``, 'Prisma rounds numbers of more than 15 digits beyond 10^21')
}

const KEY_NUMBER = 'its keys are numbers'
const INSIDE = 'a where object does not look into JSON and lists exactly'

const isScalar = (value: Json | undefined): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

function canHold(column: Column, text: string): boolean {
  if (columnKind(column) !== 'text' || !text.isWellFormed() || text.includes('\0')) return false
  return column.type !== 'uuid' || isUuidText(text)
}

function fits(column: Column, type: string): boolean {
  const kind = columnKind(column)
  return type === 'json' || kind === { bool: 'boolean', number: 'number', time: 'number', string: 'text' }[type]
}

function refused(what: string, reason: string): ZerohopError {
  return new ZerohopError('FILTER_REFUSED', { what, reason })
}
