// The form of a filter (docs/filters.md): what a row of the application's own must be like so that a check of it is
// allowed. Data, versioned, so that databases, browsers and other languages read the same thing; filter-schema.ts is
// its JSON schema. What a filter means for a row is src/filters/evaluate.ts; how one is made is src/image/filter.
import type { Operator } from './condition.ts'
import type { AttributeType, Json } from './objects.ts'

/** The version of the form; another one is refused by what reads filters. */
export const FILTER_FORMAT = 2

/** An attribute of the row, or a member inside it; `type` is what the attribute (the first name) is declared as. */
export interface RowPath {
  readonly path: readonly string[]
  readonly type: AttributeType
}

/** A member of the value that the nearest match tests; with no names the value itself. */
export interface ItemPath {
  readonly item: readonly string[]
}

/** The key of the row. */
export interface RowKey {
  readonly key: true
}

/** The time of asking, in milliseconds since 1970; only in filters that are kept, such as those of a snapshot. */
export interface Now {
  readonly now: true
}

/** A constant; `time` when it is compared as an instant. */
export interface Constant {
  readonly value: Json
  readonly time?: true
}

/**
 * One side of a comparison. `Open` are further terms, of what is not a filter (src/image/access-diff): a filter has
 * none.
 */
export type Term<Open = never> = RowPath | ItemPath | RowKey | Now | Constant | Open

/** A comparison, with the meaning of the operator in docs/conditions.md. */
export interface Comparison<Open = never> {
  readonly op: Operator
  readonly left: Term<Open>
  readonly right: Term<Open>
}

/** The value itself (`object`), some item of it, or every item of it is an object for which `where` is true. */
export interface Match<Open = never> {
  readonly match: 'object' | 'any' | 'all'
  readonly left: Term<Open>
  readonly where: FilterNode<Open>
}

/** The key of the row is one of these. */
export interface KeyIn {
  readonly key: { readonly in: readonly string[] }
}

/** The row has this relation to an instance of `type` with one of these keys. */
export interface Related {
  readonly related: string
  readonly type: string
  readonly in: readonly string[]
}

/** What is true or false of a row by itself. */
export type Leaf<Open = never> = Comparison<Open> | Match<Open> | KeyIn | Related

/** `and` of nothing is true, `or` of nothing is false. Only leaves are negated. */
export type FilterNode<Open = never> =
  | { readonly and: readonly FilterNode<Open>[] }
  | { readonly or: readonly FilterNode<Open>[] }
  | { readonly not: Leaf<Open> }
  | Leaf<Open>

/** What of a row a filter looks at. */
export interface Reads {
  /** attributes of the row, by name; the row has each of them, `null` where it has no value */
  readonly attributes: readonly string[]
  /** relations of the row, by name; the row has each of them, as a list of `type:key` */
  readonly relations: readonly string[]
  /** whether the key of the row is read */
  readonly key: boolean
}

interface About {
  readonly format: typeof FILTER_FORMAT
  /** of the policy and data that decided */
  readonly revision: number
  /** resource type of the rows */
  readonly type: string
  /** the tenant of the rows */
  readonly tenant: string
  /**
   * The tenant column of the application decides where a row belongs, and what is stored under its key in another tenant
   * is another thing (D2: marked rows). Absent: keys that are stored in other tenants are excluded by name.
   */
  readonly tenantColumnIsAuthoritative?: true
  /**
   * The instant from which on the filter answers nothing, in ms since 1970: a role or a relation that it depends on starts
   * or ends then (D15). What reads filters refuses it from then on (FILTER_EXPIRED): make it again. Absent: none does.
   */
  readonly validUntil?: number
}

/** A filter that is true of every row of the tenant, or of none. */
export interface DecidedFilter extends About {
  readonly kind: 'always' | 'never'
}

/** A filter that is true of some rows of the tenant. */
export interface ConditionalFilter extends About {
  readonly kind: 'when'
  readonly where: FilterNode
  readonly reads: Reads
}

/** For which rows of a type, in one tenant, a user may do an action. */
export type Filter = DecidedFilter | ConditionalFilter
