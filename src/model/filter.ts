// The form of a filter (docs/filters.md): what a row of the application's own must be like so that a check of it is
// allowed. Data, versioned, with a JSON schema, so that databases, browsers and other languages read the same thing.
// What a filter means for a row is src/filters/evaluate.ts; how one is made is src/image/filter.
import { OPERATORS, type Operator } from './condition.ts'
import { closed, enumOf, listOf, optional, type Static, schemaOf, Text, Texts } from './json-schema.ts'
import type { AttributeType, Json } from './objects.ts'

/** The version of the form; another one is refused by what reads filters. */
export const FILTER_FORMAT = 1

/** The types that an attribute may be declared as; one that is not declared is `json`. */
const ATTRIBUTE_TYPES = [
  'bool',
  'number',
  'string',
  'time',
  'array',
  'object',
  'object_array',
  'json',
] as const satisfies readonly AttributeType[]

const True = schemaOf<true>({ const: true })
const AnyJson = schemaOf<Json>({})

/** An attribute of the row, or a member inside it; `type` is what the attribute (the first name) is declared as. */
const RowPath = closed({ path: Texts, type: enumOf(...ATTRIBUTE_TYPES) })
/** A member of the value that the nearest match tests; with no names the value itself. */
const ItemPath = closed({ item: Texts })
/** The key of the row. */
const RowKey = closed({ key: True })
/** The time of asking, in milliseconds since 1970; only in filters that are kept, such as those of a snapshot. */
const Now = closed({ now: True })
/** A constant; `time` when it is compared as an instant. */
const Constant = closed({ value: AnyJson, time: optional(True) })

export type RowPath = Static<typeof RowPath>
export type ItemPath = Static<typeof ItemPath>
export type Constant = Static<typeof Constant>
/** One side of a comparison. */
export type Term = RowPath | ItemPath | Constant | Static<typeof RowKey> | Static<typeof Now>

const TermSchema = schemaOf<Term>({ $ref: '#/$defs/Term' })
const NodeSchema = schemaOf<FilterNode>({ $ref: '#/$defs/Node' })
const LeafSchema = schemaOf<Leaf>({ $ref: '#/$defs/Leaf' })
const OPERATOR_NAMES = Object.keys(OPERATORS) as [Operator, ...Operator[]]

/** A comparison, with the meaning of the operator in docs/conditions.md. */
const Comparison = closed({ op: enumOf(...OPERATOR_NAMES), left: TermSchema, right: TermSchema })
/** The value itself (`object`), some item of it, or every item of it is an object for which `where` is true. */
const Match = closed({ match: enumOf('object', 'any', 'all'), left: TermSchema, where: NodeSchema })
/** The key of the row is one of these. */
const KeyIn = closed({ key: closed({ in: Texts }) })
/** The row has this relation to an instance of `type` with one of these keys. */
const Related = closed({ related: Text, type: Text, in: Texts })

export type Comparison = Static<typeof Comparison>
export interface Match {
  readonly match: 'object' | 'any' | 'all'
  readonly left: Term
  readonly where: FilterNode
}
export type KeyIn = Static<typeof KeyIn>
export type Related = Static<typeof Related>
/** What is true or false of a row by itself. */
export type Leaf = Comparison | Match | KeyIn | Related
/** `and` of nothing is true, `or` of nothing is false. Only leaves are negated. */
export type FilterNode =
  | { readonly and: readonly FilterNode[] }
  | { readonly or: readonly FilterNode[] }
  | { readonly not: Leaf }
  | Leaf

const Reads = closed({
  /** attributes of the row, by name; the row has each of them, `null` where it has no value */
  attributes: Texts,
  /** relations of the row, by name; the row has each of them, as a list of `type:key` */
  relations: Texts,
  /** whether the key of the row is read */
  key: schemaOf<boolean>({ type: 'boolean' }),
})
/** What of a row a filter looks at. */
export type Reads = Static<typeof Reads>

const ABOUT = {
  format: schemaOf<typeof FILTER_FORMAT>({ const: FILTER_FORMAT }),
  /** of the policy and data that decided */
  revision: schemaOf<number>({ type: 'integer', minimum: 0 }),
  /** resource type of the rows */
  type: Text,
  /** the tenant of the rows */
  tenant: Text,
}
const Decided = closed({ ...ABOUT, kind: enumOf('always', 'never') })
const Conditional = closed({ ...ABOUT, kind: enumOf('when'), where: NodeSchema, reads: Reads })

export type DecidedFilter = Static<typeof Decided>
export type ConditionalFilter = Static<typeof Conditional>
/** For which rows of a type, in one tenant, a user may do an action. */
export type Filter = DecidedFilter | ConditionalFilter

/** The JSON schema of a filter. */
export const FilterSchema = {
  ...schemaOf<Filter>({ anyOf: [Decided, Conditional] }),
  $defs: {
    Term: { anyOf: [RowPath, ItemPath, RowKey, Now, Constant] },
    Leaf: { anyOf: [Comparison, Match, KeyIn, Related] },
    Node: {
      anyOf: [
        closed({ and: listOf(NodeSchema) }),
        closed({ or: listOf(NodeSchema) }),
        closed({ not: LeafSchema }),
        LeafSchema,
      ],
    },
  },
}
