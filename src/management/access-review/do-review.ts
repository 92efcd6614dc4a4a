// Access reviews, in their thread: images of revisions, kept for the pages that follow, and what is asked of them.
import { setImmediate as pause } from 'node:timers/promises'
import { accessDiff } from '../../image/access-diff/access-diff.ts'
import { findNextTurn } from '../../image/access-diff/turns.ts'
import { type GroupedBy, ReviewCounts } from '../../image/access-review/counts.ts'
import { AccessReview } from '../../image/access-review/review.ts'
import type { Image } from '../../image/image.ts'
import type { PolicyChange } from '../../log/delta.ts'
import type { AccessDiff } from '../../model/access-diff.ts'
import {
  REVIEW_COUNT_TURN_WORK_MAX,
  REVIEW_COUNT_WORK_MAX,
  REVIEW_WORK_MAX,
  REVIEWS_KEPT_MAX,
} from '../../model/limits.ts'
import { openPast } from '../past/open-past.ts'
import type { PastPlace } from '../past/past-task.ts'
import { advanceSlowly, ReviewImages } from './review-images.ts'
import type { Counted, ReviewedRevision, ReviewResults, ReviewTask } from './review-task.ts'

type Of<T extends ReviewTask['task']> = Extract<ReviewTask, { task: T }>

export class Reviews {
  readonly #place: PastPlace
  readonly #images: ReviewImages
  /** in the order of last use */
  readonly #reviews = new Map<string, AccessReview>()
  readonly #counts = new Map<string, CountsInTime>()

  constructor(place: PastPlace) {
    this.#place = place
    this.#images = new ReviewImages((environment) => openPast(place, environment))
  }

  /** @throws REVISION_GONE */
  do(task: ReviewTask): Promise<ReviewResults[ReviewTask['task']]> {
    if (task.task === 'lines') return this.#lines(task)
    return task.task === 'counts' ? this.#countsOf(task) : this.#changes(task)
  }

  async #lines({ question, after, limit, ...revision }: Of<'lines'>): Promise<ReviewResults['lines']> {
    const { environment, at, since } = revision
    const is = await this.#images.at(environment, at)
    const was = since && (await this.#images.at(environment, since))
    const name = JSON.stringify([environment, at, since, question])
    const review = kept(this.#reviews, name, REVIEWS_KEPT_MAX, () => makeReview(is, was, question))
    // a review is of the images that it was made with: these are guarded here, against broken ones
    const { now } = question
    const page = () => review.page(after, limit, REVIEW_WORK_MAX)
    return is.guardAt(now, () => (was === undefined ? page() : was.guardAt(now, page)))
  }

  async #countsOf({ by, now, environment, at }: Of<'counts'>): Promise<Counted> {
    const image = await this.#images.at(environment, at)
    // counts of minutes ago are of the same revision: only conditions on the time could say otherwise, and what starts or ends
    const name = JSON.stringify([environment, at, by, Math.floor(now / COUNTS_MS)])
    const known = this.#counts.get(name)
    if (known !== undefined && (now < known.from || known.until <= now)) this.#counts.delete(name)
    const make = () => ({ counted: count(image, by, now), from: now, until: findNextTurn(image, now) })
    return kept(this.#counts, name, REVIEWS_KEPT_MAX, make).counted
  }

  async #changes({ environment, at, since, now, page }: Of<'changes'>): Promise<AccessDiff> {
    const before = await this.#images.at(environment, since)
    const after = before.clone()
    const changes = await this.#follow(after, { environment, at })
    return accessDiff(before, after, changes, { now, ...(page === undefined ? {} : { after: page }) })
  }

  /** Brings an image to a later revision; the last change of each object on the way. */
  async #follow(image: Image, { environment, at }: ReviewedRevision): Promise<PolicyChange[]> {
    const reader = await openPast(this.#place, environment)
    const last = new Map<string, PolicyChange>()
    try {
      await advanceSlowly(reader, image, at.revision, (changes) => {
        for (const change of changes) last.set(`${change.kind} ${change.key}`, change)
        return true
      })
    } finally {
      await reader.close()
    }
    return [...last.values()]
  }
}

/** Counts, and the instants at which they are right but for conditions on the time. */
interface CountsInTime {
  readonly counted: Promise<Counted>
  /** ms since 1970 */
  readonly from: number
  /** exclusive: something starts or ends then */
  readonly until: number
}

/** Milliseconds for which counts stay as they are. */
const COUNTS_MS = 60_000

function makeReview(is: Image, was: Image | undefined, question: Of<'lines'>['question']): AccessReview {
  const { now } = question
  return is.inside((after) => {
    if (was === undefined) return new AccessReview(after, undefined, question)
    return was.inside((before) => new AccessReview(after, before, question), now)
  }, now)
}

async function count(image: Image, by: GroupedBy, now: number): Promise<Counted> {
  const counts = image.inside((inside) => new ReviewCounts(inside, by), now)
  let left = REVIEW_COUNT_WORK_MAX
  let isMore = true
  for (; isMore && left > 0; left -= REVIEW_COUNT_TURN_WORK_MAX) {
    isMore = image.guardAt(now, () => counts.step(REVIEW_COUNT_TURN_WORK_MAX))
    await pause() // pages are answered meanwhile
  }
  return { groups: counts.groups, ofTenants: counts.ofTenants, complete: counts.complete && !isMore }
}

/** The value of a name, made when it is not there; the one that was used longest ago makes room. */
function kept<T>(values: Map<string, T>, name: string, max: number, make: () => T): T {
  const value = values.get(name) ?? make()
  values.delete(name)
  values.set(name, value)
  for (const oldest of values.keys()) {
    if (values.size <= max) break
    values.delete(oldest)
  }
  return value
}
