// A shadow run: one engine decides, the other one is asked a sample of the questions as well. Whatever the other one
// does, a fault or a wrong answer, reaches neither the answer nor the process: it is counted and reported.
import { contain, contained, inBackground } from '../model/contained.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { SHADOW_PENDING_MAX, SHADOW_REPORTED_PER_SECOND } from '../model/limits.ts'
import { shortText } from '../model/shorten.ts'
import type { Pdp } from '../pdp/pdp.ts'
import type { Action, Attributes, Resource, User } from '../pdp/request.ts'
import { type Explained, findCause } from './cause.ts'
import type { Decider, Difference, ShadowCounts } from './difference.ts'
import { DifferenceFile } from './difference-file.ts'

/** A question, as `check` of a PDP takes it. */
export interface ShadowQuestion {
  readonly user: User
  readonly action: Action
  readonly resource: Resource
  readonly context?: Attributes | null
}

export interface ShadowOptions<A extends readonly unknown[]> {
  /** the part of the questions that the other engine is asked, from 0 to 1; default 0.01 */
  readonly sample?: number
  /** who gives the answer; default `old` */
  readonly decide?: Decider
  /** the question for the new engine; by default the arguments are user, action, resource and context */
  readonly question?: (...args: A) => ShadowQuestion
  /** hears each difference that is reported, with the arguments of the question. It must not be slow */
  readonly onDifference?: (difference: Difference, args: A) => void
  /** a file to which differences are added, for `zerohop shadow report` */
  readonly file?: string
  /** bytes at which the file is full; default SHADOW_FILE_BYTES_MAX */
  readonly fileBytesMax?: number
  /** why the old engine answers as it does, in words; asked for differences alone */
  readonly explainOld?: (...args: A) => string
}

/** Time and chance, from the border. */
export interface ShadowSource {
  /** ms since 1970 */
  readonly now: () => number
  /** from 0 to 1, without 1 */
  readonly random: () => number
  /** a name for the counts of this process */
  readonly run: string
}

/** An answer that did not come. */
class Fault {
  detail = 'unreadable'
  reason = 'what was thrown cannot be read'

  /** Whatever was thrown: reading it may throw, too. */
  constructor(error: unknown) {
    try {
      const reason = error instanceof Error ? `${error.message}` : String(error)
      this.detail = isZerohopError(error) ? error.code : error instanceof Error ? `${error.name}` : typeof error
      this.reason = reason
    } catch {
      // it is a fault all the same
    }
  }
}

type Answer = boolean | Fault
type Engine = Pick<Pdp, 'check' | 'explain'>
const SECOND = 1_000

export class ShadowRun<A extends readonly unknown[]> {
  readonly #pdp: Engine
  readonly #options: ShadowOptions<A>
  readonly #source: ShadowSource
  readonly #sample: number
  readonly #file: DifferenceFile | undefined
  readonly #counts = {
    asked: 0,
    sampled: 0,
    agreed: 0,
    differed: 0,
    failed: 0,
    pending: 0,
    skipped: 0,
    reported: 0,
    dropped: 0,
  }
  /** differences that were reported since the beginning of a second */
  #second = { at: Number.NEGATIVE_INFINITY, reported: 0 }

  /** @throws INPUT_INVALID */
  constructor(pdp: Engine, options: ShadowOptions<A>, source: ShadowSource) {
    const { sample = 0.01, decide = 'old', file, fileBytesMax } = options
    if (typeof sample !== 'number' || !(sample >= 0 && sample <= 1)) throw invalid('`sample` is a number from 0 to 1')
    if (decide !== 'old' && decide !== 'new') throw invalid('`decide` is `old` or `new`')
    this.#pdp = pdp
    this.#options = options
    this.#source = source
    this.#sample = sample
    this.#file = file === undefined ? undefined : new DifferenceFile(file, fileBytesMax)
  }

  get counts(): ShadowCounts {
    return { ...this.#counts, unwritten: this.#file?.unwritten ?? 0 }
  }

  /** Writes what is not written yet, and the counts. */
  async close(): Promise<void> {
    if (this.#file === undefined) return
    this.#writeCounts(this.#file)
    await this.#file.close()
  }

  /** The answer of the old engine, compared with that of the new one. @throws what the old one throws */
  byOld(old: (...args: A) => boolean, args: A): boolean {
    this.#counts.asked++
    const answer = old(...args)
    if (this.#isSampled()) this.#besideOld(args, answer)
    return /* canary: shadow-answer */ answer
  }

  /** The same of an old engine that answers later. */
  async byOldLater(old: (...args: A) => Promise<boolean>, args: A): Promise<boolean> {
    this.#counts.asked++
    const answer = await old(...args)
    if (this.#isSampled()) this.#besideOld(args, answer)
    return answer
  }

  /** The answer of the new engine, compared with that of the old one. @throws what the new one throws */
  byNew(old: (...args: A) => boolean, args: A): boolean {
    this.#counts.asked++
    const answer = this.#askNew(args)
    if (this.#isSampled()) {
      this.#counts.sampled++
      this.#settle(
        args,
        attempt(() => old(...args)),
        answer,
      )
    }
    return answer
  }

  /** The same of an old engine that answers later: no one waits for it. */
  async byNewNow(old: (...args: A) => Promise<boolean>, args: A): Promise<boolean> {
    this.#counts.asked++
    const answer = this.#askNew(args)
    if (this.#isSampled()) this.#besideNew(old, args, answer)
    return answer
  }

  #isSampled(): boolean {
    return this.#sample === 1 || this.#source.random() < this.#sample
  }

  #askNew(args: A): boolean {
    const { question } = this.#options
    const { user, action, resource, context } =
      question === undefined ? (toQuestion(args) as ShadowQuestion) : question(...args)
    return this.#pdp.check(user, action, resource, context)
  }

  #besideOld(args: A, answer: boolean): void {
    this.#counts.sampled++
    this.#settle(
      args,
      answer,
      attempt(() => this.#askNew(args)),
    )
  }

  #besideNew(old: (...args: A) => Promise<boolean>, args: A, answer: boolean): void {
    if (this.#counts.pending >= SHADOW_PENDING_MAX) {
      this.#counts.skipped++
      return
    }
    this.#counts.sampled++
    this.#counts.pending++
    const settle = (given: Answer): void => {
      this.#counts.pending--
      this.#settle(args, given, answer)
    }
    const asked = (async () => old(...args))()
    inBackground(
      'a shadow run',
      asked.then(settle, (error: unknown) => settle(new Fault(error))),
    )
  }

  /** Counts two answers to one question, and reports them where they differ. Never throws. */
  #settle(args: A, given: unknown, answered: unknown): void {
    const [old, found] = [readAnswer(given), readAnswer(answered)]
    if (/* canary: shadow-comparison */ old === found) {
      this.#counts.agreed++
      return
    }
    if (old instanceof Fault || found instanceof Fault) this.#counts.failed++
    else this.#counts.differed++
    const now = this.#source.now()
    if (!this.#mayReport(now)) {
      this.#counts.dropped++
      return
    }
    this.#counts.reported++
    try {
      this.#report(this.#describe(args, old, found, now), args)
    } catch (error) {
      contain('a report of a shadow run', error)
    }
  }

  /** Explaining costs more than checking: where everything differs, only so much of it is explained. */
  #mayReport(now: number): boolean {
    if (!(Math.abs(now - this.#second.at) < SECOND)) this.#second = { at: now, reported: 0 }
    return this.#second.reported++ < SHADOW_REPORTED_PER_SECOND
  }

  #report(difference: Difference, args: A): void {
    const { onDifference } = this.#options
    contained('`onDifference` of a shadow run', () => {
      const heard: unknown = onDifference?.(difference, args)
      if (heard instanceof Promise) inBackground('`onDifference` of a shadow run', heard)
    })()
    const file = this.#file
    if (file === undefined) return
    file.write(difference)
    if (file.wantsCounts(this.#source.now())) this.#writeCounts(file)
  }

  #writeCounts(file: DifferenceFile): void {
    file.write(
      { time: new Date(this.#source.now()).toISOString(), run: this.#source.run, counts: this.counts },
      'counts',
    )
  }

  #describe(args: A, old: Answer, found: Answer, now: number): Difference {
    const names = attempt(() => readNames(this.#question(args)))
    const asked = names instanceof Fault ? UNREADABLE : names
    const explained = this.#explain(args, old, found, asked)
    return {
      time: new Date(now).toISOString(),
      decide: this.#options.decide ?? 'old',
      old: old instanceof Fault ? null : old,
      new: found instanceof Fault ? null : found,
      cause: explained.cause,
      detail: shortText(explained.detail),
      ...asked,
      revision: explained.revision,
      new_reason: shortText(explained.reason),
      ...this.#oldReason(args, old),
    }
  }

  #explain(
    args: A,
    old: Answer,
    found: Answer,
    asked: typeof UNREADABLE,
  ): Explained & { readonly revision: number | null } {
    if (found instanceof Fault)
      return { cause: 'failed', detail: `new: ${found.detail}`, reason: found.reason, revision: null }
    const explanation = attempt(() => {
      const { user, action, resource, context } = this.#question(args)
      return this.#pdp.explain(user, action, resource, context)
    })
    if (explanation instanceof Fault)
      return {
        cause: 'failed',
        detail: `explanation: ${explanation.detail}`,
        reason: explanation.reason,
        revision: null,
      }
    const { revision } = explanation
    const explained = findCause(explanation, asked)
    return old instanceof Fault
      ? { ...explained, cause: 'failed', detail: `old: ${old.detail}`, revision }
      : { ...explained, revision }
  }

  #oldReason(args: A, old: Answer): Pick<Difference, 'old_reason'> {
    if (old instanceof Fault) return { old_reason: shortText(old.reason) }
    const { explainOld } = this.#options
    if (explainOld === undefined) return {}
    const given: unknown = attempt(() => explainOld(...args))
    const reason = given instanceof Fault ? `no reason: ${given.reason}` : attempt(() => String(given))
    return { old_reason: shortText(reason instanceof Fault ? reason.reason : reason) }
  }

  #question(args: A): ShadowQuestion {
    const { question } = this.#options
    return question === undefined ? toQuestion(args) : question(...args)
  }
}

const toQuestion = ([user, action, resource, context]: readonly unknown[]): ShadowQuestion =>
  ({ user, action, resource, context }) as ShadowQuestion

/** What a function gives, or why it gives nothing now: a promise is left alone, and may fail as it likes. */
function attempt<T>(run: () => T): T | Fault {
  try {
    const given = run()
    if (!(given instanceof Promise)) return given
    given.catch(() => undefined)
    return new Fault(LATE)
  } catch (error) {
    return new Fault(error)
  }
}

/** An answer of the old engine, which is code of the application: what counts there as true does so here. */
function readAnswer(given: unknown): Answer {
  if (typeof given !== 'object' || given === null) return Boolean(given)
  if (given instanceof Fault) return given
  const isLate = attempt(() => 'then' in given)
  if (isLate === false) return true
  return new Fault(LATE)
}

const LATE = new TypeError('it gave a promise: use `shadowAsync` for an old function that answers later')

const UNREADABLE: Pick<Difference, 'user' | 'action' | 'resource'> = { user: null, action: '', resource: { type: '' } }

/** The names in a question, shortened: what is asked may be anything. */
function readNames({ user, action, resource }: ShadowQuestion): typeof UNREADABLE {
  const named = typeof resource === 'string' ? splitResource(resource) : resource
  const { type, key, tenant } = named as { readonly type: unknown; readonly key?: unknown; readonly tenant?: unknown }
  return {
    user: user === null ? null : shortText(String(typeof user === 'object' ? user.key : user)),
    action: shortText(String(typeof action === 'object' ? action.key : action)),
    resource: {
      type: shortText(String(type)),
      ...(key === undefined || key === null ? {} : { key: shortText(String(key)) }),
      ...(tenant === undefined || tenant === null ? {} : { tenant: shortText(String(tenant)) }),
    },
  }
}

function splitResource(text: string): { readonly type: string; readonly key?: string } {
  const at = text.indexOf(':')
  return at < 0 ? { type: text } : { type: text.slice(0, at), key: text.slice(at + 1) }
}

const invalid = (reason: string): ZerohopError =>
  new ZerohopError('INPUT_INVALID', { reason: `a shadow run: ${reason}` })
