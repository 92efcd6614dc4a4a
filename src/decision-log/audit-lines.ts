// The lines of a batch of decision records, as a PDP sends it: read, checked, and given the readable name of the user.
// Invalid lines are counted and left out: refusing a whole batch would block every batch behind it. A sender may only
// store records of its own environment, under its own API key, in series (instances) that it began.
import { gunzipSync } from 'node:zlib'
import type { User } from '../kinds/user.ts'
import { ZerohopError } from '../model/errors.ts'
import {
  AUDIT_BATCH_BYTES_MAX,
  DECISION_ATTRIBUTES_BYTES_MAX,
  DECISION_OMITTED_MAX,
  DECISION_OMITTED_NAME_MAX,
  DECISION_TEXT_MAX,
} from '../model/limits.ts'
import { type AuditRecord, TIME_MAX } from './audit-tables.ts'

export interface AuditBatch {
  readonly lines: Uint8Array
  readonly isCompressed: boolean
  /** the environment of the key that sent it; undefined when the lines come from this process, and may be of any */
  readonly environment?: string
  /** id and hash of the key that sent it */
  readonly sentBy?: { readonly id: string; readonly hash: string }
}

export interface Stored {
  /** records that are new */
  readonly stored: number
  /** records that were there already */
  readonly known: number
  /** lines that are never stored */
  readonly refused: number
  /** the same by reason */
  readonly refusals: Readonly<Record<Refusal, number>>
}

/** Why a line is not stored. A PDP that was given another key may still send what it recorded under the one before. */
export type Refusal =
  | 'not_a_record'
  | 'other_environment'
  /** `api_key` names another key than the one that sends it */
  | 'other_key'
  /** its series was begun by another key, or by this process */
  | 'other_sender'

export type FindUser = (environment: string, key: string) => User | undefined
type Line = Readonly<Record<string, unknown>>

/** The address and the readable name of a user. */
interface UserName {
  readonly email: string | null
  readonly name: string | null
}

/** Looks each user of a batch up once. */
function makeUserNames(findUser: FindUser): (environment: string, key: string) => UserName {
  const names = new Map<string, UserName>()
  return (environment, key) => {
    const known = names.get(`${environment}${key}`)
    if (known !== undefined) return known
    const user = findUser(environment, key)
    const parts = [user?.first_name, user?.last_name].filter((part) => part !== null && part !== undefined)
    const found = { email: user?.email ?? null, name: parts.length === 0 ? null : parts.join(' ') }
    names.set(`${environment}${key}`, found)
    return found
  }
}

export const NO_REFUSALS: Readonly<Record<Refusal, number>> = {
  not_a_record: 0,
  other_environment: 0,
  other_key: 0,
  other_sender: 0,
}

/** The answer to the sender. */
export function toStored(stored: number, known: number, refusals: Readonly<Record<Refusal, number>>): Stored {
  const refused = Object.values(refusals).reduce((sum, count) => sum + count, 0)
  return { stored, known, refused, refusals }
}

/** The lines as text. @throws INPUT_INVALID, LIMIT_EXCEEDED when they cannot be read at all */
export function decodeText({ lines, isCompressed }: AuditBatch): string {
  if (!isCompressed) return Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString('utf8')
  try {
    return gunzipSync(lines, { maxOutputLength: AUDIT_BATCH_BYTES_MAX }).toString('utf8')
  } catch (error) {
    if (error instanceof RangeError)
      throw new ZerohopError('LIMIT_EXCEEDED', { what: 'bytes of a batch', limit: AUDIT_BATCH_BYTES_MAX }, BODY)
    throw new ZerohopError('INPUT_INVALID', { reason: 'the body is not gzip' }, BODY)
  }
}

const BODY = { path: ['body'] }

/** What is stored of a line. */
export interface PreparedLine {
  readonly environment: string
  readonly record: Omit<AuditRecord, 'id'>
  /** records that are missing before it */
  readonly dropped: number
}

/**
 * Reads the lines of a batch. Returns why lines were refused, and how many.
 * @param text what `decodeText` made of the batch
 * @param take receives what is to be stored, and may still refuse it
 */
export function readLines(
  text: string,
  batch: AuditBatch,
  { now, findUser }: { readonly now: number; readonly findUser: FindUser },
  take: (line: PreparedLine) => Refusal | undefined,
): Record<Refusal, number> {
  const refusals: Record<Refusal, number> = { ...NO_REFUSALS }
  const findName = makeUserNames(findUser)
  for (const each of text.split('\n')) {
    if (each === '') continue
    const line = parseLine(each)
    const refusal = line === undefined ? 'not_a_record' : (findRefusal(line, batch) ?? take(prepared(line)))
    if (refusal !== undefined) refusals[refusal]++
  }
  return refusals

  function prepared(line: Line): PreparedLine {
    const environment = String(line.environment)
    const record = toRecord(line, batch, now, findName(environment, String(line.user)))
    return { environment, record, dropped: countDrops(line) }
  }
}

/** A line; undefined when it is not a JSON object. */
function parseLine(text: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(text)
    return typeof line === 'object' && line !== null ? (line as Line) : undefined
  } catch {
    return undefined
  }
}

const isId = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{32}$/.test(value)
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= DECISION_TEXT_MAX + 1
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value)

function isRecord(line: Line): boolean {
  return (
    isId(line.instance) &&
    isId(line.environment) &&
    isCount(line.seq) &&
    line.seq < 2 ** 48 &&
    typeof line.time === 'string' &&
    Date.parse(line.time) >= 0 &&
    Date.parse(line.time) < TIME_MAX &&
    isCount(line.revision) &&
    [line.api_key, line.user, line.tenant, line.action, line.resource_type, line.reason].every(isText) &&
    [line.request_id, line.resource_key].every(isTextOrNull) &&
    typeof line.decision === 'boolean' &&
    isCount(line.latency_us)
  )
}

/** Why a line of this sender is refused whatever was stored before; undefined when it is not. */
function findRefusal(line: Line, { environment, sentBy }: AuditBatch): Refusal | undefined {
  if (!isRecord(line)) return 'not_a_record'
  if (line.environment !== (environment ?? line.environment)) return 'other_environment'
  const isForeign = sentBy !== undefined && line.api_key !== sentBy.id && line.api_key !== formatFingerprint(sentBy)
  return isForeign ? 'other_key' : undefined
}

/** The name that a PDP uses for its key until the management side has sent it the id. */
const formatFingerprint = ({ hash }: { readonly hash: string }): string => `sha256:${hash.slice(0, 16)}`

const countDrops = (line: Line): number => (isCount(line.dropped_before) ? line.dropped_before : 0)

/** The record of a line that `findRefusal` does not refuse. */
function toRecord(line: Line, { sentBy }: AuditBatch, now: number, { email, name }: UserName): Omit<AuditRecord, 'id'> {
  const { instance, seq, time, request_id, revision, user, tenant, action, resource_type, resource_key } = line
  const { decision, reason, latency_us, sent = null, person } = line
  return {
    ...({ instance, seq, request_id, revision, user, tenant, action, resource_type } as AuditRecord),
    ...({ resource_key, decision, reason, latency_us } as AuditRecord),
    api_key: sentBy?.id ?? String(line.api_key),
    at: Date.parse(String(time)),
    received_at: now,
    sent_by: sentBy?.id ?? null,
    user_email: email,
    user_name: name,
    sent: isBounded(sent) ? sent : 'too long',
    // no one asks in the console of a PDP that sends its records
    ...(sentBy === undefined && isText(person) ? { person } : {}),
    ...forReplay(line),
  }
}

/** What a record needs to be asked again; a PDP of an older version does not send it. */
function forReplay({
  engine,
  now,
  instant,
  tenant_sent,
  omitted = [],
}: Line): Pick<AuditRecord, 'engine' | 'now' | 'instant' | 'tenant_sent' | 'omitted'> {
  if (typeof engine !== 'string' || engine.length > DECISION_OMITTED_NAME_MAX) return {}
  const isNames = Array.isArray(omitted) && omitted.length <= DECISION_OMITTED_MAX && omitted.every(isText)
  return {
    engine,
    now: typeof now === 'number' ? now : null,
    ...(typeof instant === 'number' ? { instant } : {}),
    tenant_sent: tenant_sent !== false,
    omitted: isNames ? omitted : ['…'],
  }
}

function isBounded(sent: unknown): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(sent)) <= DECISION_ATTRIBUTES_BYTES_MAX
  } catch {
    return false // nested too deeply for the stack
  }
}
