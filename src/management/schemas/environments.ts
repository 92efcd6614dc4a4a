// Environments in the API: what is sent and what is answered at /v2/projects/{p}/envs, and their PDP configs.
import * as t from '../../model/json-schema.ts'
import type { JsonObject } from '../../model/objects.ts'
import { bodyNames, readNames } from './field-members.ts'
import { agreed, page } from './plan.ts'
import { numberParameter, query } from './query-parameters.ts'
import { Attributes, Count, Id, Key, Null, place, sameKey, stamps } from './schema-parts.ts'

/** Where the keys are that verify tokens of a front end, or the keys themselves. */
const Jwks = t.schemaOf<JsonObject>({
  ...t.closed({
    ttl: t.maybe(Count),
    url: t.maybe(t.schemaOf<string>({ type: 'string', pattern: '^https://[^\\s/]+(/\\S*)?$' })),
    jwks: t.maybe(t.closed({ keys: t.listOf(Attributes) })),
  }),
})

const fields = {
  ...bodyNames,
  custom_branch_name: t.maybe(t.Text),
  jwks: t.maybe(Jwks),
  settings: t.maybe(Attributes),
  require_reason: t.maybe(
    t.described(t.Flag, 'every write of a person or an API key must say why, in the header `x-reason`'),
  ),
  require_approval: t.maybe(
    t.described(t.Flag, 'the policy is changed by proposals only, which another person or API key applies'),
  ),
}

export const EnvironmentCreate = t.named('EnvironmentCreate', t.closed({ key: Key, ...fields }))
export type EnvironmentCreate = t.Static<typeof EnvironmentCreate>

export const EnvironmentReplace = t.named('EnvironmentReplace', t.closed({ ...sameKey, ...fields }))
export type EnvironmentReplace = t.Static<typeof EnvironmentReplace>

export const EnvironmentUpdate = t.named('EnvironmentUpdate', t.closed({ ...sameKey, ...fields }))
export type EnvironmentUpdate = t.Static<typeof EnvironmentUpdate>

const CopyFilter = t.closed({ include: t.maybe(t.described(t.Texts, 'keys; default: all')), exclude: t.maybe(t.Texts) })
const CopyScope = t.closed({
  resources: t.maybe(CopyFilter),
  roles: t.maybe(CopyFilter),
  user_sets: t.maybe(CopyFilter),
  resource_sets: t.maybe(CopyFilter),
  custom_policies: t.maybe(CopyFilter),
})
export type CopyScope = t.Static<typeof CopyScope>

const copied = {
  target_env: t.described(
    t.closed({
      existing: t.maybe(t.described(t.Text, 'key or id in the same project')),
      new: t.maybe(EnvironmentCreate),
    }),
    'exactly one of the two is required',
  ),
  conflict_strategy: t.maybe(t.enumOf('fail', 'overwrite')),
  scope: t.maybe(CopyScope),
  tenant_roles: t.maybe(
    t.described(
      t.Flag,
      'also the roles that tenants made, of tenants that the target has by the same key, with what is offered there; default: false',
    ),
  ),
}
export const EnvironmentCopy = t.named('EnvironmentCopy', t.closed({ ...copied, ...agreed }))
export type EnvironmentCopy = t.Static<typeof EnvironmentCopy>

export const EnvironmentCopyPlan = t.named('EnvironmentCopyPlan', t.closed({ ...copied, page }))
export type EnvironmentCopyPlan = t.Static<typeof EnvironmentCopyPlan>

const environment = {
  id: Id,
  key: t.Text,
  ...readNames,
  custom_branch_name: t.nullable(t.Text),
  jwks: t.nullable(Attributes),
  settings: t.nullable(Attributes),
  require_reason: t.optional(t.described(t.Flag, 'left out when false')),
  require_approval: t.optional(t.described(t.Flag, 'left out when false')),
  avp_policy_store_id: Null,
  organization_id: Id,
  project_id: Id,
  ...stamps,
}
export const EnvironmentRead = t.named('Environment', t.open(environment))
export type EnvironmentRead = t.Static<typeof EnvironmentRead>
export const EnvironmentWithEmail = t.named(
  'EnvironmentWithEmail',
  t.open({ ...environment, email_configuration: Null }),
)
export type EnvironmentWithEmail = t.Static<typeof EnvironmentWithEmail>

export const PdpConfigRead = t.named(
  'PdpConfig',
  t.open({
    id: Id,
    name: t.Text,
    client_secret: t.Text,
    opal_server_access_token: Null,
    num_shards: Count,
    debug_audit_logs: t.Flag,
    min_pdp_version: Null,
    ...place,
  }),
)
export type PdpConfigRead = t.Static<typeof PdpConfigRead>

export const EnvironmentStats = t.named(
  'EnvironmentStats',
  t.open({
    ...environment,
    pdp_configs: t.listOf(PdpConfigRead),
    stats: t.open({
      roles: Count,
      users: Count,
      policies: Count,
      resources: Count,
      tenants: Count,
      mau: Count,
      has_decision_logs: t.Flag,
      members: t.listOf(Attributes),
    }),
  }),
)
export type EnvironmentStats = t.Static<typeof EnvironmentStats>

export const EnvironmentTask = t.named(
  'EnvironmentTask',
  t.open({
    task_id: Id,
    status: t.enumOf('processing', 'success', 'failure'),
    result: t.nullable(EnvironmentRead),
    error: t.nullable(Attributes),
  }),
)
export type EnvironmentTask = t.Static<typeof EnvironmentTask>

export const CopyQuery = query({
  wait: numberParameter({ type: 'number', minimum: 0, maximum: 60, default: 0 }, 'seconds to wait for the outcome'),
})
