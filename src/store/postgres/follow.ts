// Keeps the state of a replica up to date with the log of record. `catchUp` folds everything that was committed before
// it was called: a management read asks for it first, which makes the read linearizable. Notifications of other
// replicas, and a timer, ask for it as well.
import type { LogId, Position } from '../../log/change.ts'
import { contained } from '../../model/contained.ts'
import { ZerohopError } from '../../model/errors.ts'
import {
  DATABASE_FOLLOW_MS,
  DATABASE_HEARTBEAT_MS,
  DATABASE_POLL_MS,
  DATABASE_POLL_QUICK_MS,
  DATABASE_SCAN_MAX,
  DATABASE_TRUST_MS,
} from '../../model/limits.ts'
import type { Answer, BatchRunner } from '../batch.ts'
import type { Tables } from '../tables.ts'
import type { Connection } from './connection.ts'
import { type Database, Lane } from './database.ts'
import { allHeads, type KnownLog, newHeads } from './entries.ts'
import { type Fold, pull } from './pull.ts'

/** The channel on which replicas tell each other that something was written. */
const CHANNEL = 'zerohop_written'

export type Moved = Answer['moved']

export interface FollowDeps {
  readonly database: Database
  readonly runner: BatchRunner
  readonly tables: Tables
  /** hears which logs were folded further */
  readonly onMoved: (moved: Moved) => void
  /** hears what fails in the background, and `undefined` when it works again */
  readonly onTrouble: (error: unknown) => void
  /** id of this replica, a UUID */
  readonly replica: string
  /** version of this program, for the list of replicas */
  readonly version: string
  readonly onReloaded?: Fold['onReloaded']
  /** called once everything is folded that was on record at a time, in monotonic ms */
  readonly onCaughtUp?: (at: number) => void
}

export class Follow {
  /** every log on record, by its id */
  readonly logs = new Map<LogId, KnownLog>()
  readonly #deps: FollowDeps
  readonly #loading: Fold['loading'] = new Map()
  /** logs that were folded further since they were reported */
  readonly #untold = new Set<LogId>()
  readonly #follow: Lane
  readonly #heartbeat: Lane
  /** the oldest transaction that may still become visible; undefined before the first round */
  #horizon: string | undefined
  /** entries of older transactions are folded; what this replica may still need is kept on record (trim-entries.ts) */
  #floor: string | null = null
  /** whether that was found out again since the last sign of life */
  #isFolded = false
  /** entries that the last question had to look at */
  #scanned = 0
  /** monotonic ms of the last commit of this replica that the database acknowledged, taken before it was sent */
  #confirmedAt = Number.NEGATIVE_INFINITY
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  #listening: Connection | undefined
  #wakeAgain: boolean | undefined
  #soon: NodeJS.Timeout | undefined
  /** monotonic ms of the last round that a notification asked for */
  #followedAt = Number.NEGATIVE_INFINITY
  readonly #timers: NodeJS.Timeout[] = []
  #isClosed = false

  constructor(deps: FollowDeps) {
    this.#deps = deps
    this.#follow = new Lane(deps.database, 'follow')
    this.#heartbeat = new Lane(deps.database, 'heartbeat')
  }

  /** Folds everything that is on record, then follows. @throws DATABASE_UNAVAILABLE, DATABASE_REFUSED, HISTORY_LOST */
  async start(): Promise<void> {
    await this.#beat()
    await this.#alone(() => this.#foldAll())
    await this.#beat() // the first fold may have taken longer than a heartbeat is trusted
    await this.catchUp()
    const { listen = true } = this.#deps.database.settings
    const poll = listen ? DATABASE_POLL_MS : DATABASE_POLL_QUICK_MS
    const look = contained('following the database', () => this.#inBackground(this.catchUp()))
    const beat = contained('the heartbeat of a replica', () => this.#inBackground(this.#beat()))
    this.#timers.push(setInterval(look, poll), setInterval(beat, DATABASE_HEARTBEAT_MS))
  }

  /**
   * Resolves when everything that was committed before the call is folded. A call never joins a question that was
   * already sent.
   * @throws DATABASE_UNAVAILABLE, also when the database did not acknowledge a commit of this replica lately: it may be
   *   a primary that was left behind. HISTORY_LOST
   */
  catchUp(): Promise<void> {
    if (this.#running === undefined) return this.#alone(() => this.#round())
    /* canary: question-that-was-sent */ const running = this.#running
    this.#next ??= running
      .catch(() => {}) // reported to those who waited for it
      .then(() => {
        this.#next = undefined
        return this.catchUp()
      })
    return this.#next
  }

  /** Milliseconds since the database last acknowledged a commit of this replica. */
  get unconfirmedMs(): number {
    return performance.now() - this.#confirmedAt
  }

  /** A commit of this replica that was sent at `sentAt` was acknowledged. */
  confirmed(sentAt: number): void {
    this.#confirmedAt = Math.max(this.#confirmedAt, sentAt)
  }

  /**
   * Folds a log up to a revision that the caller knows to be on record.
   * @param moved receives the log when it was folded further, also when this fails later: `tell` of it in any case
   * @throws HISTORY_LOST
   */
  pull(connection: Connection, log: KnownLog, to: number, moved: Set<LogId>): Promise<void> {
    this.logs.set(log.id, log)
    const add = (id: LogId): void => {
      moved.add(id)
      this.#untold.add(id)
    }
    return pull({ ...this.#deps, loading: this.#loading }, connection, log, to, { add })
  }

  /** Reports logs as they stand now: another lane may have folded them further, and reported that, meanwhile. */
  tell(moved: ReadonlySet<LogId>): void {
    for (const log of moved) this.#untold.delete(log)
    const positions = [...moved].flatMap((log): Moved => {
      const head = this.#deps.tables.heads.get(log)
      return head === undefined ? [] : [[log, { revision: head.revision, chain: head.chain }]]
    })
    if (positions.length > 0) this.#deps.onMoved(positions)
  }

  /** Tells the other replicas that something was written. Never waits, and is sent again when more was written. */
  wake(): void {
    if (this.#wakeAgain !== undefined) {
      this.#wakeAgain = true
      return
    }
    this.#wakeAgain = false
    const notify = async (): Promise<void> => {
      const connection = await this.#listen()
      // waking others is not worth a wait for the disk or a standby
      await connection.script(`BEGIN; SET LOCAL synchronous_commit = off; NOTIFY ${CHANNEL}; COMMIT`)
    }
    void notify()
      .catch((error) => this.#trouble(error))
      .finally(() => {
        const again = this.#wakeAgain
        this.#wakeAgain = undefined
        if (again) this.wake()
      })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers) clearInterval(timer)
    clearTimeout(this.#soon)
    this.#follow.close()
    this.#heartbeat.close()
    await this.#running?.catch(() => {})
    await this.#next?.catch(() => {})
  }

  /** Runs a round; those who call meanwhile wait for it. */
  #alone(round: () => Promise<void>): Promise<void> {
    this.#running = round().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #round(): Promise<void> {
    const asked = performance.now()
    await this.#foldAll()
    if (this.unconfirmedMs > DATABASE_TRUST_MS) {
      const reason = `no write of this replica was acknowledged for ${DATABASE_TRUST_MS} ms`
      throw new ZerohopError('DATABASE_UNAVAILABLE', { reason })
    }
    this.#deps.onTrouble(undefined)
    this.#deps.onCaughtUp?.(asked)
  }

  /** Folds what the database has, and does not ask whether it may be trusted. */
  async #foldAll(): Promise<void> {
    if (this.#isClosed) throw new ZerohopError('CLOSED', { what: 'the store' })
    const connection = await this.#listen()
    const { horizon, heads } = await this.#findNewLogs(connection)
    // environments first: whoever sees the control log sees what it speaks of
    const ordered = heads.toSorted((one, other) => rank(one) - rank(other))
    const moved = new Set<LogId>()
    try {
      for (const { number, id, kind, lineage, revision } of ordered)
        await this.pull(connection, { number, id, kind, lineage }, revision, moved)
    } finally {
      // also what a write has folded and reports later: who asked this question must see it
      this.tell(/* canary: folded-by-a-write */ new Set([...moved, ...this.#untold]))
    }
    this.#horizon = horizon
    this.#floor = horizon
    this.#isFolded = true
  }

  /**
   * Logs that may have new entries, and from which transaction on to ask next. While a long transaction of someone
   * else keeps that one back, the heads of all logs are cheaper than its entries. @throws HISTORY_LOST
   */
  async #findNewLogs(connection: Connection): Promise<Awaited<ReturnType<typeof newHeads>>> {
    if (this.#horizon !== undefined && this.#scanned <= DATABASE_SCAN_MAX) {
      const found = await newHeads(connection, this.#horizon)
      this.#scanned = found.scanned
      return found
    }
    // read before the question is sent: what this replica commits meanwhile must not look like a loss
    const own = this.ownHeads()
    const { horizon, heads } = await allHeads(connection)
    for (const head of heads) requireOurs(own.get(head.id), head)
    const isHeldBack = this.#horizon === horizon
    if (!isHeldBack) this.#scanned = 0
    return { horizon, heads, scanned: 0 }
  }

  /** Where logs stand here; all of them unless some are named. */
  ownHeads(logs?: readonly LogId[]): ReadonlyMap<LogId, Position> {
    const { heads } = this.#deps.tables
    if (logs === undefined) return new Map(heads.all())
    return new Map(
      logs.flatMap((log): [LogId, Position][] => {
        const head = heads.get(log)
        return head === undefined ? [] : [[log, head]]
      }),
    )
  }

  /**
   * Follows what another replica wrote: at once, but not more often than every DATABASE_FOLLOW_MS, so that many small
   * batches of a busy one are folded as a few.
   */
  #followSoon(): void {
    if (this.#soon !== undefined || this.#isClosed) return
    const ms = this.#followedAt + DATABASE_FOLLOW_MS - performance.now()
    const look = contained('following the database', () => {
      this.#soon = undefined
      this.#followedAt = performance.now()
      this.#inBackground(this.catchUp())
    })
    this.#soon = setTimeout(look, Math.max(0, ms))
  }

  /** The connection that follows; a new one hears notifications before it is asked anything else. */
  async #listen(): Promise<Connection> {
    const connection = await this.#follow.connection()
    if (this.#listening === connection) return connection
    this.#listening = connection
    // a new connection may lead to a server that was promoted, or restored: everything is compared
    this.#horizon = undefined
    if (this.#deps.database.settings.listen ?? true) {
      connection.onNotification(() => this.#followSoon())
      await connection.script(`LISTEN ${CHANNEL}`)
    }
    return connection
  }

  /** Commits a sign of life. */
  async #beat(): Promise<void> {
    const connection = await this.#heartbeat.connection()
    const sentAt = performance.now()
    await this.touch(connection)
    this.confirmed(sentAt)
  }

  /** Writes a sign of life of this replica, and which entries it has folded. */
  async touch(connection: Connection): Promise<void> {
    const isFolded = this.#isFolded
    this.#isFolded = false
    await connection.query(
      `INSERT INTO zerohop.replicas (id, version, format, floor, folded)
      VALUES ($1::uuid, $2, (SELECT format FROM zerohop.meta), $3::xid8, CASE WHEN $4 = 1 THEN clock_timestamp() END)
      ON CONFLICT (id) DO UPDATE SET seen = clock_timestamp(), floor = excluded.floor,
        folded = coalesce(excluded.folded, replicas.folded)`,
      [this.#deps.replica, this.#deps.version, this.#floor, isFolded ? 1 : 0],
    )
  }

  #inBackground(work: Promise<void>): void {
    work.catch((error) => this.#trouble(error))
  }

  #trouble(error: unknown): void {
    if (!this.#isClosed) this.#deps.onTrouble(error)
  }
}

const rank = ({ kind }: KnownLog): number => (kind === 'control' ? 1 : 0)

/**
 * A state that is further than the record, or elsewhere, came from a database that lost it.
 * @param own where the log stood here before the record was read; undefined when it was not known
 * @throws HISTORY_LOST
 */
export function requireOurs(own: Position | undefined, head: Position & { readonly id: LogId }): void {
  if (own === undefined) return
  if (
    /* canary: lost-history */ own.revision > head.revision ||
    (own.revision === head.revision && own.chain !== head.chain)
  )
    throw new ZerohopError('HISTORY_LOST', { log: head.id, have: own.revision, got: head.revision })
}
