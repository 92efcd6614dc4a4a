// What the writer is given, and what it answers: a use case with its input, who asks, and what came of it.
import type { Actor, LogId } from '../log/change.ts'
import type { Failure } from '../threads/failure.ts'
import type { Expected } from './expected.ts'

/** A use case waiting to be run. */
export interface Job {
  readonly log: LogId
  readonly name: string
  readonly input: unknown
  readonly by: Actor
  /** The key that asked: looked at again where another process may have revoked it since. */
  readonly key?: AskingKey
  /** The request is carried out once, however often it is sent. */
  readonly once?: Once
  /** the write is refused unless it holds */
  readonly expected?: Expected
  /** id of the task that this write ends */
  readonly task?: string
  /** The log is the first of all: refused when there is another organization. */
  readonly isFirst?: boolean
  /** The key of an organization whose log begins: refused when another organization has it. */
  readonly newOrganization?: string
}

/** A request with an idempotency key. */
export interface Once {
  /** whose key it is: the id of an API key */
  readonly caller: string
  readonly key: string
  /** SHA-256 of the request, in hex */
  readonly fingerprint: string
}

/** An API key, by its hash, and the organization whose control log has it. */
export interface AskingKey {
  readonly organization: LogId
  readonly hash: string
}

export interface Done {
  readonly result: unknown
  readonly revision: number
  /** other logs than its own that the use case wrote to */
  readonly also: readonly LogId[]
  /** absent without any */
  readonly warnings?: readonly string[]
}

export type Reply = Done | { readonly failure: Failure }
