// The store: log and state of every environment and organization of one data folder. Reads are synchronous, in this
// thread, and see only what is on disk; every write is a use case that the writer thread runs. One process at a time
// has the folder open. The file is long because it has the documented interface of the store next to its one
// implementation, whose methods are short.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { imageBytes } from '../kernel/image-bytes.ts'
import type { ApiKey } from '../kinds/api-key.ts'
import type { WrittenObject } from '../kinds/history-words.ts'
import type { Actor, Change, HistoryEntry, LogEntry, LogId, Position } from '../log/change.ts'
import { contained } from '../model/contained.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { Listeners, type OnEvent } from '../model/events.ts'
import { FOR_ITS_OWNER, makeFolder } from '../model/folder.ts'
import { discardCache, discardLost, findLoss, forgetLoss, prepareCache, requireNoCache } from './cache-folder.ts'
import { Damages, isControl } from './damages.ts'
import { prepareData } from './data-file.ts'
import { asOpenError, syncFile } from './disk.ts'
import { DiskState } from './disk-state.ts'
import type { Expected } from './expected.ts'
import { type Followers, Following } from './following.ts'
import { entryCount, type Head } from './heads.ts'
import type { AskingKey, Once } from './job.ts'
import { LmdbView } from './lmdb-view.ts'
import { acquireLock, type Lock } from './lock.ts'
import { readChanged, readChangesWith, readEntries, readHistory, readHistoryId } from './log.ts'
import { requireNotMoved } from './moved.ts'
import { Scrub } from './scrub.ts'
import { deriveKey, readSecretsKey, type SecretsKey, unseal } from './secrets.ts'
import type { PdpSighting, PlacedSighting, SharedTask, UpkeepEvent } from './settings.ts'
import { openTables, type Tables } from './tables.ts'
import type { Retention, Trimmed } from './trim.ts'
import { type OnProgress, upgradeData } from './upgrade.ts'
import type { Damage } from './verify-part.ts'
import type { Committed, InputOf, ResultOf, StoredView, UseCases } from './view.ts'
import { Waiters } from './waiters.ts'
import { type BatchEvent, Writer, type WriterEvent, type WriterStats } from './writer.ts'
import type { Question, ReplicaSettings } from './writer-messages.ts'

export interface StoreOptions {
  /** the data folder; made when it is missing */
  readonly data: string
  /** entry file of the writer thread, which must call `serveWriter` with the use cases */
  readonly writerThread: URL
  /** default `<data>/secrets.key`, created when it is missing */
  readonly secretsKeyFile?: string
  /** the largest image of one environment in bytes; by default the limit of the image format */
  readonly imageBytesMax?: number
  /** receives the progress when a folder of an older format is upgraded */
  readonly upgrading?: OnProgress
  /** the log of record is in a database that other replicas share, and the folder is a cache */
  readonly replica?: ReplicaOptions
}

export interface ReplicaOptions {
  readonly settings: ReplicaSettings
  /** 32 bytes: seals secrets, the same on every replica */
  readonly secretsKey: Uint8Array
}

/** Who asks for a write, and how. */
export interface Asking {
  /** of replicas: the key that asks; the write is refused when it is revoked before the write is on record */
  readonly key?: AskingKey
  /** the request is carried out once, however often it is sent */
  readonly once?: Once
  /** the write is refused unless it holds: REVISION_MOVED, OBJECT_CHANGED */
  readonly expected?: Expected
  /** id of the task that this write ends */
  readonly task?: string
  /** sets an empty database up: refused with OBJECT_EXISTS when another replica did so */
  readonly isFirst?: boolean
  /** key of the organization that begins: refused with OBJECT_EXISTS when another one has it */
  readonly newOrganization?: string
  /** answered when the write is on disk: followers in this process take it in their own time */
  readonly atCommit?: boolean
}

/** Tasks whose outcome any replica tells. A task ends with the write that names it, or by `fail`. */
export interface SharedTasks {
  start(id: string, environment: LogId): Promise<void>
  /** @param error JSON */
  fail(id: string, error: string): Promise<void>
  find(id: string): Promise<SharedTask | undefined>
}

/** PDPs that any replica tells of. @throws DATABASE_UNAVAILABLE */
export interface SharedPdps {
  /** what the other replicas see of an environment */
  read(environment: LogId): Promise<readonly PdpSighting[]>
  /** what this replica sees now, of some PDPs */
  put(sightings: readonly PlacedSighting[]): Promise<void>
}

export type StoreEvent =
  /** a batch of writes is on disk, for each log that it moved */
  | { readonly event: 'committed'; readonly log: LogId; readonly head: Position }
  /** how many seconds a batch of writes took, with its sync */
  | { readonly event: 'batch'; readonly seconds: number }
  /** what a replica cannot do in the background; without an error it can again */
  | { readonly event: 'trouble'; readonly error: ZerohopError | undefined }
  /** what a replica did for the record, or what became of it */
  | { readonly event: 'upkeep'; readonly upkeep: UpkeepEvent }
  /** writes are refused; reads go on */
  | { readonly event: 'writer died'; readonly error: ZerohopError }

export interface Store<U extends UseCases> {
  /** the data folder, for a thread that reads apart from the store (reader.ts) */
  readonly folder: string
  /**
   * The last durable state of a log. @throws OBJECT_NOT_FOUND, DATA_DAMAGED when it is the control log of an
   * organization and damaged
   */
  view(log: LogId): StoredView
  /** What is known to be damaged of a log: nothing is written into it. */
  damage(log: LogId): ZerohopError | undefined
  exists(log: LogId): boolean
  /** every organization and environment known, the oldest first */
  logs(): LogId[]
  /**
   * Runs a use case and returns when its outcome is on disk. A log that does not exist yet begins with its first
   * change.
   * @throws the domain error of the use case, as it was thrown; OVERLOADED, DISK_FULL, DISK_FAILED, WRITER_DEAD,
   *   CLOSED; of a replica also DATABASE_UNAVAILABLE, OUTCOME_UNKNOWN, KEY_REVOKED, IDEMPOTENCY_MISMATCH
   */
  commit<N extends keyof U & string>(
    log: LogId,
    name: N,
    input: InputOf<U[N]>,
    by: Actor,
    asking?: Asking,
  ): Promise<Committed<ResultOf<U[N]>>>
  /** True when other replicas write to the log of record too. */
  readonly isReplicated: boolean
  /**
   * Resolves when reads of this store show every write that was acknowledged before the call, by whatever replica: at
   * once where there is only one.
   * @throws DATABASE_UNAVAILABLE, HISTORY_LOST
   */
  confirm(): Promise<void>
  /**
   * Set when the database had lost what this replica had folded before it started; the state is what the database still
   * has. At every start, until `forgetLoss`.
   */
  readonly historyLost: ZerohopError | undefined
  /** Every log has an entry after what was lost, so that no one who has seen that continues with it. */
  forgetLoss(): void
  /** Of a replica: what happened before anyone could listen. */
  readonly atStart: readonly UpkeepEvent[]
  /** Of a replica: tasks that all of them know. */
  readonly tasks: SharedTasks | undefined
  /** Of a replica: PDPs that all of them list. */
  readonly pdps: SharedPdps | undefined
  /** What a replica cannot do in the background; undefined when nothing is wrong. */
  readonly trouble: ZerohopError | undefined
  /** Of a replica: the last moment at which it had everything that was on record, in monotonic ms. */
  readonly caughtUpAt: number | undefined
  /** The durable position of a log. @throws OBJECT_NOT_FOUND */
  head(log: LogId): Position
  /** The value with which the history of a log begins: a restore begins another one. @throws OBJECT_NOT_FOUND */
  lineage(log: LogId): string
  /** An upper bound of the environment's image in bytes; undefined when nothing was written since an older version. */
  imageBytes(log: LogId): number | undefined
  /**
   * Entries after a revision, in order; at most LOG_READ_MAX of them, and LOG_READ_BYTES_MAX bytes unless less is asked
   * for (at least one entry). Empty when there are none, or no such revision.
   */
  entries(log: LogId, after: number, limit?: number, bytesMax?: number): LogEntry[]
  /** Entries before a revision, the newest first, without their changes. */
  history(log: LogId, before: number, limit: number): HistoryEntry[]
  /** One entry by its id; undefined when it does not exist or was trimmed. */
  historyEntry(id: string): HistoryEntry | undefined
  /**
   * The objects that a revision changed. Empty when its changes have expired; undefined when there are more
   * than a list shows.
   */
  changed(log: LogId, revision: number): WrittenObject[] | undefined
  /**
   * What a revision changed, if its entry has the text: none else, when its changes have expired, and when it has more
   * bytes than are read for a list.
   */
  changesWith(log: LogId, revision: number, text: string): readonly Change[]
  /** Entries of a log that history still has. */
  historyCount(log: LogId): number
  /** The first revision of a log whose entry has its changes; 1 when nothing was trimmed. */
  changesFrom(log: LogId): number
  /** Resolves when the log is beyond `revision`, or after `ms`; rejects with the signal's reason, or CLOSED. */
  waitBeyond(log: LogId, revision: number, signal?: AbortSignal, ms?: number): Promise<void>
  /** Tells the listener what happens from now on. Returns how to stop. */
  listen(listener: OnEvent<StoreEvent>): () => void
  /**
   * From now on a write is acknowledged only when these followers have it, or after ACKNOWLEDGE_WAIT_MS. Returns how to
   * stop.
   */
  acknowledgeAfter(followers: Followers): () => void
  /**
   * Followers in this process take nothing that is written to the log from now on before the returned function is
   * called, for a bounded time: for a write that is answered when it is on disk.
   */
  holdFollowers(log: LogId): () => void
  /** Writes that were acknowledged before all followers had them. */
  readonly acknowledgedEarly: number
  /** The API key with this SHA-256 of its secret, in hex. */
  findApiKey(hash: string): { key: ApiKey; organization: LogId } | undefined
  /** True when this was the hash of an API key that was deleted with its environment. */
  diedWithEnvironment(hash: string): boolean
  /**
   * A secret that the contract reads back; undefined when it does not exist, or was sealed under another key file.
   */
  readSecret(id: string): string | undefined
  /** 32 bytes for this purpose, made of the key that seals secrets: the same on all replicas, and after a restart. */
  deriveKey(purpose: string): Uint8Array
  readonly secretsKeyWarning: string | undefined
  /** Verifies all data periodically once it is started. */
  readonly scrub: Scrub
  /** whether the disk of the folder takes writes */
  readonly disk: Pick<DiskState, 'trouble' | 'freeBytes'>
  /** Bytes of the data file. */
  readonly bytes: number
  /** Counters of the writer since the store was opened, and the number of queued use cases. */
  readonly writer: WriterStats & { readonly waiting: number }
  /** One bounded step of trimming expired history. Call again while `more` is true. */
  maintain(retention: Retention): Promise<Trimmed>
  /**
   * Copies one consistent state of the data file into an empty folder while writes continue. The rest of a backup:
   * backup.ts.
   */
  copyData(folder: string): Promise<void>
  /** Another part of the folder, which `close` closes as well before it releases the folder. */
  closeWith(part: { close(): Promise<void> }): void
  /** Accepts no more writes, waits for the accepted ones, and releases the folder. */
  close(): Promise<void>
}

/**
 * Opens a data folder; one of an older format is upgraded first.
 * @throws DATA_IN_USE, DATA_READ_ONLY, DATA_DAMAGED, DATA_FOREIGN, COPY_ROOM, DISK_FULL, CONFIG_INVALID (the secrets
 * key)
 */
export async function openStore<U extends UseCases>(options: StoreOptions): Promise<Store<U>> {
  try {
    return await openOnce(options)
  } catch (error) {
    if (options.replica === undefined || !isZerohopError(error, 'HISTORY_LOST', 'CACHE_FOREIGN')) throw error
    if (error.code === 'HISTORY_LOST') discardLost(options.data, error.details)
    else discardCache(options.data)
    return openOnce<U>(options)
  }
}

async function openOnce<U extends UseCases>(options: StoreOptions): Promise<LmdbStore<U>> {
  const { data: folder, replica } = options
  let lock: Lock | undefined
  let tables: Tables | undefined
  try {
    makeFolder(folder, FOR_ITS_OWNER)
    lock = await acquireLock(folder)
    if (replica === undefined) {
      requireNoCache(folder)
      requireNotMoved(folder)
    } else prepareCache(folder, lock.clean)
    await prepareData(folder, lock.clean)
    await upgradeData(folder, options.upgrading)
    tables = openTables(folder, 'write', replica === undefined ? 'durable' : 'cache')
    const key = replica
      ? { bytes: replica.secretsKey, warning: undefined }
      : readSecretsKey(folder, options.secretsKeyFile)
    syncFolder(folder)
    const store = new LmdbStore<U>(folder, tables, lock, key, replica !== undefined)
    await store.start(options)
    if (replica !== undefined) store.historyLost = findLoss(folder)
    return store
  } catch (error) {
    await tables?.root.close()
    lock?.release()
    throw asOpenError(error, folder)
  }
}

/** A SHA-256 in hex. */
const HASH = /^[0-9a-f]{64}$/

class LmdbStore<U extends UseCases> implements Store<U> {
  readonly secretsKeyWarning: string | undefined
  readonly folder: string
  readonly #tables: Tables
  readonly #lock: Lock
  readonly #key: SecretsKey
  readonly #positions = new Map<LogId, Position>()
  readonly #listeners = new Listeners<StoreEvent>()
  readonly #waiters = new Waiters()
  readonly #damages = new Damages()
  readonly scrub: Scrub
  readonly #following = new Following()
  readonly #beside: { close(): Promise<void> }[] = []
  #writer: Writer | undefined
  #closing: Promise<void> | undefined
  #isClosed = false

  readonly disk: DiskState
  readonly isReplicated: boolean
  trouble: ZerohopError | undefined
  caughtUpAt: number | undefined
  historyLost: ZerohopError | undefined
  readonly atStart: UpkeepEvent[] = []
  #confirming: Promise<void> | undefined

  constructor(folder: string, tables: Tables, lock: Lock, key: SecretsKey, isReplicated: boolean) {
    this.isReplicated = isReplicated
    this.folder = folder
    this.disk = new DiskState(folder)
    this.#tables = tables
    this.#lock = lock
    this.#key = key
    this.secretsKeyWarning = key.warning
    const found = (damage: Damage): void => this.#damages.add(damage, this.#isControl(damage.log))
    const ended = (): void => void tables.root.readerCheck()
    this.scrub = new Scrub(folder, found, ended, async (open) => {
      if (this.#writer === undefined) throw closed()
      await this.#writer.whilePaused(open)
    })
    const heads = tables.heads.all()
    for (const [log, { revision, chain }] of heads) this.#positions.set(log, { revision, chain })
    this.#damages.addControlLogs(tables, heads)
  }

  async start({ writerThread, imageBytesMax, replica }: StoreOptions): Promise<void> {
    const data = {
      folder: this.folder,
      secretsKey: this.#key.bytes,
      ...(imageBytesMax ? { imageBytesMax } : {}),
      ...(replica ? { replica: replica.settings } : {}),
    }
    this.#writer = await Writer.start(writerThread, data, (event) => this.#hear(event))
  }

  #hear(event: WriterEvent): void {
    if (event.event === 'died') this.#listeners.tell({ event: 'writer died', error: event.error })
    else if (event.event === 'trouble') {
      this.trouble = event.error
      if (event.error !== undefined) this.disk.failed(event.error)
      this.#listeners.tell(event)
    } else if (event.event === 'upkeep') {
      if (this.#writer === undefined) this.atStart.push(event.upkeep)
      this.#listeners.tell(event)
    } else if (event.event === 'caught up') this.caughtUpAt = event.at
    else {
      if (event.event === 'batch') {
        if (event.refused !== undefined) this.disk.failed(event.refused)
        else if (event.hasWritten) this.disk.worked()
        this.#listeners.tell({ event: 'batch', seconds: event.seconds })
      }
      this.#moved(event.moved)
    }
  }

  view(log: LogId): StoredView {
    this.#require(log)
    this.#damages.requireReadable(log)
    return new LmdbView(this.#tables, (id) => this.#findHead(id), log)
  }

  damage(log: LogId): ZerohopError | undefined {
    return this.#damages.of(log)
  }

  exists(log: LogId): boolean {
    return this.#positions.has(log)
  }

  logs(): LogId[] {
    return [...this.#positions.keys()]
  }

  async commit<N extends keyof U & string>(
    log: LogId,
    name: N,
    input: InputOf<U[N]>,
    by: Actor,
    asking: Asking = {},
  ): Promise<Committed<ResultOf<U[N]>>> {
    if (this.#writer === undefined) throw closed()
    const damage = this.#damages.of(log)
    if (damage !== undefined) throw damage
    // where no one else writes, a key is as valid in the writer as it was at the gate
    const { newOrganization, once, expected, atCommit = false, ...asked } = asking
    const alone = {
      ...(newOrganization === undefined ? {} : { newOrganization }),
      ...(once === undefined ? {} : { once }),
      ...(expected === undefined ? {} : { expected }),
    }
    const job = { log, name, input, by, ...alone, ...(this.isReplicated ? asked : {}) }
    const writer = this.#writer
    const done = await this.#following.during(atCommit, () => writer.commit(job))
    const { result, revision, also, warnings } = done
    if (!atCommit && this.#following.isAwaited) await this.#following.caughtUp([log, ...also])
    // the thread ran the use case of that name, so its result has that type
    return { result: result as ResultOf<U[N]>, revision, ...(warnings === undefined ? {} : { warnings }) }
  }

  forgetLoss(): void {
    forgetLoss(this.folder)
  }

  confirm(): Promise<void> {
    /* canary: read-index */ if (!this.isReplicated) return Promise.resolve()
    // one question for all that ask in this turn of the loop; none joins a question that was sent
    this.#confirming ??= new Promise((resolve, reject) => {
      const ask = (): void => {
        this.#confirming = undefined
        this.#ask({ about: 'record' }).then(() => resolve(), reject)
      }
      setImmediate(contained('asking the database', ask, reject))
    })
    return this.#confirming
  }

  get tasks(): SharedTasks | undefined {
    return this.isReplicated ? this.#tasks : undefined
  }

  readonly #tasks: SharedTasks = {
    start: async (id, environment) => void (await this.#ask({ about: 'new task', id, environment })),
    fail: async (id, error) => void (await this.#ask({ about: 'failed task', id, error })),
    // the thread answers this question with a task
    find: async (id) => (await this.#ask({ about: 'task', id })) as SharedTask | undefined,
  }

  get pdps(): SharedPdps | undefined {
    return this.isReplicated ? this.#pdps : undefined
  }

  readonly #pdps: SharedPdps = {
    // the thread answers this question with sightings
    read: async (environment) => (await this.#ask({ about: 'pdps', environment })) as readonly PdpSighting[],
    put: async (sightings) => void (await this.#ask({ about: 'seen pdps', sightings })),
  }

  #ask(question: Question): Promise<unknown> {
    return this.#writer === undefined ? Promise.reject(closed()) : this.#writer.ask(question)
  }

  head(log: LogId): Position {
    return this.#require(log)
  }

  lineage(log: LogId): string {
    const { chain } = this.#require(log)
    return this.#findHead(log)?.lineage ?? chain
  }

  imageBytes(log: LogId): number | undefined {
    this.#require(log)
    const head = this.#findHead(log)
    return head?.image?.at === head?.revision && head?.image ? imageBytes(head.image) : undefined
  }

  entries(log: LogId, after: number, limit?: number, bytesMax?: number): LogEntry[] {
    this.#require(log)
    const head = this.#findHead(log)
    return head === undefined ? [] : readEntries(this.#tables, head, after, limit, bytesMax)
  }

  history(log: LogId, before: number, limit: number): HistoryEntry[] {
    this.#require(log)
    const head = this.#findHead(log)
    return head === undefined ? [] : readHistory(this.#tables, head, before, limit)
  }

  changed(log: LogId, revision: number): WrittenObject[] | undefined {
    this.#require(log)
    const head = this.#findHead(log)
    return head === undefined ? [] : readChanged(this.#tables, head, revision)
  }

  changesWith(log: LogId, revision: number, text: string): readonly Change[] {
    this.#require(log)
    const head = this.#findHead(log)
    return head === undefined ? [] : readChangesWith(this.#tables, head, revision, text)
  }

  historyEntry(id: string): HistoryEntry | undefined {
    if (!/^[0-9a-f]{32}$/.test(id)) return undefined
    const { number, revision } = readHistoryId(id)
    for (const log of this.#positions.keys()) {
      const head = this.#findHead(log)
      if (head?.number !== number) continue
      const [entry] = readHistory(this.#tables, head, revision + 1, 1)
      return entry?.id === id ? entry : undefined
    }
    return undefined
  }

  historyCount(log: LogId): number {
    this.#require(log)
    const head = this.#findHead(log)
    return head === undefined ? 0 : entryCount(head)
  }

  changesFrom(log: LogId): number {
    this.#require(log)
    return this.#findHead(log)?.deltasFrom ?? 1
  }

  waitBeyond(log: LogId, revision: number, signal?: AbortSignal, ms?: number): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(closed())
    if ((this.#positions.get(log)?.revision ?? 0) > revision) return Promise.resolve()
    return this.#waiters.wait(log, revision, signal, ms)
  }

  listen(listener: OnEvent<StoreEvent>): () => void {
    return this.#listeners.add(listener)
  }

  acknowledgeAfter(followers: Followers): () => void {
    return this.#following.add(followers)
  }

  holdFollowers(log: LogId): () => void {
    return this.#following.hold(log)
  }

  get acknowledgedEarly(): number {
    return this.#following.early
  }

  findApiKey(hash: string): { key: ApiKey; organization: LogId } | undefined {
    if (this.#isClosed) throw closed()
    if (!HASH.test(hash)) return undefined
    const organization = this.#tables.hashes.get(hash)
    const key = organization === undefined ? undefined : this.view(organization).get('api_key', hash)
    return organization === undefined || key === undefined ? undefined : { key, organization }
  }

  diedWithEnvironment(hash: string): boolean {
    if (this.#isClosed) throw closed()
    const organization = HASH.test(hash) ? this.#tables.hashes.get(hash) : undefined
    return organization !== undefined && this.view(organization).countBy('deleted_environments_of_key', hash) > 0
  }

  readSecret(id: string): string | undefined {
    if (this.#isClosed) throw closed()
    const sealed = id === '' || id.length > 64 ? undefined : this.#tables.secrets.get(id)
    return sealed === undefined ? undefined : unseal(this.#key.bytes, id, sealed)
  }

  deriveKey(purpose: string): Uint8Array {
    return deriveKey(this.#key.bytes, purpose)
  }

  get bytes(): number {
    return statSync(join(this.folder, 'data.mdb'), { throwIfNoEntry: false })?.size ?? 0
  }

  get writer(): WriterStats & { readonly waiting: number } {
    if (this.#writer === undefined) throw closed()
    return { ...this.#writer.stats, waiting: this.#writer.waiting }
  }

  async maintain(retention: Retention): Promise<Trimmed> {
    if (this.#writer === undefined || this.#closing !== undefined) throw closed()
    const trimmed = await this.#writer.maintain(retention)
    this.#tables.root.resetReadTxn()
    for (const log of trimmed.gone) this.#positions.delete(log)
    return trimmed
  }

  async copyData(folder: string): Promise<void> {
    if (this.#closing !== undefined) throw closed()
    try {
      await this.#tables.root.backup(folder, false)
    } catch (error) {
      throw asOpenError(error, folder)
    }
  }

  closeWith(part: { close(): Promise<void> }): void {
    this.#beside.push(part)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#writer?.close()
    await this.scrub.close()
    for (const part of this.#beside) await part.close()
    this.#waiters.close(closed())
    this.#listeners.clear()
    this.#isClosed = true
    await this.#tables.root.close()
    this.#lock.release()
  }

  #moved(moved: BatchEvent['moved']): void {
    if (moved.length === 0) return
    this.#tables.root.resetReadTxn() // the read snapshot of this turn may be older than the write just acknowledged
    for (const [log, position] of moved) this.#positions.set(log, position)
    for (const [log, position] of moved) {
      this.#waiters.wake(log, position.revision)
      this.#listeners.tell({ event: 'committed', log, head: position })
      this.#following.moved(log, position.revision)
    }
  }

  #require(log: LogId): Position {
    if (this.#isClosed) throw closed()
    const position = this.#positions.get(log)
    if (position === undefined) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'environment', ref: log })
    return position
  }

  /** A log whose head cannot be read is treated as a control log: nothing is read from it from then on. */
  #isControl(log: LogId | undefined): boolean {
    try {
      return log !== undefined && isControl(this.#findHead(log))
    } catch {
      return true
    }
  }

  #findHead(log: LogId): Head | undefined {
    return this.#positions.has(log) ? this.#tables.heads.get(log) : undefined
  }
}

function closed(): ZerohopError {
  return new ZerohopError('CLOSED', { what: 'the store' })
}

/** Makes the names of new files durable: LMDB syncs the file but not the folder that it made it in. */
function syncFolder(folder: string): void {
  if (process.platform !== 'win32') syncFile(folder)
}
