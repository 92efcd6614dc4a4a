// What the schemas of several resources share: fields that every object has, pages of lists, attributes. Those
// of one resource are in the file of its name.
import * as t from '../../model/json-schema.ts'
import { KEY_PATTERN, USER_KEY_PATTERN } from '../../model/keys.ts'
import { APPROVERS_MAX, DURATION_SECONDS_MAX, KEY_BYTES_MAX, REASON_LENGTH_MAX } from '../../model/limits.ts'
import type { JsonObject } from '../../model/objects.ts'

export const Id = t.schemaOf<string>({ type: 'string', pattern: '^[0-9a-f]{32}$' })
export const Time = t.schemaOf<string>({ type: 'string', format: 'date-time' })
/** As a body may have it: ISO 8601 with an offset, or milliseconds since 1970. */
export const Instant = t.schemaOf<string | number>({ type: ['string', 'integer'] })
export const Seconds = t.schemaOf<number>({ type: 'integer', minimum: 1, maximum: DURATION_SECONDS_MAX })
/** As a body may have it: why, and from when and until when, without which it is at once and until it is taken back. */
export const SuspensionSent = t.named(
  'SuspensionInput',
  t.described(
    t.closed({
      reason: t.described(t.Text, 'why, for people', { minLength: 1, maxLength: REASON_LENGTH_MAX }),
      valid_from: t.maybe(t.described(Instant, 'from when on; default: at once')),
      valid_until: t.maybe(t.described(Instant, 'until when, exclusive; default: until the user is resumed')),
    }),
    'nothing is allowed to the user while it is in force; where a body may leave it out, null resumes the user',
  ),
)
export type SuspensionSent = t.Static<typeof SuspensionSent>
export const SuspensionRead = t.named(
  'Suspension',
  t.open({
    reason: t.Text,
    suspended_at: t.described(Time, 'when somebody said so'),
    valid_from: t.optional(Time),
    valid_until: t.optional(Time),
  }),
)
/** As a body may have it: it replaces the stored one as a whole. */
export const RequestableSent = t.named(
  'RequestableInput',
  t.described(
    t.closed({
      by: t.maybe(
        t.described(
          t.enumOf('members', 'everybody'),
          'who may ask: users of the tenant, or every user, who then learns which tenants there are; default: members',
        ),
      ),
      approvers: t.maybe(
        t.described(
          t.Texts,
          'who decides: holders of these roles, keys or ids of roles in the same tenant, or `resource/role` on the same instance',
          { maxItems: APPROVERS_MAX },
        ),
      ),
      max_duration: t.described(Seconds, 'seconds for which the role may be asked for at most'),
      reason: t.maybe(t.described(t.enumOf('required', 'optional'), 'default: required')),
      auto: t.maybe(
        t.described(t.Flag, 'approve at once, without anyone who decides; a reason is required; default: false'),
      ),
    }),
    'which users can request the role for a time, and who approves; null: none',
  ),
)
export type RequestableSent = t.Static<typeof RequestableSent>
export const RequestableRead = t.named(
  'Requestable',
  t.open({
    by: t.enumOf('members', 'everybody'),
    approvers: t.Texts,
    max_duration: Seconds,
    reason: t.enumOf('required', 'optional'),
    auto: t.optional(t.Flag),
  }),
)
export const Count = t.schemaOf<number>({ type: 'integer', minimum: 0 })
export const Null = t.schemaOf<null>({ type: 'null' })
export const Attributes = t.schemaOf<JsonObject>({ type: 'object' })

/** An answer without a body. */
export const NoBody = t.schemaOf<null>({ type: 'null' })

/** The fields of a body that name an object. */
export const Key = t.described(t.Text, 'chosen by you; cannot be changed later', {
  pattern: KEY_PATTERN,
  maxLength: KEY_BYTES_MAX,
})
export const UserKey = t.described(t.Text, 'the identifier that your application uses; cannot be changed later', {
  pattern: USER_KEY_PATTERN,
  maxLength: KEY_BYTES_MAX,
})
/** A body that changes an object may name it, by the key that it has. */
export const sameKey = { key: t.maybe(t.described(t.Text, 'key of the object')) }

export const stamps = { created_at: Time, updated_at: Time }
export const place = { organization_id: Id, project_id: Id, environment_id: Id }
/** What objects of an environment have in every answer. */
export const known = { id: Id, key: t.Text, ...place, ...stamps }

/** Of an object that was deleted while a list was read, only the key is left. */
export const GoneId = t.described(t.nullable(Id), 'null if the object was deleted in the meantime')

/** Called after what it holds, so that generated clients have a name for it. */
export function namedAfter<S extends t.TSchema>(items: t.TSchema, suffix: string, schema: S): S {
  const name = t.schemaName(items)
  return name === undefined ? schema : t.named(`${name}${suffix}`, schema)
}

const Next = t.optional(t.described(t.Text, 'cursor of the next page; absent on the last one'))

/** A page of a list. */
export const makePage = <S extends t.TSchema>(items: S) =>
  namedAfter(items, 'Page', t.open({ data: t.listOf(items), total_count: Count, page_count: Count, next: Next }))
/** A page of a list that can be paged to a bound only. */
export const makeLongPage = <S extends t.TSchema>(items: S) =>
  namedAfter(
    items,
    'Page',
    t.open({ data: t.listOf(items), total_count: Count, page_count: Count, pagination_count: Count, next: Next }),
  )
/** A list; a page of it with `include_total_count`. */
export const listOrPage = <S extends t.TSchema>(items: S) =>
  namedAfter(items, 'ListOrPage', t.anyOf(t.listOf(items), makePage(items)))
