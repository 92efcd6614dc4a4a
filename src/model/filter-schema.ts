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
import { closed, enumOf, listOf, optional, type Static, schemaOf, Text, Texts, type TSchema } from './json-schema.ts'
import type { Json } from './objects.ts'

/** The schema, when its values are those of `T` and no others; else it does not compile. */
const of =
  <T>() =>
  <S extends TSchema>(schema: [Static<S>, T] extends [T, Static<S>] ? S : never): S =>
    schema

const True = schemaOf<true>({ const: true })
const Bool = schemaOf<boolean>({ type: 'boolean' })
const TermSchema = schemaOf<Term>({ $ref: '#/$defs/Term' })
const NodeSchema = schemaOf<FilterNode>({ $ref: '#/$defs/Node' })
const LeafSchema = schemaOf<Leaf>({ $ref: '#/$defs/Leaf' })
const OPERATOR_NAMES = Object.keys(OPERATORS) as [Operator, ...Operator[]]
const AttributeTypeSchema = enumOf('bool', 'number', 'string', 'time', 'array', 'object', 'object_array', 'json')

const ABOUT = {
  format: schemaOf<typeof FILTER_FORMAT>({ const: FILTER_FORMAT }),
  revision: schemaOf<number>({ type: 'integer', minimum: 0 }),
  type: Text,
  tenant: Text,
  tenantColumnIsAuthoritative: optional(True),
}
const ReadsSchema = of<Reads>()(closed({ attributes: Texts, relations: Texts, key: Bool }))

/** The JSON schema of a filter. */
export const FilterSchema: Readonly<Record<string, unknown>> = {
  anyOf: [
    of<DecidedFilter>()(closed({ ...ABOUT, kind: enumOf('always', 'never') })),
    of<ConditionalFilter>()(closed({ ...ABOUT, kind: enumOf('when'), where: NodeSchema, reads: ReadsSchema })),
  ],
  $defs: {
    Term: {
      anyOf: [
        of<RowPath>()(closed({ path: Texts, type: AttributeTypeSchema })),
        of<ItemPath>()(closed({ item: Texts })),
        of<RowKey>()(closed({ key: True })),
        of<Now>()(closed({ now: True })),
        of<Constant>()(closed({ value: schemaOf<Json>({}), time: optional(True) })),
      ],
    },
    Leaf: {
      anyOf: [
        of<Comparison>()(closed({ op: enumOf(...OPERATOR_NAMES), left: TermSchema, right: TermSchema })),
        of<Match>()(closed({ match: enumOf('object', 'any', 'all'), left: TermSchema, where: NodeSchema })),
        of<KeyIn>()(closed({ key: closed({ in: Texts }) })),
        of<Related>()(closed({ related: Text, type: Text, in: Texts })),
      ],
    },
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
