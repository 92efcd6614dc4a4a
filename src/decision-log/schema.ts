// Records of decisions in the API: what is asked and what is answered at /v2/pdps/{p}/{e}/audit_logs.

import {
  flagFilter,
  page,
  query,
  tenantFilter,
  textParameter,
  textsParameter,
  timeParameter,
} from '../management/schemas/query-parameters.ts'
import { Attributes, Count, Id, Time } from '../management/schemas/schema-parts.ts'
import * as t from '../model/json-schema.ts'

export const AuditLogRead = t.named(
  'AuditLog',
  t.open({
    id: Id,
    timestamp: Time,
    created_at: Time,
    query: t.Text,
    user_key: t.Text,
    user_email: t.nullable(t.Text),
    user_name: t.nullable(t.Text),
    resource_type: t.Text,
    tenant: t.Text,
    action: t.Text,
    decision: t.Flag,
    reason: t.nullable(t.Text),
    org_id: Id,
    project_id: Id,
    env_id: Id,
    pdp_config_id: Id,
    input: Attributes,
    result: Attributes,
    context: Attributes,
    raw_data: Attributes,
  }),
)
export type AuditLogRead = t.Static<typeof AuditLogRead>

export const AuditStored = t.named(
  'AuditStored',
  t.open({
    stored: Count,
    known: Count,
    refused: Count,
    refusals: t.open({ not_a_record: Count, other_environment: Count, other_key: Count, other_sender: Count }),
  }),
)
export type AuditStored = t.Static<typeof AuditStored>

export const AuditCounts = t.named(
  'AuditCounts',
  t.open({
    by: t.Text,
    from: Time,
    to: Time,
    data: t.listOf(t.open({ time: Time, allowed: Count, denied: Count })),
  }),
)
export type AuditCounts = t.Static<typeof AuditCounts>
export const AuditCountsQuery = query({
  by: t.optional(
    t.schemaOf<string>({
      type: 'string',
      enum: ['minute', 'hour', 'day'],
      default: 'hour',
      description: 'size of the intervals, in UTC',
    }),
  ),
  timestamp_from: timeParameter,
  timestamp_to: timeParameter,
})

const questions = {
  action: textParameter('only decisions about this action'),
  decision: flagFilter('only allowed decisions, or only denied ones'),
  pdp_id: textParameter('only decisions of this PDP: the id of its config, or the instance in its records'),
  resources: textsParameter('only decisions about these resources: a type, or `type:key`'),
  ...tenantFilter,
  users: textsParameter('only decisions about these users'),
}
export const AuditStreamQuery = query(questions)
export const AuditQuery = query({
  ...page,
  ...questions,
  sort_by: t.optional(
    t.schemaOf<string>({ type: 'string', enum: ['timestamp'], description: 'the newest always comes first' }),
  ),
  timestamp_from: timeParameter,
  timestamp_to: timeParameter,
})
