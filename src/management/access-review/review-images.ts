// Images of the revisions that access reviews were asked about last. A revision behind one of them is reached as a PDP
// reaches it, by deltas applied to a copy; any other one, or one that is too far, is built.
import { setImmediate as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Image } from '../../image/image.ts'
import type { LogId, Position } from '../../log/change.ts'
import { type PolicyChange, toDelta } from '../../log/delta.ts'
import { isZerohopError } from '../../model/errors.ts'
import {
  PAST_IMAGE_MS,
  PAST_IMAGES_BYTES_MAX,
  REVIEW_FOLLOWED_CHANGES_MAX,
  REVIEW_IMAGES_MAX,
} from '../../model/limits.ts'
import type { PastReader } from '../../store/past-reader.ts'
import { gone, imageAt } from '../past/past-image.ts'

interface Kept {
  readonly environment: LogId
  readonly at: Position
  readonly image: Promise<Followed>
  /** 0 until it is there */
  bytes: number
}

/** An image, and how many changes were applied to it since it was built. */
interface Followed {
  readonly image: Image
  readonly changes: number
}

export interface ReviewImageLimits {
  /** of all images; the last used one stays whatever its size */
  readonly bytes: number
  /** that are applied to an image after it was built */
  readonly changes: number
}

export class ReviewImages {
  readonly #open: (environment: LogId) => Promise<PastReader>
  readonly #limits: ReviewImageLimits
  /** in the order of last use */
  readonly #kept = new Set<Kept>()

  constructor(open: (environment: LogId) => Promise<PastReader>, limits: Partial<ReviewImageLimits> = {}) {
    this.#open = open
    this.#limits = { bytes: PAST_IMAGES_BYTES_MAX, changes: REVIEW_FOLLOWED_CHANGES_MAX, ...limits }
  }

  /** The image of a revision: no delta may be applied to it. @throws REVISION_GONE */
  async at(environment: LogId, at: Position): Promise<Image> {
    const known = this.#find((kept) => kept.environment === environment && isDeepStrictEqual(kept.at, at))
    const kept = known ?? this.#make(environment, at)
    this.#kept.delete(kept)
    this.#kept.add(kept)
    this.#makeRoom()
    return (await kept.image).image
  }

  #find(isWanted: (kept: Kept) => boolean): Kept | undefined {
    return [...this.#kept].find(isWanted)
  }

  #make(environment: LogId, at: Position): Kept {
    const earlier = [...this.#kept]
      .filter((kept) => kept.environment === environment && kept.at.revision < at.revision)
      .reduce<Kept | undefined>((near, one) => ((near?.at.revision ?? -1) > one.at.revision ? near : one), undefined)
    const kept: Kept = { environment, at, image: this.#reach(environment, at, earlier), bytes: 0 }
    kept.image.then(
      ({ image }) => {
        kept.bytes = image.stats().bytes
        this.#makeRoom()
        setTimeout(() => this.#kept.delete(kept), PAST_IMAGE_MS).unref() // what retention has removed must go
      },
      () => this.#kept.delete(kept),
    )
    return kept
  }

  #makeRoom(): void {
    let bytes = 0
    for (const kept of this.#kept) bytes += kept.bytes
    for (const oldest of this.#kept) {
      if (this.#kept.size === 1 || (this.#kept.size <= REVIEW_IMAGES_MAX && bytes <= this.#limits.bytes)) return
      this.#kept.delete(oldest)
      bytes -= oldest.bytes
    }
  }

  async #reach(environment: LogId, at: Position, earlier: Kept | undefined): Promise<Followed> {
    const reader = await this.#open(environment)
    try {
      const followed = earlier && (await follow(reader, earlier, at, this.#limits.changes))
      if (followed !== undefined) return followed
      const image = await imageAt(reader, environment, at.revision)
      if (!isDeepStrictEqual(image.position, at)) throw gone(at.revision, await reader.reach()) // replaced meanwhile
      return { image, changes: 0 }
    } finally {
      await reader.close()
    }
  }
}

/** Undefined when it is too far, or the way there is not to be had: then an image is built. */
async function follow(
  reader: PastReader,
  { image: earlier }: Kept,
  at: Position,
  changesMax: number,
): Promise<Followed | undefined> {
  try {
    const from = await earlier
    const image = from.image.clone()
    let { changes } = from
    await advanceSlowly(reader, image, at.revision, ({ length }) => {
      changes += length
      return changes <= changesMax
    })
    return isDeepStrictEqual(image.position, at) ? { image, changes } : undefined
  } catch (error) {
    if (isZerohopError(error)) return undefined
    throw error
  }
}

/**
 * Applies the entries up to a revision, in many short turns.
 * @param goesOn hears of the changes of each before they are applied; false ends it there
 * @throws REVISION_GONE when an entry on the way is gone; FEED_GAP, FEED_FORK
 */
export async function advanceSlowly(
  reader: PastReader,
  image: Image,
  to: number,
  goesOn: (changes: readonly PolicyChange[]) => boolean,
): Promise<void> {
  while (image.revision < to) {
    const entries = await reader.entries(image.revision)
    if (entries.length === 0) throw gone(to, await reader.reach())
    for (const entry of entries) {
      if (entry.revision > to) break
      const delta = toDelta(entry)
      if (!goesOn(delta.changes)) return
      image.apply(delta)
    }
    await pause()
  }
}
