// Faults of a run with a synchronous standby: the primary dies, alone or cut off before, and the standby is promoted.
import { setTimeout as pause } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { Faults } from './nemesis.ts'
import type { Random } from './random.ts'

/** How long a primary is cut off from its standby: commits wait, but no statement waits so long that it is given up. */
const CUT_OFF_MS = 2_000

export class Failovers implements Faults {
  readonly counts = new Map<string, number>()
  readonly #cluster: Cluster
  readonly #random: Random
  #isStopped = false

  constructor(cluster: Cluster, random: Random) {
    this.#cluster = cluster
    this.#random = random
  }

  async work(): Promise<void> {
    while (!this.#isStopped) {
      await pause(this.#random.between(1_000, 3_000))
      await this.#failover(this.#random.chance(0.5))
      await this.#cluster.healthy()
      await pause(this.#random.between(1_000, 2_000))
      if (!this.#isStopped) await this.#cluster.addStandby({ synchronous: true })
    }
  }

  stop(): void {
    this.#isStopped = true
  }

  async #failover(isCutOff: boolean): Promise<void> {
    const cluster = this.#cluster
    const name = isCutOff ? 'failover of a primary that was cut off' : 'failover'
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
    const old = cluster.postgres
    if (isCutOff) {
      cluster.cutStandby()
      await pause(this.#random.between(100, CUT_OFF_MS))
    }
    await old.kill() // and not before the standby is the only one that takes writes
    await cluster.promote()
    // the new primary has no standby of its own yet
    cluster.redirect()
    await old.stop()
  }
}
