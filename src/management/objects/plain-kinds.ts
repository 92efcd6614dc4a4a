// Kinds that have nothing but a key and regular fields. What is left to say of them is how many there may be, and what
// their delete takes along.
import type { Fields } from '../../kinds/fields.ts'
import { KINDS, type PlainKind } from '../../kinds/index.ts'
import type * as t from '../../model/json-schema.ts'
import type { Collection } from '../rules/collection.ts'
import { fieldRules } from '../rules/settle-fields.ts'
import type { PLAIN_SCHEMAS } from '../schemas/plain-kinds.ts'

type Input<K extends PlainKind> = t.Static<(typeof PLAIN_SCHEMAS)[K]['update']>
type Rules<K extends PlainKind> = Omit<Collection<K, Input<K>>, 'kind' | 'defaults' | 'merge'>

export function plainCollection<K extends PlainKind>(kind: K, rules: Rules<K>): Collection<K, Input<K>> {
  return { kind, ...fieldRules<K, Input<K>, Fields>(KINDS[kind].fields, {}), ...rules }
}
