// History and activity in the API: what is answered at /v2/history and /v2/activity.
import {
  described,
  enumOf,
  Flag,
  listOf,
  named,
  nullable,
  open,
  optional,
  type Static,
  Text,
} from '../../model/json-schema.ts'
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
const User = named('Actor', open({ issuer: Text, subject: Text, name: nullable(Text) }))

const event = {
  id: Id,
  timestamp: Time,
  client_ip: Text,
  actor_type: enumOf('api_key', 'user', 'system'),
  actor_id: Id,
  actor_display_name: described(
    nullable(Text),
    'name of the API key, or of what the key belongs to; name of the user; otherwise the operation of the command line or of the server',
  ),
  actor_user: nullable(User),
  org_id: Id,
  project_id: nullable(Id),
  project_key: nullable(Text),
  env_id: nullable(Id),
  env_key: nullable(Text),
}

export const EventRead = named(
  'Event',
  open({
    ...event,
    timestamp_utc: Time,
    method: Text,
    path: Text,
    success: Flag,
    status: Count,
    request_id: nullable(Id),
    correlation_id: nullable(Text),
    operation: Text,
    summary: described(nullable(Text), 'what was done, if the operation and the path do not show it'),
    revision: Count,
    changed: optional(
      described(
        nullable(
          open({
            objects: described(
              listOf(open({ kind: Text, key: Text, op: enumOf('create', 'update', 'delete') })),
              'the first objects, starting with the main object of the operation',
            ),
            count: described(Count, 'number of objects; also 0 if the changes are no longer kept'),
          }),
        ),
        'with `changed`: the objects that the revision wrote; null outside environments, and if there are very many',
      ),
    ),
  }),
)
export type EventRead = Static<typeof EventRead>

export const ActivityRead = named(
  'Activity',
  open({ ...event, activity_id: Text, activity_description: Text, activity_details: Attributes }),
)
export type ActivityRead = Static<typeof ActivityRead>

export const ActivityType = named('ActivityType', open({ id: Text, description: Text }))
export type ActivityType = Static<typeof ActivityType>

const filters = {
  ...page,
  actor_id: textsParameter('only actions of this API key or user'),
  actor_type: textsParameter(
    '`api_key`, `user` for a person of the console, or `system` for the command line and the process itself',
  ),
  actor_display_name: textParameter('a part of the name of the API key or user'),
  project_id: textsParameter('only in this project, by its id'),
  env_id: textsParameter('only in this environment, by its id'),
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
  search: textParameter('a part of the operation, of the path, or of what `summary` says'),
  changed: flagParameter('also which objects each revision wrote'),
  success: flagFilter('refused requests are not recorded, so false lists nothing'),
})
