// The images that plans compare: one of each environment that was planned last, kept in the thread of plans and brought
// up to date with the entries of the log, so that a plan of one line over a million facts builds nothing. The first one
// is the file for followers, where there is one.
import { Image } from '../../image/image.ts'
import type { LogId } from '../../log/change.ts'
import { toDelta } from '../../log/delta.ts'
import { isZerohopError } from '../../model/errors.ts'
import { LOG_READ_MAX, PLAN_IMAGES_BYTES_MAX, PLAN_IMAGES_MAX, SNAPSHOT_IN_TURN_MAX } from '../../model/limits.ts'
import type { Reader } from '../../store/reader.ts'
import type { View } from '../../store/view.ts'
import { estimateSize, policyOf } from '../snapshot/snapshot.ts'
import { snapshotPath } from '../snapshot/snapshot-file.ts'

/** The chain of an image that is not a revision of any log. */
export const AFTER_CHAIN = '0'.repeat(64)

export class PlanImages {
  readonly #reader: Reader
  readonly #data: string
  /** in the order of last use */
  readonly #kept = new Map<LogId, Image>()

  /** @param data folder of the store */
  constructor(reader: Reader, data: string) {
    this.#reader = reader
    this.#data = data
  }

  /**
   * The image of the view, which is the last state of its log.
   * @param mayBuild also of very many objects, which takes seconds; without it undefined is returned for these
   */
  of(view: View, mayBuild: boolean): Image | undefined {
    const kept = this.#kept.get(view.log)
    this.#kept.delete(view.log)
    let image = kept && this.#followed(kept, view)
    if (image === undefined && estimateSize(view) > SNAPSHOT_IN_TURN_MAX) {
      image = this.#fromFile(view)
      if (image === undefined && !mayBuild) return undefined
    }
    image ??= build(view)
    this.#kept.set(view.log, image)
    this.#makeRoom(view.log)
    return image
  }

  /** From the file for followers; undefined unless the log continues from it. */
  #fromFile(view: View): Image | undefined {
    try {
      const image = Image.load(snapshotPath(this.#data, view.log, 'image'), { verified: true }) // written by this server
      return image.environment === view.log ? this.#followed(image, view) : undefined
    } catch (error) {
      if (isZerohopError(error)) return undefined
      throw error
    }
  }

  /** Brings the image to the revision of the view; undefined when it must be built anew, or that takes no longer. */
  #followed(image: Image, view: View): Image | undefined {
    const { revision, chain } = view.position
    let left = estimateSize(view)
    try {
      while (image.revision < revision) {
        const entries = this.#reader.entries(view.log, image.revision, LOG_READ_MAX)
        if (entries.length === 0) return undefined
        for (const entry of entries) {
          if (entry.revision > revision) break
          left -= entry.changes.length
          if (left < 0) return undefined
          image.apply(toDelta(entry))
        }
      }
      return image.revision === revision && image.position.chain === chain ? image : undefined
    } catch (error) {
      // of another history, full, or damaged: the state says what is true
      if (isZerohopError(error)) return undefined
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
