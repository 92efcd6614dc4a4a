// Which revisions changed the answer to one question: asked at a revision, at a later one, and in between. Over a
// bounded number of revisions each is asked, so that every change is found. Over more, the two halves are compared
// first, again and again, until what is left is short enough: then one change is found for certain, and others may lie
// elsewhere. Runs in a worker thread (past-thread.ts).
import { askAt } from '../../image/asked-at.ts'
import type { Question } from '../../image/explain/explain.ts'
import type { Image } from '../../image/image.ts'
import type { LogId } from '../../log/change.ts'
import { isZerohopError } from '../../model/errors.ts'
import { PAST_FLIPS_LISTED_MAX, PAST_SCAN_REVISIONS_MAX } from '../../model/limits.ts'
import type { PastReader } from '../../store/past-reader.ts'
import { advance, imageAt } from './past-image.ts'

/** `undecided` where a check could not decide. */
export type Answer = 'allow' | 'deny' | 'undecided'

/** A revision after which the answer is another one than before. */
export interface Flip {
  readonly revision: number
  readonly answer: Answer
}

export interface Comparison {
  readonly before: Answer
  readonly after: Answer
  /** in order, PAST_FLIPS_LISTED_MAX at most */
  readonly flips: readonly Flip[]
  /** flips that were found */
  readonly count: number
  /** whether every revision was asked; if not, there may be more */
  readonly isComplete: boolean
}

export interface Range {
  readonly from: number
  readonly to: number
  readonly question: Question
  /** ms since 1970: when it was asked, for one without `context.now` */
  readonly at: number
}

/** The answer of an image to a question that was asked at `at`. @throws what `check` throws, except UNDECIDED */
export function askImage(image: Image, question: Question, at: number): Answer {
  const { user, action, type, tenant, key, sent, relations, isRow } = question
  try {
    const isAllowed = askAt(image, sent, at, () => image.check(user, action, type, tenant, key, sent, relations, isRow))
    return isAllowed ? 'allow' : 'deny'
  } catch (error) {
    if (isZerohopError(error, 'UNDECIDED')) return 'undecided'
    throw error
  }
}

/**
 * Compares the answers at two revisions and finds what changed them.
 * @param scanMax revisions that are asked one by one
 * @throws REVISION_GONE
 */
export async function compareAnswers(
  reader: PastReader,
  environment: LogId,
  { from, to, question, at }: Range,
  scanMax = PAST_SCAN_REVISIONS_MAX,
): Promise<Comparison> {
  if (to - from <= scanMax) return scan(reader, environment, { from, to, question, at })
  const ask = async (revision: number): Promise<Answer> =>
    askImage(await imageAt(reader, environment, revision), question, at)
  const [before, after] = [await ask(from), await ask(to)]
  if (before === after) return { before, after, flips: [], count: 0, isComplete: false }
  let [low, high] = [from, to]
  while (high - low > scanMax) {
    const middle = Math.floor((low + high) / 2)
    if ((await ask(middle)) === before) low = middle
    else high = middle
  }
  const found = await scan(reader, environment, { from: low, to: high, question, at })
  return { ...found, before, after, isComplete: false }
}

async function scan(reader: PastReader, environment: LogId, { from, to, question, at }: Range): Promise<Comparison> {
  const image = await imageAt(reader, environment, from)
  const before = askImage(image, question, at)
  const flips: Flip[] = []
  let count = 0
  let last = before
  await advance(reader, image, to, (hasChanged) => {
    const answer = hasChanged ? askImage(image, question, at) : last
    if (answer === last) return
    last = answer
    count++
    if (flips.length < PAST_FLIPS_LISTED_MAX) flips.push({ revision: image.revision, answer })
  })
  return { before, after: last, flips, count, isComplete: true }
}
