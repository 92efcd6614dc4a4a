// Fields of stored objects as data: a table for each kind has the fields of its objects, their forms, and their
// order. Bodies, answers, policy files and what a write settles are read from it, by one interpreter each. Forms are a
// closed list; an irregular field has the form `own`, and whoever interprets it is given what the table can't say.
import type { JsonObject } from '../model/objects.ts'
import { printTime } from '../model/print-time.ts'

/** The suspension of a user (D16) as it is stored. A member of the times is absent where it is unbounded. */
export interface Suspension {
  /** for people; decisions do not read it */
  readonly reason: string
  /** when somebody said so, in ms since 1970 */
  readonly suspended_at: number
  readonly valid_from?: number
  readonly valid_until?: number
  /**
   * the directory says so: that the user is not active, or that it deleted the user (docs/scim.md). It has no times then
   */
  readonly directory?: 'inactive' | 'deleted'
  /** what a person said besides the directory: in force again once the directory says otherwise */
  readonly by_hand?: Suspension
}

/** What may be sent of it; an absent time stays as it is stored, and null clears it. */
export interface SentSuspension {
  readonly reason: string
  readonly valid_from?: string | number | null
  readonly valid_until?: string | number | null
}

/** As answers have it; a file lacks when somebody said so. */
export interface PrintedSuspension {
  readonly reason: string
  readonly suspended_at: string
  readonly valid_from?: string
  readonly valid_until?: string
}

/** How a role may be asked for (docs/access-requests.md). */
export type Requestable = {
  /** `members`: users of the tenant; `everybody`: every stored user */
  readonly by: 'members' | 'everybody'
  /** keys of roles in the tenant, and `resource/role` of roles on the instance, in the order of their texts */
  readonly approvers: readonly string[]
  /** seconds */
  readonly max_duration: number
  readonly reason: 'required' | 'optional'
  /** approved at once, without anyone who decides */
  readonly auto?: true
}

/** What may be sent of it: it is replaced as a whole. */
export interface SentRequestable {
  readonly by?: 'members' | 'everybody' | null
  readonly approvers?: readonly string[] | null
  readonly max_duration: number
  readonly reason?: 'required' | 'optional' | null
  readonly auto?: boolean | null
}

/** What a form of field holds in a stored object, and in a body where it may be sent. */
export interface Forms {
  /** display name; default: the key */
  name: { readonly stored: string; readonly sent: string }
  text: { readonly stored: string | null; readonly sent: string }
  /** default: none, as `{}` */
  attributes: { readonly stored: JsonObject; readonly sent: JsonObject }
  attributes_or_null: { readonly stored: JsonObject | null; readonly sent: JsonObject }
  /** ms since 1970, set when the object is made and when it gets another key; never sent */
  moment: { readonly stored: number }
  /** ms since 1970, which whoever writes the object may choose; default: none, and then the object lacks the field (D15) */
  instant: { readonly stored: number; readonly sent: string | number }
  /** a number of seconds; default: none, and then the object lacks the field */
  seconds: { readonly stored: number; readonly sent: number }
  /** stored where it is true; default: false, and then the object lacks the field. What is not sent stays, also when the object is replaced */
  flag: { readonly stored: true; readonly sent: boolean }
  /** a text for people; default: none, and then the object lacks the field */
  note: { readonly stored: string; readonly sent: string }
  /** of a user (D16); default: none, and then the object lacks the field. What is not sent stays, also when the user is replaced */
  suspension: { readonly stored: Suspension; readonly sent: SentSuspension }
  /** of a role; default: none, and then the object lacks the field. What is not sent stays, also when the role is replaced */
  requestable: { readonly stored: Requestable; readonly sent: SentRequestable }
  /** of a part of a resource type: the key of that type; never sent */
  resource: { readonly stored: string }
  /** of a part of a resource type: its key without that of the type; never sent */
  part: { readonly stored: string }
}

interface Options {
  /** description in bodies; `name` and `description` have one of their own */
  readonly about?: string
  /** false: a policy file does not hold the field */
  readonly inFiles?: false
}

interface Regular extends Options {
  readonly form: Exclude<keyof Forms, 'attributes' | 'attributes_or_null' | 'note'>
}

/** Says that the attributes of an object are those that its resource type declares. */
export const ITS_RESOURCE = Symbol('its resource type')

interface AttributesField extends Options {
  readonly form: 'attributes' | 'attributes_or_null'
  /** what declares them: a built-in type by its key, or the resource type of the object */
  readonly declaredBy?: string | typeof ITS_RESOURCE
}

interface NoteField extends Options {
  readonly form: 'note'
  /** characters */
  readonly max: number
}

declare const TYPES: unique symbol

/** A field that no form describes: `S` is its stored value, `T` what may be sent, `never` when nothing may. */
export interface OwnField<S, T> extends Options {
  readonly form: 'own'
  /** types only */
  readonly [TYPES]?: { readonly stored: S; readonly sent: T }
}

export type RegularField = Regular | AttributesField | NoteField
export type Field = RegularField | OwnField<unknown, unknown>
export type Fields = { readonly [name: string]: Field }

export const own = <S, T = never>(options: Options = {}): OwnField<S, T> => ({ form: 'own', ...options })

/** A table of fields. */
export const fields = <const F extends Fields>(table: F): F => table

/** What is stored of a field. */
export type StoredOf<F extends Field> =
  F extends OwnField<infer S, unknown>
    ? S
    : F extends { form: infer N extends keyof Forms }
      ? Forms[N]['stored']
      : never
type Sent<F extends Field> =
  F extends OwnField<unknown, infer T> ? T : F extends { form: infer N extends keyof Forms } ? SentIn<Forms[N]> : never
type SentIn<F> = F extends { readonly sent: infer T } ? T : never

const LEFT_OUT = ['instant', 'seconds', 'flag', 'note', 'suspension', 'requestable'] as const

/** Names of the fields that objects, answers and files lack where they have no value. */
export type LeftOutName<F extends Fields> = {
  [N in keyof F]: F[N] extends { readonly form: (typeof LEFT_OUT)[number] } ? N : never
}[keyof F]
/** Whether objects lack the field where it has no value. */
const mayBeLeftOut = ({ form }: Field): boolean => (LEFT_OUT as readonly string[]).includes(form)
/** Whether an object lacks the field, so that it is stored as before there was the field. */
export const isLeftOut = (field: Field, value: unknown): boolean => value === null && mayBeLeftOut(field)

/** What an object has of the fields that may be left out. */
export function presentFields(table: Fields, object: object): { readonly [name: string]: unknown } {
  const values = object as { readonly [name: string]: unknown }
  const names = Object.keys(table).filter((name) => mayBeLeftOut(table[name]!) && (values[name] ?? null) !== null)
  return Object.fromEntries(names.map((name) => [name, values[name]]))
}

/** The members of a stored object. */
export type StoredFields<F extends Fields> = {
  readonly [N in Exclude<keyof F, LeftOutName<F>>]: StoredOf<F[N]>
} & { readonly [N in LeftOutName<F>]?: StoredOf<F[N]> }

/** Names of the fields of regular forms that may be sent. */
export type RegularName<F extends Fields> = {
  [N in keyof F]: F[N] extends OwnField<unknown, unknown> ? never : [Sent<F[N]>] extends [never] ? never : N
}[keyof F]
/** Names of the fields of the form `own`. */
export type OwnName<F extends Fields> = {
  [N in keyof F]: F[N] extends OwnField<unknown, unknown> ? N : never
}[keyof F]

/** The fields of regular forms that may be sent, with what may be sent. */
export type SentFields<F extends Fields> = { readonly [N in RegularName<F>]: Sent<F[N]> }

/**
 * The value of a field for which nothing was sent. Also that of a stored object from before there was the field.
 * @param key the key of the object; of a part that without its resource type
 */
export function defaultValue(field: Field, key: string): unknown {
  switch (field.form) {
    case 'name':
      return key
    case 'attributes':
      return {}
    case 'moment':
      return 0
    case 'part':
      return key
    default:
      return null
  }
}

/** The value of a field of a stored object, its default when the object is older than the field. */
export function fieldValue(
  object: { readonly [name: string]: unknown },
  name: string,
  field: Field,
  key: string,
): unknown {
  const value = object[name]
  return value === undefined ? defaultValue(field, key) : value
}

/** The value of a field as answers have it. */
export function printValue(field: Field, value: unknown): unknown {
  if (value === null) return null
  if (field.form === 'suspension') return printSuspension(value as Suspension)
  return field.form === 'moment' || field.form === 'instant' ? printTime(value as number) : value
}

/** The same as policy files have it: a file does not say when somebody suspended a user. */
export function printInFile(field: Field, value: unknown): unknown {
  if (field.form !== 'suspension' || value === null) return printValue(field, value)
  const { suspended_at: _, ...printed } = printSuspension(value as Suspension)
  return printed
}

export function printSuspension({
  reason,
  suspended_at,
  valid_from: from,
  valid_until: until,
}: Suspension): PrintedSuspension {
  return {
    reason,
    suspended_at: printTime(suspended_at),
    ...(from === undefined ? {} : { valid_from: printTime(from) }),
    ...(until === undefined ? {} : { valid_until: printTime(until) }),
  }
}

/** The fields that objects with names have. */
export const named = fields({
  name: { form: 'name', about: 'display name; default: the key' },
  description: { form: 'text', about: 'description for people' },
})
