// Keeps one environment's image current: fetches an image from the feed, then follows its deltas. It decides which
// image answers and when to retry; src/pdp/applier.ts applies deltas, src/pdp/answering.ts handles staleness and
// waiting callers. When something breaks, the last good image keeps answering: as long as the management side is only
// unreachable, but not for long when something is known to have changed that cannot be applied.
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
import type { FeedEvent, FeedHead, ImageProgress } from '../log/feed.ts'
import { contained, inBackground } from '../model/contained.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { tell } from '../model/events.ts'
import { CLOCK_DIFFERENCE_MS, HEAD_ASK_MS } from '../model/limits.ts'
import { type Moment, measureAge, momentBefore } from '../model/moment.ts'
import { AnswerHolds } from './answer-holds.ts'
import { Answering, type FollowerState, type ImageSource } from './answering.ts'
import { Applier } from './applier.ts'
import { Backoff } from './backoff.ts'
import { type Confirmation, Confirmations } from './confirmations.ts'
import { type FollowerEvent, type FollowerOptions, type FollowerTimes, TIMES } from './follower-options.ts'
import { nextState, type State, type Step } from './follower-states.ts'
import { askForHead, type HeadAskerOptions } from './head-asker.ts'
import { ImageKeeper } from './image-keeper.ts'
import { imageIn, missingThread } from './image-task.ts'
import { Pinned } from './pinned.ts'
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
/**
 * Errors that leave the image as current as it was: nothing is known of a change that it lacks. What carries no valid
 * signature is not believed, and must not be able to stop the answers either.
 */
const SAYS_NOTHING = ['FEED_UNREACHABLE', 'SIGNATURE_INVALID', 'CLOSED'] as const
/** Errors that end a follower. */
const FINAL = ['KEY_UNKNOWN', 'KEY_EXPIRED', 'KEY_TOO_NARROW', 'ENVIRONMENT_DELETED'] as const

export class Follower {
  readonly #options: FollowerOptions
  readonly #times: FollowerTimes
  readonly #backoff: Backoff
  readonly #closing = new AbortController()
  #connection: AbortController | undefined
  /** the image that is on its way */
  #loading: ImageProgress | undefined
  /** follows the feed */
  #applier: Applier | undefined
  readonly #holds = new AnswerHolds(() => this.#applier?.goOn())
  /** the applier whose image answers: the one that follows, or the one before it until that has caught up */
  #answersFrom: Applier | undefined
  readonly #answering: Answering
  #fromFile: Applier | undefined
  /** the file on disk says that there is nothing to follow */
  #fileSaysNone = false
  /** the last applier whose image was only older than the answering one */
  #behind: Applier | undefined
  /** the confirmations of the head of the log */
  readonly #confirmations = new Confirmations()
  /** the one from which the age of the answering image counts */
  #confirmation: Confirmation | undefined
  /** the last heartbeat of this connection */
  #heartbeat: Confirmation | undefined
  /** whether heartbeats say how current the image is; else they only show that the line lives */
  #heartbeatsCount: boolean
  /** the last error of asking for the head, told once */
  #headTrouble = ''
  /** it was said that the clock of this machine differs */
  #clockDiffers = false
  /** set where signatures are verified */
  readonly #pinned: Pinned | undefined
  /** runs while something is known to have changed that the answering image lacks and could not take */
  #unapplied: NodeJS.Timeout | undefined
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
    this.#pinned = options.trust && new Pinned()
    // With a limit, or signatures, only what was asked for is believed; else they do until the head was said once.
    const isStrict = options.trust !== undefined || options.maxStalenessMs !== undefined
    this.#heartbeatsCount = !isStrict || (options.feed.askHead === undefined && options.trust === undefined)
    this.#keeper = this.#makeKeeper(options)
    this.#backoff = new Backoff(this.#times.retryFirstMs, this.#times.retryLongestMs)
    this.#started = new Promise((resolve, reject) => {
      this.#markStarted = { resolve, reject }
    })
    this.#started.catch(() => undefined)
    // it answers for as long as it follows: an error that no one foresaw ends both
    this.#follow().catch((error) => this.#finish(new ZerohopError('INTERNAL', {}, { cause: error })))
  }

  /**
   * Resolves when an image answers for the first time.
   * @throws KEY_UNKNOWN, KEY_TOO_NARROW, ENVIRONMENT_DELETED when none will, CLOSED
   */
  ready(): Promise<void> {
    return this.#started
  }

  /** The image for a request; each request takes once. @throws the refusal */
  take(): Image {
    return this.#answering.take()
  }

  /** The instant of the request that took last. */
  get now(): number {
    return this.#answering.now
  }

  /** The same, if that request has read the clock. */
  get nowRead(): number | undefined {
    return this.#answering.nowRead
  }

  /** Answers one request: all takes in `work`, which must not await, are one. */
  asOne<R>(work: () => R): R {
    return this.#answering.asOne(work)
  }

  enter(image: Image): void {
    this.#answering.enter(image)
  }

  leave(): void {
    this.#answering.leave()
  }

  /** The image that is held, whatever its age: not to decide by. */
  peek(): Image | undefined {
    return this.#answering.peek()
  }

  get state(): FollowerState {
    return { ...this.#answering.state, loading: this.#loading }
  }

  get illTyped(): number {
    return this.#answering.illTyped
  }

  /** Why the follower has ended; undefined while it has not. */
  get ended(): ZerohopError | undefined {
    return this.#answering.ended
  }

  /** Why a request would be refused now; undefined when it would be answered. */
  refusal(): ZerohopError | undefined {
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
   * A write with `X-Wait-Timeout: 0` begins, whose change is not taken before its answer is written. Returns what to
   * call then.
   */
  hold(): () => void {
    return this.#holds.begin()
  }

  /**
   * Resolves with true once no answer comes from before `revision`: the answering image has it, or none
   * answers and none begins to answer before it has it. Deltas are applied at once. Resolves with false after
   * `timeoutMs`. Never rejects.
   */
  async notBefore(revision: number, timeoutMs: number): Promise<boolean> {
    this.#firstRevision = Math.max(this.#firstRevision, revision)
    if (this.refusal() !== undefined) return true
    try {
      await this.atLeast(revision, timeoutMs)
      return true
    } catch {
      return this.refusal() !== undefined
    }
  }

  /** Stops following. The last image is written once more when it has changed. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return
    this.#closing.abort()
    const image = this.#answering.peek()
    const { source } = this.#answering
    this.#end(new ZerohopError('CLOSED', { what: 'the PDP' }))
    const left = this.#options.feed.leave?.()
    if (image !== undefined && source === 'feed') await this.#keeper?.save(image, true)
    await left
  }

  async #follow(): Promise<void> {
    const missing = missingThread()
    if (missing !== undefined) this.#tell({ event: 'no worker thread', error: missing })
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
    this.#forgetHeads()
    let isAsking = false
    const signal = AbortSignal.any([connection.signal, this.#closing.signal])
    try {
      if (this.#state === 'fetching') await this.#takeImage(signal)
      for await (const event of this.#options.feed.deltas(this.#applier!.received, signal)) {
        if (signal.aborted) break
        if (!isAsking) inBackground('asking for the head', this.#askForHead(signal))
        isAsking = true
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
    const { trust } = this.#options
    let bytes: Uint8Array
    let image: Image
    try {
      bytes = await this.#options.feed.image(signal, (progress) => {
        this.#loading = progress
      })
      image = await imageIn(bytes, trust, this.#options.isOwnFeed === true)
    } finally {
      this.#loading = undefined
    }
    if (this.#closing.signal.aborted) return
    this.#pinned?.requireEnvironment('the image', image.environment, this.#options.feed.environment)
    this.#fileSaysNone = false
    this.#keeper?.took(bytes)
    this.#use(image)
    this.#step('loaded')
  }

  /** Makes `image` the followed one. It begins to answer when it has caught up. */
  #use(image: Image): Applier {
    this.#applier?.close()
    this.#forgetHeads()
    this.#candidate = new RevisionHistory()
    this.#candidate.add(image.position)
    const applier: Applier = new Applier(image, {
      moved: () => this.#moved(applier),
      failed: (error) => this.#applierFailed(applier, error),
      hurried: () => this.#answering.isAwaited || this.#answering.peek() === undefined,
      holds: this.#holds,
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
    this.#heartbeat = { revision: event.revision, chain: undefined, at: event.at ?? momentBefore(0) }
    if (this.#heartbeatsCount) this.#confirmations.add(this.#heartbeat)
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

  #makeKeeper({ lastImage, trust }: FollowerOptions): ImageKeeper | undefined {
    if (lastImage === undefined) return undefined
    return new ImageKeeper({
      lastImage,
      trust,
      // what is remembered of the history must not be long behind
      saveMs: trust === undefined ? this.#times.saveMs : Math.min(this.#times.saveMs, HEAD_ASK_MS),
      current: () => this.#answering.peek(),
      copy: (image) => (image === this.#applier?.image ? this.#applier.copy() : image.saveSlowly(pause)),
      confirmedAt: () => this.#answering.currentAt?.wall,
      pinned: this.#pinned,
      onEvent: (event) => this.#tell(event),
    })
  }

  #forgetHeads(): void {
    this.#heartbeat = undefined
    this.#confirmations.clear()
  }

  /** Asks for the head as long as the connection lasts. */
  async #askForHead(signal: AbortSignal): Promise<void> {
    const { feed, maxStalenessMs } = this.#options
    if (feed.askHead === undefined) return
    const options: HeadAskerOptions = {
      ask: (timeoutMs) => this.#ask(timeoutMs),
      maxStalenessMs,
      heard: (head, at) => this.#heardHead(head, at),
      unknown: () => this.#headNotSaid(),
      failed: (error) => this.#headFailed(error),
    }
    await askForHead(options, signal)
  }

  /**
   * Undefined when the other side is older. Where signatures are verified that is an error, after which it is asked
   * again: no one signs heartbeats, and anyone on the way can pretend to be older.
   * @throws HEAD_NOT_SAID, and as `Feed.askHead`
   */
  async #ask(timeoutMs: number): Promise<FeedHead | undefined> {
    const head = await this.#options.feed.askHead!(timeoutMs)
    if (head === undefined && this.#options.trust !== undefined)
      throw new ZerohopError('HEAD_NOT_SAID', {
        so: 'heartbeats are not signed, so no image of it is known to be current',
      })
    return head
  }

  /** @throws FOREIGN_ENVIRONMENT, ROLLED_BACK */
  #heardHead(head: FeedHead, at: Moment): void {
    const { lineage, revision, chain, time } = head
    if (this.#pinned?.accept(head, this.#options.feed.environment))
      this.#tell({ event: 'new history', lineage, revision })
    this.#compareClocks(this.#answering.heardTime(time, at))
    this.#heartbeatsCount = false
    this.#headTrouble = ''
    this.#answering.explain('')
    this.#confirmations.add({ revision, chain, at })
    if (this.#applier?.settled) this.#moved(this.#applier)
  }

  /** The other side is older: its heartbeats are what there is. */
  #headNotSaid(): void {
    const so = 'an age counts from the arrival of its heartbeats, which may have waited on their way'
    const error = new ZerohopError('HEAD_NOT_SAID', { so })
    if (this.#headTrouble !== error.code) this.#tell({ event: 'head not said', error })
    this.#headTrouble = error.code
    this.#answering.explain(`: ${error.message}`)
    if (!this.#heartbeatsCount && this.#heartbeat !== undefined) this.#confirmations.add(this.#heartbeat)
    this.#heartbeatsCount = true
    if (this.#applier?.settled) this.#moved(this.#applier)
  }

  /** Says once that the clock of this machine differs: by one that is ahead what starts later has started. */
  #compareClocks(aheadMs: number): void {
    const differs = Math.abs(aheadMs) > CLOCK_DIFFERENCE_MS
    if (differs && !this.#clockDiffers) this.#tell({ event: 'clock differs', aheadMs })
    this.#clockDiffers = differs
  }

  /** The connection reports its own errors; an answer about the head can be wrong besides. */
  #headFailed(error: unknown): void {
    if (!isZerohopError(error, 'SIGNATURE_INVALID', 'ROLLED_BACK', 'FOREIGN_ENVIRONMENT', 'HEAD_NOT_SAID')) return
    this.#answering.failed(error)
    this.#answering.explain(`: ${error.message}`)
    const { code } = error
    if (this.#headTrouble !== code && code === 'HEAD_NOT_SAID') this.#tell({ event: 'head not said', error })
    else if (this.#headTrouble !== code) this.#tell({ event: 'trouble', error, retryMs: HEAD_ASK_MS })
    this.#headTrouble = code
  }

  /**
   * The applier has applied what it had, or the head was said. The image is as current as the last head that it has
   * reached, and no more: the deltas that come first on a new connection may be long behind.
   */
  #moved(applier: Applier): void {
    if (applier !== this.#applier) return
    const { position } = applier.image
    const history = applier === this.#answersFrom ? this.#history : this.#candidate
    const reached = this.#confirmations.reached(position, (each) => history.has(each))
    if (
      reached !== undefined &&
      position.revision >= this.#firstRevision &&
      !this.#isBehind(applier) &&
      !this.#isRolledBack(applier)
    ) {
      this.#backoff.reset()
      this.#isApplied()
      this.#confirm(reached)
      this.#pinned?.answers(applier.image.environment, position.revision)
      this.#answer(applier, 'feed')
    } else if (applier === this.#answersFrom) {
      this.#answer(applier, this.#answering.source ?? 'feed')
    }
  }

  /** The age of what answers counts from a confirmation, which is heard once: the clock may be set after that. */
  #confirm(reached: Confirmation): void {
    if (reached === this.#confirmation) return
    this.#confirmation = reached
    this.#answering.heard(reached.at)
  }

  /** True for a signed image that is behind what answered here, unless a signed head says that this is its history. */
  #isRolledBack(applier: Applier): boolean {
    const refusal = this.#pinned?.refusal('the image', applier.image.revision)
    if (refusal === undefined || applier === this.#answersFrom) return false
    if (this.#behind !== applier) this.#tell({ event: 'trouble', error: refusal, retryMs: 0 })
    this.#behind = applier
    this.#answering.failed(refusal)
    return true
  }

  /** True while a newly fetched image is only older than the answering one. It keeps following. */
  #isBehind(applier: Applier): boolean {
    const have = this.#answering.peek()?.revision ?? 0
    const { position } = applier.image
    if (applier === this.#answersFrom || position.revision >= have || !this.#history.has(position)) return false
    this.#isApplied() // what answers is later than all that the management side has
    if (this.#behind !== applier) {
      const error = new ZerohopError('FEED_BEHIND', { got: position.revision, have })
      this.#tell({ event: 'trouble', error, retryMs: 0 })
    }
    this.#behind = applier
    return true
  }

  #answer(applier: Applier, source: ImageSource): void {
    const first = this.#answering.peek() === undefined
    if (this.#answersFrom !== applier) {
      this.#history.addAll(this.#candidate)
      this.#keeper?.answers()
    }
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
    const { details } = known
    if (isZerohopError(known, ...FINAL)) {
      const isAbsent = this.#options.mayBeAbsent && isZerohopError(known, 'ENVIRONMENT_DELETED')
      if (isAbsent && this.#keeper) inBackground('the file of the last image', this.#keeper.saveNone())
      else this.#keeper?.erase()
      this.#finish(known)
      return
    }
    if (this.#fileSaysNone && isZerohopError(known, 'FEED_UNREACHABLE')) {
      this.#finish(new ZerohopError('ENVIRONMENT_DELETED'))
      return
    }
    if (isZerohopError(known, ...NEEDS_IMAGE)) this.#step('unfit')
    if (!isZerohopError(known, ...SAYS_NOTHING)) this.#cannotApply(known)
    this.#answering.failed(known)
    this.#answerFromFile()
    this.#tell({ event: 'trouble', error: known, retryMs: this.#backoff.next(Number(details.retryMs ?? 0)) })
  }

  /** Something changed that the answering image cannot take: it answers until it is replaced, but not for long. */
  #cannotApply(error: ZerohopError): void {
    if (this.#answering.peek() === undefined) return
    const refuse = contained('refusing what is out of date', () => this.#answering.poison(error))
    this.#unapplied ??= setTimeout(refuse, this.#times.unappliedMs).unref()
  }

  /** The answering image lacks nothing that is known of. */
  #isApplied(): void {
    clearTimeout(this.#unapplied)
    this.#unapplied = undefined
  }

  #finish(error: ZerohopError): void {
    this.#end(error)
    this.#tell({ event: 'ended', error })
  }

  #end(error: ZerohopError): void {
    this.#step('ended')
    this.#isApplied()
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
        const { mayBeAbsent = false, maxStalenessMs } = this.#options
        const isYoung = read.at !== undefined && measureAge(read.at) <= (maxStalenessMs ?? Number.POSITIVE_INFINITY)
        this.#fileSaysNone = mayBeAbsent && (maxStalenessMs === undefined || isYoung)
        return
      }
      this.#fromFile = this.#use(read.image)
      this.#step('loaded')
      this.#answering.heard(read.at)
      const fromFile = contained('answering from the last image', () => this.#answerFromFile())
      setTimeout(fromFile, this.#times.offlineStartMs).unref()
    } catch (error) {
      // A damaged or foreign file only costs the download of a fresh image.
      this.#reportFailure(error)
    } finally {
      this.#step('nothing')
    }
  }

  /** Answers from the file while the management side is unreachable. */
  #answerFromFile(): void {
    if (this.#answering.peek() !== undefined || this.#applier === undefined || this.#applier !== this.#fromFile) return
    if (this.#isFit) this.#answer(this.#applier, 'file')
  }
}
