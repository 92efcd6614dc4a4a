// Bodies and answers of kinds that have nothing but a key and regular fields, from the tables of src/kinds.
import { isClaimedKind } from '../../kinds/claims.ts'
import type { Fields } from '../../kinds/fields.ts'
import { KINDS, PLAIN_KINDS, type PlainKind } from '../../kinds/index.ts'
import { toPascalCase } from '../../kinds/pascal-case.ts'
import * as t from '../../model/json-schema.ts'
import { claimMembers } from './claims.ts'
import { answerMembers, regularMembers } from './field-members.ts'
import { Key, known, sameKey } from './schema-parts.ts'

function makeSchemas<F extends Fields>(kind: PlainKind, table: F) {
  const name = toPascalCase(kind)
  const fields = regularMembers(table)
  return {
    create: t.named(`${name}Create`, t.closed({ key: Key, ...fields })),
    replace: t.named(`${name}Replace`, t.closed({ ...sameKey, ...fields })),
    update: t.named(`${name}Update`, t.closed({ ...sameKey, ...fields })),
    answer: t.named(name, t.open({ ...known, ...answerMembers(table), ...(isClaimedKind(kind) ? claimMembers : {}) })),
  }
}

type PlainSchemas = { readonly [K in PlainKind]: ReturnType<typeof makeSchemas<(typeof KINDS)[K]['fields']>> }

/** The schemas of each plain kind, made once, because documents name them. */
export const PLAIN_SCHEMAS = Object.fromEntries(
  PLAIN_KINDS.map((kind) => [kind, makeSchemas(kind, KINDS[kind].fields)]),
) as PlainSchemas
