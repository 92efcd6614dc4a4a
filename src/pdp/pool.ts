// The PDPs of `serve`: one for each environment, opened on first use, closed when idle or when their images need more
// memory than allowed. The caller decides which environment a key may use.
import type { LogId } from '../log/change.ts'
import type { Feed } from '../log/feed.ts'
import { contained, inBackground } from '../model/contained.ts'
import { type OnEvent, tell } from '../model/events.ts'
import { IMAGE_IDLE_MS, IMAGE_MEMORY_BYTES_DEFAULT } from '../model/limits.ts'
import { Follower, type FollowerEvent } from './follower.ts'
import { Pdp, type PdpOptions } from './pdp.ts'

export interface PoolOptions extends PdpOptions {
  /** the feed of an environment */
  readonly feed: (environment: LogId) => Feed
  /** bytes of all images together; the last used one is kept even when it is larger */
  readonly memoryBytes?: number
  readonly idleMs?: number
  readonly onEvent?: OnEvent<PooledEvent>
}

/** What the follower of an environment tells. */
export type PooledEvent = FollowerEvent & { readonly environment: LogId }

interface Member {
  readonly pdp: Pdp
  readonly follower: Follower
  usedAt: number
}

export class PdpPool {
  readonly #options: PoolOptions
  /** in order of last opening */
  readonly #members = new Map<LogId, Member>()
  readonly #sweep: NodeJS.Timeout
  #illTypedBefore = 0

  constructor(options: PoolOptions) {
    this.#options = options
    const dropIdle = contained('dropping images', () => this.#dropIdle())
    this.#sweep = setInterval(dropIdle, Math.max(10, (options.idleMs ?? IMAGE_IDLE_MS) / 4))
    this.#sweep.unref()
  }

  /**
   * The PDP of an environment. The first call opens it; until its image is loaded checks throw NOT_READY (await
   * `ready()`).
   */
  get(environment: LogId): Pdp {
    const member = this.#members.get(environment) ?? this.#open(environment)
    member.usedAt = performance.now()
    return member.pdp
  }

  /**
   * Resolves with true once no answer here comes from before `revision` of the environment, also of a PDP that
   * is being opened; with false after `timeoutMs`. Never rejects.
   */
  async notBefore(environment: LogId, revision: number, timeoutMs: number): Promise<boolean> {
    const member = this.#members.get(environment)
    return member === undefined || member.follower.notBefore(revision, timeoutMs)
  }

  /** As `Pdp.hold`, of the PDP of an environment when one is open. */
  hold(environment: LogId): () => void {
    return this.#members.get(environment)?.follower.hold() ?? (() => undefined)
  }

  /** The number of open PDPs. */
  get size(): number {
    return this.#members.size
  }

  /** Bytes of the open images. */
  get bytes(): number {
    let sum = 0
    for (const { follower } of this.#members.values()) sum += follower.peek()?.stats().bytes ?? 0
    return sum
  }

  /** Figures of the image of an environment; undefined while none is open. Reading them does not count as use. */
  findStats(environment: LogId): { bytes: number; revision: number; illTyped: number } | undefined {
    const { pdp, follower } = this.#members.get(environment) ?? {}
    const image = follower?.peek()
    if (pdp === undefined || image === undefined) return undefined
    return { bytes: image.stats().bytes, revision: image.revision, illTyped: pdp.illTyped }
  }

  /** How often conditions met a value that is not of its declared type, in all images since the start. */
  get illTyped(): number {
    let sum = this.#illTypedBefore
    for (const { pdp } of this.#members.values()) sum += pdp.illTyped
    return sum
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    const members = [...this.#members.values()]
    this.#members.clear()
    await Promise.all(members.map(({ pdp }) => pdp.close()))
  }

  #open(environment: LogId): Member {
    const { feed, onEvent } = this.#options
    const follower: Follower = new Follower({
      feed: feed(environment),
      isOwnFeed: true,
      onEvent: (event) => {
        tell(onEvent, { ...event, environment })
        if (event.event === 'ready') this.#makeRoom(environment)
        // The next request opens a new PDP, and gets the current reason.
        if (event.event === 'ended' && this.#members.get(environment)?.follower === follower) {
          this.#members.delete(environment)
          this.#illTypedBefore += follower.illTyped
        }
      },
    })
    const member = { pdp: new Pdp(follower, this.#options), follower, usedAt: performance.now() }
    this.#members.set(environment, member)
    return member
  }

  #dropIdle(): void {
    const oldest = performance.now() - (this.#options.idleMs ?? IMAGE_IDLE_MS)
    for (const [environment, member] of this.#members) {
      if (member.usedAt < oldest) this.#drop(environment, member)
    }
  }

  /** Drops the least recently used until the images fit; `keep` is the one just opened. */
  #makeRoom(keep: LogId): void {
    const limit = this.#options.memoryBytes ?? IMAGE_MEMORY_BYTES_DEFAULT
    const byUse = [...this.#members].sort(([, a], [, b]) => a.usedAt - b.usedAt)
    let bytes = byUse.reduce((sum, [, { follower }]) => sum + (follower.peek()?.stats().bytes ?? 0), 0)
    for (const [environment, member] of byUse) {
      if (bytes <= limit) return
      if (environment === keep) continue
      bytes -= member.follower.peek()?.stats().bytes ?? 0
      this.#drop(environment, member)
    }
  }

  #drop(environment: LogId, member: Member): void {
    this.#members.delete(environment)
    this.#illTypedBefore += member.pdp.illTyped
    inBackground('closing a PDP', member.pdp.close())
  }
}
