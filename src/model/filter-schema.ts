// The JSON schema of a filter. Every part is compared with its type in filter.ts when this is compiled, so that the two
// cannot differ; the types stand apart because those who use the package must not need the types of the schema library.
import { OPERATORS, type Operator } from './condition.ts'
import {
  type Comparison,
  type ConditionalFilter,
  type Constant,
  type DecidedFilter,
  FILTER_FORMAT,
  type FilterNode,
  type ItemPath,
  type KeyIn,
  type Leaf,
  type Match,
  type Now,
  type Reads,
  type Related,
  type RowKey,
  type RowPath,
  type Term,
} from './filter.ts'
import * as t from './json-schema.ts'
import type { Json } from './objects.ts'

/** The schema, when its values are those of `T` and no others; else it does not compile. */
const of =
  <T>() =>
  <S extends t.TSchema>(schema: [t.Static<S>, T] extends [T, t.Static<S>] ? S : never): S =>
    schema

const True = t.schemaOf<true>({ const: true })
const Bool = t.schemaOf<boolean>({ type: 'boolean' })
const TermSchema = t.schemaOf<Term>({ $ref: '#/$defs/Term' })
const NodeSchema = t.schemaOf<FilterNode>({ $ref: '#/$defs/Node' })
const LeafSchema = t.schemaOf<Leaf>({ $ref: '#/$defs/Leaf' })
const OPERATOR_NAMES = Object.keys(OPERATORS) as [Operator, ...Operator[]]
const AttributeTypeSchema = t.enumOf('bool', 'number', 'string', 'time', 'array', 'object', 'object_array', 'json')

const ABOUT = {
  format: t.schemaOf<typeof FILTER_FORMAT>({ const: FILTER_FORMAT }),
  revision: t.schemaOf<number>({ type: 'integer', minimum: 0 }),
  type: t.Text,
  tenant: t.Text,
  tenantColumnIsAuthoritative: t.optional(True),
  validUntil: t.optional(t.schemaOf<number>({ type: 'integer', minimum: 0 })),
}
const ReadsSchema = of<Reads>()(t.closed({ attributes: t.Texts, relations: t.Texts, key: Bool }))

/** The JSON schema of a filter. */
export const FilterSchema: Readonly<Record<string, unknown>> = {
  anyOf: [
    of<DecidedFilter>()(t.closed({ ...ABOUT, kind: t.enumOf('always', 'never') })),
    of<ConditionalFilter>()(t.closed({ ...ABOUT, kind: t.enumOf('when'), where: NodeSchema, reads: ReadsSchema })),
  ],
  $defs: {
    Term: {
      anyOf: [
        of<RowPath>()(t.closed({ path: t.Texts, type: AttributeTypeSchema })),
        of<ItemPath>()(t.closed({ item: t.Texts })),
        of<RowKey>()(t.closed({ key: True })),
        of<Now>()(t.closed({ now: True })),
        of<Constant>()(t.closed({ value: t.schemaOf<Json>({}), time: t.optional(True) })),
      ],
    },
    Leaf: {
      anyOf: [
        of<Comparison>()(t.closed({ op: t.enumOf(...OPERATOR_NAMES), left: TermSchema, right: TermSchema })),
        of<Match>()(t.closed({ match: t.enumOf('object', 'any', 'all'), left: TermSchema, where: NodeSchema })),
        of<KeyIn>()(t.closed({ key: t.closed({ in: t.Texts }) })),
        of<Related>()(t.closed({ related: t.Text, type: t.Text, in: t.Texts })),
      ],
    },
    Node: {
      anyOf: [
        t.closed({ and: t.listOf(NodeSchema) }),
        t.closed({ or: t.listOf(NodeSchema) }),
        t.closed({ not: LeafSchema }),
        LeafSchema,
      ],
    },
  },
}
