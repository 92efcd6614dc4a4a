// How a proxy calls a service in the name of users.
import type { Stored, UrlRule } from '../model/objects.ts'
import type { Kind } from './kind.ts'
import { invalid, list, optionalText, text } from './wire-values.ts'

/** Which requests to a proxied service are which action on which resource. */
export interface MappingRule extends UrlRule {
  readonly headers: { readonly [name: string]: string }
}

/**
 * How a proxy calls a service in the name of users. Its secret is sealed beside the state, under `id`, never in the
 * object.
 */
export interface ProxyConfig extends Stored {
  readonly name: string
  readonly auth_mechanism: 'Bearer' | 'Basic' | 'Headers'
  readonly mapping_rules: readonly MappingRule[]
}

/** The rules that map requests to actions, at least one; neither the secret nor headers. */
export interface ProxyConfigPolicy {
  readonly rules: readonly UrlRule[]
}

/** Members in a fixed order, so that equal rules have equal text. */
export function urlRule({ url, url_type, http_method, resource, action, priority }: UrlRule): UrlRule {
  return { url, url_type, http_method, resource, action, priority }
}

function readUrlRule(fields: unknown): UrlRule {
  const [url, type, method, resource, action, priority] = list(fields, 'a mapping rule')
  if (type !== null && type !== 'regex') throw invalid('a mapping rule has no known type of url')
  if (priority !== null && typeof priority !== 'number') throw invalid('the priority of a mapping rule is not a number')
  const http_method = text(method) as UrlRule['http_method'] // an unknown method matches no request
  return {
    url: text(url),
    url_type: type,
    http_method,
    resource: text(resource),
    action: optionalText(action),
    priority,
  }
}

export const proxyConfig = {
  number: 15,
  hasIds: true,
  hasOwnTable: false,
  indexes: {},
  projection: {
    code: 12,
    project: ({ mapping_rules }) => (mapping_rules.length === 0 ? undefined : { rules: mapping_rules.map(urlRule) }),
    write: ({ rules }, key) => [key, rules.map((rule) => Object.values(urlRule(rule)))],
    read: ([, key, rules]) => {
      const name = text(key)
      const value = { rules: list(rules, 'the mapping rules').map(readUrlRule) }
      return { op: 'put', kind: 'proxy_config', key: name, value }
    },
  },
  inFiles: null,
} as const satisfies Kind<'proxy_config', ProxyConfig, ProxyConfigPolicy>
