// One connection to PostgreSQL. It is opened against a primary of the expected cluster only, every statement has a
// deadline, and after any trouble it is not used again. What PostgreSQL reports becomes one of two errors: the database
// does not answer now, or it can never be used as it is.
import { setTimeout as delay } from 'node:timers/promises'
import type { Client as PgClient, QueryResultRow } from 'pg'
import { contained } from '../../model/contained.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { DATABASE_CONNECT_MS, DATABASE_STATEMENT_MS } from '../../model/limits.ts'
import type { DatabaseSettings, ServerIdentity } from '../settings.ts'

/** The backend that serves a connection. */
export interface Backend {
  readonly pid: number
  /** when it started, as text of the database */
  readonly started: string
}

type Row = QueryResultRow
export type Value = string | number | null | Uint8Array | readonly (string | number | null | Uint8Array)[]

const WHO_IS_THERE = `
  SET standard_conforming_strings = on;
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local');
  SELECT pg_is_in_recovery() AS standby, (SELECT system_identifier::text FROM pg_control_system()) AS system,
    CASE WHEN pg_is_in_recovery() THEN 0
      ELSE ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int END AS timeline,
    pg_backend_pid() AS pid,
    current_setting('server_version_num')::int AS version, current_setting('server_version') AS shown,
    (SELECT backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()) AS started`

/** The oldest server that is used. */
const VERSION_MIN = 140_000

export class Connection {
  readonly identity: ServerIdentity
  readonly backend: Backend
  readonly #client: PgClient
  readonly #statementMs: number
  #lost: ZerohopError | undefined

  private constructor(client: PgClient, identity: ServerIdentity, backend: Backend, statementMs: number) {
    this.#client = client
    this.#statementMs = statementMs
    this.identity = identity
    this.backend = backend
    const lose = contained('the loss of a connection', (error: Error) => this.#lose(error))
    client.on('error', lose)
    client.on(
      'end',
      contained('the end of a connection', () => lose(new Error('the connection was closed'))),
    )
  }

  /**
   * @throws DATABASE_UNAVAILABLE; DATABASE_REFUSED when trying again cannot help: a wrong name or password, no
   *   PostgreSQL, too old a version
   */
  static async open({ url, statementMs }: DatabaseSettings, name: string): Promise<Connection> {
    const { Client } = await loadDriver()
    let client: PgClient
    try {
      client = new Client({
        connectionString: url,
        application_name: name,
        keepAlive: true,
        keepAliveInitialDelayMillis: 5_000,
        connectionTimeoutMillis: DATABASE_CONNECT_MS,
        pipeline: true, // what is asked without waiting for an answer is sent at once, and answered in that order
      })
    } catch (error) {
      throw new ZerohopError('DATABASE_REFUSED', { reason: `its URL is invalid: ${formatError(error)}` })
    }
    const failed = (error: unknown): never => {
      destroy(client)
      throw asDatabaseError(error)
    }
    client.on('error', () => {}) // also reported by the statement that was running
    try {
      await inTime(client.connect(), DATABASE_CONNECT_MS)
      const results = (await inTime(client.query(WHO_IS_THERE), DATABASE_CONNECT_MS)) as unknown as { rows: Row[] }[]
      const found = results.at(-1)?.rows[0]
      if (found === undefined) throw new Error('it does not say who it is')
      if (found.version < VERSION_MIN)
        throw new ZerohopError('DATABASE_REFUSED', { reason: `PostgreSQL ${found.shown} is too old, 14 is the oldest` })
      if (found.standby)
        throw new ZerohopError('DATABASE_UNAVAILABLE', { reason: 'the server is a standby: it takes no writes' })
      const { system, timeline, pid, started } = found
      return new Connection(client, { system, timeline }, { pid, started }, statementMs ?? DATABASE_STATEMENT_MS)
    } catch (error) {
      return failed(error)
    }
  }

  get isLost(): boolean {
    return this.#lost !== undefined
  }

  /** Runs one statement and returns its rows; values that are bytes come back as Buffers. */
  async query<R extends Row>(text: string, values: readonly Value[] = []): Promise<R[]> {
    // the driver takes a mutable array and converts each value itself
    return (await this.#run(this.#client.query<R>({ text, values: [...values] }))).rows
  }

  /** Runs several statements, separated by semicolons and without values, in one message. Returns the rows of each. */
  async script(text: string): Promise<Row[][]> {
    const results = (await this.#run(this.#client.query(text))) as unknown as { rows: Row[] }[] | { rows: Row[] }
    return (Array.isArray(results) ? results : [results]).map(({ rows }) => rows)
  }

  /**
   * Asks whether a transaction runs in the session of this connection.
   * @param pid what `pg_backend_pid()` gave there
   * @throws DATABASE_REFUSED
   */
  requireOwnSession(pid: unknown): void {
    if (pid === this.backend.pid) return
    const reason =
      'a pooler gives each transaction another session, and a replica needs one for each connection: ' +
      'set `pool_mode = session`, or connect to the server itself'
    throw new ZerohopError('DATABASE_REFUSED', { reason })
  }

  /** Commits the open transaction. @returns false when the server rolled it back instead */
  async commit(): Promise<boolean> {
    return (await this.#run(this.#client.query('COMMIT'))).command === 'COMMIT'
  }

  /** Hears notifications of other connections, after LISTEN. */
  onNotification(heard: () => void): void {
    const notified = ({ processId }: { readonly processId: number }): void => {
      if (processId !== this.backend.pid) heard()
    }
    this.#client.on('notification', contained('a notification of the database', notified))
  }

  onLost(lost: () => void): void {
    this.#client.once('end', contained('the end of a connection', lost))
  }

  /** Ends it at once, whatever it is doing. */
  destroy(reason = 'the connection was closed'): void {
    this.#lose(new Error(reason))
  }

  async #run<T>(running: Promise<T>): Promise<T> {
    if (this.#lost !== undefined) {
      running.catch(() => {})
      throw this.#lost
    }
    try {
      return await inTime(running, this.#statementMs)
    } catch (error) {
      if (!isServerError(error)) this.#lose(error)
      throw this.#lost ?? asDatabaseError(error)
    }
  }

  #lose(error: unknown): void {
    if (this.#lost !== undefined) return
    this.#lost = asDatabaseError(error)
    destroy(this.#client)
  }
}

/** Closes the socket: `end` of the driver would wait for a server that may never answer. */
function destroy(client: PgClient): void {
  const { connection } = client as unknown as { connection?: { stream?: { destroy(): void } } }
  connection?.stream?.destroy()
}

/** The driver is an optional dependency: who has no database need not install it. */
async function loadDriver(): Promise<typeof import('pg')> {
  try {
    return (await import('pg')).default as unknown as typeof import('pg')
  } catch (cause) {
    throw new ZerohopError('CONFIG_INVALID', { reason: 'a database needs the package `pg`: npm install pg' }, { cause })
  }
}

/** The result, unless it comes too late. The other result is dropped. */
async function inTime<T>(result: Promise<T>, ms: number): Promise<T> {
  const timeout = new AbortController()
  const late = delay(ms, undefined, { signal: timeout.signal, ref: false }).then(
    () => Promise.reject(new Error(`no answer within ${ms} ms`)),
    () => undefined as never,
  )
  result.catch(() => {})
  try {
    return await Promise.race([result, late])
  } finally {
    timeout.abort()
  }
}

/** SQLSTATE classes after which trying again does not help. */
const HOPELESS = /^(28|3D|3F|42|0A|22)/
/** Codes of the network and of TLS: a wrong host name, or a certificate that is not trusted or of another name. */
const HOPELESS_CODES =
  /^(ENOTFOUND|ERR_TLS_CERT_ALTNAME_INVALID|CERT_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_(VERIFY|GET)_\w+)$/

interface Coded {
  readonly code: string
}

/** True for an error that the server reported, after which the connection goes on. */
function isServerError(error: unknown): error is Error & Coded {
  return error instanceof Error && 'severity' in error && (error as { severity?: unknown }).severity !== 'FATAL'
}

function asDatabaseError(error: unknown): ZerohopError {
  if (isZerohopError(error)) return error
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  const reason = formatError(error)
  const isHopeless = /^[0-9A-Z]{5}$/.test(code) ? HOPELESS.test(code) : HOPELESS_CODES.test(code)
  return new ZerohopError(isHopeless ? 'DATABASE_REFUSED' : 'DATABASE_UNAVAILABLE', { reason }, { cause: error })
}

function formatError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return formatError(error.errors[0])
  return error instanceof Error ? error.message || error.name : String(error)
}
