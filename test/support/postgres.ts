// A real PostgreSQL server for a test: its own process, data in a temporary folder, TCP on loopback only. It is started
// here and not by the npm package that its binaries come from (postgres-binaries.ts), so that a test can stop, freeze
// and kill the postmaster and its children.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { memoryFolder } from './folders.ts'
import { account, missing, npmBinaries, PASSWORD, reachable, template } from './postgres-binaries.ts'
import { ended, findProcessStatus, listChildren, signal, watch } from './processes.ts'
import { freePort } from './server.ts'

export interface PostgresOptions {
  /** The folder of `postgres` and `initdb`; unless given, ZEROHOP_TEST_POSTGRES or those of the npm package. */
  readonly binaries?: string
  /** Clients have to give it (SCRAM); it is in the URLs. Without one every client on loopback is trusted. */
  readonly password?: string
  /** Whether a commit waits for the disk: off unless given. */
  readonly fsync?: boolean
  /** Whether it is a cluster of its own. The others are copies of one: they have the same system identifier. */
  readonly isOther?: boolean
  /** PEM files: the server speaks TLS too. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Further settings of the server, which win over those of the tests. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Under this name standbys appear in `synchronous_standby_names`. */
export const STANDBY = 'standby'

/** What ends a server that starts or stops forever. */
const PATIENCE_MS = 60_000

/** The message of a client that commits, as it is on the wire, and what answers it. */
export const COMMIT = 'Q\0\0\0\x0bCOMMIT\0'
export const COMMITTED = 'C\0\0\0\x0bCOMMIT\0'

/** Small and fast. Nothing is kept in the memory of the system that a killed server would leave there. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '16MB',
  dynamic_shared_memory_type: 'mmap',
  max_wal_size: '64MB',
  log_min_messages: 'fatal',
}

/** A connected client. When its connection is ended between two statements, the next one fails, and nothing else. */
export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** A pool of connections, which the server may end, as it does when it stops before all of them are closed. */
export function openPool(url: string, max = 1): pg.Pool {
  return new pg.Pool({ connectionString: url, max }).on('error', () => undefined)
}

/** Starts a server that is ready for connections when this returns. `endPostgres` in `afterAll` ends it. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const binaries = reachable(options.binaries ?? process.env.ZEROHOP_TEST_POSTGRES ?? npmBinaries())
  const parent = memoryFolder('postgres')
  const { uid, gid } = account()
  if (uid !== undefined) chownSync(parent, uid, gid)
  const data = join(parent, 'data')
  execFileSync('cp', ['-a', await template(binaries, options.isOther), data], { uid, gid })
  const method = options.password === undefined ? 'trust' : 'scram-sha-256'
  const lines = ['all', 'replication'].map((database) => `host ${database} all 127.0.0.1/32 ${method}\n`)
  writeFileSync(join(data, 'pg_hba.conf'), lines.join(''))
  const tls = options.tls === undefined ? {} : useTls(data, options.tls)
  const server = new Postgres(binaries, data, await freePort(), {
    ...options,
    settings: { ...tls, ...options.settings },
  })
  await server.restart()
  if (options.password !== undefined) {
    const sql = `ALTER ROLE postgres PASSWORD ${pg.escapeLiteral(options.password)}`
    await server.query(server.urlWith(PASSWORD), sql)
  }
  return server
}

/** The server takes only a key that is its own. */
function useTls(data: string, { cert, key }: { readonly cert: string; readonly key: string }): Record<string, string> {
  const { uid, gid } = account()
  for (const [from, name] of [
    [cert, 'server.crt'],
    [key, 'server.key'],
  ] as const) {
    const file = join(data, name)
    cpSync(from, file)
    chmodSync(file, 0o600)
    if (uid !== undefined) chownSync(file, uid, gid)
  }
  return { ssl: 'on' }
}

export class Postgres {
  /** Of the database `postgres`, as its superuser. */
  readonly url: string
  readonly port: number
  /** The data folder of the server. */
  readonly data: string
  readonly #binaries: string
  readonly #arguments: string[]
  #postmaster: ChildProcess | undefined
  #watchdog: ChildProcess | undefined
  #paused: number[] = []
  #databases = 0
  #output = ''

  constructor(binaries: string, data: string, port: number, options: PostgresOptions) {
    this.#binaries = binaries
    this.data = data
    this.port = port
    this.url = this.urlWith(options.password ?? '')
    const settings = { ...SETTINGS, port: String(port), fsync: options.fsync ? 'on' : 'off', ...options.settings }
    this.#arguments = ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  }

  urlWith(password: string): string {
    const secret = password === '' ? '' : `:${encodeURIComponent(password)}`
    return `postgres://postgres${secret}@127.0.0.1:${this.port}/postgres`
  }

  /** The log of the server. */
  get output(): string {
    return this.#output
  }

  /** The id of the postmaster; undefined when the server does not run. */
  get pid(): number | undefined {
    return this.#postmaster?.pid
  }

  /** Makes an empty database and returns its URL. */
  async database(): Promise<string> {
    const name = `test_${++this.#databases}`
    await this.query(this.url, `CREATE DATABASE ${name}`)
    return Object.assign(new URL(this.url), { pathname: `/${name}` }).href
  }

  /** The rows of one statement, on a connection of its own. */
  async query<Row extends pg.QueryResultRow>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
    const client = await connectTo(url)
    try {
      return (await client.query<Row>(sql, values)).rows
    } finally {
      await client.end()
    }
  }

  /** Sets a setting while the server runs, as `name = value`; its default without a value. */
  async set(setting: string): Promise<void> {
    await this.query(this.url, `ALTER SYSTEM ${setting.includes('=') ? 'SET' : 'RESET'} ${setting}`)
    await this.query(this.url, 'SELECT pg_reload_conf()')
  }

  /** SIGSTOP to the postmaster and its children: connections stay, and nothing answers. */
  pause(): void {
    const postmaster = this.pid
    if (postmaster === undefined) throw new Error('the server does not run')
    process.kill(postmaster, 'SIGSTOP') // first: from now on it has no new children
    const children = listChildren(postmaster)
    signal(children, 'SIGSTOP')
    this.#paused = [...children, postmaster]
  }

  /** SIGCONT to what `pause` stopped. */
  resume(): void {
    signal(this.#paused.splice(0), 'SIGCONT')
  }

  /** SIGKILL to the postmaster and its children, as when the machine is gone. `restart` recovers. */
  async kill(): Promise<void> {
    const postmaster = this.pid
    if (postmaster === undefined) return
    if (this.#paused.length === 0) this.pause()
    const all = this.#paused.splice(0)
    const ended = this.#ended()
    signal(all, 'SIGKILL')
    await ended
    // one that still runs would keep a restart from the data
    await until(
      () => all.every((pid) => findProcessStatus(pid) === undefined),
      () => 'killed processes still run',
    )
  }

  /** Stops the server if it runs (clients are disconnected) and starts it again: same port, same data. */
  async restart(): Promise<void> {
    await this.#end('SIGINT')
    this.#output = ''
    const { uid, gid } = account()
    const child = spawn(join(this.#binaries, 'postgres'), this.#arguments, {
      cwd: this.data,
      env: { LC_ALL: 'C', PATH: process.env.PATH },
      stdio: ['ignore', 'ignore', 'pipe'],
      uid,
      gid,
    })
    this.#postmaster = child
    running.add(this)
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#output = (this.#output + chunk.toString()).slice(-OUTPUT_CHARACTERS_MAX)
    })
    await once(child, 'spawn')
    this.#watchdog = watch(child.pid!, dirname(this.data))
    // The last line of this file says `ready` when clients are accepted. A killed server leaves its own behind.
    const ready = () => {
      const lines = this.#statusFile()
        .split('\n')
        .map((line) => line.trim())
      return lines[0] === String(child.pid) && lines.includes('ready')
    }
    await until(
      () => ended(child) || ready(),
      () => this.#output,
    )
    if (ended(child)) throw new Error(`PostgreSQL ended at its start:\n${this.#output}`)
  }

  /**
   * A server with the same data, which copies it from this one from now on by way of `port`: a standby, until
   * `promote`. This one is stopped while its data is copied.
   */
  async standby(port = this.port): Promise<Postgres> {
    const parent = memoryFolder('postgres-standby')
    const { uid, gid } = account()
    if (uid !== undefined) chownSync(parent, uid, gid)
    const data = join(parent, 'data')
    await this.#end('SIGINT')
    execFileSync('cp', ['-a', this.data, data], { uid, gid })
    execFileSync('touch', [join(data, 'standby.signal')], { uid, gid })
    await this.restart()
    const primary_conninfo = `host=127.0.0.1 port=${port} user=postgres application_name=${STANDBY} connect_timeout=2`
    const settings = { primary_conninfo, wal_retrieve_retry_interval: '200ms' }
    const server = new Postgres(this.#binaries, data, await freePort(), { settings })
    await server.restart()
    return server
  }

  /** Makes a primary of a standby; what it has received is in force when this returns. */
  async promote(): Promise<void> {
    await this.query(this.url, 'SELECT pg_promote()')
  }

  /** Ends the server for good: connections are closed and what they have not committed is lost. */
  async stop(how: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    await this.#end(how)
    running.delete(this)
    // A killed server leaves a segment of shared memory, which its next start would remove.
    const segment = /^ *\d+ +(\d+) *$/m.exec(this.#statusFile())?.[1]
    if (segment !== undefined) spawnSync('ipcrm', ['-m', segment])
    rmSync(this.data, { recursive: true, force: true })
  }

  /** What a server writes about itself while it runs; empty when no server runs, or it has not written it yet. */
  #statusFile(): string {
    const file = join(this.data, 'postmaster.pid')
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  async #end(how: NodeJS.Signals): Promise<void> {
    if (this.#postmaster === undefined) return
    this.resume()
    const ended = this.#ended()
    this.#postmaster.kill(how)
    await ended
  }

  async #ended(): Promise<void> {
    const [postmaster, watchdog] = [this.#postmaster, this.#watchdog]
    if (postmaster !== undefined && !ended(postmaster)) await once(postmaster, 'exit')
    if (watchdog !== undefined && !ended(watchdog)) {
      const gone = once(watchdog, 'exit')
      watchdog.kill('SIGKILL')
      await gone
    }
    this.#postmaster = undefined
    this.#watchdog = undefined
  }
}

const OUTPUT_CHARACTERS_MAX = 100_000

const running = new Set<Postgres>()

/** Ends every server that a test left running. */
export async function endPostgres(): Promise<void> {
  await Promise.all([...running].map((server) => server.stop('SIGQUIT')))
}

/**
 * For `describe.skipIf`: true, with the reason printed, where the server of the npm package cannot run. In CI as root
 * on Debian, where it can, that is an error instead.
 */
export function withoutPostgres(): boolean {
  const reason = missing()
  if (reason === undefined) return false
  if (process.env.CI === 'true' && process.getuid?.() === 0 && existsSync('/etc/debian_version'))
    throw new Error(`no PostgreSQL: ${reason}`)
  process.stdout.write(`skipped: no PostgreSQL: ${reason}\n`)
  return true
}

async function until(done: () => boolean, trouble: () => string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (!done()) {
    if (Date.now() > deadline) throw new Error(`PostgreSQL did not get there in ${PATIENCE_MS} ms:\n${trouble()}`)
    await pause(5)
  }
}
