// History and activity in the API: what is answered at /v2/history and /v2/activity.
import * as t from '../../model/json-schema.ts'
import {
  flagFilter,
  flagParameter,
  page,
  query,
  textParameter,
  textsParameter,
  timeParameter,
} from './query-parameters.ts'
import { Attributes, Count, Id, Time } from './schema-parts.ts'

/** A person who signed in to the console, as the identity provider names them. */
const User = t.named('Actor', t.open({ issuer: t.Text, subject: t.Text, name: t.nullable(t.Text) }))

const event = {
  id: Id,
  timestamp: Time,
  client_ip: t.Text,
  actor_type: t.enumOf('api_key', 'user', 'system'),
  actor_id: Id,
  actor_display_name: t.described(
    t.nullable(t.Text),
    'name of the API key, or of what the key belongs to; name of the user; otherwise the operation of the command line or of the server',
  ),
  actor_user: t.nullable(User),
  reason: t.described(t.nullable(t.Text), 'why, as `x-reason` of the request said'),
  ticket: t.described(t.nullable(t.Text), 'what it was done for, as `x-ticket` of the request said'),
  org_id: Id,
  project_id: t.nullable(Id),
  project_key: t.nullable(t.Text),
  env_id: t.nullable(Id),
  env_key: t.nullable(t.Text),
}

export const EventRead = t.named(
  'Event',
  t.open({
    ...event,
    timestamp_utc: Time,
    method: t.Text,
    path: t.Text,
    success: t.Flag,
    status: Count,
    request_id: t.nullable(Id),
    correlation_id: t.nullable(t.Text),
    operation: t.Text,
    summary: t.described(t.nullable(t.Text), 'what was done, if the operation and the path do not show it'),
    revision: Count,
    changed: t.optional(
      t.described(
        t.nullable(
          t.open({
            objects: t.described(
              t.listOf(t.open({ kind: t.Text, key: t.Text, op: t.enumOf('create', 'update', 'delete') })),
              'the first objects, starting with the main object of the operation',
            ),
            count: t.described(Count, 'number of objects; also 0 if the changes are no longer kept'),
          }),
        ),
        'with `changed`: the objects that the revision wrote; null outside environments, and if there are very many',
      ),
    ),
  }),
)
export type EventRead = t.Static<typeof EventRead>

export const ActivityRead = t.named(
  'Activity',
  t.open({ ...event, activity_id: t.Text, activity_description: t.Text, activity_details: Attributes }),
)
export type ActivityRead = t.Static<typeof ActivityRead>

export const ActivityType = t.named('ActivityType', t.open({ id: t.Text, description: t.Text }))
export type ActivityType = t.Static<typeof ActivityType>

const filters = {
  ...page,
  actor_id: textsParameter('only actions of this API key or user'),
  actor_type: textsParameter(
    '`api_key`, `user` for a person of the console, or `system` for the command line and the process itself',
  ),
  actor_display_name: textParameter('a part of the name of the API key or user'),
  project_id: textsParameter('only in this project, by its id'),
  env_id: textsParameter('only in this environment, by its id'),
  reason: textParameter('a part of the reason'),
  ticket: textsParameter('only what was done for this ticket'),
  timestamp_from: timeParameter,
  timestamp_until: timeParameter,
}
export const ActivityQuery = query(filters)
export const HistoryQuery = query({
  ...filters,
  client_ip: textsParameter('only from this address'),
  method: textsParameter('only requests of this method'),
  path: textsParameter('only requests whose path contains this'),
  status_code: textsParameter('only answers of this status'),
  search: textParameter('a part of the operation, of the path, of what `summary` says, of the reason or the ticket'),
  changed: flagParameter('also which objects each revision wrote'),
  success: flagFilter('refused requests are not recorded, so false lists nothing'),
})
