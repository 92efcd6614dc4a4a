// Environments in the API: what is sent and what is answered at /v2/projects/{p}/envs, and their PDP configs.
import {
  closed,
  described,
  enumOf,
  Flag,
  listOf,
  maybe,
  named,
  nullable,
  open,
  type Static,
  schemaOf,
  Text,
  Texts,
} from '../../model/json-schema.ts'
import type { JsonObject } from '../../model/objects.ts'
import { agreed, page } from './plan.ts'
import { numberParameter, query } from './query-parameters.ts'
import { Attributes, bodyNames, Count, Id, Key, Null, place, readNames, sameKey, stamps } from './schema-parts.ts'

/** Where the keys are that verify tokens of a front end, or the keys themselves. */
const Jwks = schemaOf<JsonObject>({
  ...closed({
    ttl: maybe(Count),
    url: maybe(schemaOf<string>({ type: 'string', pattern: '^https://[^\\s/]+(/\\S*)?$' })),
    jwks: maybe(closed({ keys: listOf(Attributes) })),
  }),
})

const fields = {
  ...bodyNames,
  custom_branch_name: maybe(Text),
  jwks: maybe(Jwks),
  settings: maybe(Attributes),
}

export const EnvironmentCreate = named('EnvironmentCreate', closed({ key: Key, ...fields }))
export type EnvironmentCreate = Static<typeof EnvironmentCreate>

export const EnvironmentReplace = named('EnvironmentReplace', closed({ ...sameKey, ...fields }))
export type EnvironmentReplace = Static<typeof EnvironmentReplace>

export const EnvironmentUpdate = named('EnvironmentUpdate', closed({ ...sameKey, ...fields }))
export type EnvironmentUpdate = Static<typeof EnvironmentUpdate>

const CopyFilter = closed({ include: maybe(described(Texts, 'keys; default: all')), exclude: maybe(Texts) })
const CopyScope = closed({
  resources: maybe(CopyFilter),
  roles: maybe(CopyFilter),
  user_sets: maybe(CopyFilter),
  resource_sets: maybe(CopyFilter),
  custom_policies: maybe(CopyFilter),
})
export type CopyScope = Static<typeof CopyScope>

const copied = {
  target_env: described(
    closed({ existing: maybe(described(Text, 'key or id in the same project')), new: maybe(EnvironmentCreate) }),
    'exactly one of the two is required',
  ),
  conflict_strategy: maybe(enumOf('fail', 'overwrite')),
  scope: maybe(CopyScope),
}
export const EnvironmentCopy = named('EnvironmentCopy', closed({ ...copied, ...agreed }))
export type EnvironmentCopy = Static<typeof EnvironmentCopy>

export const EnvironmentCopyPlan = named('EnvironmentCopyPlan', closed({ ...copied, page }))
export type EnvironmentCopyPlan = Static<typeof EnvironmentCopyPlan>

const environment = {
  id: Id,
  key: Text,
  ...readNames,
  custom_branch_name: nullable(Text),
  jwks: nullable(Attributes),
  settings: nullable(Attributes),
  avp_policy_store_id: Null,
  organization_id: Id,
  project_id: Id,
  ...stamps,
}
export const EnvironmentRead = named('Environment', open(environment))
export type EnvironmentRead = Static<typeof EnvironmentRead>
export const EnvironmentWithEmail = named('EnvironmentWithEmail', open({ ...environment, email_configuration: Null }))
export type EnvironmentWithEmail = Static<typeof EnvironmentWithEmail>

export const PdpConfigRead = named(
  'PdpConfig',
  open({
    id: Id,
    name: Text,
    client_secret: Text,
    opal_server_access_token: Null,
    num_shards: Count,
    debug_audit_logs: Flag,
    min_pdp_version: Null,
    ...place,
  }),
)
export type PdpConfigRead = Static<typeof PdpConfigRead>

export const EnvironmentStats = named(
  'EnvironmentStats',
  open({
    ...environment,
    pdp_configs: listOf(PdpConfigRead),
    stats: open({
      roles: Count,
      users: Count,
      policies: Count,
      resources: Count,
      tenants: Count,
      mau: Count,
      has_decision_logs: Flag,
      members: listOf(Attributes),
    }),
  }),
)
export type EnvironmentStats = Static<typeof EnvironmentStats>

export const EnvironmentTask = named(
  'EnvironmentTask',
  open({
    task_id: Id,
    status: enumOf('processing', 'success', 'failure'),
    result: nullable(EnvironmentRead),
    error: nullable(Attributes),
  }),
)
export type EnvironmentTask = Static<typeof EnvironmentTask>

export const CopyQuery = query({
  wait: numberParameter({ type: 'number', minimum: 0, maximum: 60, default: 0 }, 'seconds to wait for the outcome'),
})
