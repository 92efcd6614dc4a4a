// The access review of an image: who has what, user by user in the order of their keys, in pages of bounded work; and
// the same compared with an earlier image. docs/access-review.md defines it.

import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { AccessFilter, AccessLine } from '../../model/access-line.ts'
import { EVERYBODY } from '../../model/keys.ts'
import { REVIEW_ENDS_MAX } from '../../model/limits.ts'
import { compareText } from '../../model/text-order.ts'
import type { Inside } from '../access-diff/side.ts'
import { findHolder } from '../look-up.ts'
import { everybodyStored, ownAloneIn } from '../records/everybody.ts'
import { principalKey } from '../records/principal.ts'
import { isSuspended } from '../records/suspension.ts'
import { inOrder, records } from '../records/tables.ts'
import { compareLines, incomplete, LinesOfUser, lineName } from './lines-of-user.ts'

/** A line, and whether it was there before: null where nothing is compared, or it was and is. */
export interface ComparedLine extends AccessLine {
  readonly change: 'added' | 'removed' | null
}

/** Where a page begins: behind all lines of a user, or behind so many of them. */
export interface ReviewPlace {
  readonly user: string
  /** lines of the user that were listed; null: all */
  readonly lines: number | null
}

export interface ReviewPage {
  readonly lines: readonly ComparedLine[]
  /** where the next page begins; undefined at the end */
  readonly next: ReviewPlace | undefined
}

/** What a review is asked for. */
export interface ReviewQuestion {
  readonly filter: AccessFilter
  /** only lines that are added or removed */
  readonly changed: boolean
  /** only lines with an end, those that end first first; of one image */
  readonly isByEnd?: boolean
}

/** The work of looking at a user without lines, in the unit of listings. */
const LOOK_WORK = 8

export class AccessReview {
  readonly #sides: readonly [before: LinesOfUser | undefined, after: LinesOfUser]
  readonly #question: ReviewQuestion

  /** lines in the order of their ends */
  #byEnd: readonly ComparedLine[] | undefined
  /** keys of the only users who can have lines, in order */
  #few: readonly string[] | 'many' | undefined

  /** @param before what it is compared with */
  constructor(after: Inside, before: Inside | undefined, question: ReviewQuestion) {
    this.#question = question
    const side = (inside: Inside) => new LinesOfUser(inside, question.filter)
    this.#sides = [before && side(before), side(after)]
  }

  /**
   * The lines behind a place. A page may have fewer lines than the limit, or none, and more behind: it ends when its
   * work is done.
   */
  page(after: ReviewPlace | undefined, limit: number, work: number): ReviewPage {
    const kernels = this.#sides.flatMap((side) => (side === undefined ? [] : [side.kernel]))
    return ownAloneIn(kernels, () => this.#page(after, limit, work))
  }

  #page(after: ReviewPlace | undefined, limit: number, work: number): ReviewPage {
    const lines: ComparedLine[] = []
    if (this.#sides.every((side) => side === undefined || side.isEmpty)) return { lines, next: undefined }
    if (this.#question.isByEnd) return this.#pageByEnd(after, limit)
    let left = work
    for (const users of this.#usersFrom(after)) {
      const { key } = users
      const { lines: own, work: spent } = this.#compareUser(users)
      left -= spent
      const from = key === after?.user ? (after.lines ?? 0) : 0
      const room = limit - lines.length
      for (const line of own.slice(from, from + room)) lines.push(line)
      if (own.length - from > room) return { lines, next: { user: key, lines: from + room } }
      if (lines.length >= limit || left < 0) return { lines, next: { user: key, lines: null } }
    }
    return { lines, next: undefined }
  }

  /** The place is so many lines in: all pages are of one image at one instant. */
  #pageByEnd(after: ReviewPlace | undefined, limit: number): ReviewPage {
    this.#byEnd ??= this.#listByEnd()
    const from = after?.lines ?? 0
    const to = from + limit
    return { lines: this.#byEnd.slice(from, to), next: to < this.#byEnd.length ? { user: '', lines: to } : undefined }
  }

  #listByEnd(): ComparedLine[] {
    const [, side] = this.#sides
    const lines: AccessLine[] = []
    let isCut = false
    const keep = (): void => {
      lines.sort((left, right) => left.valid_until! - right.valid_until! || compareLines(left, right))
      isCut ||= lines.length > REVIEW_ENDS_MAX
      lines.length = Math.min(lines.length, REVIEW_ENDS_MAX)
    }
    const { user: only } = this.#question.filter
    const { kernel } = side
    const all = () => [everybodyStored(kernel), ...records(kernel, Table.Users)]
    const users = only === undefined ? all() : [findHolder(kernel, only)]
    for (const user of users) {
      if (user === 0 || !side.hasEnds(user) || /* canary: ends-of-the-suspended */ isSuspended(side.kernel, user))
        continue // D16
      for (const line of side.of(user).lines) if (line.valid_until !== undefined && !line.derived) lines.push(line)
      if (lines.length > 2 * REVIEW_ENDS_MAX) keep()
    }
    keep()
    return [...lines, ...(isCut ? [incomplete('')] : [])].map((line) => ({ ...line, change: null }))
  }

  #findFew(): readonly string[] | undefined {
    const keys = new Set<string>()
    for (const side of this.#sides) {
      if (side === undefined || side.isEmpty) continue
      const users = side.findFewUsers()
      if (users === undefined) return undefined
      for (const user of users) keys.add(principalKey(side.kernel, user))
    }
    return [...keys].sort(compareText)
  }

  #compareUser({ ids }: UserOfSides): { lines: readonly ComparedLine[]; work: number } {
    const found = this.#sides.map((side, index) => {
      const id = ids[index] ?? 0
      if (side === undefined || id === 0 || side.isEmpty) return NOTHING
      return /* canary: lines-of-the-suspended */ isSuspended(side.kernel, id) ? NOTHING : side.of(id) // D16
    })
    const [before = NOTHING, after = NOTHING] = found
    const work = LOOK_WORK + before.work + after.work
    if (this.#sides[0] === undefined) return { lines: after.lines.map((line) => ({ ...line, change: null })), work }
    const [was, is] = [before, after].map(({ lines }) => new Set(lines.map(lineName)))
    const lines: ComparedLine[] = after.lines.map((line) => ({
      ...line,
      change: was?.has(lineName(line)) ? null : 'added',
    }))
    for (const line of before.lines) if (!is?.has(lineName(line))) lines.push({ ...line, change: 'removed' })
    const wanted = this.#question.changed ? lines.filter(({ change }) => change !== null) : lines
    return { lines: wanted.sort(compareLines), work }
  }

  /** The users of both images from a place on, in the order of their keys. */
  *#usersFrom(after: ReviewPlace | undefined): Iterable<UserOfSides> {
    const kernels = this.#sides.map((side) => side?.kernel)
    const findUserIds = (key: string) => kernels.map((kernel) => (kernel === undefined ? 0 : findHolder(kernel, key)))
    const { user: only } = this.#question.filter
    if (only !== undefined) {
      if (after === undefined || after.lines !== null) yield { key: only, ids: findUserIds(only) }
      return
    }
    if (after !== undefined && after.lines !== null) yield { key: after.user, ids: findUserIds(after.user) }
    this.#few ??= this.#findFew() ?? 'many'
    if (this.#few !== 'many') {
      for (const key of this.#few) {
        if (compareText(key, after?.user ?? '') > 0) yield { key, ids: findUserIds(key) }
      }
      return
    }
    const cursors = kernels.map((kernel) => kernel && usersAfter(kernel, after?.user ?? ''))
    const heads = cursors.map((cursor) => cursor?.next().value)
    for (;;) {
      const keys = heads.flatMap((head) => (head === undefined ? [] : [head.key]))
      const [first] = keys.sort(compareText)
      if (first === undefined) return
      const ids = heads.map((head, index) => {
        if (head?.key !== first) return 0
        heads[index] = cursors[index]?.next().value
        return head.id
      })
      yield { key: first, ids }
    }
  }
}

const NOTHING = { lines: [], work: 0 } as const

interface UserOfSides {
  readonly key: string
  /** in the image before and after; 0 where it is not stored */
  readonly ids: readonly number[]
}

/** The stored users behind a key, in order. */
function* usersAfter(kernel: Kernel, after: string): Generator<{ key: string; id: number }, undefined> {
  const shared = everybodyStored(kernel)
  if (after === '' && shared !== 0) yield { key: EVERYBODY, id: shared } // its sign is before all keys of users
  for (const id of inOrder(kernel, Table.Users, after)) yield { key: principalKey(kernel, id), id }
  return undefined
}
