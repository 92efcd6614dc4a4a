// The payload of an object that connects others: its fields of regular forms. What it connects is its key, and never
// changes; the payload can. A kind without such fields has an empty payload, about which nothing is ever written.

import { isDeepStrictEqual } from 'node:util'
import { defaultValue, type Fields } from '../../kinds/fields.ts'
import { KINDS, type Objects } from '../../kinds/index.ts'
import { type Change, put } from '../../log/change.ts'
import type { Mint, View } from '../../store/view.ts'
import { regularMembers } from '../schemas/field-members.ts'
import { BODY } from './fields.ts'
import type { ConnectingFact } from './kinds-in-files.ts'
import { type Payload, payloadRules } from './settle-fields.ts'

export type PayloadOf<K extends ConnectingFact> = Payload<(typeof KINDS)[K]['fields']>

function makeRules<F extends Fields>(table: F) {
  const names = Object.keys(regularMembers(table)) as (keyof Payload<F>)[]
  const unsent = Object.fromEntries(names.map((name) => [name, defaultValue(table[name]!, '')]))
  return { names, unsent: unsent as unknown as Payload<F>, settle: payloadRules(table) }
}

type Rules = { readonly [K in ConnectingFact]: ReturnType<typeof makeRules<(typeof KINDS)[K]['fields']>> }
const RULES: Rules = {
  membership: makeRules(KINDS.membership.fields),
  relationship_tuple: makeRules(KINDS.relationship_tuple.fields),
  role_assignment: makeRules(KINDS.role_assignment.fields),
}

/** Whether objects of the kind have a payload. */
export const hasPayload = (kind: ConnectingFact): boolean => RULES[kind].names.length > 0

/** The payload of an object for which nothing was sent. */
export const defaultPayload = <K extends ConnectingFact>(kind: K): PayloadOf<K> => RULES[kind].unsent as PayloadOf<K>

/** The payload of a new object. @throws what the forms of its fields throw */
export function newPayload<K extends ConnectingFact>(kind: K, view: View, sent: object): PayloadOf<K> {
  return settlePayload(kind, view, {}, sent, undefined)
}

/**
 * The changes by which an object has the payload that was sent; none when it has it already. What was not sent stays;
 * with `resets` it gets its default.
 * @throws what the forms of its fields throw
 */
export function changePayload<K extends ConnectingFact>(
  kind: K,
  view: View,
  stored: Objects[K],
  sent: object,
  { now }: Pick<Mint, 'now'>,
  resets = false,
): Change[] {
  if (!hasPayload(kind)) return []
  const payload: object = settlePayload(kind, view, resets ? {} : stored, sent, stored)
  const isSame = Object.entries(payload).every(([name, value]) => isDeepStrictEqual(stored[name as never], value))
  return isSame ? [] : [put(kind, { ...stored, ...payload, updated_at: now })]
}

function settlePayload<K extends ConnectingFact>(
  kind: K,
  view: View,
  base: object,
  sent: object,
  stored: Objects[K] | undefined,
): PayloadOf<K> {
  return RULES[kind].settle(base, sent, { view, key: '', of: '', path: BODY, stored }) as PayloadOf<K>
}
