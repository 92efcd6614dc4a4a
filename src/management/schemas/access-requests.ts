// Access requests in the API: what is sent and what is answered at /v2/facts/{p}/{e}/access_requests.
import { REQUEST_STATES, TRANSITIONS, type TransitionName } from '../../kinds/access-request.ts'
import { noteFields } from '../../kinds/role-assignment.ts'
import * as t from '../../model/json-schema.ts'
import { DESCRIPTION_LENGTH_MAX } from '../../model/limits.ts'
import { answerMembers, noteMembers } from './field-members.ts'
import { page, query, roleFilter, tenantFilter, textParameter, textsParameter, userFilter } from './query-parameters.ts'
import { Id, Instant, place, RequestableRead, Seconds, stamps, Time } from './schema-parts.ts'

const as = t.maybe(
  t.described(
    t.Text,
    'the user who acts, a key or an id: required with an API key, whose holder has signed the user in',
  ),
)
const time = {
  duration: t.maybe(t.described(Seconds, 'seconds, counted from the approval on; this or `until`')),
  until: t.maybe(t.described(Instant, 'until when, in ISO 8601 with an offset or in ms since 1970')),
}
const Reason = t.described(t.Text, 'why, for people', { minLength: 1, maxLength: DESCRIPTION_LENGTH_MAX })

export const AccessRequestCreate = t.named(
  'AccessRequestCreate',
  t.closed({
    as,
    role: t.described(t.Text, 'key or id of a role; with an instance, of a role of its resource type'),
    tenant: t.maybe(t.described(t.Text, 'key or id; `default` if neither a tenant nor an instance is sent')),
    resource_instance: t.maybe(t.described(t.Text, 'id or `type:key`')),
    ...time,
    ...noteMembers,
  }),
)
export type AccessRequestCreate = t.Static<typeof AccessRequestCreate>

/** As above, in the tenant that the path names. */
const { tenant: _tenant, ...inTenant } = AccessRequestCreate.properties
export const AccessRequestInTenant = t.named('AccessRequestInTenant', t.closed(inTenant))
export type AccessRequestInTenant = t.Static<typeof AccessRequestInTenant>

export const AccessRequestApprove = t.named(
  'AccessRequestApprove',
  t.closed({ as, duration: time.duration, until: time.until, reason: t.maybe(Reason) }),
)
export type AccessRequestApprove = t.Static<typeof AccessRequestApprove>

export const AccessRequestDecide = t.named('AccessRequestDecide', t.closed({ as, reason: t.maybe(Reason) }))
export type AccessRequestDecide = t.Static<typeof AccessRequestDecide>

const State = t.enumOf(...REQUEST_STATES)

/** What users do with requests: all but what the system does. */
const STEPS = (Object.keys(TRANSITIONS) as TransitionName[]).filter((name) => TRANSITIONS[name].by !== 'system')

export const AccessRequestRead = t.named(
  'AccessRequest',
  t.open({
    id: Id,
    ...place,
    ...stamps,
    state: t.described(State, '`expired` and `ended` follow from the time'),
    user: t.described(t.Text, 'key of the user who asks'),
    role: t.Text,
    tenant: t.Text,
    resource_instance: t.nullable(t.described(t.Text, '`type:key`')),
    duration: t.optional(Seconds),
    until: t.optional(Time),
    ...answerMembers(noteFields),
    auto: t.optional(t.described(t.Flag, 'true: the rule of the role approved it')),
    expires_at: t.optional(t.described(Time, 'when it expires, while it is pending')),
    approved_by: t.optional(t.described(t.Text, 'key of a user')),
    decided_by: t.optional(t.described(t.Text, 'key of the user who decided last; absent: the system')),
    decided_at: t.optional(Time),
    decision_reason: t.optional(t.Text),
    valid_until: t.optional(t.described(Time, 'until when an approved one gives the role')),
    may: t.optional(t.described(t.listOf(t.enumOf(...STEPS)), 'in a list with `as`: what that user may do with it')),
  }),
)
export type AccessRequestRead = t.Static<typeof AccessRequestRead>

export const RoleToRequest = t.open({
  role: t.described(t.Text, 'as an access request names it'),
  resource_instance: t.described(t.nullable(t.Text), '`type:key`; null: in the tenant'),
  max_duration: t.described(Seconds, 'seconds for which it can be requested at most'),
  reason: t.enumOf('required', 'optional'),
  auto: t.optional(t.described(t.Flag, 'true: it is given at once')),
  request: t.optional(t.described(Id, 'the pending request for it')),
})

const filters = {
  state: textsParameter(`only those in this state: ${REQUEST_STATES.map((state) => `\`${state}\``).join(', ')}`),
  ...userFilter,
  ...roleFilter,
  resource_instance: textParameter('only those for a role on this instance, an id or `type:key`'),
}
export const AccessRequestQuery = query({ ...page, ...filters, ...tenantFilter })
export const TenantRequestQuery = query({
  ...page,
  ...filters,
  as: textParameter('a user, key or id: only what this user asked for, or may decide about, each with `may`'),
})

/** A role that may be asked for. */
export const RequestableRole = t.named(
  'RequestableRole',
  t.open({
    key: t.Text,
    resource: t.described(t.nullable(t.Text), 'of a role on instances: their type'),
    name: t.Text,
    description: t.nullable(t.Text),
    ...t.membersOf(RequestableRead, 'max_duration', 'reason', 'auto'),
  }),
)
export type RequestableRole = t.Static<typeof RequestableRole>

export const RequestableRoleQuery = query({
  ...page,
  as: textParameter('a user, key or id: only roles that this user may ask for'),
})
