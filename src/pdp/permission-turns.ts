// The permissions of a user as a server answers them: in turns of some milliseconds, so that other requests are answered
// in between, and yet from one revision. When a change comes in between, the list begins anew, and from then on changes
// wait for it: each for a bounded time (ANSWER_HOLD_MS), so the number of attempts is bounded too.
import { setImmediate as pause } from 'node:timers/promises'
import type { Image } from '../image/image.ts'
import type { NamedRow, PermissionList } from '../image/list/listings.ts'
import { ZerohopError } from '../model/errors.ts'
import { ANSWER_HOLD_MS, LISTING_ATTEMPTS_MAX, LONG_LISTINGS_MAX, PERMISSIONS_ROWS_MAX } from '../model/limits.ts'
import { permissionsTooLarge } from './pdp-listings.ts'
import type { PdpSource } from './pdp-source.ts'

/** A list of permissions to be read, and who it is about. */
export interface PermissionTurns<T> {
  readonly user: string
  /** undefined: there is nothing to list */
  readonly open: (image: Image) => PermissionList | undefined
  /** what becomes of the rows of one turn */
  readonly toPart: (rows: readonly NamedRow[]) => T
}

/** What `toPart` made of the rows, turn by turn, and the revision of all of them. */
export interface PermissionParts<T> {
  readonly revision: number
  readonly parts: readonly T[]
}

/** @throws LISTING_TOO_LARGE, UNDECIDED, OVERLOADED, and what a check throws */
export async function listInTurns<T>(source: PdpSource, turns: PermissionTurns<T>): Promise<PermissionParts<T>> {
  const now = source.asOne(() => source.now)
  const attempt = new Attempt(source, turns, now)
  if (attempt.goOn() === 'done') return attempt // as most do
  return oneAfterAnother(() => finish(source, turns, attempt, now))
}

async function finish<T>(
  source: PdpSource,
  turns: PermissionTurns<T>,
  first: Attempt<T>,
  now: number,
): Promise<PermissionParts<T>> {
  if ((await first.finish()) === 'done') return first
  const release = source.hold()
  try {
    for (let count = 1; count < LISTING_ATTEMPTS_MAX; count++) {
      const attempt = new Attempt(source, turns, now)
      if ((await attempt.finish()) === 'done') return attempt
    }
  } finally {
    release()
  }
  throw permissionsTooLarge(turns.user, `${ANSWER_HOLD_MS} ms, for which changes wait`)
}

/** One reading of a list, at one revision of one image and one instant. */
class Attempt<T> implements PermissionParts<T> {
  readonly parts: T[] = []
  readonly revision: number
  readonly #source: PdpSource
  readonly #turns: PermissionTurns<T>
  readonly #image: Image
  readonly #list: PermissionList | undefined
  readonly #now: number
  #rows = 0

  constructor(source: PdpSource, turns: PermissionTurns<T>, now: number) {
    this.#source = source
    this.#turns = turns
    this.#now = now
    const [image, list] = source.asOne(() => {
      const taken = source.take()
      return [taken, taken.guardAt(now, () => turns.open(taken))] as const
    })
    this.#image = image
    this.revision = image.revision
    this.#list = list
  }

  /** One turn. */
  goOn(): 'done' | 'more' | 'moved' {
    const list = this.#list
    if (list === undefined) return 'done'
    const part = this.#source.asOne(() => {
      const image = this.#source.take()
      const isSame = image === this.#image && image.revision === this.revision
      if (!isSame) return undefined
      return image.guardAt(this.#now, () => image.listings.permissionPart(list, PERMISSIONS_ROWS_MAX))
    })
    if (part === undefined) return 'moved'
    this.#rows += part.rows.length
    if (this.#rows > PERMISSIONS_ROWS_MAX) throw permissionsTooLarge(this.#turns.user, `${PERMISSIONS_ROWS_MAX} rows`)
    if (part.rows.length > 0) this.parts.push(this.#turns.toPart(part.rows))
    return part.next === undefined ? 'done' : 'more'
  }

  async finish(): Promise<'done' | 'moved'> {
    for (;;) {
      await pause()
      const state = this.goOn()
      if (state !== 'more') return state
    }
  }
}

/** The end of the long listing that was asked for last, of those that have not ended. */
let last: Promise<unknown> = Promise.resolve()
let waiting = 0

/** Long listings of a process go on one after the other: otherwise many of them would make one long turn. */
async function oneAfterAnother<T>(work: () => Promise<T>): Promise<T> {
  if (waiting >= LONG_LISTINGS_MAX) throw new ZerohopError('OVERLOADED', { waiting })
  waiting++
  const result = last.then(work)
  last = result.then(forget, forget)
  try {
    return await result
  } finally {
    waiting--
  }
}

const forget = (): void => undefined
