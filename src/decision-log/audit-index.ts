// The index of recorded decisions in a folder, and their counts by minute. Both are written in the transaction of the
// record: a record that has its terms is counted, one that has none (an older version stored it) is neither.
import {
  AUDIT_INDEX_KEYS_PER_JUMP,
  AUDIT_INDEX_KEYS_PER_READ,
  AUDIT_INDEX_KEYS_PER_TURN,
  AUDIT_INDEXED_PER_STEP,
} from '../model/limits.ts'
import type { AuditMatches, AuditMatchRange } from './audit-log.ts'
import { type AuditRecord, type AuditTables, idKey, keyId, TIME_MAX, timeKey } from './audit-tables.ts'
import {
  type AuditMinutes,
  type AuditMinutesRange,
  listTerms,
  MinuteSums,
  type Term,
  type TermGroups,
  timeOfMinute,
  toMinute,
} from './audit-terms.ts'

const NOTHING = Buffer.alloc(0)

/** environment, 16 bytes │ term, 8 bytes │ id of the record, 16 bytes */
const termKey = (environment: string, { hash }: Term, id: string): Buffer => Buffer.from(environment + hash + id, 'hex')
const TERM_ID_AT = 24

const MINUTE_KEY_BYTES = 20
/** A key with it at its end is the next possible one. */
const NEXT = Buffer.alloc(1)

/** environment, 16 bytes │ minute u32 */
function minuteKey(environment: string, minute: number): Buffer {
  const key = Buffer.alloc(MINUTE_KEY_BYTES)
  key.write(environment, 0, 'hex')
  key.writeUInt32BE(Math.min(Math.max(0, minute), 2 ** 32 - 1), 16)
  return key
}
const minuteAt = (key: Uint8Array): number => Buffer.prototype.readUInt32BE.call(key, 16)

/** Adds a record in the open transaction. */
export function indexRecord(tables: AuditTables, environment: string, record: AuditRecord): void {
  for (const term of listTerms(record)) void tables.terms.put(termKey(environment, term, record.id), NOTHING)
}

/** Takes a record out in the open transaction. Its decision stays counted. */
export function unindexRecord(tables: AuditTables, environment: string, record: AuditRecord): void {
  for (const term of listTerms(record)) void tables.terms.remove(termKey(environment, term, record.id))
}

/** Adds counts in the open transaction. */
export function addMinutes({ minutes }: AuditTables, counted: MinuteSums): void {
  for (const { environment, minute, allowed, denied } of counted.sums()) {
    const key = minuteKey(environment, minute)
    const [wereAllowed, wereDenied] = minutes.get(key) ?? [0, 0]
    void minutes.put(key, [wereAllowed + allowed, wereDenied + denied])
  }
}

/** Forgets counts from before a time, in the open transaction: a bounded number. Returns how many. */
export function trimMinutes({ minutes }: AuditTables, before: number, most: number): number {
  let removed = 0
  let start: Buffer = Buffer.alloc(MINUTE_KEY_BYTES)
  while (removed < most) {
    const [first] = minutes.getKeys({ start, limit: 1 })
    if (first === undefined) break
    const environment = Buffer.from(first).toString('hex', 0, 16)
    const end = minuteKey(environment, toMinute(before))
    for (const key of [...minutes.getKeys({ start: minuteKey(environment, 0), end, limit: most - removed })]) {
      void minutes.remove(key)
      removed++
    }
    start = Buffer.concat([minuteKey(environment, 2 ** 32 - 1), NEXT])
  }
  return removed
}

/**
 * Indexes records that an older version stored, a bounded number in one transaction, from the oldest on. Returns false
 * when there are no more.
 */
export function indexOlder(tables: AuditTables): boolean {
  const { root, records, indexing, terms } = tables
  const from = indexing.get('next')
  if (from === undefined) return false
  return root.transactionSync(() => {
    const counted = new MinuteSums()
    let last: Uint8Array | undefined
    let seen = 0
    for (const { key, value } of records.getRange({ start: Buffer.from(from, 'hex'), limit: AUDIT_INDEXED_PER_STEP })) {
      const environment = Buffer.from(key).toString('hex', 0, 16)
      seen++
      last = key
      const [first] = listTerms(value)
      if (terms.doesExist(termKey(environment, first!, value.id))) continue
      indexRecord(tables, environment, value)
      counted.add(environment, value)
    }
    addMinutes(tables, counted)
    const isMore = seen === AUDIT_INDEXED_PER_STEP && last !== undefined
    if (isMore) void indexing.put('next', Buffer.concat([last!, NEXT]).toString('hex'))
    else void indexing.remove('next')
    return isMore
  })
}

/** Ids of records that have a term of each group, the newest first. Looks at a bounded number of places. */
export function matchTerms(
  tables: AuditTables,
  environment: string,
  groups: TermGroups,
  { since = 0, before = TIME_MAX, after, limit }: AuditMatchRange,
): AuditMatches {
  const end = keyId(timeKey(environment, since))
  const work = { left: AUDIT_INDEX_KEYS_PER_TURN }
  const ids: string[] = []
  let last = after ?? keyId(timeKey(environment, before))
  const lists = groups.map((group) => group.map((term) => new Postings(tables, environment, term, end, work)))
  const [rarest, ...others] = rarestFirst(lists, last)
  while (ids.length < limit) {
    let id = findNewest(rarest!, last, true)
    for (let at = 0; id !== undefined && at < others.length; ) {
      if (work.left <= 0) return { ids, next: idBefore(id) }
      const found = findNewest(others[at]!, id, false)
      if (found === id) at++
      else {
        // the rarest says where all of them go on: what comes after this group is not asked about each place
        id = found === undefined ? undefined : findNewest(rarest!, found, false)
        at = 0
      }
    }
    if (id === undefined) return { ids, next: undefined }
    ids.push(id)
    last = id
    if (work.left <= 0) break
  }
  return { ids, next: last }
}

/** Groups by how far back their first places go: those that seldom occur begin. */
function rarestFirst(lists: readonly (readonly Postings[])[], from: string): readonly (readonly Postings[])[] {
  if (lists.length === 1) return lists
  const reach = (group: readonly Postings[]): string =>
    group.map((postings) => postings.reach(from)).reduce((one, other) => (one > other ? one : other))
  return lists
    .map((group) => ({ group, oldest: reach(group) }))
    .sort((one, other) => Number(one.oldest > other.oldest) - Number(one.oldest < other.oldest))
    .map(({ group }) => group)
}

function findNewest(group: readonly Postings[], id: string, isStrict: boolean): string | undefined {
  let newest: string | undefined
  for (const postings of group) {
    const found = postings.newest(id, isStrict)
    if (found !== undefined && (newest === undefined || found > newest)) newest = found
  }
  return newest
}

/** The id that a list has just before one: to go on after it is to go on with that one. */
const idBefore = (id: string): string => (BigInt(`0x${id}`) + 1n).toString(16).padStart(id.length, '0')

/**
 * The ids of the records that have one term, read some at a time from the newest to the oldest: few where others jump
 * ahead, more where each of them is looked at.
 */
class Postings {
  readonly #tables: AuditTables
  readonly #environment: string
  readonly #term: Term
  readonly #end: string
  readonly #work: { left: number }
  #ids: readonly string[] = []
  #at = 0
  #isWhole = false
  #limit = AUDIT_INDEX_KEYS_PER_JUMP
  /** how often the ids that were read last had the answer */
  #answers = 0

  constructor(tables: AuditTables, environment: string, term: Term, end: string, work: { left: number }) {
    this.#tables = tables
    this.#environment = environment
    this.#term = term
    this.#end = end
    this.#work = work
  }

  /** How far back the first ids go; '' when they are all. To be asked first. */
  reach(from: string): string {
    this.#read(from)
    return this.#isWhole ? '' : this.#ids.at(-1)!
  }

  /** The newest id that is not newer than one, or that is older. Calls go from newer to older. */
  newest(id: string, isStrict: boolean): string | undefined {
    for (let isRead = false; ; isRead = true) {
      for (; this.#at < this.#ids.length; this.#at++) {
        const found = this.#ids[this.#at]!
        if (isStrict ? found >= id : found > id) continue
        this.#answers++
        return found
      }
      if (this.#isWhole || (isRead && this.#ids.length === 0)) return undefined
      this.#read(id)
    }
  }

  #read(id: string): void {
    const isUseful = this.#answers * 4 >= this.#limit
    this.#limit = isUseful ? Math.min(2 * this.#limit, AUDIT_INDEX_KEYS_PER_READ) : AUDIT_INDEX_KEYS_PER_JUMP
    const limit = this.#limit
    const [start, end] = [id, this.#end].map((at) => termKey(this.#environment, this.#term, at))
    const keys = this.#tables.terms.getKeys({ start: start!, end: end!, reverse: true, limit })
    this.#ids = [...keys].map((key) => Buffer.prototype.toString.call(key, 'hex', TERM_ID_AT))
    this.#at = 0
    this.#answers = 0
    this.#isWhole = this.#ids.length < limit
    this.#work.left -= this.#ids.length + AUDIT_INDEX_KEYS_PER_JUMP
  }
}

/** Counts of an environment, in time; what has none is left out. */
export function sumMinutes(
  { minutes }: AuditTables,
  environment: string,
  { since, before, minutes: together }: AuditMinutesRange,
): AuditMinutes[] {
  const sums = new Map<number, { allowed: number; denied: number }>()
  const range = { start: minuteKey(environment, toMinute(since)), end: minuteKey(environment, toMinute(before)) }
  for (const { key, value } of minutes.getRange(range)) {
    const minute = Math.floor(minuteAt(key) / together) * together
    const sum = sums.get(minute) ?? { allowed: 0, denied: 0 }
    sums.set(minute, { allowed: sum.allowed + value[0], denied: sum.denied + value[1] })
  }
  return [...sums].map(([minute, sum]) => ({ at: timeOfMinute(minute), ...sum }))
}

/** The records with these ids, in their order; those that were forgotten meanwhile are left out. */
export function listRecords({ records }: AuditTables, environment: string, ids: readonly string[]): AuditRecord[] {
  return ids.flatMap((id) => records.get(idKey(environment, id)) ?? [])
}
