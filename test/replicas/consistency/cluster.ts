// Three replicas as processes, one PostgreSQL, and between each replica and the database a network that can fail.
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { memoryFolder } from '../../support/folders.ts'
import { type Postgres, STANDBY, startPostgres } from '../../support/postgres.ts'
import { freePort, Server, url } from '../../support/server.ts'
import { startProxy, type TcpProxy } from '../../support/tcp-proxy.ts'

export const REPLICAS = 3
const ORGANIZATION_KEY = 'zh_org_of_the_consistency_test'
const CLOCK = fileURLToPath(new URL('clock.cjs', import.meta.url))
/** Between the clocks of two replicas: no order may come from them. */
export const CLOCKS_APART_MS = 600_000
const HEALTHY_MS = 60_000

/** An environment that the clients use. */
export interface Scope {
  readonly id: string
  /** `project/environment`, as in paths */
  readonly path: string
}

/** What came back from a replica. `unreached`: the request was never sent. `lost`: nobody knows what became of it. */
export type Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly revision: number | undefined; readonly body: Json }
  | { readonly kind: 'unreached' | 'lost' }

// biome-ignore lint/suspicious/noExplicitAny: answers of many routes, read where they are used
export type Json = any

export interface Asked {
  readonly body?: unknown
  readonly key?: string
  /** the idempotency key */
  readonly once?: string | undefined
  readonly timeoutMs?: number
  /** a read of what the replica has */
  readonly local?: boolean
}

/** For reads: a frozen replica must not hold up the clients for long. */
const REQUEST_MS = 2_000

export class Replica {
  readonly port: number
  readonly proxy: TcpProxy
  readonly #data = memoryFolder('replica')
  readonly #program: string | undefined
  readonly #database: string
  #server: Server | undefined
  #isWanted = false
  /** of its clock, from the next start on */
  clockOffsetMs = 0
  /** ends that the test did not cause */
  ended = 0
  readonly output: string[] = []

  constructor(port: number, proxy: TcpProxy, database: string, program: string | undefined) {
    this.port = port
    this.proxy = proxy
    this.#database = proxy.through(database)
    this.#program = program
  }

  start(): void {
    this.#isWanted = true
    const env = {
      ZEROHOP_DATA: this.#data,
      ZEROHOP_API_PORT: String(this.port),
      ZEROHOP_DATABASE_URL: this.#database,
      ZEROHOP_SECRETS_KEY: '5a'.repeat(32),
      ZEROHOP_BOOTSTRAP_KEY: ORGANIZATION_KEY,
      PDP_ALLOW_METRICS_UNAUTHENTICATED: 'true',
      NODE_OPTIONS: `--require=${CLOCK}`,
      CLOCK_OFFSET_MS: String(this.clockOffsetMs),
    }
    this.#server = new Server('api', env, ['--no-example'], this.#program)
  }

  /** Starts it again when it ended by itself, as a supervisor would: at its start the database may be away. */
  keepAlive(): void {
    if (!this.#isWanted || this.#server?.ended !== true) return
    this.ended++
    this.output.push(this.#server.output)
    this.start()
  }

  async kill(): Promise<void> {
    this.#isWanted = false
    this.#server?.signal('SIGCONT')
    await this.#server?.end('SIGKILL')
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    if (this.#server?.ended === false) this.#server.signal(name)
  }

  get log(): string {
    return this.#server?.output ?? ''
  }

  /** Asks until the answer is true. */
  async until(probe: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + HEALTHY_MS
    while (!(await probe())) {
      if (performance.now() > deadline) throw new Error(`a replica does not get there:\n${this.log.slice(-4_000)}`)
      await pause(50)
    }
  }

  /** What it answers without a key. */
  async text(path: string): Promise<string> {
    return (await fetch(`${url(this.port)}${path}`)).text()
  }

  /** Bytes that are no JSON. */
  async bytes(path: string, key: string): Promise<Buffer> {
    const response = await fetch(`${url(this.port)}${path}`, { headers: { authorization: `Bearer ${key}` } })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return Buffer.from(await response.arrayBuffer())
  }

  async call(method: string, path: string, { body, key, once, timeoutMs, local }: Asked = {}): Promise<Answer> {
    const headers: Record<string, string> = { authorization: `Bearer ${key ?? ORGANIZATION_KEY}` }
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (local) headers['x-consistency'] = 'local'
    if (once !== undefined) headers['idempotency-key'] = once
    try {
      const response = await fetch(`${url(this.port)}${path}`, {
        method,
        headers,
        signal: AbortSignal.timeout(timeoutMs ?? REQUEST_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const revision = response.headers.get('x-revision')
      return {
        kind: 'answered',
        status: response.status,
        revision: revision === null ? undefined : Number(revision),
        body: text === '' ? null : JSON.parse(text),
      }
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } }
      return { kind: cause?.code === 'ECONNREFUSED' ? 'unreached' : 'lost' }
    }
  }
}

export class Cluster {
  readonly replicas: readonly Replica[]
  #postgres: Postgres
  readonly #name: string
  #keeper: NodeJS.Timeout | undefined
  /** what the next failover makes the primary */
  #standby: Postgres | undefined
  /** between primary and standby */
  #replication: TcpProxy | undefined

  constructor(postgres: Postgres, database: string, replicas: readonly Replica[]) {
    this.#postgres = postgres
    this.#name = new URL(database).pathname
    this.replicas = replicas
  }

  /** The primary. */
  get postgres(): Postgres {
    return this.#postgres
  }

  /** URL of the database at the primary. */
  get database(): string {
    return Object.assign(new URL(this.#postgres.url), { pathname: this.#name }).href
  }

  /** @param program the command to run, of another build than `dist` */
  static async start(program?: string): Promise<Cluster> {
    const postgres = await startPostgres()
    const database = await postgres.database()
    const replicas: Replica[] = []
    for (let at = 0; at < REPLICAS; at++)
      replicas.push(new Replica(await freePort(), await startProxy(postgres.port), database, program))
    const cluster = new Cluster(postgres, database, replicas)
    for (const [at, replica] of replicas.entries()) {
      replica.clockOffsetMs = (at - 1) * CLOCKS_APART_MS
      replica.start()
    }
    cluster.#keeper = setInterval(() => {
      for (const replica of replicas) replica.keepAlive()
    }, 300)
    await cluster.healthy()
    return cluster
  }

  replica(at: number): Replica {
    const replica = this.replicas[at]
    if (replica === undefined) throw new Error(`there is no replica ${at}`)
    return replica
  }

  /** Waits until each replica answers a linearizable read. */
  async healthy(): Promise<void> {
    const deadline = performance.now() + HEALTHY_MS
    for (const [at, replica] of this.replicas.entries()) {
      for (;;) {
        const answer = await replica.call('GET', '/v2/projects')
        if (answer.kind === 'answered' && answer.status === 200) break
        if (performance.now() > deadline)
          throw new Error(`replica ${at} does not answer: ${JSON.stringify(answer)}\n${replica.log.slice(-4_000)}`)
        await pause(100)
      }
    }
  }

  /**
   * Adds a standby; with `synchronous` no commit is acknowledged without it. The primary is restarted on the way.
   * Returns the network between the two.
   */
  async addStandby({ synchronous }: { readonly synchronous: boolean }): Promise<TcpProxy> {
    this.#replication?.close()
    this.#replication = await startProxy(this.#postgres.port)
    this.#standby = await this.#postgres.standby(this.#replication.port)
    const server = this.#postgres
    const streams = "SELECT FROM pg_stat_replication WHERE state = 'streaming'"
    while ((await server.query(server.url, streams)).length === 0) await pause(20)
    if (synchronous) await server.set(`synchronous_standby_names = '${STANDBY}'`)
    return this.#replication
  }

  /** Nothing passes between primary and standby any more. */
  cutStandby(): void {
    this.#replication?.close()
  }

  /** Makes the standby the primary, and returns the old one, to which every replica is still connected. */
  async promote(): Promise<Postgres> {
    const [old, standby] = [this.#postgres, this.#standby]
    if (standby === undefined) throw new Error('there is no standby')
    this.cutStandby()
    await standby.promote()
    this.#standby = undefined
    this.#postgres = standby
    return old
  }

  /** New connections of the replicas lead to the primary. */
  redirect(replicas: readonly Replica[] = this.replicas): void {
    for (const { proxy } of replicas) proxy.setTarget(this.#postgres.port)
  }

  /** Ends every fault, and returns when all replicas answer. */
  async heal(): Promise<void> {
    this.postgres.resume()
    if (this.postgres.pid === undefined) await this.postgres.restart()
    for (const replica of this.replicas) {
      replica.proxy.resume()
      replica.proxy.latency(0)
      replica.proxy.cutAfterBytes(Number.MAX_SAFE_INTEGER, 'request')
      replica.signal('SIGCONT')
    }
    await this.healthy()
  }

  async stop(): Promise<void> {
    clearInterval(this.#keeper)
    for (const replica of this.replicas) {
      await replica.kill()
      replica.proxy.close()
    }
    this.#replication?.close()
    await this.#standby?.stop('SIGQUIT')
    await this.postgres.stop('SIGQUIT')
  }
}
