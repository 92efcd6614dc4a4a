// Past revisions of the environments of a store: which revision was in force at an instant, the image of a revision,
// and what changed an answer since. Images are built by threads; the last used ones are kept.
import { setImmediate as pause } from 'node:timers/promises'
import { Image } from '../../image/image.ts'
import type { HistoryEntry, LogId } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import {
  PAST_IMAGE_MS,
  PAST_IMAGES_BYTES_MAX,
  PAST_IMAGES_MAX,
  PAST_THREADS_MAX,
  PAST_WAITING_MAX,
} from '../../model/limits.ts'
import type { Store } from '../../store/store.ts'
import type { UseCases } from '../../store/view.ts'
import type { UndoneObject } from '../differences/undone.ts'
import type { Comparison, Range } from './compare-answers.ts'
import { gone } from './past-image.ts'
import { type PastPlace, type PastResults, type PastTask, runPastTask } from './past-task.ts'
import type { RevisionChanges } from './revision-changes.ts'

/** A revision, or an instant in ms since 1970: then the revision that was in force. */
export type At = { readonly revision: number } | { readonly instant: number }

/** A revision that exists, and when it was written in ms since 1970. */
export type Found = Pick<HistoryEntry, 'revision' | 'at' | 'chain' | 'by' | 'status' | 'summary'>

type Logs = Pick<Store<UseCases>, 'head' | 'history' | 'historyCount'>

interface Kept {
  readonly image: Image
  readonly bytes: number
}

export class PastRevisions {
  readonly #store: Logs
  /** where other threads read the same past */
  readonly place: PastPlace
  /** by environment, revision and chain, in order of last use */
  readonly #kept = new Map<string, Kept>()
  readonly #building = new Map<string, Promise<Image>>()
  readonly #waiting: (() => void)[] = []
  #threads = 0

  constructor(store: Logs, place: PastPlace) {
    this.#store = store
    this.place = place
  }

  /** Bytes of the images that are kept. */
  get bytes(): number {
    let sum = 0
    for (const { bytes } of this.#kept.values()) sum += bytes
    return sum
  }

  /**
   * The revision that is asked about.
   * @throws REVISION_UNKNOWN when it does not exist yet; REVISION_GONE before the first entry that is kept
   */
  find(environment: LogId, at: At): Found {
    const head = this.#store.head(environment)
    if ('revision' in at) {
      if (at.revision > head.revision)
        throw new ZerohopError('REVISION_UNKNOWN', { wanted: at.revision, head: head.revision })
      return this.#entry(environment, at.revision) ?? fail(at.revision, this.#oldest(environment))
    }
    const oldest = this.#oldest(environment)
    if (at.instant < oldest.at) return fail(new Date(at.instant).toISOString(), oldest)
    // entries are in the order of time
    let [low, high] = [oldest.revision, head.revision]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const entry = this.#entry(environment, middle)
      if (entry !== undefined && entry.at > at.instant) high = middle - 1
      else low = middle
    }
    return this.#entry(environment, low) ?? oldest
  }

  /**
   * The image of a revision that `find` gave. It is shared: nobody may change it.
   * @throws REVISION_GONE when it cannot be built any more; PAST_BUSY, PAST_TOO_LARGE
   */
  async image(environment: LogId, { revision, chain }: Pick<Found, 'revision' | 'chain'>): Promise<Image> {
    const name = `${environment}/${revision}/${chain}`
    const kept = this.#kept.get(name)
    if (kept !== undefined) {
      this.#kept.delete(name)
      this.#kept.set(name, kept)
      return kept.image
    }
    const running = this.#building.get(name)
    if (running !== undefined) return running
    const built = this.#build(environment, revision, name).finally(() => this.#building.delete(name))
    this.#building.set(name, built)
    return built
  }

  /**
   * What changed the answer to a question between two revisions, each at its instant.
   * @throws as `image`
   */
  compare(environment: LogId, range: Range): Promise<Comparison> {
    return this.#inThread(environment, { task: 'compare', ...range })
  }

  /**
   * What a revision changed.
   * @param access also whose access: takes the image before it
   * @throws REVISION_GONE; PAST_BUSY, PAST_TOO_LARGE
   */
  changes(environment: LogId, revision: number, access = false): Promise<RevisionChanges> {
    return this.#inThread(environment, { task: 'changes', revision, access })
  }

  /**
   * JSON of a revision as a policy file.
   * @param facts also users, tenants, role assignments, instances and tuples
   * @throws as `changes`
   */
  async export(environment: LogId, revision: number, facts: boolean): Promise<Uint8Array> {
    return (await this.#inThread(environment, { task: 'export', revision, facts })).bytes
  }

  /**
   * Writes the facts of a revision as lines into a new file, without the first `skip`.
   * @throws as `changes`; CONFIG_INVALID when it cannot be written
   */
  async exportFacts(environment: LogId, revision: number, to: { file: string; skip: number }): Promise<void> {
    await this.#inThread(environment, { task: 'facts', revision, ...to })
  }

  /** The stored objects of a revision, before and after it. @throws as `changes`; LIMIT_EXCEEDED */
  undone(environment: LogId, revision: number): Promise<readonly UndoneObject[]> {
    return this.#inThread(environment, { task: 'undone', revision })
  }

  /** The first revision that can be asked about. */
  async reach(environment: LogId): Promise<PastResults['reach']> {
    return this.#inThread(environment, { task: 'reach' })
  }

  /** Drops the images of an environment. */
  forget(environment: LogId): void {
    for (const name of [...this.#kept.keys()]) if (name.startsWith(`${environment}/`)) this.#kept.delete(name)
  }

  async #build(environment: LogId, revision: number, name: string): Promise<Image> {
    const { bytes } = await this.#inThread(environment, { task: 'image', revision })
    const image = await Image.loadSlowly(bytes, pause, { verified: true }) // the thread has just built it
    this.#kept.set(name, { image, bytes: bytes.length })
    // what retention has removed must not stay in memory
    setTimeout(() => this.#kept.delete(name), PAST_IMAGE_MS).unref()
    for (const oldest of this.#kept.keys()) {
      const isFull = this.#kept.size > PAST_IMAGES_MAX || this.bytes > PAST_IMAGES_BYTES_MAX
      if (!isFull || oldest === name) break
      this.#kept.delete(oldest)
    }
    return image
  }

  async #inThread<T extends PastTask>(environment: LogId, task: T): Promise<PastResults[T['task']]> {
    if (this.#threads >= PAST_THREADS_MAX) {
      const waiting = this.#waiting.length
      if (waiting >= PAST_WAITING_MAX) throw new ZerohopError('PAST_BUSY', { waiting })
      await new Promise<void>((resolve) => this.#waiting.push(resolve)) // gets the place of the one that ended
    } else this.#threads++
    try {
      return await runPastTask(this.place, environment, task)
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#threads--
      else next()
    }
  }

  #entry(environment: LogId, revision: number): HistoryEntry | undefined {
    if (revision < 1) return undefined
    const [entry] = this.#store.history(environment, revision + 1, 1)
    return entry?.revision === revision ? entry : undefined
  }

  #oldest(environment: LogId): HistoryEntry {
    const { revision } = this.#store.head(environment)
    const first = revision + 1 - this.#store.historyCount(environment)
    const entry = this.#entry(environment, first)
    if (entry === undefined) throw new ZerohopError('REVISION_UNKNOWN', { wanted: first, head: revision })
    return entry
  }
}

function fail(wanted: number | string, { revision, at }: HistoryEntry): never {
  throw gone(wanted, { from: revision, since: at })
}
