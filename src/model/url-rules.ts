// Which mapping rule a request falls under: a template with `{variables}`, or a regular expression. Patterns run in
// linear time or are refused where they are written. When in doubt no rule matches, and then nothing is allowed: a URL
// that servers read in more than one way (dot segments, encoded slashes, a parameter sent twice) is under no rule that
// could be walked around with it.
import { RE2JS } from 're2js'
import { ZerohopError } from './errors.ts'
import { PATTERN_STEPS_MAX, URL_CHARACTERS_MAX } from './limits.ts'
import type { UrlRule } from './objects.ts'

export interface UrlMatch {
  readonly rule: UrlRule
  /** what stood where the rule has variables or named groups */
  readonly variables: Readonly<Record<string, string>>
}

/**
 * @throws LIMIT_EXCEEDED on one that is too long or too large, INPUT_INVALID on a pattern that does not run in linear
 * time
 */
export function requireUrl(url: string, type: UrlRule['url_type'], path: readonly (string | number)[]): void {
  if (url.length > URL_CHARACTERS_MAX) {
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the url in characters', limit: URL_CHARACTERS_MAX }, { path })
  }
  if (type !== 'regex') return
  const pattern = compilePattern(url)
  if (typeof pattern === 'string') {
    const reason = `the url is no regular expression that runs in linear time (RE2): ${pattern}`
    throw new ZerohopError('INPUT_INVALID', { reason }, { path })
  }
  if (pattern.programSize() > PATTERN_STEPS_MAX) {
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the steps of the pattern', limit: PATTERN_STEPS_MAX }, { path })
  }
}

/** The pattern, or why it cannot be compiled. */
function compilePattern(url: string): RE2JS | string {
  try {
    return RE2JS.compile(url)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

interface Parts {
  readonly scheme: string | undefined
  readonly host: string | undefined
  /** decoded */
  readonly segments: readonly string[]
  /** decoded */
  readonly query: readonly (readonly [name: string, value: string])[]
}

interface Template {
  readonly rule: UrlRule
  readonly rank: number
  readonly parts: Parts
}

interface Pattern {
  readonly rule: UrlRule
  readonly rank: number
  readonly pattern: RE2JS
}

/** The rules of an environment, made ready to be asked many times. */
export class UrlRules {
  /** by method and number of segments, best rank first */
  readonly #templates = new Map<string, Template[]>()
  /** by method, best rank first */
  readonly #patterns = new Map<string, Pattern[]>()

  /**
   * A higher priority goes first; rules of equal priority stay in their order. A rule that cannot be read is under
   * none.
   */
  constructor(rules: readonly UrlRule[]) {
    const ranked = [...rules].sort((left, right) => (right.priority ?? 0) - (left.priority ?? 0))
    for (const [rank, rule] of ranked.entries()) {
      if (rule.url_type === 'regex') {
        const pattern = compilePattern(rule.url)
        if (typeof pattern !== 'string') push(this.#patterns, rule.http_method, { rule, rank, pattern })
      } else {
        const parts = parseUrl(rule.url)
        if (parts !== undefined) push(this.#templates, bucket(rule.http_method, parts), { rule, rank, parts })
      }
    }
  }

  /** The rule with the highest priority for this request, or undefined. */
  find(method: string, url: string): UrlMatch | undefined {
    const parts = url.length > URL_CHARACTERS_MAX ? undefined : parseUrl(url)
    if (parts === undefined || parts.segments.some(isDot)) return undefined
    const lower = method.toLowerCase()
    let [found, best]: [UrlMatch | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
    for (const { rule, rank, parts: template } of this.#templates.get(bucket(lower, parts)) ?? []) {
      const variables = matchTemplate(template, parts)
      if (variables === undefined) continue
      found = { rule, variables }
      best = rank
      break
    }
    const patterns = this.#patterns.get(lower) ?? []
    const text = patterns.length === 0 ? '' : normalizeUrl(url, parts)
    for (const { rule, rank, pattern } of patterns) {
      if (rank > best) break
      const variables = matchPattern(pattern, text)
      if (variables !== undefined) return { rule, variables }
    }
    return found
  }
}

function push<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}

const bucket = (method: string, { segments }: Parts): string => `${method} ${segments.length}`

const isDot = (segment: string): boolean => segment === '.' || segment === '..'

const URL_PARTS = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/i
/** No part of a URL, and read differently by different servers. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const ODD = /[\x00-\x20\x7f\\]/
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' }

/** The parts of a URL, or of a path with a query; undefined when it can be read in several ways. */
function parseUrl(url: string): Parts | undefined {
  const found = ODD.test(url) ? null : URL_PARTS.exec(url)
  if (found === null) return undefined
  const [, sentScheme, authority, path = '', search] = found
  const scheme = sentScheme?.toLowerCase()
  const host = authority === undefined ? undefined : parseHost(authority, scheme)
  try {
    const segments = (path.startsWith('/') ? path.slice(1) : path).split('/').map(decode)
    // An encoded slash ends a segment for some servers and not for others.
    if (path.includes('%') && segments.some((segment) => /[/\\]/.test(segment))) return undefined
    return { scheme, host, segments, query: parseQuery(search) }
  } catch {
    return undefined // invalid percent-encoding
  }
}

const decode = (text: string): string => (text.includes('%') ? decodeURIComponent(text) : text)

function parseQuery(search: string | undefined): Parts['query'] {
  if (search === undefined || search === '') return []
  const value = (text: string): string => decode(text.replaceAll('+', ' '))
  const pairs = search.split('&').filter((pair) => pair !== '')
  return pairs.map((pair) => {
    const at = pair.indexOf('=')
    return at < 0 ? [value(pair), ''] : [value(pair.slice(0, at)), value(pair.slice(at + 1))]
  })
}

/** A URL as patterns see it: without user and fragment, and with one spelling for what has several. */
function normalizeUrl(url: string, { scheme, host }: Parts): string {
  const [, , , path = '', search] = URL_PARTS.exec(url) ?? []
  const begin = `${scheme === undefined ? '' : `${scheme}:`}${host === undefined ? '' : `//${host}`}`
  return begin + plain(path.startsWith('/') ? path : `/${path}`) + (search === undefined ? '' : `?${plain(search)}`)
}

function parseHost(authority: string, scheme: string | undefined): string {
  const host = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase()
  const port = DEFAULT_PORTS[scheme ?? '']
  return port !== undefined && host.endsWith(port) ? host.slice(0, -port.length) : host
}

/** Letters, digits, `-`, `.`, `_` and `~` mean the same encoded or not (RFC 3986): a pattern sees them as they are. */
function plain(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (encoded, hex: string) => {
    const sign = String.fromCharCode(Number.parseInt(hex, 16))
    return /[A-Za-z0-9._~-]/.test(sign) ? sign : encoded.toUpperCase()
  })
}

const VARIABLE = /^\{([^{}]+)\}$/

/**
 * What stands where the template has variables; undefined when it does not fit. What the template leaves open is open.
 */
function matchTemplate(template: Parts, request: Parts): Record<string, string> | undefined {
  if (template.scheme !== undefined && template.scheme !== request.scheme) return undefined
  if (template.host !== undefined && template.host !== request.host) return undefined
  const variables = new Map<string, string>()
  for (const [at, wanted] of template.segments.entries()) {
    if (!fits(wanted, request.segments[at]!, variables)) return undefined
  }
  for (const [name, wanted] of template.query) {
    const sent = request.query.filter(([each]) => each === name)
    if (sent.length !== 1 || !fits(wanted, sent[0]![1], variables)) return undefined
  }
  return Object.fromEntries(variables)
}

/** A variable takes anything but nothing, and the same everywhere that it stands. */
function fits(wanted: string, got: string, variables: Map<string, string>): boolean {
  const name = VARIABLE.exec(wanted)?.[1]
  if (name === undefined) return wanted === got
  if (got === '' || (variables.get(name) ?? got) !== got) return false
  variables.set(name, got)
  return true
}

/** The named groups when the pattern fits the whole URL. */
function matchPattern(pattern: RE2JS, text: string): Record<string, string> | undefined {
  const matcher = pattern.matcher(text)
  if (!matcher.matches()) return undefined
  const groups = Object.keys(pattern.namedGroups()).map((name) => [name, matcher.group(name)] as const)
  return Object.fromEntries(groups.filter((group): group is [string, string] => typeof group[1] === 'string'))
}
