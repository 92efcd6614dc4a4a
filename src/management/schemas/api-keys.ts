// API keys in the API: what is sent and what is answered at /v2/api-key, and what a PDP of the clients asks at
// /v2/pdps/{p}/{e}/configs.
import { KEY_LEVELS } from '../../kinds/api-key.ts'
import * as t from '../../model/json-schema.ts'
import { EnvironmentRead } from './environments.ts'
import { ProjectRead } from './projects.ts'
import { page, query, textParameter } from './query-parameters.ts'
import { Attributes, Id, Null, Time } from './schema-parts.ts'

const Level = t.enumOf(...KEY_LEVELS)
const Access = t.enumOf('admin', 'write', 'read', 'no_access')
const Owner = t.enumOf('pdp_config', 'member', 'elements')

export const ApiKeyCreate = t.named(
  'ApiKeyCreate',
  t.closed({
    organization_id: t.Text,
    project_id: t.maybe(t.Text),
    environment_id: t.maybe(t.Text),
    tenant_id: t.maybe(t.described(t.Text, 'key or id of the tenant that a key of level `tenant` is for')),
    object_type: t.maybe(Level),
    access_level: t.maybe(Access),
    owner_type: t.maybe(Owner),
    name: t.maybe(t.Text),
    expires_at: t.described(
      t.maybe(t.Text),
      'when the key expires, with a time zone offset: `2027-06-30T00:00:00Z`. Without it the key does not expire',
    ),
    user_key: t.described(
      t.maybe(t.enumOf('user_name', 'external_id')),
      'of level `directory`: what becomes the key of a user whom the directory makes; default `user_name`',
    ),
    form: t.described(t.maybe(t.enumOf('permit')), 'format of the secret. Without it, the format of Zerohop'),
  }),
)
export type ApiKeyCreate = t.Static<typeof ApiKeyCreate>

export const KeyRotation = t.named(
  'ApiKeyRotation',
  t.closed({
    keep_old_seconds: t.described(
      t.maybe(t.schemaOf<number>({ type: 'integer' })),
      'seconds for which the current secret also stays valid; default 0',
    ),
  }),
)
export type KeyRotation = t.Static<typeof KeyRotation>

const scope = { organization_id: Id, project_id: t.nullable(Id), environment_id: t.nullable(Id) }
const tenantId = { tenant_id: t.maybe(t.described(Id, 'the tenant of a key of level `tenant`')) }
export const ApiKeyScope = t.named('ApiKeyScope', t.open({ ...scope, ...tenantId }))
export type ApiKeyScope = t.Static<typeof ApiKeyScope>

export const ApiKeyRead = t.named(
  'ApiKey',
  t.open({
    id: Id,
    ...scope,
    ...tenantId,
    object_type: Level,
    access_level: Access,
    owner_type: Owner,
    name: t.nullable(t.Text),
    secret: t.nullable(t.Text),
    created_at: Time,
    created_by_member: Null,
    last_used_at: t.described(t.nullable(Time), 'start of the last day (UTC) on which the key was used'),
    expires_at: t.described(t.nullable(Time), 'when the key expires; null if it does not expire'),
    user_key: t.maybe(
      t.described(t.enumOf('user_name', 'external_id'), 'of level `directory`: what becomes the key of a new user'),
    ),
    old_secret_expires_at: t.described(
      t.nullable(Time),
      'when the previous secret expires; null if no previous secret is valid',
    ),
    env: t.nullable(EnvironmentRead),
    project: t.nullable(ProjectRead),
    tenant: t.maybe(
      t.described(
        t.nullable(t.open({ id: Id, key: t.Text, name: t.Text })),
        'of a key of level `tenant`; null: the tenant was deleted',
      ),
    ),
  }),
)
export type ApiKeyRead = t.Static<typeof ApiKeyRead>

export const RemoteConfig = t.named(
  'RemoteConfig',
  t.open({
    opal_common: Attributes,
    opal_client: Attributes,
    pdp: t.mapOf(t.schemaOf<string | boolean>({ type: ['string', 'boolean'] })),
    context: t.mapOf(t.Text),
  }),
)
export type RemoteConfig = t.Static<typeof RemoteConfig>

export const ApiKeyQuery = query({
  ...page,
  object_type: textParameter('only keys of this level: `directory`, `tenant`, `env`, `project` or `org`'),
  proj_id: textParameter('only keys of this project'),
})
