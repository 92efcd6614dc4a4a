// The only reader of process.env. It turns the variables, which src/cli/configuration/variables describes, into the
// settings of the commands. A value that cannot be used is CONFIG_INVALID with one line that names the variable.
// Secrets may be given as files (NAME_FILE).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProviderOptions } from '../../http/console/identity-provider.ts'
import type { RetentionOptions } from '../../management/host/retention.ts'
import { ZerohopError } from '../../model/errors.ts'
import * as t from '../../model/json-schema.ts'
import { FACTS_WAIT_MAX_MS } from '../../model/limits.ts'
import type { ClaimForm } from '../../oidc/token-use.ts'
import { type DecisionLogEnv, readDecisionLog, readTracing, type TracingEnv } from './env-records.ts'
import { INTEGRATION_VARIABLES } from './variables/integration-variables.ts'
import { PDP_VARIABLES } from './variables/pdp-variables.ts'
import { RECORD_VARIABLES } from './variables/record-variables.ts'
import { SERVER_VARIABLES } from './variables/server-variables.ts'
import { Pem, Port, readAs, schemaLabel } from './variables/value-types.ts'
import { variableFacts } from './variables/variable.ts'

/** Every variable. docs/operations.md lists them as they stand here. */
export const Environment = t.closed({
  ...SERVER_VARIABLES,
  ...PDP_VARIABLES,
  ...RECORD_VARIABLES,
  ...INTEGRATION_VARIABLES,
})
type Values = t.Static<typeof Environment>
export type VariableName = keyof typeof Environment.properties & string

type Variables = Readonly<Record<string, string | undefined>>

/** The settings of all commands; each command takes what it needs. */
export interface Env {
  readonly data: string
  readonly host: string
  readonly pdpHost: string
  readonly pdpName: string | undefined
  readonly apiPort: number
  readonly pdpPort: number
  readonly bootstrapKey: string | undefined
  readonly secretsKeyFile: string | undefined
  readonly database: DatabaseEnv | undefined
  /** 64 hex digits */
  readonly secretsKey: string | undefined
  readonly reads: 'linearizable' | 'local'
  readonly tenantRoles: 'within_own' | 'grantable'
  readonly imageMemoryBytes: number
  /** bytes of request bodies that this process holds, and connections of each of its servers */
  readonly bodyMemoryBytes: number
  readonly maxConnections: number
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
  /** the management API that commands on policies ask */
  readonly api: string | undefined
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
  /** how long a server goes on after SIGTERM */
  readonly drainMs: number
  readonly scrubMs: number
  readonly rateLimits: { readonly requests?: number; readonly writes?: number }
  /** undefined when it is switched off */
  readonly console: { readonly origins: readonly string[]; readonly provider?: ProviderOptions } | undefined
  readonly openMetrics: boolean
  /** shows everything at /metrics */
  readonly metricsToken: string | undefined
  readonly integration: IntegrationEnv
  readonly decisionLog: DecisionLogEnv
  readonly tracing: TracingEnv
  readonly authzen: { readonly publicUrl?: string; readonly subjectTypes?: readonly string[] }
  /** as it was set; `resolveOpaPort` says what counts when it was not */
  readonly opaPort: number | undefined
  readonly controlKey: string | undefined
  readonly forwardTimeoutMs: number
  readonly factsWait: { readonly timeoutMs: number; readonly policy: 'ignore' | 'fail' }
  /** values of all variables that are secret */
  readonly secrets: readonly string[]
}

/** The database that replicas share. */
export interface DatabaseEnv {
  readonly url: string
  readonly migrate: boolean
  readonly listen: boolean
}

/** The port on which SDKs expect the OPA-shaped API, when the PDP is where they expect it. */
const OPA_PORT = 8181

/** Settings of the integration backend (docs/integration.md). */
export interface IntegrationEnv {
  readonly port: number
  readonly userPoolId: string | undefined
  readonly clientId: string | undefined
  readonly issuer: string | undefined
  readonly jwksUri: string | undefined
  readonly claims: ClaimForm
  readonly audience: string | undefined
  readonly token: string | undefined
  readonly frontendOrigin: string | undefined
  readonly pdpUrl: string
  readonly apiUrl: string
}

/** Reads every variable. @throws CONFIG_INVALID */
export function readEnv(variables: Variables = process.env): Env {
  const values = readAll(variables)
  return {
    data: values.ZEROHOP_DATA,
    host: values.ZEROHOP_HOST,
    pdpHost: values.PDP_HOST ?? values.ZEROHOP_HOST,
    pdpName: values.ZEROHOP_PDP_NAME,
    apiPort: values.ZEROHOP_API_PORT,
    pdpPort: values.PDP_PORT,
    bootstrapKey: values.ZEROHOP_BOOTSTRAP_KEY,
    secretsKeyFile: values.ZEROHOP_SECRETS_KEY_FILE,
    secretsKey: values.ZEROHOP_SECRETS_KEY,
    database:
      values.ZEROHOP_DATABASE_URL === undefined
        ? undefined
        : {
            url: values.ZEROHOP_DATABASE_URL,
            migrate: values.ZEROHOP_DATABASE_MIGRATE,
            listen: values.ZEROHOP_DATABASE_LISTEN,
          },
    reads: values.ZEROHOP_READS,
    tenantRoles: values.ZEROHOP_TENANT_ROLES,
    imageMemoryBytes: values.ZEROHOP_IMAGE_MEMORY,
    bodyMemoryBytes: values.ZEROHOP_BODY_MEMORY,
    maxConnections: values.ZEROHOP_CONNECTIONS,
    logLevel: values.ZEROHOP_LOG_LEVEL,
    pdpApiKey: values.PDP_API_KEY,
    organizationKey: values.ZEROHOP_ORGANIZATION_KEY,
    wider: {
      key: values.PDP_PROJECT_API_KEY ?? values.PDP_ORG_API_KEY,
      project: values.PDP_ACTIVE_PROJECT,
      environment: values.PDP_ACTIVE_ENV,
    },
    controlPlane: values.PDP_CONTROL_PLANE,
    api: values.ZEROHOP_API,
    debug: values.PDP_DEBUG,
    acceptNow: values.PDP_ACCEPT_NOW,
    strictAttributes: values.PDP_STRICT_ATTRIBUTES,
    maxStalenessMs: values.PDP_MAX_STALENESS === undefined ? undefined : values.PDP_MAX_STALENESS * 1000,
    backupFolder: values.PDP_OFFLINE_MODE_BACKUP_DIR,
    workers: values.PDP_WORKERS,
    imagePublicKey: values.PDP_IMAGE_PUBLIC_KEY,
    imageSigningKey: values.ZEROHOP_IMAGE_SIGNING_KEY,
    tlsCert: values.PDP_TLS_CERT,
    tlsKey: values.PDP_TLS_KEY,
    rateLimits: withoutUndefined({ requests: values.ZEROHOP_RATE_LIMIT, writes: values.ZEROHOP_RATE_LIMIT_WRITES }),
    console: values.ZEROHOP_CONSOLE ? readConsole(values) : undefined,
    openMetrics: values.PDP_ALLOW_METRICS_UNAUTHENTICATED,
    metricsToken: values.ZEROHOP_METRICS_TOKEN,
    integration: {
      port: values.ZEROHOP_INTEGRATION_PORT,
      userPoolId: values.ZEROHOP_INTEGRATION_USER_POOL_ID,
      clientId: values.ZEROHOP_INTEGRATION_CLIENT_ID,
      issuer: values.ZEROHOP_INTEGRATION_ISSUER,
      jwksUri: values.ZEROHOP_INTEGRATION_JWKS_URI,
      claims: values.ZEROHOP_INTEGRATION_CLAIMS,
      audience: values.ZEROHOP_INTEGRATION_AUDIENCE,
      token: values.ZEROHOP_INTEGRATION_TOKEN,
      frontendOrigin: values.ZEROHOP_INTEGRATION_FRONTEND_ORIGIN,
      pdpUrl: values.ZEROHOP_INTEGRATION_PDP_URL,
      apiUrl: values.ZEROHOP_INTEGRATION_API_URL,
    },
    decisionLog: readDecisionLog(values),
    tracing: readTracing(values),
    authzen: withoutUndefined({ publicUrl: values.PDP_PUBLIC_URL, subjectTypes: values.PDP_AUTHZEN_SUBJECT_TYPES }),
    opaPort: values.PDP_OPA_PORT,
    controlKey: values.PDP_CONTAINER_CONTROL_KEY,
    forwardTimeoutMs: values.PDP_CONTROL_PLANE_TIMEOUT * 1000,
    factsWait: {
      timeoutMs: factsWaitMs(values.PDP_LOCAL_FACTS_WAIT_TIMEOUT),
      policy: values.PDP_LOCAL_FACTS_TIMEOUT_POLICY,
    },
    drainMs: values.ZEROHOP_DRAIN_SECONDS * 1000,
    scrubMs: values.ZEROHOP_SCRUB_HOURS * 3_600_000,
    retention: {
      deltaRevisions: values.ZEROHOP_DELTA_REVISIONS,
      deltaDays: values.ZEROHOP_DELTA_DAYS,
      historyRevisions: values.ZEROHOP_HISTORY_REVISIONS,
      historyDays: values.ZEROHOP_HISTORY_DAYS,
      pastRevisions: values.ZEROHOP_PAST_REVISIONS,
      pastDays: values.ZEROHOP_PAST_DAYS,
      pastBytes: values.ZEROHOP_PAST_BYTES,
      auditRecords: values.ZEROHOP_AUDIT_RECORDS,
      auditDays: values.ZEROHOP_AUDIT_DAYS,
      endedKeptMs: values.ZEROHOP_ENDED_KEPT * 1000,
      endingNoticeMs: values.ZEROHOP_ENDING_NOTICE * 1000,
    },
    secrets: secretValues(values),
  }
}

/** @throws CONFIG_INVALID when the provider is named without what is needed to use it */
function readConsole(values: Values): NonNullable<Env['console']> {
  const origins = values.ZEROHOP_CONSOLE_HOSTS ?? []
  const { ZEROHOP_CONSOLE_ISSUER: issuer, ZEROHOP_CONSOLE_CLIENT_ID: clientId, ZEROHOP_CONSOLE_ACCESS: rules } = values
  if (issuer === undefined) return { origins }
  if (clientId === undefined || rules === undefined) {
    const missing = clientId === undefined ? 'ZEROHOP_CONSOLE_CLIENT_ID' : 'ZEROHOP_CONSOLE_ACCESS'
    throw new ZerohopError('CONFIG_INVALID', { reason: `ZEROHOP_CONSOLE_ISSUER needs ${missing}` })
  }
  const { ZEROHOP_CONSOLE_CLAIM: claim, ZEROHOP_CONSOLE_SCOPES: scopes, ZEROHOP_CONSOLE_USER_CLAIM: userClaim } = values
  if (userClaim === undefined && rules.some(({ tenant }) => tenant !== undefined)) {
    const reason = 'a rule of ZEROHOP_CONSOLE_ACCESS for tenant-admin needs ZEROHOP_CONSOLE_USER_CLAIM'
    throw new ZerohopError('CONFIG_INVALID', { reason })
  }
  const secret = withoutUndefined({ clientSecret: values.ZEROHOP_CONSOLE_CLIENT_SECRET, userClaim })
  return { origins, provider: { issuer, clientId, ...secret, claim, scopes, rules } }
}

/** A variable whose name a file chooses, such as `url_env` of a sync file; an empty value counts as absent. */
export const readVariable = (name: string): string | undefined => process.env[name]?.trim() || undefined

/** Texts of the settings that no log may hold. */
export const envSecrets = ({ secrets }: Env): readonly string[] => secrets

/** The port of the OPA-shaped API: as set, else the one that SDKs expect next to port 7000; undefined for none. */
export function resolveOpaPort({ opaPort, pdpPort }: Env): number | undefined {
  const expected = variableFacts(PDP_VARIABLES.PDP_PORT).default
  return opaPort ?? (pdpPort === expected ? OPA_PORT : undefined)
}

/** The file in which a PDP keeps the last image of a key, in the folder named or under the data folder. */
export function lastImageFolder(env: Env, data: string = env.data): string {
  return env.backupFolder ?? join(data, 'pdp')
}

/** A port number of the command line. @throws CONFIG_INVALID */
export const port = (value: string, option: string): number => readAs(Port, value, option)

/** Text for the help of a command: the variables that an option wins over, and the default of the last one. */
export function inVariables(...names: [...VariableName[], VariableName]): string {
  const { default: value, hint } = variableFacts(Environment.properties[names.at(-1) as VariableName])
  return `(${[...names, ...(value === undefined ? [] : [value])].join(', ')}${hint === undefined ? '' : `; ${hint}`})`
}

function readAll(variables: Variables): Values {
  const entries = Object.entries(Environment.properties).flatMap(([name, schema]) => {
    const value = readOne(name, schema, variables) ?? variableFacts(schema).default
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(entries) as Values
}

/** The value under the name of the variable, else under the first of its aliases that has one. */
function readOne(name: string, schema: t.TSchema, variables: Variables): unknown {
  for (const each of [name, ...(variableFacts(schema).aliases ?? [])]) {
    const text = readText(each, schema, variables)
    if (text !== undefined) return readAs(schema, text, each)
  }
  return undefined
}

/** An empty value counts as absent, as in a compose file that passes on what is not set. */
function readText(name: string, schema: t.TSchema, variables: Variables): string | undefined {
  const given = variables[name]?.trim() || undefined
  const { isPem, isSecret } = {
    isPem: schemaLabel(schema) === schemaLabel(Pem),
    isSecret: variableFacts(schema).isSecret ?? false,
  }
  if (isPem && given !== undefined && !given.startsWith('-----BEGIN')) return readSecretFile(name, given)
  // a variable of that name stands for a file of its own form
  const file = Object.hasOwn(Environment.properties, `${name}_FILE`) ? undefined : variables[`${name}_FILE`]
  return given ?? ((isPem || isSecret) && file ? readSecretFile(name, file) : undefined)
}

function readSecretFile(name: string, path: string): string {
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

function secretValues(values: Values): string[] {
  const names = (Object.keys(values) as VariableName[]).filter(
    (name) => variableFacts(Environment.properties[name]).isSecret,
  )
  return names.map((name) => String(values[name]))
}

/** Milliseconds that a write waits: a negative number of seconds is as long as may be. */
function factsWaitMs(seconds: number): number {
  return seconds < 0 ? FACTS_WAIT_MAX_MS : Math.min(seconds * 1000, FACTS_WAIT_MAX_MS)
}

/** Without the members that are not set. */
function withoutUndefined<T extends object>(of: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const set = Object.entries(of).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set) as { [K in keyof T]?: NonNullable<T[K]> }
}
