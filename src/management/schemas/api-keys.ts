// API keys in the API: what is sent and what is answered at /v2/api-key, and what a PDP of the clients asks at
// /v2/pdps/{p}/{e}/configs.
import {
  closed,
  described,
  enumOf,
  mapOf,
  maybe,
  named,
  nullable,
  open,
  type Static,
  schemaOf,
  Text,
} from '../../model/json-schema.ts'
import { EnvironmentRead } from './environments.ts'
import { ProjectRead } from './projects.ts'
import { page, query, textParameter } from './query-parameters.ts'
import { Attributes, Id, Null, Time } from './schema-parts.ts'

const Level = enumOf('env', 'project', 'org')
const Access = enumOf('admin', 'write', 'read', 'no_access')
const Owner = enumOf('pdp_config', 'member', 'elements')

export const ApiKeyCreate = named(
  'ApiKeyCreate',
  closed({
    organization_id: Text,
    project_id: maybe(Text),
    environment_id: maybe(Text),
    object_type: maybe(Level),
    access_level: maybe(Access),
    owner_type: maybe(Owner),
    name: maybe(Text),
    expires_at: described(
      maybe(Text),
      'when the key expires, with a time zone offset: `2027-06-30T00:00:00Z`. Without it the key does not expire',
    ),
    form: described(maybe(enumOf('permit')), 'format of the secret. Without it, the format of Zerohop'),
  }),
)
export type ApiKeyCreate = Static<typeof ApiKeyCreate>

export const KeyRotation = named(
  'ApiKeyRotation',
  closed({
    keep_old_seconds: described(
      maybe(schemaOf<number>({ type: 'integer' })),
      'seconds for which the current secret also stays valid; default 0',
    ),
  }),
)
export type KeyRotation = Static<typeof KeyRotation>

const scope = { organization_id: Id, project_id: nullable(Id), environment_id: nullable(Id) }
export const ApiKeyScope = named('ApiKeyScope', open(scope))
export type ApiKeyScope = Static<typeof ApiKeyScope>

export const ApiKeyRead = named(
  'ApiKey',
  open({
    id: Id,
    ...scope,
    object_type: Level,
    access_level: Access,
    owner_type: Owner,
    name: nullable(Text),
    secret: nullable(Text),
    created_at: Time,
    created_by_member: Null,
    last_used_at: described(nullable(Time), 'start of the last day (UTC) on which the key was used'),
    expires_at: described(nullable(Time), 'when the key expires; null if it does not expire'),
    old_secret_expires_at: described(
      nullable(Time),
      'when the previous secret expires; null if no previous secret is valid',
    ),
    env: nullable(EnvironmentRead),
    project: nullable(ProjectRead),
  }),
)
export type ApiKeyRead = Static<typeof ApiKeyRead>

export const RemoteConfig = named(
  'RemoteConfig',
  open({
    opal_common: Attributes,
    opal_client: Attributes,
    pdp: mapOf(schemaOf<string | boolean>({ type: ['string', 'boolean'] })),
    context: mapOf(Text),
  }),
)
export type RemoteConfig = Static<typeof RemoteConfig>

export const ApiKeyQuery = query({
  ...page,
  object_type: textParameter('only keys of this level: `env`, `project` or `org`'),
  proj_id: textParameter('only keys of this project'),
})
