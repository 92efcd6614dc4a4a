// Proxy configs in the API: what is sent and what is answered at /v2/facts/{p}/{e}/proxy_configs.
import {
  closed,
  described,
  enumOf,
  Flag,
  listOf,
  mapOf,
  maybe,
  named,
  nullable,
  open,
  optional,
  type Static,
  schemaOf,
  Text,
} from '../../model/json-schema.ts'
import { MAPPING_RULES_MAX } from '../../model/limits.ts'
import type { Json } from '../../model/objects.ts'
import { Key, known, sameKey } from './schema-parts.ts'

const AuthMechanism = enumOf('Bearer', 'Basic', 'Headers')
const secrets = [{ type: 'string' }, { type: 'object' }]
const ABOUT_SECRET = 'Bearer: the token; Basic: `user:password`; Headers: an object of headers'
const Secret = described(schemaOf<Json>({ anyOf: secrets }), ABOUT_SECRET)

const rule = {
  url: Text,
  url_type: maybe(enumOf('regex')),
  http_method: enumOf('get', 'post', 'put', 'patch', 'delete', 'head', 'options'),
  resource: Text,
  headers: maybe(mapOf(Text)),
  action: maybe(Text),
  priority: maybe(
    schemaOf<number>({ type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  ),
}

const newFields = {
  secret: Secret,
  name: maybe(Text),
  mapping_rules: maybe(described(listOf(closed(rule)), 'maps requests to actions', { maxItems: MAPPING_RULES_MAX })),
  auth_mechanism: maybe(AuthMechanism),
}

export const ProxyConfigCreate = named('ProxyConfigCreate', closed({ key: Key, ...newFields }))
export type ProxyConfigCreate = Static<typeof ProxyConfigCreate>

export const ProxyConfigReplace = named('ProxyConfigReplace', closed({ ...newFields, ...sameKey }))
export type ProxyConfigReplace = Static<typeof ProxyConfigReplace>

/** A rule replaces the one of the same method and url, or is added. */
const ChangedRule = closed({ ...rule, should_delete: maybe(described(Flag, 'deletes the rule')) })
export type ChangedRule = Static<typeof ChangedRule>

export const ProxyConfigUpdate = named(
  'ProxyConfigUpdate',
  closed({
    ...sameKey,
    secret: optional(described(schemaOf<Json>({ anyOf: [...secrets, { type: 'null' }] }), ABOUT_SECRET)),
    name: maybe(Text),
    mapping_rules: maybe(described(listOf(ChangedRule), 'maps requests to actions', { maxItems: MAPPING_RULES_MAX })),
    auth_mechanism: maybe(AuthMechanism),
  }),
)
export type ProxyConfigUpdate = Static<typeof ProxyConfigUpdate>

export const ProxyConfigRead = named(
  'ProxyConfig',
  open({
    ...known,
    name: Text,
    auth_mechanism: AuthMechanism,
    secret: described(schemaOf<Json>({}), 'null if this key is not allowed to see it'),
    mapping_rules: listOf(
      open({
        url: Text,
        url_type: nullable(enumOf('regex')),
        http_method: Text,
        resource: Text,
        headers: mapOf(Text),
        action: nullable(Text),
        priority: nullable(schemaOf<number>({ type: 'number' })),
      }),
    ),
  }),
)

export type ProxyConfigRead = Static<typeof ProxyConfigRead>
