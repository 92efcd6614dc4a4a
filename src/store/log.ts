// The log on disk: one entry a revision, each bound to the one before it by its chain. The state is a fold over these
// entries (state.ts); nothing here interprets a change.
//
//   entry on disk   chain, 32 bytes │ body, JSON of log, revision, at, by, status, summary, changes
//   chain           SHA-256(chain of the revision before, 32 bytes ‖ body); that of revision 0 is the lineage
import { hash } from 'node:crypto'
import type { WrittenObject } from '../kinds/history-words.ts'
import type { KindName } from '../kinds/index.ts'
import type { Actor, Change, HistoryEntry, LogEntry, LogId } from '../log/change.ts'
import { HISTORY_CHANGED_BYTES_MAX, LOG_READ_BYTES_MAX, LOG_READ_MAX } from '../model/limits.ts'
import type { Entry, KeyRange } from './checked-table.ts'
import { Digest } from './checksum.ts'
import type { Head } from './heads.ts'
import { fromEntryKind, toEntryKind } from './newer-kinds.ts'
import { revisionKey } from './table-keys.ts'
import type { Tables } from './tables.ts'

/** Bytes of the chain that an entry begins with. */
export const CHAIN_BYTES = 32
/** Up to this many entries are read one by one, which is cheaper than opening a range. */
const NEAR_MAX = 8

interface Body {
  readonly log: LogId
  readonly revision: number
  readonly at: number
  readonly by: Actor
  readonly status: number
  readonly summary?: string
  readonly changes: readonly Change[]
}

/** The next entry of a log, in the bytes that are stored. */
export interface EncodedEntry {
  readonly revision: number
  readonly chain: string
  /** chain, 32 bytes, then the body */
  readonly bytes: Uint8Array
}

/** The JSON of what each change puts: an entry and the state have the same text. */
export const listTexts = (changes: readonly Change[]): readonly string[] =>
  changes.map((change) => (change.op === 'put' ? JSON.stringify(change.value) : ''))

/**
 * The entry that follows the head.
 * @param texts the result of `listTexts`, when the caller knows it
 */
export function encodeEntry(
  log: LogId,
  head: Pick<Head, 'revision' | 'chain'>,
  { at, by, status, summary, changes }: Omit<Body, 'log' | 'revision'>,
  texts: readonly string[] = listTexts(changes),
): EncodedEntry {
  const revision = head.revision + 1
  const about = { log, revision, at, by, status, ...(summary === undefined ? {} : { summary }) }
  const each = changes.map((change, index) => {
    const { op, key } = change
    const kind = change.op === 'put' ? toEntryKind(change.kind, change.value) : change.kind
    const start = `{"op":"${op}","kind":"${kind}","key":${JSON.stringify(key)}`
    return op === 'put' ? `${start},"value":${texts[index]}}` : `${start}}`
  })
  const body = `${JSON.stringify(about satisfies Omit<Body, 'changes'>).slice(0, -1)}${CHANGES_MEMBER}[${each.join()}]}`
  const bytes = Buffer.allocUnsafe(CHAIN_BYTES + Buffer.byteLength(body))
  bytes.write(head.chain, 0, 'hex')
  bytes.write(body, CHAIN_BYTES)
  const chain = hash('sha256', bytes)
  bytes.write(chain, 0, 'hex')
  return { revision, chain, bytes }
}

/** Appends the next entry inside the caller's transaction and returns the new head. */
export function append(tables: Tables, head: Head, { revision, chain, bytes }: EncodedEntry): Head {
  return { ...putEntry(tables, head, revision, undefined, bytes), revision, chain }
}

/**
 * Writes, replaces or removes one entry and returns the head with its new digest. `before` is the checksum of the old
 * entry.
 */
export function putEntry(
  tables: Tables,
  head: Head,
  revision: number,
  before: number | undefined,
  entry: Uint8Array | undefined,
): Head {
  const key = revisionKey(head.number, revision)
  const digest = new Digest(head.log)
  if (before !== undefined) digest.subtract(key, before)
  if (entry === undefined) tables.log.remove(key)
  else digest.add(key, tables.log.put(key, entry))
  return { ...head, log: digest.sum }
}

/**
 * Entries after revision `after`, in order: at most `limit`, and no more than `bytesMax` bytes unless one entry is
 * larger.
 * @throws DATA_DAMAGED
 */
export function readEntries(
  tables: Tables,
  head: Head,
  after: number,
  limit = LOG_READ_MAX,
  bytesMax = LOG_READ_BYTES_MAX,
): LogEntry[] {
  const entries: LogEntry[] = []
  let previous = chainAt(tables, head, after)
  if (previous === undefined || limit <= 0 || after + 1 < (head.deltasFrom ?? 1)) return entries
  let bytes = 0
  const range = {
    start: revisionKey(head.number, after + 1),
    end: revisionKey(head.number + 1, 0),
    limit: Math.min(limit, LOG_READ_MAX),
  }
  const isNear = head.revision - after <= Math.min(NEAR_MAX, range.limit)
  for (const { key, content } of isNear ? nextEntries(tables, head, after, range) : tables.log.range(range)) {
    bytes += content.length
    if (bytes > bytesMax && entries.length > 0) break
    const entry: LogEntry = { ...decode(content), previous }
    if (entry.revision !== after + 1 + entries.length)
      throw tables.log.damaged(key, 'does not follow the one before it')
    entries.push(entry)
    previous = entry.chain
  }
  const last = after + entries.length
  if (bytes <= bytesMax && entries.length < range.limit) requireEntry(tables, head, last + 1)
  return entries
}

/**
 * A page that lost its last entries would end a log early without an error. @throws DATA_DAMAGED when the head has this
 * revision
 */
function requireEntry(tables: Tables, head: Head, missing: number): void {
  if (missing > head.revision || head.leaving === 'everything') return
  throw tables.log.damaged(revisionKey(head.number, missing), 'is missing')
}

/**
 * The entries of the range up to the head, read one by one: a follower that keeps up reads one or two at a time, and
 * opening a range costs more. From a missing entry on, the range is used.
 */
function* nextEntries(tables: Tables, head: Head, after: number, range: KeyRange): Generator<Entry<Uint8Array>> {
  for (let revision = after + 1; revision <= head.revision; revision++) {
    const key = revisionKey(head.number, revision)
    const entry = tables.log.entry(key)
    if (entry === undefined) return yield* tables.log.range({ ...range, start: key })
    yield entry
  }
}

/** Begins a new history at the head: the last entry gets a new unique chain, and no delta leads to it. */
export function forkAtHead(tables: Tables, head: Head, lineage: string): Head {
  const chain = hash('sha256', Buffer.from(lineage + head.chain, 'hex'))
  const last = tables.log.entry(revisionKey(head.number, head.revision))
  if (last === undefined) return { ...head, lineage, chain: lineage, deltasFrom: head.revision + 1 }
  const bytes = Buffer.from(last.content)
  bytes.write(chain, 0, 'hex')
  const forked = putEntry(tables, head, head.revision, last.crc, bytes)
  return { ...forked, lineage, chain, deltasFrom: head.revision + 1 }
}

/** Entries before a revision, the newest first, without their changes: which are cut off before parsing. */
export function readHistory(tables: Tables, head: Head, before: number, limit: number): HistoryEntry[] {
  const from = head.historyFrom ?? 1
  const newest = Math.min(before - 1, head.revision)
  const range = {
    start: revisionKey(head.number, newest),
    end: revisionKey(head.number, Math.max(0, from - 1)),
    reverse: true,
    limit,
  }
  const entries: HistoryEntry[] = []
  if (before <= from) return entries
  for (const { content } of tables.log.range(range)) {
    const entry = decodeHistory(head.number, content)
    const expected = newest - entries.length
    if (entry.revision !== expected) requireEntry(tables, head, expected)
    entries.push(entry)
  }
  const next = newest - entries.length
  if (entries.length < limit && next >= from) requireEntry(tables, head, next)
  return entries
}

/**
 * The objects that a revision changed, and how: what it made has its time. Empty when its changes have expired;
 * undefined when the entry has more bytes than are read for a list. @throws DATA_DAMAGED
 */
export function readChanged(tables: Tables, head: Head, revision: number): WrittenObject[] | undefined {
  const content = tables.log.get(revisionKey(head.number, revision))
  if (content === undefined) return []
  if (content.length > HISTORY_CHANGED_BYTES_MAX) return undefined
  const { at, changes } = decode(content)
  return changes.map((change) => {
    const { kind, key } = change
    const op = change.op === 'delete' ? 'delete' : change.value.created_at === at ? 'create' : 'update'
    return { kind, key, op }
  })
}

/** The changes of a revision whose entry has the text, unless it is larger than one in a list. @throws DATA_DAMAGED */
export function readChangesWith(tables: Tables, head: Head, revision: number, text: string): readonly Change[] {
  const content = tables.log.get(revisionKey(head.number, revision))
  if (content === undefined || content.length > HISTORY_CHANGED_BYTES_MAX) return []
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  return bytes.includes(text) ? decode(content).changes : []
}

/** Quotes inside JSON texts are escaped, so the first of these is the member of the body. */
const CHANGES_MEMBER = ',"changes":'
const CHANGES = Buffer.from(CHANGES_MEMBER)

/** The entry without its changes, under the same chain. */
export function stripEntry(value: Uint8Array): Buffer {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return Buffer.concat([bytes.subarray(0, bytes.indexOf(CHANGES)), CHANGES, Buffer.from('[]}')])
}

/** When an entry was written, in ms since 1970. */
export function timeOfEntry(value: Uint8Array): number {
  return decodeHistory(0, value).at
}

/** An entry as it is stored, with what a record of it has in addition to its bytes. */
export interface StoredEntry extends EncodedEntry {
  readonly at: number
  readonly status: number
}

/**
 * Stored entries from a revision on, in order: at most `limit`, and no more bytes than `bytesMax` unless one entry is
 * larger. @throws DATA_DAMAGED
 */
export function readStored(tables: Tables, head: Head, from: number, limit: number, bytesMax: number): StoredEntry[] {
  const entries: StoredEntry[] = []
  const range = { start: revisionKey(head.number, from), end: revisionKey(head.number + 1, 0), limit }
  let bytes = 0
  for (const { content } of tables.log.range(range)) {
    bytes += content.length
    if (bytes > bytesMax && entries.length > 0) break
    const { revision, chain, at, status } = decodeHistory(head.number, content)
    entries.push({ revision, chain, at, status, bytes: content })
  }
  return entries
}

function decodeHistory(number: number, value: Uint8Array): HistoryEntry {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  const body = JSON.parse(`${bytes.toString('utf8', CHAIN_BYTES, bytes.indexOf(CHANGES))}}`) as Omit<Body, 'changes'>
  const chain = bytes.toString('hex', 0, CHAIN_BYTES)
  const id = hex(number, 8) + hex(body.revision, 12) + chain.slice(0, 12)
  return { ...body, chain, id }
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

/** The number of the log and the revision that the id of a history entry names. */
export function readHistoryId(id: string): { number: number; revision: number } {
  return { number: Number.parseInt(id.slice(0, 8), 16), revision: Number.parseInt(id.slice(8, 20), 16) }
}

/** Chain of a revision; undefined when the log has no such revision. */
function chainAt(tables: Tables, head: Head, revision: number): string | undefined {
  if (revision === 0) return head.lineage
  if (!Number.isSafeInteger(revision) || revision < 0 || revision > head.revision) return undefined
  const value = tables.log.get(revisionKey(head.number, revision))
  return value === undefined ? undefined : Buffer.from(value.buffer, value.byteOffset, CHAIN_BYTES).toString('hex')
}

/** The chain that an entry has when it follows `previous`. */
export function chainAfter(previous: string, entry: Uint8Array): string {
  const bytes = Buffer.from(entry)
  bytes.write(previous, 0, 'hex')
  return hash('sha256', bytes)
}

/** The chain and the changes of a stored entry. */
export function decodeContent(entry: Uint8Array): Pick<LogEntry, 'chain' | 'revision' | 'changes'> {
  return decode(entry)
}

/** A stored entry, but for the chain before it. */
export function decodeEntry(entry: Uint8Array): Omit<LogEntry, 'previous'> {
  return decode(entry)
}

function decode(value: Uint8Array): Omit<LogEntry, 'previous'> {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  const body = JSON.parse(bytes.toString('utf8', CHAIN_BYTES)) as Body
  for (const change of body.changes) (change as { kind: KindName }).kind = fromEntryKind(change.kind)
  return { ...body, chain: bytes.toString('hex', 0, CHAIN_BYTES) }
}
