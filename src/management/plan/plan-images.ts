// The images that plans compare: one of each environment that was planned last, kept in the thread of plans and brought
// up to date with the entries of the log, so that a plan of one line over a million facts builds nothing.
import { Image } from '../../image/image.ts'
import type { LogId } from '../../log/change.ts'
import { toDelta } from '../../log/delta.ts'
import { isZerohopError } from '../../model/errors.ts'
import { LOG_READ_MAX, PLAN_IMAGES_BYTES_MAX, PLAN_IMAGES_MAX } from '../../model/limits.ts'
import type { Reader } from '../../store/reader.ts'
import type { View } from '../../store/view.ts'
import { policyOf } from '../snapshot/snapshot.ts'

/** The chain of an image that is no revision of any log. */
export const AFTER_CHAIN = '0'.repeat(64)

export class PlanImages {
  readonly #reader: Reader
  /** in the order of last use */
  readonly #kept = new Map<LogId, Image>()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** The image of the view, which is the last state of its log. */
  of(view: View): Image {
    const kept = this.#kept.get(view.log)
    const image = kept !== undefined && this.#follow(kept, view) ? kept : build(view)
    this.#kept.delete(view.log)
    this.#kept.set(view.log, image)
    this.#makeRoom(view.log)
    return image
  }

  /** Brings the image to the revision of the view; false when it must be built anew. */
  #follow(image: Image, view: View): boolean {
    const { revision, chain } = view.position
    try {
      while (image.revision < revision) {
        const entries = this.#reader.entries(view.log, image.revision, LOG_READ_MAX)
        if (entries.length === 0) return false
        for (const entry of entries) if (entry.revision <= revision) image.apply(toDelta(entry))
      }
      return image.revision === revision && image.position.chain === chain
    } catch (error) {
      // of another history, full, or damaged: the state says what is true
      if (isZerohopError(error)) return false
      throw error
    }
  }

  #makeRoom(used: LogId): void {
    let bytes = 0
    for (const image of this.#kept.values()) bytes += image.stats().bytes
    for (const [log, image] of this.#kept) {
      if ((bytes <= PLAN_IMAGES_BYTES_MAX && this.#kept.size <= PLAN_IMAGES_MAX) || log === used) break
      this.#kept.delete(log)
      bytes -= image.stats().bytes
    }
  }
}

const build = (view: View): Image => Image.build(view.log, view.position, policyOf(view))
