// Records of decisions on the management side, in an LMDB folder of their own (`<data>/audit`): they are not policy,
// and no policy write waits for them. The key of a record is its id: time, series (instance) and number within the
// series. A record that is sent twice therefore has the same key.
//
//   records    environment, 16 bytes │ id: time u48 │ instance u32 │ seq u48     → JSON
//   instances  instance, 32 hex digits → number and totals            counts   environment → records
//   terms      environment │ term, 8 bytes │ id of a record  → nothing: what records are found by (audit-terms.ts)
//   minutes    environment │ minute u32  → decisions allowed and denied; they outlive their records
//   uses       environment │ use, 24 bytes → when it was last used, u48 (last-uses.ts); it outlives its records
//   known_uses environment → since when uses are known, and how many there are
//   indexing   next → the first key whose record may have no terms, while an older version's are being indexed
//   meta       format; numbered → the last number given to an instance; numbers are never reused

import { ZerohopError } from '../model/errors.ts'
import { DATA_BYTES_MAX } from '../model/limits.ts'
import { type Database, open, type RootDatabase } from '../store/lmdb.ts'

const FORMAT = 2
/** Without terms and minutes. */
const FORMAT_WITHOUT_INDEX = 1

/** A series of records: one PDP process with one folder. */
export interface AuditInstance {
  /** its number in keys */
  readonly number: number
  /** records received */
  readonly stored: number
  /** records that the sender reports as lost before sending */
  readonly dropped: number
  /** the highest record number received */
  readonly last: number
  /** when a record of it was last received, in ms since 1970 */
  readonly seen: number
  /**
   * id of the API key that sends it; null for this process, undefined when the last record was stored by an older
   * version
   */
  readonly sender?: string | null
  /** the uses of its records are known; absent when an older version stored the last one */
  readonly uses?: true
}

/** One decision as it is kept. */
export interface AuditRecord {
  readonly id: string
  readonly instance: string
  readonly seq: number
  /** ms since 1970 */
  readonly at: number
  readonly received_at: number
  readonly request_id: string | null
  readonly revision: number
  readonly api_key: string
  /** the name of a person who asked in the console without a key; `api_key` is then their id */
  readonly person?: string
  /** id of the API key that sent the record */
  readonly sent_by: string | null
  readonly user: string
  /** as the user was when the record was received */
  readonly user_email: string | null
  readonly user_name: string | null
  readonly tenant: string
  readonly action: string
  readonly resource_type: string
  readonly resource_key: string | null
  readonly decision: boolean
  readonly reason: string
  readonly latency_us: number
  readonly sent: unknown
  /** version of what decided; absent in records of older versions, as what follows */
  readonly engine?: string | null
  /** the time that conditions saw, in ms since 1970 */
  readonly now?: number | null
  /** the instant at which what has times was in force or not, where it is not `now` */
  readonly instant?: number
  readonly tenant_sent?: boolean
  /** names of attributes that were sent and are not recorded */
  readonly omitted?: readonly string[]
}

/** What is stored of an environment about its uses. */
export interface StoredUses {
  readonly since: number | null
  readonly until: number
  /** how many there are */
  readonly rows: number
  readonly dropped: number
  readonly droppedAt?: number
  /** the newest decision whose use had no room */
  readonly lostAt?: number
}

export interface AuditTables {
  readonly root: RootDatabase
  readonly meta: Database<number, string>
  readonly records: Database<AuditRecord, Uint8Array>
  readonly instances: Database<AuditInstance, string>
  readonly counts: Database<number, string>
  readonly terms: Database<Uint8Array, Uint8Array>
  readonly minutes: Database<readonly [allowed: number, denied: number], Uint8Array>
  readonly uses: Database<Uint8Array, Uint8Array>
  readonly knownUses: Database<StoredUses, string>
  readonly indexing: Database<string, string>
}

/**
 * Opens the tables, and makes them when they are missing. Never read-only: LMDB shares one environment among the
 * threads of a process, and the first one to open it sets the mode for all.
 * @throws DATA_FOREIGN, else what LMDB throws
 */
export function openAuditTables(folder: string): AuditTables {
  const root = open({
    path: folder,
    noSubdir: false,
    encoding: 'json',
    overlappingSync: false,
    mapSize: DATA_BYTES_MAX,
    ...{ permissionsMode: 0o600 }, // lmdb knows this option, its types do not
  })
  const meta = root.openDB<number, string>({ name: 'meta', encoding: 'json' })
  if (meta.get('format') === undefined) meta.putSync('format', FORMAT)
  const indexing = root.openDB<string, string>({ name: 'indexing', encoding: 'json' })
  root.transactionSync(() => {
    if (meta.get('format') !== FORMAT_WITHOUT_INDEX) return
    void indexing.put('next', '') // all records: retention indexes them step by step
    void meta.put('format', FORMAT)
  })
  const format = meta.get('format')
  if (format !== FORMAT) {
    void root.close()
    throw new ZerohopError('DATA_FOREIGN', { path: folder, got: format ?? 'unknown', want: FORMAT })
  }
  const instances = root.openDB<AuditInstance, string>({ name: 'instances', encoding: 'json' })
  root.transactionSync(() => noteOlderUses({ indexing, instances }))
  if (meta.get('numbered') === undefined) meta.putSync('numbered', instances.getCount())
  return {
    root,
    meta,
    records: root.openDB({ name: 'records', keyEncoding: 'binary', encoding: 'json' }),
    instances,
    counts: root.openDB({ name: 'counts', encoding: 'json' }),
    terms: root.openDB({ name: 'terms', keyEncoding: 'binary', encoding: 'binary' }),
    minutes: root.openDB({ name: 'minutes', keyEncoding: 'binary', encoding: 'json' }),
    uses: root.openDB({ name: 'uses', keyEncoding: 'binary', encoding: 'binary' }),
    knownUses: root.openDB({ name: 'known_uses', encoding: 'json' }),
    indexing,
  }
}

/** Notes that all records are to be looked at, where a series has some of an older version. In the open transaction. */
function noteOlderUses({ indexing, instances }: Pick<AuditTables, 'indexing' | 'instances'>): void {
  if (indexing.get('uses') !== undefined) return
  for (const { value } of instances.getRange()) {
    if (value.uses === true) continue
    void indexing.put('uses', '')
    return
  }
}

const PLACE_BYTES = 16
const KEY_BYTES = 2 * PLACE_BYTES

export function recordKey(environment: string, at: number, instance: number, seq: number): Buffer {
  const key = timeKey(environment, at)
  key.writeUInt32BE(instance, PLACE_BYTES + 6)
  key.writeUIntBE(seq, PLACE_BYTES + 10, 6)
  return key
}

/** Times of records are below. */
export const TIME_MAX = 2 ** 48

/** The first key at or after a time. */
export function timeKey(environment: string, at: number): Buffer {
  const key = Buffer.alloc(KEY_BYTES)
  key.write(environment, 0, 'hex')
  key.writeUIntBE(Math.min(Math.max(0, Math.floor(at)), TIME_MAX - 1), PLACE_BYTES, 6)
  return key
}

/** The key of a record by its id, 32 hex digits. */
export function idKey(environment: string, id: string): Buffer {
  return Buffer.from(environment + id, 'hex')
}

/** The time of a record by its id. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 12), 16)

export const keyId = (key: Uint8Array): string => Buffer.from(key).toString('hex', PLACE_BYTES, KEY_BYTES)
export const keyTime = (key: Uint8Array): number => Buffer.prototype.readUIntBE.call(key, PLACE_BYTES, 6)
