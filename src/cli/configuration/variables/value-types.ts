// The types of variables: each has a schema of the value and a function that reads it from text. Bounds and words are
// written once, in the schema or next to it, and the error text comes from them. The validator of HTTP bodies is not
// used here: loading it takes longer than everything else that a command does before its work.
import { readPublicUrl } from '../../../http/authzen/public-url.ts'
import { type AccessRule, readAccessRule, USER_ROLES } from '../../../http/console/user-access.ts'
import { isPdpName } from '../../../log/pdp-identity.ts'
import { DURATION, parseSeconds } from '../../../model/durations.ts'
import { ZerohopError } from '../../../model/errors.ts'
import {
  enumOf,
  Flag,
  listOf,
  mapOf,
  type Static,
  schemaOf,
  type TSchema,
  Text as text,
} from '../../../model/json-schema.ts'
import { FIXED_KEY_LENGTH_MIN, PDP_NAME_LENGTH_MAX, SCRUB_HOURS_MAX, WORKERS_MAX } from '../../../model/limits.ts'
import { invalid } from './env-invalid.ts'

const READING = Symbol('reading')

interface Reading {
  /** what the documentation calls the type */
  readonly label: string
  /** @throws CONFIG_INVALID, with the name of the variable */
  readonly read: (text: string, name: string) => unknown
}

/** A schema with the way its values are read from text. */
function readable<S extends TSchema>(
  schema: S,
  label: string,
  read: (text: string, name: string) => NoInfer<Static<S>>,
): S {
  return { ...schema, [READING]: { label, read } }
}

/** @throws TypeError for a schema that is not from this file */
function requireReading(schema: TSchema): Reading {
  const reading = (schema as { readonly [READING]?: Reading })[READING]
  if (reading === undefined) throw new TypeError('the schema does not say how it is read')
  return reading
}

/** The value that a text stands for. @throws CONFIG_INVALID, with the name */
export const readAs = <S extends TSchema>(schema: S, text: string, name: string): Static<S> =>
  requireReading(schema).read(text, name) as Static<S>

/** What the documentation calls the type. */
export const schemaLabel = (schema: TSchema): string => requireReading(schema).label

interface Bounds {
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
}

function makeNumber(label: string, expected: string, pattern: RegExp, bounds: Bounds = {}) {
  const { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity } = bounds
  return readable(schemaOf<number>({ type: 'number', ...bounds }), label, (text, name) => {
    const number = Number(text)
    if (!pattern.test(text) || number < minimum || number <= exclusiveMinimum || number > maximum)
      throw invalid(name, expected, text)
    return number
  })
}

const DECIMAL = /^\d+(\.\d+)?$/
const [PORT_MAX, SECONDS_MAX, DAYS_MAX] = [65_535, 1e9, 1e6]

export const Port = makeNumber('port', `a port from 0 to ${PORT_MAX}`, /^\d{1,5}$/, { minimum: 0, maximum: PORT_MAX })
export const Count = makeNumber('number', 'a number above 0', /^[1-9]\d{0,14}$/, { minimum: 1 })
export const CountOrNone = makeNumber('number', 'a number, or 0', /^(0|[1-9]\d{0,14})$/, { minimum: 0 })
export const Workers = makeNumber('number', `a number from 1 to ${WORKERS_MAX}`, /^\d+$/, {
  minimum: 1,
  maximum: WORKERS_MAX,
})
export const Seconds = makeNumber('seconds', 'a number of seconds above 0', DECIMAL, {
  exclusiveMinimum: 0,
  maximum: SECONDS_MAX,
})
/** 0 too. */
export const SecondsOrNone = makeNumber('seconds', 'a number of seconds from 0', DECIMAL, {
  minimum: 0,
  maximum: SECONDS_MAX,
})
/** Negative ones too. */
export const AnySeconds = makeNumber('seconds', 'a number of seconds', /^-?\d+(\.\d+)?$/)
export const Days = makeNumber('days', 'a number of days above 0', DECIMAL, { exclusiveMinimum: 0, maximum: DAYS_MAX })
/** In seconds; as `30d`, `24h`, `90m` or a plain number of seconds. */
export const Duration = readable(schemaOf<number>({ type: 'integer', minimum: 0 }), 'duration', (text, name) => {
  const seconds = parseSeconds(text)
  if (seconds === undefined) throw invalid(name, DURATION, text)
  return seconds
})
/** Within what one timer can wait. */
export const Hours = makeNumber('hours', `a number of hours from 0 to ${SCRUB_HOURS_MAX}`, DECIMAL, {
  minimum: 0,
  maximum: SCRUB_HOURS_MAX,
})

const FACTORS: Readonly<Record<string, number>> = { '': 1, b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 }

export const Bytes = readable(schemaOf<number>({ type: 'integer', minimum: 1 }), 'bytes', (text, name) => {
  const [, digits, unit = ''] = /^(\d+)\s*([kmg]i?b?|b)?$/i.exec(text) ?? []
  const factor = FACTORS[unit.toLowerCase().replace(/(?<=.)i?b?$/, '')]
  const number = Number(digits) * (factor ?? Number.NaN)
  if (!Number.isSafeInteger(number) || number <= 0) throw invalid(name, 'a number of bytes such as 512M or 1G', text)
  return number
})

export const Switch = readable(Flag, '`true` or `false`', (text, name) => {
  const lower = text.toLowerCase()
  if (['true', '1', 'yes', 'on'].includes(lower)) return true
  if (['false', '0', 'no', 'off'].includes(lower)) return false
  throw invalid(name, 'true or false', text)
})

export const Text = readable(text, 'text', (text) => text)

/** What a list calls a PDP. */
export const PdpName = readable(text, 'text', (text, name) => {
  if (isPdpName(text)) return text
  throw invalid(name, `1 to ${PDP_NAME_LENGTH_MAX} printable characters`, text)
})
export const Path = readable(text, 'path', (text) => text)

/** A key as PEM, or the path of the file that it is in. */
export const Pem = readable(text, 'PEM, or a path', (text) => text)

/** Never repeated in the error. */
export const Token = readable(text, 'text', (text, name) => {
  if (text.length >= FIXED_KEY_LENGTH_MIN && /^[\x21-\x7e]+$/.test(text)) return text
  const reason = `${name} needs at least ${FIXED_KEY_LENGTH_MIN} printable characters without blanks`
  throw new ZerohopError('CONFIG_INVALID', { reason })
})

/** An address with a password in it: never repeated in the error. */
export const DatabaseAddress = readable(text, 'URL', (text, name) => {
  if (URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol)) return text
  throw new ZerohopError('CONFIG_INVALID', {
    reason: `${name} must be an address such as postgres://user@host:5432/name`,
  })
})

/** A key of 32 bytes: never repeated in the error. */
export const SecretsKey = readable(text, 'hex', (text, name) => {
  if (/^[0-9a-f]{64}$/i.test(text)) return text
  throw new ZerohopError('CONFIG_INVALID', { reason: `${name} must be 64 hex digits: 32 random bytes` })
})

function readAddress(text: string, name: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw invalid(name, 'an http or https URL', text)
  return text
}

export const Address = readable(text, 'URL', readAddress)

/** An address that paths are added to. */
export const BaseAddress = readable(text, 'URL', (text, name) => {
  const { search, hash } = new URL(readAddress(text, name))
  if (search !== '' || hash !== '') throw invalid(name, 'an http or https URL without a query', text)
  return text
})

export const PublicAddress = readable(text, 'URL', readPublicUrl)

/** A scheme and a host, as browsers send it: no path, no `*`. */
export const Origin = readable(text, 'origin', (text, name) => {
  const found = URL.canParse(text) ? new URL(text) : undefined
  if (found === undefined || !/^https?:$/.test(found.protocol) || `${found.origin}/` !== found.href)
    throw invalid(name, 'an origin such as https://app.example.com', text)
  return found.origin
})

/**
 * Hosts with commas between them, each as the origin that it stands for: https, unless `http://` is written before it.
 */
export const Hosts = readable(listOf(text), 'hosts', (text, name) =>
  text.split(',').map((part) => {
    const host = part.trim()
    const address = /^https?:\/\//.test(host) ? host : `https://${host}`
    const found = URL.canParse(address) ? new URL(address) : undefined
    if (host === '' || host.includes('*') || found === undefined || `${found.origin}/` !== found.href)
      throw invalid(name, 'hosts with commas between them, such as console.example.com or http://10.0.0.5:8080', host)
    return found.origin
  }),
)

/**
 * Where users sign in. Over plain HTTP only on this machine: whoever can change an answer there signs in as anyone.
 */
export const Issuer = readable(text, 'URL', (text, name) => {
  const found = URL.canParse(text) ? new URL(text) : undefined
  const isLocal = found?.protocol === 'http:' && /^(localhost|127\.[\d.]+|\[::1\])$/.test(found.hostname)
  if (found === undefined || !(isLocal || found.protocol === 'https:') || found.search !== '' || found.hash !== '')
    throw invalid(name, 'an https URL without a query', text)
  return text
})

export const AccessRules = readable(schemaOf<readonly AccessRule[]>({ type: 'array' }), 'rules', (text, name) =>
  text.split(text.includes(';') ? ';' : ',').map((part) => {
    const rule = readAccessRule(part)
    if (rule !== undefined) return rule
    const example = 'ops=admin, support=support@default/production, *=viewer'
    throw invalid(
      name,
      `rules \`value=role@project/environment\` of ${USER_ROLES.join(', ')}, such as ${example}`,
      part,
    )
  }),
)

/** Words with commas between them. */
export const Words = readable(listOf(text), 'words', (text, name) => {
  const found = text.split(',').map((word) => word.trim())
  if (found.includes('')) throw invalid(name, 'words with commas between them', text)
  return found
})

/** One of several words; `readWord` is applied to the text before. */
export function makeChoice<const W extends readonly string[]>(
  words: W,
  expected: string,
  readWord = (text: string): string => text,
) {
  const label = words.map((word) => `\`${word}\``).join(', ')
  return readable(enumOf(...words), label.replace(/, (?=[^,]*$)/, ' or '), (text, name): W[number] => {
    const found = words.find((word) => word === readWord(text))
    if (found === undefined) throw invalid(name, expected, text)
    return found
  })
}

/** `off`, or some of several words with commas between them. */
export function makeChoices<const W extends readonly string[]>(words: W, expected: string) {
  const label = `\`off\`, or some of ${words.map((word) => `\`${word}\``).join(', ')}`
  return readable(listOf(enumOf(...words)), label, (text, name): W[number][] => {
    if (['off', 'false', 'no', '0'].includes(text.toLowerCase())) return []
    return text.split(',').map((part) => {
      const found = words.find((word) => word === part.trim().toLowerCase())
      if (found === undefined) throw invalid(name, expected, text)
      return found
    })
  })
}

/** `name=value,…`, percent-encoded as the standard of OpenTelemetry has it. */
export const Pairs = readable(mapOf(text), 'pairs', (text, name) => {
  const pairs = text.split(',').filter((pair) => pair.includes('='))
  try {
    return Object.fromEntries(
      pairs.map((pair) => {
        const at = pair.indexOf('=')
        return [pair.slice(0, at), pair.slice(at + 1)].map((part) => decodeURIComponent(part.trim()))
      }),
    ) as Record<string, string>
  } catch {
    throw invalid(name, 'percent-encoded `name=value` with commas between', text)
  }
})
