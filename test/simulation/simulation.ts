// One run: a management side on a real disk, five followers behind bad links, random writes, restarts of either side,
// and partitions. Every answer on the way is compared with the definition at the revision that answered; in the end all
// followers hold the same canonical image.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { Image } from '../../src/image/image.ts'
import type { LogId } from '../../src/log/change.ts'
import { toDelta } from '../../src/log/delta.ts'
import { localFeed } from '../../src/management/feed/local-feed.ts'
import { buildSnapshot, policyOf, Snapshots } from '../../src/management/snapshot/snapshot.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import { Follower } from '../../src/pdp/follower.ts'
import { LastImage } from '../../src/pdp/last-image.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { findPool, type History, listOperations, mixedHistories, numbers } from '../property/histories.ts'
import { questions } from '../property/questions.ts'
import { MIDNIGHT } from '../property/values.ts'
import { check } from '../reference/check.ts'
import { applyChanges, emptyPolicy, type Policy } from '../reference/policy.ts'
import { askedAt, type Request } from '../reference/request.ts'
import { policyAt } from '../reference/times.ts'
import { commitsFor } from '../support/commits.ts'
import { type Environments, TESTER } from '../support/environments.ts'
import { type Operation, World } from '../support/world.ts'
import { Link, type Mishap } from './link.ts'

const FOLLOWERS = 5
const REVISIONS = 8
const TIMES = { offlineStartMs: 5, saveMs: 5, retryFirstMs: 1, retryLongestMs: 4 }
/** Why a follower may refuse to answer: never a deny instead. */
const REFUSALS = ['NOT_READY', 'STALE', 'POISONED', 'CLOSED'] as const

/** What one run saw, for whoever wants to know that it was not an idle one. */
export interface Seen {
  answers: number
  refusals: number
  restarts: number
  readonly mishaps: Partial<Record<Mishap, number>>
}

export async function simulate(seed: number, environments: Environments, folder: string): Promise<Seen> {
  const run = new Simulation(seed, environments, folder)
  await run.begin()
  try {
    await run.storm()
    await run.settle()
    return run.seen
  } finally {
    await run.end()
  }
}

interface Member {
  readonly link: Link
  readonly file: string
  follower: Follower
  pdp: Pdp
  /** the highest revision that answered since the last start */
  revision: number
}

class Simulation {
  readonly seen: Seen = { answers: 0, refusals: 0, restarts: 0, mishaps: {} }
  readonly #next: (below: number) => number
  readonly #environments: Environments
  readonly #folder: string
  readonly #history: History
  readonly #world = new World()
  readonly #members: Member[] = []
  #log: LogId = ''
  #organization: LogId = ''
  #store!: Awaited<ReturnType<Environments['store']>>
  #snapshots!: Snapshots
  /** the policy at each revision, folded from the log */
  readonly #policies = new Map<number, Policy>()

  constructor(seed: number, environments: Environments, folder: string) {
    this.#next = numbers(seed)
    this.#environments = environments
    this.#folder = folder
    const small = mixedHistories.filter(({ pool }) => pool === 'small' || pool === 'odd')
    this.#history = fc.sample(small, { seed, numRuns: 1 })[0]!
  }

  async begin(): Promise<void> {
    this.#store = await this.#environments.store()
    this.#log = (await this.#environments.create())[0]
    this.#organization = this.#store.logs().find((log) => this.#store.view(log).find('environment', this.#log))!
    this.#snapshots = new Snapshots(this.#store, this.#environments.data)
    const view = this.#store.view(this.#log)
    const first = emptyPolicy()
    applyChanges(first, policyOf(view))
    this.#policies.set(view.position.revision, first)
    for (let at = 0; at < FOLLOWERS; at++) {
      const link = new Link(this.#next, () => localFeed(this.#deps, this.#followed))
      const file = join(this.#folder, `${this.#log}-${at}`)
      this.#members.push({ link, file, ...this.#start(link, file), revision: 0 })
    }
  }

  /** Writes while everything goes wrong that can. */
  async storm(): Promise<void> {
    const { revisions } = this.#history
    for (const edits of revisions.slice(0, REVISIONS)) {
      for (const edit of edits) await this.#write(listOperations(this.#world, findPool(this.#history), edit))
      for (const member of this.#members) await this.#trouble(member)
      if (this.#next(40) === 0) await this.#restartManagement()
      await pause(this.#next(4))
      this.#askAll(6)
    }
  }

  /** Ends all trouble, and waits until all followers have the same image. */
  async settle(): Promise<void> {
    for (const { link } of this.#members) {
      link.calm = true
      link.down = false
      link.cut()
    }
    const { revision } = this.#store.head(this.#log)
    const { bytes } = buildSnapshot(this.#store.view(this.#log))
    const hash = Image.load(bytes).hash()
    for (const { pdp, follower, link } of this.#members) {
      await pdp.ready()
      await pdp.atLeast(revision, { timeoutMs: 20_000 })
      const image = follower.peek()
      if (image === undefined) throw new Error('a follower answers no more')
      if (image.revision !== revision || image.hash() !== hash)
        throw new Error(`a follower holds another image at revision ${image.revision} of ${revision}`)
      for (const [mishap, count] of Object.entries(link.mishaps) as [Mishap, number][])
        this.seen.mishaps[mishap] = (this.seen.mishaps[mishap] ?? 0) + count
    }
    this.#askAll(30)
  }

  async end(): Promise<void> {
    await Promise.all(this.#members.map(({ pdp }) => pdp.close()))
  }

  get #deps() {
    return { store: this.#store, snapshots: this.#snapshots }
  }

  get #followed() {
    return { environment: this.#log, organization: this.#organization }
  }

  #start(link: Link, file: string): { follower: Follower; pdp: Pdp } {
    const follower = new Follower({ feed: link, lastImage: new LastImage(file, 'key'), times: TIMES })
    return { follower, pdp: new Pdp(follower) }
  }

  /** Commits what management accepts of it; what it refuses changes nothing. */
  async #write(operations: readonly Operation[]): Promise<void> {
    for (const operation of operations) {
      try {
        for (const [name, input] of commitsFor(this.#world, operation))
          await this.#store.commit(this.#log, name, input as never, TESTER)
        this.#world.run(operation)
      } catch (error) {
        if (!isZerohopError(error)) throw error
      }
    }
  }

  async #trouble(member: Member): Promise<void> {
    const { link } = member
    if (this.#next(6) === 0) link.down = !link.down
    if (this.#next(6) === 0) link.cut()
    if (this.#next(15) > 0) return
    this.seen.restarts++
    await member.pdp.close()
    Object.assign(member, this.#start(link, member.file), { revision: 0 })
  }

  async #restartManagement(): Promise<void> {
    this.seen.restarts++
    this.#store = await this.#environments.reopen()
    this.#snapshots = new Snapshots(this.#store, this.#environments.data)
  }

  #askAll(count: number): void {
    // followers have a clock: what is asked without a time is asked at one that the definition knows, too
    const asked = [...questions(this.#world, findPool(this.#history), this.#next, count)].map((request) =>
      askedAt(request, MIDNIGHT),
    )
    for (const member of this.#members) this.#ask(member, asked)
  }

  /** One turn, so one revision. */
  #ask(member: Member, asked: readonly Request[]): void {
    for (const request of asked) {
      let allow: boolean
      try {
        const { user, action, resource, sent = {} } = request
        const about = { ...resource, ...(sent.resource && { attributes: sent.resource }) }
        const who = sent.user ? { key: user, attributes: sent.user } : user
        const what = sent.action ? { key: action, attributes: sent.action } : action
        allow = member.pdp.check(who, what, about, sent.context)
      } catch (error) {
        if (isZerohopError(error, ...REFUSALS)) this.seen.refusals++
        else if (!isZerohopError(error, 'UNDECIDED')) throw error
        continue
      }
      const { revision } = member.pdp.take()
      if (revision < member.revision) throw new Error(`a follower went back from ${member.revision} to ${revision}`)
      member.revision = revision
      this.seen.answers++
      if (allow !== check(policyAt(this.#policyAt(revision), Date.now()), request))
        throw new Error(`revision ${revision}: ${JSON.stringify(request)} must be ${allow ? 'denied' : 'allowed'}`)
    }
  }

  #policyAt(revision: number): Policy {
    const known = this.#policies.get(revision)
    if (known !== undefined) return known
    const before = Math.max(...[...this.#policies.keys()].filter((each) => each < revision))
    const policy = emptyPolicy()
    const from = this.#policies.get(before)!
    for (const kind of Object.keys(policy) as (keyof Policy)[]) {
      for (const [key, value] of from[kind] as Map<string, never>) (policy[kind] as Map<string, never>).set(key, value)
    }
    for (const entry of this.#store.entries(this.#log, before)) {
      if (entry.revision > revision) break
      applyChanges(policy, toDelta(entry).changes)
    }
    this.#policies.set(revision, policy)
    return policy
  }
}
