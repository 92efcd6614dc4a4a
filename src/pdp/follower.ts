// Keeps one environment's image current: fetches an image from the feed, then follows its deltas. It decides which
// image answers and when to retry; src/pdp/applier.ts applies deltas, src/pdp/answering.ts handles staleness and
// waiting callers. When something breaks, the last good image keeps answering.
//
//   reading ───── loaded ─────► following ── broken ──► retrying
//      │                         ▲  │  ▲                 │   │
//   nothing                 loaded  │  └───── waited ────┘   │
//      │                         │  └──────── unfit ─────────┤
//      │                         │                           ▼
//      └──────────────────► fetching ── broken ────────► refetching
//                                ▲                           │
//                                └───────── waited ──────────┘
//
// `ended` leads from every state to `ended`. A followed image begins to answer when it has caught up with the head; one
// from disk also while the management side is unreachable. Until then the previous image answers.
import { setImmediate as pause } from 'node:timers/promises'
import type { Image } from '../image/image.ts'
import type { PackedDelta } from '../log/delta.ts'
import type { FeedEvent } from '../log/feed.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { tell } from '../model/events.ts'
import { Answering, type FollowerState, type ImageSource } from './answering.ts'
import { Applier } from './applier.ts'
import { Backoff } from './backoff.ts'
import { type FollowerEvent, type FollowerOptions, type FollowerTimes, TIMES } from './follower-options.ts'
import { nextState, type State, type Step } from './follower-states.ts'
import { ImageKeeper } from './image-keeper.ts'
import { imageIn } from './image-task.ts'
import { RevisionHistory } from './revision-history.ts'

export type { FollowerEvent, FollowerOptions } from './follower-options.ts'

/** Errors after which the same image cannot continue: a fresh one is fetched. */
const NEEDS_IMAGE = [
  'FEED_GAP',
  'FEED_FORK',
  'FRAME_INVALID',
  'DELTA_INVALID',
  'POISONED',
  'IMAGE_FULL',
  'INTERNAL',
] as const
/** Errors that end a follower. */
const FINAL = ['KEY_UNKNOWN', 'KEY_TOO_NARROW', 'ENVIRONMENT_DELETED'] as const

export class Follower {
  readonly #options: FollowerOptions
  readonly #times: FollowerTimes
  readonly #backoff: Backoff
  readonly #closing = new AbortController()
  #connection: AbortController | undefined
  /** follows the feed */
  #applier: Applier | undefined
  /** the applier whose image answers: the one that follows, or the one before it until that has caught up */
  #answersFrom: Applier | undefined
  readonly #answering: Answering
  #fromFile: Applier | undefined
  /** the file on disk says that there is nothing to follow */
  #fileSaysNone = false
  /** the last applier whose image was only older than the answering one */
  #behind: Applier | undefined
  /** the last heartbeat of this connection: head of the log, and when it came in milliseconds of performance.now() */
  #heartbeat: { readonly revision: number; readonly at: number } | undefined
  /** no image begins to answer before this revision, which was acknowledged as in force */
  #firstRevision = 0
  #state: State = 'reading'
  /** positions of the images that answered */
  readonly #history = new RevisionHistory()
  /** positions of the image that follows, until it begins to answer: it may be of another history */
  #candidate = new RevisionHistory()
  readonly #keeper: ImageKeeper | undefined
  readonly #started: Promise<void>
  #markStarted!: { resolve: () => void; reject: (error: ZerohopError) => void }

  constructor(options: FollowerOptions) {
    this.#options = options
    this.#times = { ...TIMES, ...options.times }
    this.#answering = new Answering(options.maxStalenessMs)
    this.#keeper = this.#keeperOf(options)
    this.#backoff = new Backoff(this.#times.retryFirstMs, this.#times.retryLongestMs)
    this.#started = new Promise((resolve, reject) => {
      this.#markStarted = { resolve, reject }
    })
    this.#started.catch(() => undefined)
    void this.#follow()
  }

  /**
   * Resolves when an image answers for the first time.
   * @throws KEY_UNKNOWN, KEY_TOO_NARROW, ENVIRONMENT_DELETED when none will, CLOSED
   */
  ready(): Promise<void> {
    return this.#started
  }

  /**
   * The image that may answer now; undefined when there is none, for the reason of `refusal()`. One read per request.
   */
  get current(): Image | undefined {
    return this.#answering.current
  }

  get state(): FollowerState {
    return this.#answering.state
  }

  get illTyped(): number {
    return this.#answering.illTyped
  }

  /** Why the follower has ended; undefined while it has not. */
  get ended(): ZerohopError | undefined {
    return this.#answering.ended
  }

  /** Why `current` is undefined. */
  refusal(): ZerohopError {
    return this.#answering.refusal()
  }

  /**
   * Resolves when the image that answers has `revision`; deltas that arrive meanwhile are applied at once.
   * @throws REVISION_TIMEOUT, OVERLOADED, or the reason why the follower has ended
   */
  atLeast(revision: number, timeoutMs: number): Promise<void> {
    const there = this.#answering.atLeast(revision, timeoutMs)
    if (this.#answering.isAwaited) this.#applier?.hurry()
    return there
  }

  /**
   * Resolves with true when no answer comes from before `revision` any more: the answering image has it, or none
   * answers and none begins to answer before it has it. Deltas are applied at once. Resolves with false after
   * `timeoutMs`. Never rejects.
   */
  async notBefore(revision: number, timeoutMs: number): Promise<boolean> {
    this.#firstRevision = Math.max(this.#firstRevision, revision)
    if (this.current === undefined) return true
    try {
      await this.atLeast(revision, timeoutMs)
      return true
    } catch {
      return this.current === undefined
    }
  }

  /** Stops following. The last image is written once more when it has changed. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return
    this.#closing.abort()
    const { image, source } = this.#answering
    this.#end(new ZerohopError('CLOSED', { what: 'the PDP' }))
    const left = this.#options.feed.leave?.()
    if (image !== undefined && source === 'feed') await this.#keeper?.save(image, true)
    await left
  }

  async #follow(): Promise<void> {
    await this.#readLastImage()
    while (this.#state !== 'ended') {
      await this.#connect()
      if (this.ended === undefined) await this.#backoff.wait(this.#closing.signal)
      this.#step('waited')
    }
  }

  #step(step: Step): void {
    this.#state = nextState(this.#state, step)
  }

  /** True while the followed image can take deltas. */
  get #isFit(): boolean {
    return this.#state === 'following' || this.#state === 'retrying'
  }

  /** Follows one connection; returns when it ends. */
  async #connect(): Promise<void> {
    const connection = new AbortController()
    this.#connection = connection
    this.#heartbeat = undefined
    const signal = AbortSignal.any([connection.signal, this.#closing.signal])
    try {
      if (this.#state === 'fetching') await this.#takeImage(signal)
      for await (const event of this.#options.feed.deltas(this.#applier!.received, signal)) {
        if (signal.aborted) break
        this.#receive(event)
        if (this.#applier?.isFull) await this.#applier.drained()
      }
    } catch (error) {
      this.#reportFailure(error)
    } finally {
      connection.abort()
      this.#step('broken')
    }
  }

  async #takeImage(signal: AbortSignal): Promise<void> {
    const bytes = await this.#options.feed.image(signal)
    const { trust } = this.#options
    const image = await imageIn(bytes, trust)
    if (this.#closing.signal.aborted) return
    this.#fileSaysNone = false
    this.#keeper?.took(bytes)
    this.#use(image)
    this.#step('loaded')
  }

  /** Makes `image` the followed one. It begins to answer when it has caught up. */
  #use(image: Image): Applier {
    this.#applier?.close()
    this.#heartbeat = undefined
    this.#candidate = new RevisionHistory()
    this.#candidate.add(image.position)
    const applier: Applier = new Applier(image, {
      moved: () => this.#moved(applier),
      failed: (error) => this.#applierFailed(applier, error),
      hurried: () => this.#answering.isAwaited || this.#answering.image === undefined,
    })
    this.#applier = applier
    return applier
  }

  #receive(event: FeedEvent): void {
    if (event.type !== 'heartbeat') {
      const history = this.#applier === this.#answersFrom ? this.#history : this.#candidate
      history.add({ revision: event.delta.to, chain: event.delta.chain })
      const signed = event.type === 'packed' ? event.delta : event.signed
      if (this.#options.trust !== undefined && signed !== undefined) this.#keep(signed)
      this.#applier?.push(event.delta)
      return
    }
    this.#heartbeat = { revision: event.revision, at: performance.now() }
    // A check may have found the image broken (Image.guard): then a fresh one is fetched.
    if (this.#applier?.image.poisoned) this.#applierFailed(this.#applier, new ZerohopError('POISONED'))
    if (this.#applier?.settled) this.#moved(this.#applier)
  }

  #keep(signed: PackedDelta): void {
    this.#keeper?.received(signed)
    if (!this.#keeper?.isFull || !this.#isFit) return
    this.#step('unfit')
    this.#connection?.abort()
  }

  #keeperOf({ lastImage, trust }: FollowerOptions): ImageKeeper | undefined {
    if (lastImage === undefined) return undefined
    return new ImageKeeper({
      lastImage,
      trust,
      saveMs: this.#times.saveMs,
      current: () => this.#answering.image,
      copy: (image) => (image === this.#applier?.image ? this.#applier.copy() : image.saveSlowly(pause)),
      ageMs: () => this.#answering.state.ageMs,
      onEvent: (event) => this.#tell(event),
    })
  }

  /**
   * The applier has applied what it had, or a heartbeat came. The image is as current as the last heartbeat whose
   * revision it has, and no more: the deltas that come first on a new connection may be long behind the head.
   */
  #moved(applier: Applier): void {
    if (applier !== this.#applier) return
    const { revision } = applier.image
    const heartbeat = this.#heartbeat
    if (
      heartbeat !== undefined &&
      revision >= Math.max(heartbeat.revision, this.#firstRevision) &&
      !this.#isBehind(applier)
    ) {
      this.#backoff.reset()
      this.#answering.heard(performance.now() - heartbeat.at)
      this.#answer(applier, 'feed')
    } else if (applier === this.#answersFrom) {
      this.#answer(applier, this.#answering.source ?? 'feed')
    }
  }

  /** True while a newly fetched image is only older than the answering one. It keeps following. */
  #isBehind(applier: Applier): boolean {
    const have = this.#answering.image?.revision ?? 0
    const { position } = applier.image
    if (applier === this.#answersFrom || position.revision >= have || !this.#history.has(position)) return false
    if (this.#behind !== applier) {
      const error = new ZerohopError('FEED_BEHIND', { got: position.revision, have })
      this.#tell({ event: 'trouble', error, retryMs: 0 })
    }
    this.#behind = applier
    return true
  }

  #answer(applier: Applier, source: ImageSource): void {
    const first = this.#answering.image === undefined
    if (this.#answersFrom !== applier) this.#history.addAll(this.#candidate)
    this.#answersFrom = applier
    this.#answering.answer(applier.image, source)
    if (first) {
      this.#tell({ event: 'ready', revision: applier.image.revision, source })
      this.#markStarted.resolve()
    }
    if (source === 'feed') this.#keeper?.saveSoon()
  }

  #tell(event: FollowerEvent): void {
    tell(this.#options.onEvent, event)
  }

  #applierFailed(applier: Applier, error: unknown): void {
    if (applier !== this.#applier) return
    this.#step('unfit') // whatever the error: this applier takes no more deltas
    if (isZerohopError(error, 'POISONED') && applier === this.#answersFrom) this.#answering.poison()
    this.#reportFailure(error)
    this.#connection?.abort()
  }

  #reportFailure(error: unknown): void {
    if (this.ended) return
    const known = isZerohopError(error) ? error : new ZerohopError('INTERNAL', {}, { cause: error })
    if (isZerohopError(known, ...FINAL)) {
      const isAbsent = this.#options.mayBeAbsent && isZerohopError(known, 'ENVIRONMENT_DELETED')
      if (isAbsent) void this.#keeper?.saveNone()
      else this.#keeper?.erase()
      this.#finish(known)
      return
    }
    if (this.#fileSaysNone && isZerohopError(known, 'FEED_UNREACHABLE')) {
      this.#finish(new ZerohopError('ENVIRONMENT_DELETED'))
      return
    }
    if (isZerohopError(known, ...NEEDS_IMAGE)) this.#step('unfit')
    this.#answering.failed(known)
    this.#answerFromFile()
    this.#tell({ event: 'trouble', error: known, retryMs: this.#backoff.next() })
  }

  #finish(error: ZerohopError): void {
    this.#end(error)
    this.#tell({ event: 'ended', error })
  }

  #end(error: ZerohopError): void {
    this.#step('ended')
    this.#applier?.close()
    this.#applier = undefined
    this.#answering.end(error)
    this.#keeper?.stop()
    this.#markStarted.reject(error)
    this.#connection?.abort()
  }

  async #readLastImage(): Promise<void> {
    try {
      const read = await this.#keeper?.read()
      if (read === undefined || this.ended) return
      if (read.image === 'none') {
        const { mayBeAbsent = false, maxStalenessMs = Number.POSITIVE_INFINITY } = this.#options
        this.#fileSaysNone = mayBeAbsent && read.ageMs <= maxStalenessMs
        return
      }
      this.#fromFile = this.#use(read.image)
      this.#step('loaded')
      this.#answering.heard(read.ageMs)
      setTimeout(() => this.#answerFromFile(), this.#times.offlineStartMs).unref()
    } catch (error) {
      // A damaged or foreign file only costs the download of a fresh image.
      this.#reportFailure(error)
    } finally {
      this.#step('nothing')
    }
  }

  /** Answers from the file while the management side is unreachable. */
  #answerFromFile(): void {
    if (this.#answering.image !== undefined || this.#applier === undefined || this.#applier !== this.#fromFile) return
    if (this.#isFit) this.#answer(this.#applier, 'file')
  }
}
