// Members of bodies and answers that follow from the fields of a kind. What a field of the form `own` looks like is given
// beside the table, so one that is forgotten does not compile.

import type { PrintedSuspension, Requestable } from '../../kinds/fields.ts'
import {
  type Fields,
  type LeftOutName,
  named,
  type OwnField,
  type RegularField,
  type RegularName,
  type SentFields,
} from '../../kinds/fields.ts'
import { givingFields, roleGivingFields } from '../../kinds/giving.ts'
import { offerFields } from '../../kinds/resource.ts'
import { noteFields } from '../../kinds/role-assignment.ts'
import { timeFields } from '../../kinds/times.ts'
import * as t from '../../model/json-schema.ts'
import { DESCRIPTION_LENGTH_MAX, NAME_LENGTH_MAX } from '../../model/limits.ts'
import type { JsonObject } from '../../model/objects.ts'
import {
  Attributes,
  Instant,
  RequestableRead,
  RequestableSent,
  Seconds,
  SuspensionRead,
  SuspensionSent,
  Time,
} from './schema-parts.ts'

type Maybe<T> = ReturnType<typeof t.maybe<ReturnType<typeof t.schemaOf<T>>>>
type Schema<T> = ReturnType<typeof t.schemaOf<T>>
type Optional<T> = ReturnType<typeof t.optional<ReturnType<typeof t.schemaOf<T>>>>

/** Names of own fields that may be sent. */
type SentOwnNames<F extends Fields> = {
  [N in keyof F]: F[N] extends OwnField<unknown, infer T> ? ([T] extends [never] ? never : N) : never
}[keyof F]

export type BodyMembers<F extends Fields> = { readonly [N in RegularName<F>]: Maybe<SentFields<F>[N]> }

/** What an answer has of each form of field. */
export interface AnswerForms {
  name: string
  text: string | null
  attributes: JsonObject
  attributes_or_null: JsonObject | null
  moment: string
  instant: string
  seconds: number
  flag: boolean
  note: string
  suspension: PrintedSuspension
  requestable: Requestable
}
export type AnswerNames<F extends Fields> = {
  [N in keyof F]: F[N] extends { readonly form: keyof AnswerForms } ? N : never
}[keyof F]
type Answered<F extends Fields, N extends keyof F> = F[N] extends { readonly form: infer N extends keyof AnswerForms }
  ? AnswerForms[N]
  : never
/** Instants, durations and notes are left out where there are none, and flags where they are false. */
export type AnswerFields<F extends Fields> = {
  readonly [N in Exclude<AnswerNames<F>, LeftOutName<F>>]: Answered<F, N>
} & { readonly [N in LeftOutName<F>]?: Answered<F, N> }
export type AnswerMembers<F extends Fields> = {
  readonly [N in AnswerNames<F>]: N extends LeftOutName<F> ? Optional<Answered<F, N>> : Schema<Answered<F, N>>
}

/** The members of a body; each may be absent or null. */
export function bodyMembers<F extends Fields, const O extends Readonly<Record<SentOwnNames<F>, t.TSchema>>>(
  table: F,
  own: O,
): BodyMembers<F> & O {
  return makeMembers(table, own, bodySchema) as unknown as BodyMembers<F> & O
}

/** The members of a body that have regular forms, for kinds that have no others. */
export function regularMembers<F extends Fields>(table: F): BodyMembers<F> {
  return makeMembers(table, {}, bodySchema) as unknown as BodyMembers<F>
}

/** The members of an answer of regular forms, in the order of the table; those of the form `own` stand beside them. */
export function answerMembers<F extends Fields>(table: F): AnswerMembers<F> {
  return makeMembers(table, {}, answerSchema) as unknown as AnswerMembers<F>
}

function makeMembers(
  table: Fields,
  own: { readonly [name: string]: t.TSchema },
  regular: (field: RegularField) => t.TSchema | undefined,
): Record<string, t.TSchema> {
  const members: Record<string, t.TSchema> = {}
  for (const [name, field] of Object.entries(table)) {
    const schema = field.form === 'own' ? own[name] : regular(field)
    if (schema !== undefined) members[name] = schema
  }
  return members
}

function bodySchema(field: RegularField): t.TSchema | undefined {
  const { form, about } = field
  const say = (schema: t.TSchema, more = {}): t.TSchema =>
    t.maybe(about === undefined ? schema : t.described(schema, about, more))
  switch (form) {
    case 'name':
      return say(t.Text, { maxLength: NAME_LENGTH_MAX })
    case 'text':
      return say(t.Text, { maxLength: DESCRIPTION_LENGTH_MAX })
    case 'attributes':
    case 'attributes_or_null':
      return say(Attributes)
    case 'instant':
      return say(Instant)
    case 'seconds':
      return say(Seconds)
    case 'flag':
      return say(t.Flag)
    case 'note':
      return say(t.Text, { minLength: 1, maxLength: field.max })
    case 'suspension':
      return say(SuspensionSent)
    case 'requestable':
      return say(RequestableSent)
    case 'moment':
    case 'resource':
    case 'part':
      return undefined
    default:
      return form satisfies never
  }
}

function answerSchema({ form }: RegularField): t.TSchema | undefined {
  switch (form) {
    case 'name':
      return t.Text
    case 'text':
      return t.nullable(t.Text)
    case 'attributes':
      return Attributes
    case 'attributes_or_null':
      return t.nullable(Attributes)
    case 'moment':
      return Time
    case 'instant':
      return t.optional(Time)
    case 'seconds':
      return t.optional(Seconds)
    case 'flag':
      return t.optional(t.Flag)
    case 'note':
      return t.optional(t.Text)
    case 'suspension':
      return t.optional(SuspensionRead)
    case 'requestable':
      return t.optional(RequestableRead)
    case 'resource':
    case 'part':
      return undefined
    default:
      return form satisfies never
  }
}

/** The members of what has a name and a description, in bodies and in answers. */
export const bodyNames = bodyMembers(named, {})
export const readNames = answerMembers(named)

/** The times of what is granted, in bodies that are of no kind with such fields. */
export const timeMembers = bodyMembers(timeFields, {})
export type SentTimes = t.Static<ReturnType<typeof t.closed<typeof timeMembers>>>

/** Why a role is given, in bodies that are of no kind with such fields. */
export const noteMembers = bodyMembers(noteFields, {})

/** How a role is given, in bodies. */
export const givingMembers = bodyMembers(givingFields, {})
export const roleGivingMembers = bodyMembers(roleGivingFields, {})

/** What an action is to tenants, in bodies. */
export const offerMembers = bodyMembers(offerFields, {})
export type SentGiving = t.Static<ReturnType<typeof t.closed<typeof givingMembers>>>
