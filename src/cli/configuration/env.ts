// The only reader of process.env. Every variable with what it may be; a value that cannot be used is CONFIG_INVALID with one line that names
// the variable. Secrets may be given as files (NAME_FILE). docs/operations.md lists the same variables, and a test compares the two.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPublicUrl } from '../../http/authzen/public-url.ts'
import type { RetentionOptions } from '../../management/retention.ts'
import { ZerohopError } from '../../model/errors.ts'
import {
  FACTS_WAIT_DEFAULT_MS,
  FACTS_WAIT_MAX_MS,
  FIXED_KEY_LENGTH_MIN,
  FORWARD_TIMEOUT_MS,
  SCRUB_HOURS_DEFAULT,
  SCRUB_HOURS_MAX,
  WORKERS_MAX,
} from '../../model/limits.ts'
import { invalid } from './env-invalid.ts'
import {
  type DecisionLogEnv,
  policy,
  type RecordValues,
  readDecisionLog,
  readTracing,
  sinks,
  type TracingEnv,
} from './env-records.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** The settings of all commands; each command takes what it needs. */
export interface Env {
  readonly data: string
  readonly host: string
  readonly pdpHost: string
  readonly apiPort: number
  readonly pdpPort: number
  readonly bootstrapKey: string | undefined
  readonly secretsKeyFile: string | undefined
  readonly imageMemoryBytes: number | undefined
  /** bytes of request bodies that this process holds, and connections of each of its servers */
  readonly bodyMemoryBytes: number | undefined
  readonly maxConnections: number | undefined
  readonly logLevel: string
  readonly pdpApiKey: string | undefined
  /** key of the organization, for `migrate` */
  readonly organizationKey: string | undefined
  /** a wider key, by which the PDP gets the one of its environment */
  readonly wider: {
    readonly key: string | undefined
    readonly project: string | undefined
    readonly environment: string | undefined
  }
  readonly controlPlane: string | undefined
  readonly debug: boolean
  readonly acceptNow: boolean
  readonly strictAttributes: boolean
  readonly maxStalenessMs: number | undefined
  readonly backupFolder: string | undefined
  /** processes that answer on the port of the PDP */
  readonly workers: number
  /** Ed25519 keys as PEM: what a PDP believes, and what the management side signs with */
  readonly imagePublicKey: string | undefined
  readonly imageSigningKey: string | undefined
  /** paths of PEM files, for both servers */
  readonly tlsCert: string | undefined
  readonly tlsKey: string | undefined
  readonly retention: RetentionOptions
  /** milliseconds between two comparisons of all data; 0 for none */
  readonly scrubMs: number
  readonly rateLimits: { readonly requests?: number; readonly writes?: number }
  readonly openMetrics: boolean
  /** shows everything at /metrics */
  readonly metricsToken: string | undefined
  readonly integration: IntegrationEnv
  readonly decisionLog: DecisionLogEnv
  readonly tracing: TracingEnv
  readonly authzen: { readonly publicUrl?: string; readonly subjectTypes?: readonly string[] }
  /** as it was set; `opaPortOf` says what counts when it was not */
  readonly opaPort: number | undefined
  readonly controlKey: string | undefined
  readonly forwardTimeoutMs: number
  readonly factsWait: { readonly timeoutMs: number; readonly policy: 'ignore' | 'fail' }
}

/** The ports that SDKs ask without being told. */
const [PDP_PORT, OPA_PORT] = [7000, 8181]

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** Settings of the integration backend (docs/integration.md). */
export interface IntegrationEnv {
  readonly port: number
  readonly userPoolId: string | undefined
  readonly clientId: string | undefined
  readonly issuer: string | undefined
  readonly jwksUri: string | undefined
  readonly token: string | undefined
  readonly frontendOrigin: string | undefined
  readonly pdpUrl: string
  readonly apiUrl: string
}

type Read<T> = (value: string, name: string) => T

/** How each variable is read. */
const VARIABLES = {
  ZEROHOP_DATA: text,
  ZEROHOP_HOST: text,
  ZEROHOP_API_PORT: port,
  ZEROHOP_BOOTSTRAP_KEY: text,
  ZEROHOP_ORGANIZATION_KEY: text,
  ZEROHOP_SECRETS_KEY_FILE: text,
  ZEROHOP_IMAGE_MEMORY: bytes,
  ZEROHOP_BODY_MEMORY: bytes,
  ZEROHOP_CONNECTIONS: count,
  ZEROHOP_LOG_LEVEL: logLevel,
  ZEROHOP_METRICS_TOKEN: text,
  ZEROHOP_RATE_LIMIT: count,
  ZEROHOP_RATE_LIMIT_WRITES: count,
  ZEROHOP_DELTA_REVISIONS: count,
  ZEROHOP_DELTA_DAYS: days,
  ZEROHOP_HISTORY_REVISIONS: count,
  ZEROHOP_HISTORY_DAYS: days,
  ZEROHOP_AUDIT_RECORDS: count,
  ZEROHOP_AUDIT_DAYS: days,
  ZEROHOP_SCRUB_HOURS: hours,
  PDP_HOST: text,
  PDP_PORT: port,
  PDP_API_KEY: text,
  PDP_ORG_API_KEY: text,
  PDP_PROJECT_API_KEY: text,
  PDP_ACTIVE_PROJECT: text,
  PDP_ACTIVE_ENV: text,
  PDP_CONTROL_PLANE: base,
  PDP_DEBUG: flag,
  PDP_ACCEPT_NOW: flag,
  PDP_STRICT_ATTRIBUTES: flag,
  PDP_ALLOW_METRICS_UNAUTHENTICATED: flag,
  PDP_MAX_STALENESS: seconds,
  PDP_OFFLINE_MODE_BACKUP_DIR: text,
  PDP_IMAGE_PUBLIC_KEY: text,
  ZEROHOP_IMAGE_SIGNING_KEY: text,
  PDP_TLS_CERT: text,
  PDP_WORKERS: workers,
  PDP_TLS_KEY: text,
  INTEGRATION_PORT: port,
  USER_POOL_ID: text,
  CLIENT_ID: text,
  ISSUER: address,
  JWKS_URI: address,
  PERMIT_TOKEN: text,
  FRONTEND_ORIGIN: origin,
  PDP_URL: address,
  API_URL: address,
  PDP_DECISION_LOG: sinks,
  PDP_DECISION_LOG_FOLDER: text,
  PDP_DECISION_LOG_POLICY: policy,
  PDP_DECISION_LOG_BUFFER: bytes,
  PDP_DECISION_LOG_FILE_SIZE: bytes,
  PDP_DECISION_LOG_FILES: count,
  PDP_DECISION_LOG_ATTRIBUTES: flag,
  PDP_DECISION_LOG_REASONS: flag,
  OTEL_SDK_DISABLED: flag,
  OTEL_TRACES_EXPORTER: text,
  OTEL_EXPORTER_OTLP_ENDPOINT: address,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address,
  OTEL_SERVICE_NAME: text,
  OTEL_RESOURCE_ATTRIBUTES: text,
  PDP_PUBLIC_URL: readPublicUrl,
  PDP_AUTHZEN_SUBJECT_TYPES: words,
  PDP_OPA_PORT: port,
  PDP_CONTAINER_CONTROL_KEY: text,
  PDP_CONTROL_PLANE_TIMEOUT: seconds,
  PDP_LOCAL_FACTS_WAIT_TIMEOUT: wait,
  PDP_LOCAL_FACTS_TIMEOUT_POLICY: timeoutPolicy,
} as const satisfies Record<string, Read<unknown>>

type Name = keyof typeof VARIABLES
type Value<N extends Name> = ReturnType<(typeof VARIABLES)[N]> | undefined

/** May be given as a file. */
type Secret =
  | 'ZEROHOP_BOOTSTRAP_KEY'
  | 'ZEROHOP_ORGANIZATION_KEY'
  | 'ZEROHOP_METRICS_TOKEN'
  | 'PDP_API_KEY'
  | 'PDP_ORG_API_KEY'
  | 'PDP_PROJECT_API_KEY'
  | 'PDP_CONTAINER_CONTROL_KEY'
  | 'PERMIT_TOKEN'

/** Reads every variable. @throws CONFIG_INVALID */
export function readEnv(variables: Variables = process.env): Env {
  const value = <N extends Name>(name: N): Value<N> => readOne(name, variables[name])
  const records = value as unknown as RecordValues // VARIABLES reads each of them as it says
  const secret = (name: Secret) => value(name) ?? readSecretFile(name, variables)
  // the text itself, or the path of its file
  const pem = (name: 'PDP_IMAGE_PUBLIC_KEY' | 'ZEROHOP_IMAGE_SIGNING_KEY'): string | undefined => {
    const given = value(name)
    if (given === undefined || given.startsWith('-----BEGIN')) return given ?? readSecretFile(name, variables)
    return readSecretFile(name, { [`${name}_FILE`]: given })
  }
  const host = value('ZEROHOP_HOST') ?? '127.0.0.1'
  return {
    data: value('ZEROHOP_DATA') ?? './data',
    host,
    pdpHost: value('PDP_HOST') ?? host,
    apiPort: value('ZEROHOP_API_PORT') ?? 8080,
    pdpPort: value('PDP_PORT') ?? PDP_PORT,
    bootstrapKey: secret('ZEROHOP_BOOTSTRAP_KEY'),
    secretsKeyFile: value('ZEROHOP_SECRETS_KEY_FILE'),
    imageMemoryBytes: value('ZEROHOP_IMAGE_MEMORY'),
    bodyMemoryBytes: value('ZEROHOP_BODY_MEMORY'),
    maxConnections: value('ZEROHOP_CONNECTIONS'),
    logLevel: value('ZEROHOP_LOG_LEVEL') ?? 'info',
    pdpApiKey: secret('PDP_API_KEY'),
    organizationKey: secret('ZEROHOP_ORGANIZATION_KEY'),
    wider: {
      key: secret('PDP_PROJECT_API_KEY') ?? secret('PDP_ORG_API_KEY'),
      project: value('PDP_ACTIVE_PROJECT'),
      environment: value('PDP_ACTIVE_ENV'),
    },
    controlPlane: value('PDP_CONTROL_PLANE'),
    debug: value('PDP_DEBUG') ?? false,
    acceptNow: value('PDP_ACCEPT_NOW') ?? false,
    strictAttributes: value('PDP_STRICT_ATTRIBUTES') ?? false,
    maxStalenessMs: value('PDP_MAX_STALENESS'),
    backupFolder: value('PDP_OFFLINE_MODE_BACKUP_DIR'),
    workers: value('PDP_WORKERS') ?? 1,
    imagePublicKey: pem('PDP_IMAGE_PUBLIC_KEY'),
    imageSigningKey: pem('ZEROHOP_IMAGE_SIGNING_KEY'),
    tlsCert: value('PDP_TLS_CERT'),
    tlsKey: value('PDP_TLS_KEY'),
    rateLimits: defined({ requests: value('ZEROHOP_RATE_LIMIT'), writes: value('ZEROHOP_RATE_LIMIT_WRITES') }),
    openMetrics: value('PDP_ALLOW_METRICS_UNAUTHENTICATED') ?? false,
    metricsToken: readToken(secret('ZEROHOP_METRICS_TOKEN')),
    integration: {
      port: value('INTEGRATION_PORT') ?? 8000,
      userPoolId: value('USER_POOL_ID'),
      clientId: value('CLIENT_ID'),
      issuer: value('ISSUER'),
      jwksUri: value('JWKS_URI'),
      token: secret('PERMIT_TOKEN'),
      frontendOrigin: value('FRONTEND_ORIGIN'),
      pdpUrl: value('PDP_URL') ?? 'http://localhost:7000',
      apiUrl: value('API_URL') ?? 'http://localhost:8080',
    },
    decisionLog: readDecisionLog(records),
    tracing: readTracing(records),
    authzen: defined({ publicUrl: value('PDP_PUBLIC_URL'), subjectTypes: value('PDP_AUTHZEN_SUBJECT_TYPES') }),
    opaPort: value('PDP_OPA_PORT'),
    controlKey: secret('PDP_CONTAINER_CONTROL_KEY'),
    forwardTimeoutMs: value('PDP_CONTROL_PLANE_TIMEOUT') ?? FORWARD_TIMEOUT_MS,
    factsWait: {
      timeoutMs: value('PDP_LOCAL_FACTS_WAIT_TIMEOUT') ?? FACTS_WAIT_DEFAULT_MS,
      policy: value('PDP_LOCAL_FACTS_TIMEOUT_POLICY') ?? 'ignore',
    },
    scrubMs: (value('ZEROHOP_SCRUB_HOURS') ?? SCRUB_HOURS_DEFAULT) * 3_600_000,
    retention: defined({
      deltaRevisions: value('ZEROHOP_DELTA_REVISIONS'),
      deltaDays: value('ZEROHOP_DELTA_DAYS'),
      historyRevisions: value('ZEROHOP_HISTORY_REVISIONS'),
      historyDays: value('ZEROHOP_HISTORY_DAYS'),
      auditRecords: value('ZEROHOP_AUDIT_RECORDS'),
      auditDays: value('ZEROHOP_AUDIT_DAYS'),
    }),
  }
}

/** Texts of the settings that no log may hold. */
export function secretsOf(env: Env): string[] {
  const { pdpApiKey, organizationKey, wider, bootstrapKey, controlKey, imageSigningKey, integration, metricsToken } =
    env
  const keys = [pdpApiKey, organizationKey, wider.key, bootstrapKey]
  const all = [...keys, controlKey, imageSigningKey, integration.token, metricsToken]
  return all.filter((secret) => secret !== undefined)
}

/** Without the members that are not set. */
function defined<T extends object>(of: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const set = Object.entries(of).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set) as { [K in keyof T]?: NonNullable<T[K]> }
}

/** An empty value counts as absent, as in a compose file that passes on what is not set. */
function readOne<N extends Name>(name: N, value: string | undefined): Value<N> {
  if (value === undefined || value.trim() === '') return undefined
  return VARIABLES[name](value.trim(), name) as Value<N>
}

/** The operator's token; never repeated in the error. */
function readToken(token: string | undefined): string | undefined {
  if (token === undefined || (token.length >= FIXED_KEY_LENGTH_MIN && /^[\x21-\x7e]+$/.test(token))) return token
  const reason = `ZEROHOP_METRICS_TOKEN needs at least ${FIXED_KEY_LENGTH_MIN} printable characters without blanks`
  throw new ZerohopError('CONFIG_INVALID', { reason })
}

function readSecretFile(name: string, variables: Variables): string | undefined {
  const path = variables[`${name}_FILE`]
  if (path === undefined || path === '') return undefined
  let content: string
  try {
    content = readFileSync(path, 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ZerohopError('CONFIG_INVALID', {
      reason: `${name}_FILE names \`${path}\`, which cannot be read: ${code}`,
    })
  }
  if (content === '')
    throw new ZerohopError('CONFIG_INVALID', { reason: `${name}_FILE names \`${path}\`, which is empty` })
  return content
}

/** The port of the OPA-shaped API: as set, else the one that SDKs expect beside port 7000; undefined for none. */
export function opaPortOf({ opaPort, pdpPort }: Env): number | undefined {
  return opaPort ?? (pdpPort === PDP_PORT ? OPA_PORT : undefined)
}

/** The file in which a PDP keeps the last image of a key, in the folder named or under the data folder. */
export function lastImageFolder(env: Env, data: string = env.data): string {
  return env.backupFolder ?? join(data, 'pdp')
}

/** A port number of the command line or a variable. @throws CONFIG_INVALID */
export function port(value: string, name: string): number {
  const number = Number(value)
  if (!/^\d{1,5}$/.test(value) || number > 65_535) throw invalid(name, 'a port from 0 to 65535', value)
  return number
}

function text(value: string): string {
  return value
}

/** Words with commas between them. */
function words(value: string, name: string): readonly string[] {
  const found = value.split(',').map((word) => word.trim())
  if (found.includes('')) throw invalid(name, 'words with commas between them', value)
  return found
}

function flag(value: string, name: string): boolean {
  const lower = value.toLowerCase()
  if (['true', '1', 'yes', 'on'].includes(lower)) return true
  if (['false', '0', 'no', 'off'].includes(lower)) return false
  throw invalid(name, 'true or false', value)
}

function seconds(value: string, name: string): number {
  const number = Number(value)
  if (!/^\d+(\.\d+)?$/.test(value) || number <= 0 || number > 1e9)
    throw invalid(name, 'a number of seconds above 0', value)
  return number * 1000
}

/** Seconds that a write waits; 0 is not at all, a negative number as long as may be. */
function wait(value: string, name: string): number {
  const number = Number(value)
  if (!/^-?\d+(\.\d+)?$/.test(value)) throw invalid(name, 'a number of seconds', value)
  return number < 0 ? FACTS_WAIT_MAX_MS : Math.min(number * 1000, FACTS_WAIT_MAX_MS)
}

function timeoutPolicy(value: string, name: string): 'ignore' | 'fail' {
  const lower = value.toLowerCase()
  if (lower === 'ignore' || lower === 'fail') return lower
  throw invalid(name, 'ignore or fail', value)
}

function count(value: string, name: string): number {
  if (!/^[1-9]\d{0,14}$/.test(value)) throw invalid(name, 'a number above 0', value)
  return Number(value)
}

function workers(value: string, name: string): number {
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < 1 || number > WORKERS_MAX)
    throw invalid(name, `a number from 1 to ${WORKERS_MAX}`, value)
  return number
}

function days(value: string, name: string): number {
  const number = Number(value)
  if (!/^\d+(\.\d+)?$/.test(value) || number <= 0 || number > 1e6)
    throw invalid(name, 'a number of days above 0', value)
  return number
}

/** Within what one timer can wait. */
function hours(value: string, name: string): number {
  const number = Number(value)
  if (!/^\d+(\.\d+)?$/.test(value) || number > SCRUB_HOURS_MAX)
    throw invalid(name, `a number of hours from 0 to ${SCRUB_HOURS_MAX}`, value)
  return number
}

function bytes(value: string, name: string): number {
  const [, digits, unit = ''] = /^(\d+)\s*([kmg]i?b?|b)?$/i.exec(value) ?? []
  const factor = { '': 1, b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 }[unit.toLowerCase().replace(/(?<=.)i?b?$/, '')]
  const number = Number(digits) * (factor ?? Number.NaN)
  if (!Number.isSafeInteger(number) || number <= 0) throw invalid(name, 'a number of bytes such as 512M or 1G', value)
  return number
}

function address(value: string, name: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw invalid(name, 'an http or https URL', value)
  return value
}

/** An address that paths are added to. */
function base(value: string, name: string): string {
  const { search, hash } = new URL(address(value, name))
  if (search !== '' || hash !== '') throw invalid(name, 'an http or https URL without a query', value)
  return value
}

/** A scheme and a host, as browsers send it: no path, no `*`. */
function origin(value: string, name: string): string {
  const found = URL.canParse(value) ? new URL(value) : undefined
  if (found === undefined || !/^https?:$/.test(found.protocol) || `${found.origin}/` !== found.href)
    throw invalid(name, 'an origin such as https://app.example.com', value)
  return found.origin
}

function logLevel(value: string, name: string): string {
  if (!LOG_LEVELS.includes(value)) throw invalid(name, `one of ${LOG_LEVELS.join(', ')}`, value)
  return value
}
