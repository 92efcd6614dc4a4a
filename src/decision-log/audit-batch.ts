// One batch of decision records, as a PDP sends it, into the audit tables: read, checked, given the readable name of
// the user, and stored in one synced transaction. Invalid lines are counted and left out: refusing a whole batch would
// block every batch behind it. A sender may only store records of its own environment, under its own API key, in series
// (instances) that it began.
import { gunzipSync } from 'node:zlib'
import { ZerohopError } from '../model/errors.ts'
import { AUDIT_BATCH_BYTES_MAX, DECISION_ATTRIBUTES_BYTES_MAX, DECISION_TEXT_MAX } from '../model/limits.ts'
import type { User } from '../model/objects.ts'
import { type AuditInstance, type AuditRecord, type AuditTables, idOf, recordKey, TIME_MAX } from './audit-tables.ts'

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

type FindUser = (environment: string, key: string) => User | undefined
type Line = Readonly<Record<string, unknown>>

/** Stores a batch. @throws INPUT_INVALID, LIMIT_EXCEEDED when it cannot be read at all; what LMDB throws */
export function storeBatch(tables: AuditTables, batch: AuditBatch, now: number, findUser: FindUser): Stored {
  const lines = textOf(batch).split('\n')
  const names = new Map<string, { email: string | null; name: string | null }>()
  const nameOf = (environment: string, key: string) => {
    const known = names.get(`${environment}${key}`)
    if (known !== undefined) return known
    const user = findUser(environment, key)
    const parts = [user?.first_name, user?.last_name].filter((part) => part !== null && part !== undefined)
    const found = { email: user?.email ?? null, name: parts.length === 0 ? null : parts.join(' ') }
    names.set(`${environment}${key}`, found)
    return found
  }
  return tables.root.transactionSync(() => {
    const write = new Write(tables, now, batch.sentBy?.id ?? null)
    const refusals = { not_a_record: 0, other_environment: 0, other_key: 0, other_sender: 0 }
    for (const text of lines) {
      if (text === '') continue
      const line = parse(text)
      const refusal = line === undefined ? 'not_a_record' : (refusalOf(line, batch) ?? write.refusalOf(line))
      if (line === undefined || refusal !== undefined) {
        refusals[refusal ?? 'not_a_record']++
        continue
      }
      const environment = String(line.environment)
      write.record(environment, recordOf(line, batch, now, nameOf(environment, String(line.user))), dropsOf(line))
    }
    write.end()
    const refused = Object.values(refusals).reduce((sum, count) => sum + count, 0)
    return { stored: write.stored, known: write.known, refused, refusals }
  })
}

class Write {
  stored = 0
  known = 0
  readonly #tables: AuditTables
  readonly #instances = new Map<string, AuditInstance>()
  readonly #counts = new Map<string, number>()
  readonly #now: number
  readonly #sender: string | null
  #numbered: number

  constructor(tables: AuditTables, now: number, sender: string | null) {
    this.#tables = tables
    this.#now = now
    this.#sender = sender
    this.#numbered = tables.meta.get('numbered') ?? 0
  }

  /**
   * Lines of this process are accepted as they are. A series stored by an older version belongs to the first sender
   * that continues it.
   */
  refusalOf({ instance }: Line): Refusal | undefined {
    if (this.#sender === null) return undefined
    const { sender } = this.#instances.get(String(instance)) ?? this.#tables.instances.get(String(instance)) ?? {}
    return sender === undefined || sender === this.#sender ? undefined : 'other_sender'
  }

  record(environment: string, record: Omit<AuditRecord, 'id'>, dropped: number): void {
    const { records, counts } = this.#tables
    const instance = this.#instanceOf(record.instance)
    const key = recordKey(environment, record.at, instance.number, record.seq)
    if (records.doesExist(key)) {
      this.known++
      return
    }
    void records.put(key, { id: idOf(key), ...record })
    this.stored++
    this.#counts.set(environment, (this.#counts.get(environment) ?? counts.get(environment) ?? 0) + 1)
    this.#instances.set(record.instance, {
      number: instance.number,
      stored: instance.stored + 1,
      dropped: instance.dropped + dropped,
      last: Math.max(instance.last, record.seq),
      seen: this.#now,
      sender: instance.sender ?? this.#sender,
    })
  }

  end(): void {
    void this.#tables.meta.put('numbered', this.#numbered)
    for (const [name, instance] of this.#instances) void this.#tables.instances.put(name, instance)
    for (const [environment, count] of this.#counts) void this.#tables.counts.put(environment, count)
  }

  #instanceOf(name: string): AuditInstance {
    const known = this.#instances.get(name) ?? this.#tables.instances.get(name)
    const fresh = { stored: 0, dropped: 0, last: 0, seen: this.#now, sender: this.#sender }
    const instance = known ?? { number: ++this.#numbered, ...fresh }
    this.#instances.set(name, instance)
    return instance
  }
}

function textOf({ lines, isCompressed }: AuditBatch): string {
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

function parse(text: string): Line | undefined {
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
function refusalOf(line: Line, { environment, sentBy }: AuditBatch): Refusal | undefined {
  if (!isRecord(line)) return 'not_a_record'
  if (line.environment !== (environment ?? line.environment)) return 'other_environment'
  const isForeign = sentBy !== undefined && line.api_key !== sentBy.id && line.api_key !== fingerprintOf(sentBy)
  return isForeign ? 'other_key' : undefined
}

/** The name that a PDP uses for its key until the management side has sent it the id. */
const fingerprintOf = ({ hash }: { readonly hash: string }): string => `sha256:${hash.slice(0, 16)}`

const dropsOf = (line: Line): number => (isCount(line.dropped_before) ? line.dropped_before : 0)

/** The line was checked by `isRecord`. */
function recordOf(
  line: Line,
  { sentBy }: AuditBatch,
  now: number,
  { email, name }: { email: string | null; name: string | null },
): Omit<AuditRecord, 'id'> {
  const { instance, seq, time, request_id, revision, user, tenant, action, resource_type, resource_key } = line
  const { decision, reason, latency_us, sent = null } = line
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
  }
}

function isBounded(sent: unknown): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(sent)) <= DECISION_ATTRIBUTES_BYTES_MAX
  } catch {
    return false // nested too deeply for the stack
  }
}
