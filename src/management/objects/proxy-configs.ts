// Proxy configs: how a proxy calls a service, and the rules that map requests to actions. The secret is sealed beside
// the state and never part of a change.
import { isDeepStrictEqual } from 'node:util'
import type { MappingRule, ProxyConfig } from '../../kinds/proxy-config.ts'
import { urlRule } from '../../kinds/proxy-config.ts'
import { put, remove } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { requireKey } from '../../model/keys.ts'
import {
  MAPPING_RULES_BYTES_MAX,
  MAPPING_RULES_MAX,
  PROXY_CONFIGS_MAX,
  PROXY_SECRET_BYTES_MAX,
  URL_PATTERNS_MAX,
  URL_RULES_MAX,
} from '../../model/limits.ts'
import type { Json } from '../../model/objects.ts'
import { requireUrl } from '../../model/url-rules.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { requireSameKey } from '../rules/collection.ts'
import { BODY, type Path, settle, settleName, settleText } from '../rules/fields.ts'
import type { ChangedRule, ProxyConfigCreate, ProxyConfigReplace, ProxyConfigUpdate } from '../schemas/proxy-configs.ts'

/** @throws KEY_INVALID, OBJECT_EXISTS, INPUT_INVALID on a secret that does not fit the mechanism, LIMIT_EXCEEDED */
export function createProxyConfig(view: View, input: ProxyConfigCreate, mint: Mint): Decided<ProxyConfig> {
  const key = requireKey('proxy_config', input.key)
  view.refuse('proxy_config', key)
  if (view.count('proxy_config') >= PROXY_CONFIGS_MAX) {
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the proxy configs', limit: PROXY_CONFIGS_MAX }, { path: BODY })
  }
  const config: ProxyConfig = {
    id: mint.id(),
    key,
    created_at: mint.now,
    updated_at: mint.now,
    name: settleName(input.name, key, key),
    auth_mechanism: input.auth_mechanism ?? 'Bearer',
    mapping_rules: requireRules(view, key, (input.mapping_rules ?? []).map(settleRule)),
  }
  const secret = requireSecret(input.secret, config.auth_mechanism)
  return { changes: [put('proxy_config', config)], secrets: [{ id: config.id, secret }], result: config }
}

/**
 * Changes the fields that were sent. A sent mapping rule replaces the one with the same method and url, deletes it with
 * `should_delete`, or is added. Changing the mechanism requires a new secret.
 */
export function updateProxyConfig(
  view: View,
  { ref, fields }: { readonly ref: string; readonly fields: ProxyConfigUpdate },
  mint: Mint,
): Decided<ProxyConfig> {
  const stored = view.require('proxy_config', ref)
  requireSameKey(fields.key, stored.key)
  const mechanism = settle(fields.auth_mechanism, stored.auth_mechanism, 'Bearer')
  const sent = fields.secret ?? undefined
  if (sent === undefined && mechanism !== stored.auth_mechanism) {
    throw new ZerohopError('INPUT_INVALID', { reason: 'another auth_mechanism needs another secret' }, { path: SECRET })
  }
  const config: ProxyConfig = {
    ...stored,
    name: settleName(fields.name, stored.name, stored.key),
    auth_mechanism: mechanism,
    mapping_rules: mergeRules(view, stored, fields.mapping_rules),
  }
  const secrets = sent === undefined ? [] : [{ id: stored.id, secret: requireSecret(sent, mechanism) }]
  if (secrets.length === 0 && isDeepStrictEqual(config, stored)) return { changes: [], result: stored }
  const changed = { ...config, updated_at: mint.now }
  return { changes: [put('proxy_config', changed)], secrets, result: changed }
}

/** Replaces the config, with the mapping rules that are sent and no others. A secret has no default: it must be sent. */
export function replaceProxyConfig(
  view: View,
  { ref, fields }: { readonly ref: string; readonly fields: ProxyConfigReplace },
  mint: Mint,
): Decided<ProxyConfig> {
  const stored = view.require('proxy_config', ref)
  requireSameKey(fields.key, stored.key)
  const config: ProxyConfig = {
    ...stored,
    updated_at: mint.now,
    name: settleName(fields.name, stored.key, stored.key),
    auth_mechanism: fields.auth_mechanism ?? 'Bearer',
    mapping_rules: requireRules(view, stored.key, (fields.mapping_rules ?? []).map(settleRule)),
  }
  const secret = requireSecret(fields.secret, config.auth_mechanism)
  return { changes: [put('proxy_config', config)], secrets: [{ id: stored.id, secret }], result: config }
}

/** Deletes the config and its secret. */
export function deleteProxyConfig(view: View, { ref }: { readonly ref: string }, _mint: Mint): Decided<null> {
  const { id, key } = view.require('proxy_config', ref)
  return { changes: [remove('proxy_config', key)], secrets: [{ id, secret: null }], status: 204, result: null }
}

const SECRET: Path = [...BODY, 'secret']

/** The secret in its sealed form: JSON. */
function requireSecret(secret: Json, mechanism: ProxyConfig['auth_mechanism']): string {
  const text = JSON.stringify(secret)
  if (Buffer.byteLength(text) > PROXY_SECRET_BYTES_MAX) {
    const details = { what: 'the secret in bytes', limit: PROXY_SECRET_BYTES_MAX }
    throw new ZerohopError('LIMIT_EXCEEDED', details, { path: SECRET })
  }
  const reason = secretTrouble(secret, mechanism)
  if (reason === undefined) return text
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: SECRET })
}

function secretTrouble(secret: Json, mechanism: ProxyConfig['auth_mechanism']): string | undefined {
  if (mechanism === 'Headers') {
    const isMap = typeof secret === 'object' && secret !== null && !Array.isArray(secret)
    const headers = Object.entries(isMap ? secret : {})
    const fit = headers.every(([name, value]) => HEADER_NAME.test(name) && HEADER_VALUE.test(String(value)))
    return fit && headers.every(([, value]) => typeof value === 'string') && headers.length > 0
      ? undefined
      : 'for Headers the secret is an object of headers that HTTP can carry'
  }
  if (typeof secret !== 'string' || secret === '' || !HEADER_VALUE.test(secret)) {
    return `for ${mechanism} the secret is a text that a header can carry`
  }
  return mechanism === 'Basic' && !secret.includes(':') ? 'for Basic the secret is `user:password`' : undefined
}

function settleRule(sent: ChangedRule, at: number): MappingRule {
  const path = [...BODY, 'mapping_rules', at]
  const url = settleText(sent.url, null, 'url', path)
  if (!url) throw new ZerohopError('INPUT_INVALID', { reason: 'a url is needed' }, { path: [...path, 'url'] })
  requireUrl(url, sent.url_type ?? null, [...path, 'url'])
  return {
    url,
    url_type: sent.url_type ?? null,
    http_method: sent.http_method,
    resource: requireKey('resource', sent.resource, [...path, 'resource']),
    headers: requireHeaders(sent.headers ?? {}, [...path, 'headers']),
    action: settleText(sent.action, null, 'action', path),
    priority: sent.priority ?? null,
  }
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/
/** Whether the text has no characters that could start another header. */
const HEADER_VALUE = /^[\x20-\x7e\x80-\xff\t]*$/

function requireHeaders(headers: Readonly<Record<string, string>>, path: Path): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    if (HEADER_NAME.test(name) && HEADER_VALUE.test(value)) continue
    const reason = `\`${name}\` is not a header that HTTP can carry`
    throw new ZerohopError('INPUT_INVALID', { reason }, { path: [...path, name] })
  }
  return { ...headers }
}

function mergeRules(
  view: View,
  { key, mapping_rules: stored }: ProxyConfig,
  sent: ProxyConfigUpdate['mapping_rules'],
): readonly MappingRule[] {
  if (sent === undefined) return stored
  if (sent === null) return []
  const rules = new Map(stored.map((rule) => [formatRule(rule), rule]))
  for (const [at, fields] of sent.entries()) {
    const rule = settleRule(fields, at)
    if (fields.should_delete === true) rules.delete(formatRule(rule))
    else rules.set(formatRule(rule), rule)
  }
  return requireRules(view, key, [...rules.values()])
}

const formatRule = ({ http_method, url }: MappingRule): string => `${http_method} ${url}`

/** Bounds the mapping rules: every image carries them, and every PDP must match URLs in bounded time. */
function requireRules(view: View, config: string, rules: readonly MappingRule[]): readonly MappingRule[] {
  if (rules.length === 0) return rules
  const within = (what: string, got: number, limit: number): void => {
    if (got > limit) throw new ZerohopError('LIMIT_EXCEEDED', { what, limit }, { path: [...BODY, 'mapping_rules'] })
  }
  within('the mapping rules of one proxy config', rules.length, MAPPING_RULES_MAX)
  const bytes = Buffer.byteLength(JSON.stringify(rules.map(urlRule)))
  within('the mapping rules of one proxy config in bytes', bytes, MAPPING_RULES_BYTES_MAX)
  let [all, patterns] = [rules.length, countPatterns(rules)]
  for (const { key, mapping_rules: others } of view.list('proxy_config')) {
    if (key === config) continue
    all += others.length
    patterns += countPatterns(others)
  }
  within('the mapping rules of the environment', all, URL_RULES_MAX)
  within('the regular expressions in mapping rules of the environment', patterns, URL_PATTERNS_MAX)
  return rules
}

const countPatterns = (rules: readonly MappingRule[]): number => rules.filter(({ url_type }) => url_type).length
