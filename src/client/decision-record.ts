// One decision as a line of JSON: who asked what, and the answer. Attribute values are included only when the operator
// configures it. The number of the line (`seq`) comes from the journal: a missing number is a lost record. Fields:
// docs/decision-log.md.
import { ENGINE } from '../model/engine.ts'
import { DECISION_ATTRIBUTES_BYTES_MAX, DECISION_TEXT_MAX } from '../model/limits.ts'

/** A decision and its request. */
export interface DecisionRecord {
  /** ms since 1970 */
  readonly at: number
  /** the request id in the answer; null when it has none */
  readonly request: string | null
  /** id of the environment */
  readonly environment: string
  readonly revision: number
  /** id of the caller's API key, never the secret */
  readonly apiKey: string
  /** the name of a person who asked in the console without a key; `apiKey` is then their id */
  readonly person?: string | undefined
  /** `*` where no one was signed in */
  readonly user: string
  readonly tenant: string
  readonly action: string
  readonly resourceType: string
  readonly resourceKey: string | null
  readonly allow: boolean
  /** why it was allowed or denied, when known */
  readonly reason: string | undefined
  readonly micros: number
  /** the time that conditions saw, in ms since 1970; undefined when none was sent */
  readonly now: number | undefined
  /**
   * the instant at which what has times was in force or not, in ms since 1970; undefined where it is `now`, and where
   * neither was read or sent
   */
  readonly instant?: number | undefined
  /** false when the tenant came from the stored instance, or is the default */
  readonly isTenantSent: boolean
  /** relations of the request, and the attributes that are to be recorded */
  readonly sent: unknown
  /** names of attributes that were sent and are not recorded */
  readonly omitted: readonly string[]
}

/** The members after `instance` and `seq`, with the closing brace of the line. */
export function formatLine(record: DecisionRecord, dropped: number): string {
  const { request, resourceKey, allow, reason, sent, now, instant, omitted, person } = record
  return (
    `,"time":"${formatTime(record.at)}","request_id":${request === null ? 'null' : text(request)}${formatPlace(record)}` +
    `,"user":${text(record.user)},"tenant":${text(record.tenant)},"action":${text(record.action)}` +
    `,"resource_type":${text(record.resourceType)},"resource_key":${resourceKey === null ? 'null' : text(resourceKey)}` +
    `${allow ? ',"decision":true,"reason":' : ',"decision":false,"reason":'}${reasonText(reason, allow)}` +
    `,"latency_us":${record.micros}${ENGINE_MEMBER}` +
    `${now === undefined ? '' : `,"now":${now}`}${instant === undefined || instant === now ? '' : `,"instant":${instant}`}${record.isTenantSent ? '' : ',"tenant_sent":false'}` +
    `${person === undefined ? '' : `,"person":${text(person)}`}` +
    `${omitted.length === 0 ? '' : `,"omitted":${JSON.stringify(omitted)}`}` +
    `${sent === undefined ? '' : `,"sent":${sentText(sent)}`}${dropped === 0 ? '}\n' : `,"dropped_before":${dropped}}\n`}`
  )
}

const ENGINE_MEMBER = `,"engine":${JSON.stringify(ENGINE)}`

const reasonText = (reason: string | undefined, allow: boolean): string =>
  reason === undefined ? (allow ? '"allow"' : '"deny"') : text(reason)

let lastEnvironment = ''
let lastRevision = -1
let lastKey = ''
let lastPlace = ''

/** Cached, because most records have the same environment, revision and key as the one before. */
function formatPlace({ environment, revision, apiKey }: DecisionRecord): string {
  if (revision !== lastRevision || apiKey !== lastKey || environment !== lastEnvironment) {
    lastEnvironment = environment
    lastRevision = revision
    lastKey = apiKey
    lastPlace = `,"environment":"${environment}","revision":${revision},"api_key":${text(apiKey)}`
  }
  return lastPlace
}

/** Recorded in place of attributes that are too large. */
export const TOO_LONG = 'too long'

/** Request attributes may be as large as a body; in a record they are bounded. */
function sentText(sent: unknown): string {
  const json = JSON.stringify(sent)
  return Buffer.byteLength(json) <= DECISION_ATTRIBUTES_BYTES_MAX ? json : JSON.stringify(TOO_LONG)
}

const PLAIN = /^[\w.:@/ -]*$/

/** A key has at most 256 bytes; a longer text is unknown to every policy and is shortened. */
function text(value: string): string {
  if (value.length > DECISION_TEXT_MAX) return JSON.stringify(`${value.slice(0, DECISION_TEXT_MAX)}…`)
  return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value)
}

let lastAt = 0
let lastTime = new Date(0).toISOString()

/** Cached, because many decisions are made in one millisecond. */
function formatTime(at: number): string {
  if (at !== lastAt) {
    lastAt = at
    lastTime = new Date(at).toISOString()
  }
  return lastTime
}
