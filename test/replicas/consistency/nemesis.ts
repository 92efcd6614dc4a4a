// What goes wrong during a run, one thing after the other: processes die or stand still, the network fails in every
// way that the proxy knows, backends are terminated. Each fault ends before the next one begins, except for latency and
// for one replica that is alone for long.
import { setTimeout as pause } from 'node:timers/promises'
import { CLOCKS_APART_MS, type Cluster, REPLICAS, type Replica } from './cluster.ts'
import { Pace } from './pace.ts'
import type { Random } from './random.ts'

/** The longest time for which a process stands still. */
export const FREEZE_MS = 2_500
/** Longer than the time for which a replica trusts its database, and than a follower may be stale. */
const ISOLATION_MS = 30_000
const ISOLATION_EVERY_MS = 50_000

const WEIGHTS = {
  killReplica: 2,
  freezeReplica: 4,
  killPostgres: 1,
  freezePostgres: 2,
  cut: 5,
  halfOpen: 4,
  repliesOnly: 3,
  requestsOnly: 3,
  loseReplies: 12,
  loseCommit: 8,
  holdCommits: 6,
  latency: 6,
  cutAfterBytes: 8,
  terminate: 4,
} as const
type Fault = keyof typeof WEIGHTS
/** Each comes once before the first comes again. */
export const FAULTS = Object.keys(WEIGHTS) as Fault[]
/** For requests to be on their way when the fault is there. */
const ON_THE_WAY_MS = 20

/** What goes wrong during a run. */
export interface Faults {
  /** how often each happened */
  readonly counts: ReadonlyMap<string, number>
  /** Until `stop`. */
  work(): Promise<void>
  stop(): void
}

export class Nemesis implements Faults {
  readonly counts = new Map<string, number>()
  readonly #cluster: Cluster
  readonly #random: Random
  readonly #pace: Pace
  readonly #stopped = new AbortController()
  /** the replica that is alone: nothing else befalls it */
  #alone: number | undefined

  constructor(cluster: Cluster, random: Random, pace = new Pace(1)) {
    this.#cluster = cluster
    this.#random = random
    this.#pace = pace
  }

  /** Until `stop`; then every fault has ended, except for what only `heal` of the cluster ends. */
  async work(): Promise<void> {
    const left = [...FAULTS]
    let isolationDue = performance.now() + ISOLATION_EVERY_MS / 4
    while (!this.#stopped.signal.aborted) {
      await this.#pause(100, 600)
      if (performance.now() > isolationDue) {
        isolationDue = performance.now() + ISOLATION_EVERY_MS
        void this.#isolate()
      } else {
        const fault = left.length > 0 ? this.#random.pick(left) : this.#random.weighted(WEIGHTS)
        if (left.includes(fault)) left.splice(left.indexOf(fault), 1)
        await this.#fault(fault)
      }
    }
  }

  stop(): void {
    this.#stopped.abort()
  }

  #count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }

  async #pause(from: number, to: number): Promise<void> {
    const signal = this.#stopped.signal
    await pause(this.#random.between(from, to), undefined, { signal }).catch(() => undefined)
  }

  async #fault(fault: Fault): Promise<void> {
    this.#count(fault)
    this.#pace.rouse()
    if (this.#pace.times > 1) await this.#pause(0, ON_THE_WAY_MS)
    const { postgres } = this.#cluster
    const replica = this.#cluster.replica(this.#any())
    const { proxy } = replica
    if (fault === 'killReplica') {
      await replica.kill()
      await this.#pause(0, 1_000)
      if (this.#random.chance(0.5)) this.#changeClock(replica)
      replica.start()
    } else if (fault === 'freezeReplica') {
      replica.signal('SIGSTOP')
      await this.#pause(100, FREEZE_MS)
      replica.signal('SIGCONT')
    } else if (fault === 'killPostgres') {
      await postgres.kill()
      await this.#pause(0, 800)
      await postgres.restart()
    } else if (fault === 'freezePostgres') {
      postgres.pause()
      await this.#pause(100, FREEZE_MS)
      postgres.resume()
    } else if (fault === 'cut') proxy.cut()
    else if (fault === 'halfOpen') {
      proxy.pause()
      await this.#pause(100, 3_000)
      if (this.#random.chance(0.5)) proxy.cut()
      proxy.resume()
    } else if (fault === 'repliesOnly') {
      proxy.replyOnly()
      await this.#pause(50, 1_500)
      if (this.#random.chance(0.5)) proxy.cut()
      proxy.resume()
    } else if (fault === 'requestsOnly') {
      proxy.requestOnly()
      await this.#pause(50, 1_500)
      proxy.resume()
    } else if (fault === 'loseReplies') {
      proxy.requestOnly()
      await this.#pause(10, 120)
      proxy.cut()
      proxy.resume()
    } else if (fault === 'loseCommit') await this.#loseCommit()
    else if (fault === 'holdCommits') await this.#holdCommits()
    else if (fault === 'latency') this.#latency()
    else if (fault === 'cutAfterBytes')
      proxy.cutAfterBytes(this.#random.between(20, 4_000), this.#random.chance(0.5) ? 'request' : 'reply')
    else await this.#terminate()
  }

  #changeClock(replica: Replica): void {
    this.#count('clock')
    replica.clockOffsetMs = this.#random.between(-CLOCKS_APART_MS, CLOCKS_APART_MS)
  }

  /** One replica alone, for longer than anybody may trust it. */
  async #isolate(): Promise<void> {
    this.#count('isolate')
    this.#alone = this.#any()
    const { proxy } = this.#cluster.replica(this.#alone)
    proxy.pause()
    await this.#pause(ISOLATION_MS, ISOLATION_MS)
    proxy.resume()
    this.#alone = undefined
  }

  #any(): number {
    const all = Array.from({ length: REPLICAS }, (_, at) => at)
    return this.#random.pick(all.filter((at) => at !== this.#alone))
  }

  /** Bytes of one replica are on their way for a while; it goes on beside the next faults. */
  #latency(): void {
    const { proxy } = this.#cluster.replica(this.#any())
    proxy.latency(this.#random.between(10, 120))
    void this.#pause(500, 4_000).then(() => proxy.latency(0))
  }

  /**
   * A backend stands still while the connection of its replica is lost, and goes on later: what it was sent may be
   * committed long after the replica has noticed.
   */
  async #loseCommit(): Promise<void> {
    const { proxy } = this.#cluster.replica(this.#any())
    const backends = await this.#backends("application_name LIKE 'zerohop write%' AND state <> 'idle'")
    for (const { pid } of backends) signal(pid, 'SIGSTOP')
    await this.#pause(5, 60)
    proxy.cut()
    await this.#pause(300, 1_500)
    for (const { pid } of backends) signal(pid, 'SIGCONT')
  }

  /** Commits wait for a standby that is not there, one replica loses its connections meanwhile, and then they go on. */
  async #holdCommits(): Promise<void> {
    const { proxy } = this.#cluster.replica(this.#any())
    try {
      await this.#cluster.postgres.set("synchronous_standby_names = 'nobody'")
      await this.#pause(50, 300)
      proxy.cut()
      await this.#pause(200, 1_500)
    } finally {
      await this.#cluster.postgres.set('synchronous_standby_names')
    }
  }

  async #terminate(): Promise<void> {
    const { postgres, database } = this.#cluster
    const sql = `SELECT pg_terminate_backend(pid) FROM (
      SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'zerohop%' ORDER BY random() LIMIT 3) AS some`
    await postgres.query(database, sql).catch(() => undefined) // it may be gone too
  }

  async #backends(which: string): Promise<{ pid: number }[]> {
    const { postgres, database } = this.#cluster
    return postgres.query<{ pid: number }>(database, `SELECT pid FROM pg_stat_activity WHERE ${which}`).catch(() => [])
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
