// Proxy configs in the API: what is sent and what is answered at /v2/facts/{p}/{e}/proxy_configs.
import * as t from '../../model/json-schema.ts'
import { MAPPING_RULES_MAX } from '../../model/limits.ts'
import type { Json } from '../../model/objects.ts'
import { Key, known, sameKey } from './schema-parts.ts'

const AuthMechanism = t.enumOf('Bearer', 'Basic', 'Headers')
const secrets = [{ type: 'string' }, { type: 'object' }]
const ABOUT_SECRET = 'Bearer: the token; Basic: `user:password`; Headers: an object of headers'
const Secret = t.described(t.schemaOf<Json>({ anyOf: secrets }), ABOUT_SECRET)

const rule = {
  url: t.Text,
  url_type: t.maybe(t.enumOf('regex')),
  http_method: t.enumOf('get', 'post', 'put', 'patch', 'delete', 'head', 'options'),
  resource: t.Text,
  headers: t.maybe(t.mapOf(t.Text)),
  action: t.maybe(t.Text),
  priority: t.maybe(
    t.schemaOf<number>({ type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  ),
}

const newFields = {
  secret: Secret,
  name: t.maybe(t.Text),
  mapping_rules: t.maybe(
    t.described(t.listOf(t.closed(rule)), 'maps requests to actions', { maxItems: MAPPING_RULES_MAX }),
  ),
  auth_mechanism: t.maybe(AuthMechanism),
}

export const ProxyConfigCreate = t.named('ProxyConfigCreate', t.closed({ key: Key, ...newFields }))
export type ProxyConfigCreate = t.Static<typeof ProxyConfigCreate>

export const ProxyConfigReplace = t.named('ProxyConfigReplace', t.closed({ ...newFields, ...sameKey }))
export type ProxyConfigReplace = t.Static<typeof ProxyConfigReplace>

/** A rule replaces the one of the same method and url, or is added. */
const ChangedRule = t.closed({ ...rule, should_delete: t.maybe(t.described(t.Flag, 'deletes the rule')) })
export type ChangedRule = t.Static<typeof ChangedRule>

export const ProxyConfigUpdate = t.named(
  'ProxyConfigUpdate',
  t.closed({
    ...sameKey,
    secret: t.optional(t.described(t.schemaOf<Json>({ anyOf: [...secrets, { type: 'null' }] }), ABOUT_SECRET)),
    name: t.maybe(t.Text),
    mapping_rules: t.maybe(
      t.described(t.listOf(ChangedRule), 'maps requests to actions', { maxItems: MAPPING_RULES_MAX }),
    ),
    auth_mechanism: t.maybe(AuthMechanism),
  }),
)
export type ProxyConfigUpdate = t.Static<typeof ProxyConfigUpdate>

export const ProxyConfigRead = t.named(
  'ProxyConfig',
  t.open({
    ...known,
    name: t.Text,
    auth_mechanism: AuthMechanism,
    secret: t.described(t.schemaOf<Json>({}), 'null if this key is not allowed to see it'),
    mapping_rules: t.listOf(
      t.open({
        url: t.Text,
        url_type: t.nullable(t.enumOf('regex')),
        http_method: t.Text,
        resource: t.Text,
        headers: t.mapOf(t.Text),
        action: t.nullable(t.Text),
        priority: t.nullable(t.schemaOf<number>({ type: 'number' })),
      }),
    ),
  }),
)

export type ProxyConfigRead = t.Static<typeof ProxyConfigRead>
