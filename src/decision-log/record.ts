// One decision as a line of JSON: who asked what, and what was answered. Attribute values only when the operator wants them. The number of the
// line (`seq`) is the journal's: a number that is missing is a record that was lost. Fields: docs/decision-log.md.
import { DECISION_ATTRIBUTES_BYTES_MAX, DECISION_TEXT_MAX } from '../model/limits.ts'

/** What is known of a decision when it is made. */
export interface DecisionRecord {
  /** ms since 1970 */
  readonly at: number
  /** as the answer carries it; null when it carries none */
  readonly request: string | null
  /** id of the environment */
  readonly environment: string
  readonly revision: number
  /** id of the API key that asked, never the secret */
  readonly apiKey: string
  readonly user: string
  readonly tenant: string
  readonly action: string
  readonly resourceType: string
  readonly resourceKey: string | null
  readonly allow: boolean
  /** what allowed or refused, when it is known */
  readonly reason: string | undefined
  readonly micros: number
  /** attributes and context that were sent, when they are to be kept */
  readonly sent: unknown
}

/** The members after `instance` and `seq`, with the bracket that ends the line. */
export function lineOf(record: DecisionRecord, dropped: number): string {
  const { request, resourceKey, allow, reason, sent } = record
  return (
    `,"time":"${timeOf(record.at)}","request_id":${request === null ? 'null' : text(request)}${placeOf(record)}` +
    `,"user":${text(record.user)},"tenant":${text(record.tenant)},"action":${text(record.action)}` +
    `,"resource_type":${text(record.resourceType)},"resource_key":${resourceKey === null ? 'null' : text(resourceKey)}` +
    `${allow ? ',"decision":true,"reason":' : ',"decision":false,"reason":'}${reasonText(reason, allow)}` +
    `,"latency_us":${record.micros}` +
    `${sent === undefined ? '' : `,"sent":${sentText(sent)}`}${dropped === 0 ? '}\n' : `,"dropped_before":${dropped}}\n`}`
  )
}

const reasonText = (reason: string | undefined, allow: boolean): string =>
  reason === undefined ? (allow ? '"allow"' : '"deny"') : text(reason)

let lastEnvironment = ''
let lastRevision = -1
let lastKey = ''
let lastPlace = ''

/** Most records follow one from the same environment, revision and key. */
function placeOf({ environment, revision, apiKey }: DecisionRecord): string {
  if (revision !== lastRevision || apiKey !== lastKey || environment !== lastEnvironment) {
    lastEnvironment = environment
    lastRevision = revision
    lastKey = apiKey
    lastPlace = `,"environment":"${environment}","revision":${revision},"api_key":${text(apiKey)}`
  }
  return lastPlace
}

/** Stands for attributes that take too much room. */
export const TOO_LONG = 'too long'

/** What was sent may be as large as a body; a record is not. */
function sentText(sent: unknown): string {
  const json = JSON.stringify(sent)
  return Buffer.byteLength(json) <= DECISION_ATTRIBUTES_BYTES_MAX ? json : JSON.stringify(TOO_LONG)
}

const PLAIN = /^[\w.:@/ -]*$/

/** A key is at most 256 bytes; what is longer is unknown to every policy, and not worth its room. */
function text(value: string): string {
  if (value.length > DECISION_TEXT_MAX) return JSON.stringify(`${value.slice(0, DECISION_TEXT_MAX)}…`)
  return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value)
}

let lastAt = 0
let lastTime = new Date(0).toISOString()

/** Many decisions are made in one millisecond. */
function timeOf(at: number): string {
  if (at !== lastAt) {
    lastAt = at
    lastTime = new Date(at).toISOString()
  }
  return lastTime
}
