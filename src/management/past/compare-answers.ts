// What changed the answer to one question, from a revision at an instant to a later one at a later instant: the revisions
// in between, and between them the instants at which something starts or ends (D15). Over a bounded number of revisions
// each is asked, so that every change is found. Over more, the two halves are compared first, again and again, until what
// is left is short enough: then one change is found for certain, and others may lie elsewhere. Runs in a worker thread
// (past-thread.ts).
import type { Question } from '../../image/explain/explain.ts'
import type { Image, NotInForce } from '../../image/image.ts'
import type { LogId } from '../../log/change.ts'
import { isZerohopError } from '../../model/errors.ts'
import {
  PAST_FLIPS_LISTED_MAX,
  PAST_SCAN_INSTANTS_MAX,
  PAST_SCAN_REVISIONS_MAX,
  PAST_WALK_MAX,
} from '../../model/limits.ts'
import type { PastReader } from '../../store/past-reader.ts'
import { advance, imageAt } from './past-image.ts'

/** `undecided` where a check could not decide. */
export type Answer = 'allow' | 'deny' | 'undecided'

/** After which the answer is another one than before. */
export interface Flip {
  /** the revision that answers from then on */
  readonly revision: number
  readonly answer: Answer
  /** `revision`: that one was written; `time`: only time passed */
  readonly by: 'revision' | 'time'
  /** since when, in ms since 1970: at this instant time changed it, or a revision that was written by then */
  readonly at: number
  /** what started or ended then, where it is known; none where a condition reads the time */
  readonly grants: readonly NotInForce[]
}

export interface Comparison {
  readonly before: Answer
  readonly after: Answer
  /** in order, PAST_FLIPS_LISTED_MAX at most */
  readonly flips: readonly Flip[]
  /** flips that were found */
  readonly count: number
  /** whether every revision was asked, and each instant between them; if not, there may be more */
  readonly isComplete: boolean
}

export interface Range {
  readonly from: number
  readonly to: number
  /** the instant of the first question, in ms since 1970; those after it are of the time when a revision was written */
  readonly since: number
  /** that of the last one */
  readonly until: number
  /** a `context.now` that it has stays as it is; else conditions read the instant */
  readonly question: Question
}

/** The answer of an image at an instant, in ms since 1970. @throws what `check` throws, except UNDECIDED */
export function askImage(image: Image, question: Question, now: number): Answer {
  const { user, action, type, tenant, key, sent, relations, isRow } = questionAt(question, now)
  try {
    const allows = () => image.check(user, action, type, tenant, key, sent, relations, isRow)
    return image.guardAt(now, allows) ? 'allow' : 'deny'
  } catch (error) {
    if (isZerohopError(error, 'UNDECIDED')) return 'undecided'
    throw error
  }
}

/** The question with the instant as its time, unless it has a time of its own: then conditions read that (D15). */
const questionAt = (question: Question, now: number): Question =>
  hasOwnTime(question)
    ? question
    : { ...question, sent: { ...question.sent, context: { ...question.sent?.context, now } } }

const hasOwnTime = ({ sent }: Question): boolean =>
  ((sent?.context as { readonly now?: unknown } | null | undefined)?.now ?? null) !== null

/**
 * Compares the answers at two revisions and finds what changed them.
 * @param scanMax revisions that are asked one by one
 * @throws REVISION_GONE
 */
export async function compareAnswers(
  reader: PastReader,
  environment: LogId,
  range: Range,
  scanMax = PAST_SCAN_REVISIONS_MAX,
): Promise<Comparison> {
  const { from, to, since, until, question } = range
  if (to - from <= scanMax) return scan(reader, environment, range)
  const ask = async (revision: number, now: number): Promise<Answer> =>
    askImage(await imageAt(reader, environment, revision), question, now)
  const [before, after] = [await ask(from, since), await ask(to, until)]
  if (before === after) return { before, after, flips: [], count: 0, isComplete: false }
  let [low, high] = [
    { revision: from, now: since },
    { revision: to, now: until },
  ]
  while (high.revision - low.revision > scanMax) {
    const revision = Math.floor((low.revision + high.revision) / 2)
    const [entry] = await reader.entries(revision - 1)
    const middle = { revision, now: Math.max(low.now, entry?.at ?? 0) }
    if ((await ask(revision, middle.now)) === before) low = middle
    else high = middle
  }
  const narrow = { from: low.revision, to: high.revision, since: low.now, until: high.now, question }
  return { ...(await scan(reader, environment, narrow)), before, after, isComplete: false }
}

async function scan(reader: PastReader, environment: LogId, range: Range): Promise<Comparison> {
  const image = await imageAt(reader, environment, range.from)
  const walk = new Walk(image, range)
  const before = walk.answer
  await advance(reader, image, range.to, {
    before: (at) => walk.pass(at),
    after: (hasChanged, at) => walk.write(hasChanged, at),
  })
  walk.pass(range.until)
  walk.end(range.until)
  const { flips, count, isComplete, answer: after } = walk
  return { before, after, flips, count, isComplete }
}

/** Asks one image after another, as time passes. */
class Walk {
  answer: Answer
  readonly flips: Flip[] = []
  count = 0
  isComplete = true
  readonly #image: Image
  readonly #question: Question
  #now: number
  #instants = 0
  /** the next instant at which something starts or ends, as of `#now`; undefined when that is not known */
  #next: number | undefined
  #readsTime = false

  constructor(image: Image, { question, since }: Range) {
    this.#image = image
    this.#question = question
    this.#now = since
    this.answer = askImage(image, question, since)
    this.#look()
  }

  /** Time passes up to an instant, while this revision answers. */
  pass(to: number): void {
    while (this.#now < to) {
      const next = this.#next
      const isKnown = next !== undefined && next <= to
      if (next === undefined || this.#readsTime) this.#seek(isKnown ? next - 1 : to)
      if (next === undefined || this.#instants > PAST_SCAN_INSTANTS_MAX) this.isComplete = false
      if (!isKnown || !this.isComplete) return
      this.#instants++
      this.#now = next
      this.#ask('time')
      this.#look()
    }
  }

  /** A revision was written, and is applied. */
  write(hasChanged: boolean, at: number): void {
    this.#now = Math.max(this.#now, at)
    if (!hasChanged) return
    this.#ask('revision')
    this.#look()
  }

  /** The last question, whatever was found before. */
  end(until: number): void {
    this.#now = until
    this.#ask('time')
  }

  /** Finds an instant up to this one at which the answer changes: one for certain, where it is another at the end. */
  #seek(to: number): void {
    let [low, high] = [this.#now, to]
    if (high <= low || askImage(this.#image, this.#question, high) === this.answer) return
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (askImage(this.#image, this.#question, middle) === this.answer) low = middle
      else high = middle
    }
    this.#now = high
    this.#ask('time')
  }

  #look(): void {
    const { user, type, action } = this.#question
    this.#readsTime = !hasOwnTime(this.#question) && this.#image.attributesRead(type, action).context.includes('now')
    this.#next = this.#image.guardAt(this.#now, () => this.#image.nextChangeFor(user, PAST_WALK_MAX))
  }

  #ask(by: Flip['by']): void {
    const answer = askImage(this.#image, this.#question, this.#now)
    if (answer === this.answer) return
    this.answer = answer
    this.count++
    if (this.flips.length >= PAST_FLIPS_LISTED_MAX) return
    const grants = by === 'time' ? this.#findGrants() : []
    this.flips.push({ revision: this.#image.revision, answer, by, at: this.#now, grants })
  }

  /** What starts or ends at this instant, and thereby changes the answer. */
  #findGrants(): readonly NotInForce[] {
    const at = this.#now
    if (this.answer === 'deny') return this.#listMissing(at).filter(({ valid_until }) => valid_until === at)
    return this.#listMissing(at - 1).filter(({ valid_from }) => valid_from === at)
  }

  #listMissing(now: number): readonly NotInForce[] {
    const { user, action, type, tenant, key, sent, relations, isRow } = questionAt(this.#question, now)
    try {
      const explain = () => this.#image.explain(user, action, type, tenant, key, sent, relations, isRow)
      return this.#image.guardAt(now, explain).not_in_force
    } catch (error) {
      if (isZerohopError(error, 'UNDECIDED')) return []
      throw error
    }
  }
}
