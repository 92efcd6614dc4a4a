// The payload of an object that connects others: its fields of regular forms. What it connects is its key, and never
// changes; the payload can. A kind without such fields has an empty payload, about which nothing is ever written.

import { isDeepStrictEqual } from 'node:util'
import { defaultValue, type Fields, isLeftOut } from '../../kinds/fields.ts'
import { KINDS, type Objects } from '../../kinds/index.ts'
import { isEnded, timeFields } from '../../kinds/times.ts'
import { type Change, put } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { View } from '../../store/view.ts'
import { regularMembers } from '../schemas/field-members.ts'
import { BODY } from './fields.ts'
import { findGiving } from './giving.ts'
import type { ConnectingFact } from './kinds-in-files.ts'
import { type Payload, payloadRules } from './settle-fields.ts'
import { type Clock, requireDuration, requireOrder, withDuration } from './times.ts'

export type PayloadOf<K extends ConnectingFact> = Payload<(typeof KINDS)[K]['fields']>

function makeRules<F extends Fields>(table: F) {
  const names = Object.keys(regularMembers(table)) as (keyof Payload<F> & string)[]
  const unsent = names
    .map((name) => [name, defaultValue(table[name]!, '')] as const)
    .filter(([name, value]) => !isLeftOut(table[name]!, value))
  return { names, unsent: Object.fromEntries(unsent) as unknown as Payload<F>, settle: payloadRules(table) }
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

/** The payload of a new assignment, whose role may say for how long. @throws what the forms of its fields throw */
export function newAssignmentPayload(
  view: View,
  of: Pick<Objects['role_assignment'], 'role' | 'resource_instance'>,
  sent: object,
  mint: Clock,
): PayloadOf<'role_assignment'> {
  const durations = findGiving(view, of)
  const payload = withDuration(newPayload('role_assignment', view, sent), sent, durations, mint)
  requireDuration(payload, durations, mint, BODY)
  return payload
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
  mint: Clock,
  resets = false,
): Change[] {
  if (!hasPayload(kind)) return []
  const durations = kind === 'role_assignment' ? findGiving(view, stored as Objects['role_assignment']) : {}
  const payload = settlePayload(kind, view, resets ? {} : stored, sent, stored) as Values
  const names: readonly string[] = RULES[kind].names
  const differs = (name: string) => !isDeepStrictEqual((stored as object as Values)[name], payload[name])
  if (!names.some(differs)) return []
  if (Object.keys(timeFields).some(differs)) requireDuration(payload, durations, mint, BODY)
  const changed: { [name: string]: unknown } = { ...stored, ...payload, updated_at: mint.now }
  for (const name of names) if (payload[name] === undefined) delete changed[name]
  return [put(kind, changed as unknown as Objects[K])]
}

type Values = { readonly [name: string]: unknown }

/** Kinds of what is granted: their payload has the times of it. */
export type TimedFact = 'role_assignment' | 'relationship_tuple'

/**
 * What a write does about an object that is there.
 * - `create`, as POST: one that has ended is made anew, any other is refused.
 * - `create many`: the same, but with something of the payload sent, that changes.
 * - `add`: one that has ended is made anew; of any other, what is sent of the payload changes.
 * - `put`: what is sent of the payload changes, also of one that has ended.
 */
export type OverStored = 'create' | 'create many' | 'add' | 'put'

/**
 * The object that is there and stays, with the changes of its payload; undefined when one is to be made.
 * @throws OBJECT_EXISTS, and what the forms of its fields throw
 */
export function keepStored<K extends TimedFact>(
  kind: K,
  view: View,
  stored: Objects[K] | undefined,
  sent: object,
  mint: Clock,
  over: OverStored,
): { readonly object: Objects[K]; readonly changes: Change[] } | undefined {
  if (stored === undefined) return undefined
  if (/* canary: made-over-what-has-ended */ over !== 'put' && isEnded(stored, mint.now)) return undefined
  const hasSent = RULES[kind].names.some((name: string) => (sent as Values)[name] !== undefined)
  if (over === 'create' || (over === 'create many' && !hasSent))
    throw new ZerohopError('OBJECT_EXISTS', { kind, key: stored.key })
  const changes = changePayload(kind, view, stored, sent, mint)
  const [change] = changes
  return { object: change?.op === 'put' ? (change.value as Objects[K]) : stored, changes }
}

function settlePayload<K extends ConnectingFact>(
  kind: K,
  view: View,
  base: object,
  sent: object,
  stored: Objects[K] | undefined,
): PayloadOf<K> {
  const payload = RULES[kind].settle(base, sent, { view, key: '', of: '', path: BODY, stored }) as PayloadOf<K>
  requireOrder(payload, sent, BODY)
  return payload
}
