// What the administrators of a tenant read beside its users and roles: resource types, decisions, history, and why.

import { noteFields } from '../../kinds/role-assignment.ts'
import { timeFields } from '../../kinds/times.ts'
import * as t from '../../model/json-schema.ts'
import { RoleToRequest } from './access-requests.ts'
import { answerMembers } from './field-members.ts'
import { flagFilter, page, query, textParameter, textsParameter, timeParameter } from './query-parameters.ts'
import { Id, Time } from './schema-parts.ts'

const named = { key: t.Text, name: t.Text, description: t.nullable(t.Text) }

/** A resource type as a tenant sees it: without attributes, relations and roles. */
export const TenantResource = t.named('TenantResource', t.open({ id: Id, ...named, actions: t.listOf(t.open(named)) }))
export type TenantResource = t.Static<typeof TenantResource>

export const TenantDecision = t.named(
  'TenantDecision',
  t.open({
    timestamp: Time,
    user: t.described(t.nullable(t.Text), 'key; `*`: no one was signed in. null: who does not belong to the tenant'),
    action: t.Text,
    resource_type: t.Text,
    resource_key: t.nullable(t.Text),
    decision: t.Flag,
  }),
)
export type TenantDecision = t.Static<typeof TenantDecision>

export const TenantDecisionQuery = query({
  ...page,
  action: textParameter('only decisions about this action'),
  decision: flagFilter('only allowed decisions, or only denied ones'),
  resources: textsParameter('only decisions about these resources: a type, or `type:key`'),
  users: textsParameter('only decisions about these users of the tenant'),
  timestamp_from: timeParameter,
  timestamp_to: timeParameter,
})

export const TenantChangeRead = t.named(
  'TenantChange',
  t.open({
    op: t.enumOf('create', 'update', 'delete'),
    kind: t.enumOf('membership', 'role_assignment', 'user_invite', 'tenant_role'),
    user: t.described(t.nullable(t.Text), 'key'),
    email: t.described(t.nullable(t.Text), 'of an invite'),
    role: t.nullable(t.Text),
    resource_instance: t.nullable(t.described(t.Text, '`type:key`')),
    ...answerMembers({ ...timeFields, ...noteFields }),
  }),
)
export type TenantChangeRead = t.Static<typeof TenantChangeRead>

export const TenantEvent = t.named(
  'TenantEvent',
  t.open({
    at: Time,
    api_key: t.described(
      t.nullable(t.open({ id: Id, name: t.nullable(t.Text) })),
      'the key of the tenant that did it; null: anyone else',
    ),
    changes: t.listOf(TenantChangeRead),
  }),
)
export type TenantEvent = t.Static<typeof TenantEvent>

export const TenantHistoryQuery = query({ ...page, timestamp_from: timeParameter, timestamp_until: timeParameter })

export const TenantQuestion = t.named(
  'TenantQuestion',
  t.closed({
    user: t.described(t.Text, 'key or id of a user of the tenant'),
    action: t.Text,
    resource: t.described(t.Text, 'a type, or `type:key` of an instance in the tenant'),
  }),
)
export type TenantQuestion = t.Static<typeof TenantQuestion>

const RoleNamed = t.open({
  role: t.Text,
  resource: t.described(t.nullable(t.Text), 'of a role on instances: their type'),
})

export const TenantWhy = t.named(
  'TenantWhy',
  t.open({
    allow: t.Flag,
    user: t.Text,
    action: t.Text,
    resource: t.Text,
    tenant: t.Text,
    reason: t.described(
      t.enumOf('role', 'rule', 'none', 'suspended', 'undecided'),
      'what decided: a role; a rule of the application, which is not shown; nothing allows it; the user is suspended; a limit was reached',
    ),
    because: t.described(
      t.listOf(
        t.open({
          role: t.Text,
          everybody: t.described(t.Flag, 'everyone has the role, and not only the user'),
          resource_instance: t.described(
            t.nullable(t.Text),
            '`type:key`: where the role is assigned; null: in the tenant',
          ),
          valid_until: t.optional(Time),
        }),
      ),
      'the roles that allow it',
    ),
    offered: t.described(
      t.listOf(RoleNamed),
      'of a deny: roles with the permission that keys of the tenant may assign',
    ),
    requestable: t.described(t.listOf(RoleToRequest), 'of a deny: roles with the permission that the user can request'),
  }),
)
export type TenantWhy = t.Static<typeof TenantWhy>
