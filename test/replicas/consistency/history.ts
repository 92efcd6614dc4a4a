// What the clients of a run did: each operation with its time, its outcome and what it saw. Objects are named
// `user/KEY`, `role/KEY`, `assignment/KEY` and `key/HASH`; their state is a text that is written once, null when they
// do not exist.

import type { Position } from '../../../src/log/change.ts'

export type State = string | null

/** What a write does to an object. */
export interface Effect {
  readonly object: string
  readonly state: State
}

/** `refused`: the answer says that nothing was written. `unknown`: it says neither, or there was none. */
export type Outcome = 'ok' | 'refused' | 'unknown'

export interface Operation {
  readonly id: number
  readonly kind: 'write' | 'read'
  /** for people: method and path, and at which replicas */
  readonly text: string
  /** the log that it writes or reads: the id of an environment, or of the organization */
  readonly log: string
  /** monotonic ms */
  readonly begun: number
  readonly ended: number
  /** the clock of the machine when it ended, in ms since 1970: the database has the same one */
  readonly endedAt: number
  readonly outcome: Outcome
  /** of a write of an environment, from `x-revision` */
  readonly revision?: number | undefined
  /** of a write */
  readonly effect?: Effect
  /** of a write: it is refused when the object is there */
  readonly isCreation?: boolean
  /** hash of the key that asked, when it may be revoked meanwhile */
  readonly key?: string | undefined
  /** of a read: the states that it saw */
  readonly seen?: ReadonlyMap<string, State>
  /** of a read: objects whose names begin so and that it did not see do not exist */
  readonly all?: string
}

/** A check of a follower that was allowed: the assignment that it rests on, and when it was asked. */
export interface Allowed {
  readonly follower: number
  readonly log: string
  readonly object: string
  readonly begun: number
}

/** What a reader of the feed asked for and got, in its order. */
export type FeedStep = { readonly reader: number; readonly at: number; readonly replica: number } & (
  | { readonly kind: 'asks'; readonly after: Position }
  | { readonly kind: 'delta'; readonly from: Position; readonly to: Position }
  | { readonly kind: 'heartbeat'; readonly revision: number }
  | { readonly kind: 'ends'; readonly code: string }
)

export class History {
  readonly operations: Operation[] = []
  readonly allowed: Allowed[] = []
  /** what readers of the feed got */
  readonly feeds: FeedStep[] = []
  /** what is wrong whatever the record says: a status that no operation may have */
  readonly unexpected: string[] = []
  /** requests that got no answer from which anything follows */
  readonly counts = { unanswered: 0, unreached: 0, retried: 0, checks: 0, stale: 0 }
  #ids: number

  /** @param ids numbers below were used before */
  constructor(ids = 0) {
    this.#ids = ids
  }

  newId(): number {
    return ++this.#ids
  }

  add(operation: Operation): void {
    this.operations.push(operation)
  }
}

export const describe = ({ id, text, begun, ended, outcome, revision, seen, effect }: Operation): string => {
  const what = effect === undefined ? '' : ` ${effect.object} = ${effect.state}`
  const saw = seen === undefined || seen.size > 3 ? '' : ` saw ${JSON.stringify([...seen])}`
  const at = revision === undefined ? '' : ` revision ${revision}`
  return `#${id} ${text}${what}${saw}: ${outcome}${at}, ${begun.toFixed(0)}–${ended.toFixed(0)} ms`
}

/** The whole history, as JSON. */
export const serializeHistory = ({ operations, allowed, feeds, counts, unexpected }: History): string =>
  JSON.stringify({ operations, allowed, feeds, counts, unexpected }, (_, value) =>
    value instanceof Map ? Object.fromEntries(value) : value,
  )
