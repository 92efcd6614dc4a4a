// What a door is: one way to learn who may do what, asked in the common form of a question. It says what it says, or by
// name why it cannot be asked; and it knows what would be right.
import type { Image } from '../../../src/image/image.ts'
import type { PolicyChange } from '../../../src/log/delta.ts'
import type { Policy } from '../../reference/policy.ts'
import type { Asked } from './asked.ts'
import type { Desk } from './desk.ts'

export type Awaitable<T> = T | Promise<T>

/** Why a door cannot be asked a question. */
export type LackReason =
  | 'it takes no attributes of the action'
  | 'it takes no attributes'
  | 'it takes no attribute `tenant`'
  | 'it takes no time that is no instant'
  | 'it takes no relations'
  | 'it takes no marked row'
  | 'it takes no resource without a key'
  | 'it takes no key'
  | 'it takes no tenant'
  | 'it takes no text that is half a character'
  | 'it takes no text of any length'
  | 'its headers take visible characters of ASCII'
  | 'it answers only what no attribute can change'
  | 'its words join type and key by a colon'
  | 'a filter cannot say it'
  | 'the database cannot say it'
  | 'it reviews what is stored, each in its own tenant'
  | 'it answers the same to every question'
  | 'there is nothing to compare with'
  | 'there is too much to compare'

/** Said in place of an answer. */
export class Lack {
  readonly reason: LackReason

  constructor(reason: LackReason) {
    this.reason = reason
  }
}

/** Where doors are asked: an image that came about in some way. */
export interface Place {
  readonly image: Image
  /** servers that answer by this image */
  readonly desk: Desk
  /** an earlier moment, and what was changed since */
  readonly before?: { readonly image: Image; readonly policy: Policy; readonly changes: readonly PolicyChange[] }
  /** what doors remember of this story and this way, such as where the next page begins */
  readonly kept: Map<string, unknown>
}

export interface Door {
  readonly name: string
  /** what it says, as JSON; or why it cannot be asked */
  say(place: Place, asked: Asked): Awaitable<unknown>
  /** what it should have said */
  right(asked: Asked, answer: unknown): unknown
  /** whether what it said is right, where that is more than to be the same */
  agrees?(answer: unknown, right: unknown): boolean
}

export const agrees = (door: Door, answer: unknown, right: unknown): boolean =>
  door.agrees?.(answer, right) ?? JSON.stringify(answer) === JSON.stringify(right)

/** The lack of the first line that is true. */
export function findLack(...lines: readonly (readonly [is: boolean, reason: LackReason])[]): Lack | undefined {
  const [, reason] = lines.find(([is]) => is) ?? []
  return reason === undefined ? undefined : new Lack(reason)
}
