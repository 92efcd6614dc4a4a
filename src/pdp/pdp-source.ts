// What a PDP is constructed from: the source of its image, and what records its decisions.
import type { Image } from '../image/image.ts'
import type { ZerohopError } from '../model/errors.ts'
import type { FollowerState } from './answering.ts'
import type { Question } from './request.ts'

/** The source of a PDP's image: a follower, or a fixed image. */
export interface PdpSource {
  /** the image for a request; each request takes once. @throws the refusal */
  take(): Image
  /** the instant of the request that took last, in ms since 1970 */
  readonly now: number
  /** the same, if that request has read the clock */
  readonly nowRead: number | undefined
  /** answers one request: all takes in `work` are one */
  asOne<R>(work: () => R): R
  /** the same from here, where `image` is the take, to `leave` */
  enter(image: Image): void
  leave(): void
  /** the image that is held, whatever its age: for figures, hooks and saving, never to decide by. Never throws */
  peek(): Image | undefined
  /** why `take` would throw now; undefined when it would not. Never throws */
  refusal(): ZerohopError | undefined
  readonly state: FollowerState
  /** how often conditions met a value that is not of its declared type */
  readonly illTyped: number
  /** why it has ended; undefined while it has not */
  readonly ended: ZerohopError | undefined
  ready(): Promise<void>
  atLeast(revision: number, timeoutMs: number): Promise<void>
  /** nothing that arrives from now on is taken before the returned function is called; bounded */
  hold(): () => void
  close(): Promise<void>
}

/** What a request is answered from. */
export interface Taken {
  readonly revision: number
  readonly environment: string
}

/** A decision as passed to `onDecision`. */
export interface Decision {
  /** the key of the user; `*` where no one was signed in, as which it can be asked again */
  readonly user: string
  readonly action: string
  readonly resource: { readonly type: string; readonly key: string | undefined; readonly tenant: string }
  readonly allow: boolean
  readonly revision: number
  /**
   * `context.now` of the question in ms since 1970: the one that was sent as a number, else that of the clock; undefined
   * when neither was needed
   */
  readonly now: number | undefined
  /**
   * the instant at which what has times was in force or not (D15), in ms since 1970; undefined when nothing that was met
   * has. It is never a `context.now` that was sent
   */
  readonly instant: number | undefined
}

/** What became of the records of decisions since the start. */
export interface DecisionCounts {
  /** stored by the management API */
  readonly sent: number
  /** still in memory */
  readonly waiting: number
  /** never sent: too many were waiting, or the PDP was closed before */
  readonly dropped: number
  /** sent, but not stored by the management API */
  readonly refused: number
}

export type DecisionSenderEvent =
  /** sending begins to fail; it is tried again by itself */
  | { readonly event: 'decisions not sent'; readonly error: ZerohopError }
  | { readonly event: 'decisions sent again' }
  /** the management API will never store so many of them; numbers by reason, where it says them */
  | { readonly event: 'decisions refused'; readonly count: number; readonly refusals: unknown }

/** Records decisions; a check that is recorded never waits or fails for it. */
export interface DecisionRecorder {
  readonly counts: DecisionCounts
  /** `question` is undefined when it had nothing but keys */
  record(image: Image, decision: Decision, question: Question | undefined): void
  close(): Promise<void>
}

/** Hears of each decision. */
export type DecisionListener = (image: Image, decision: Decision, question?: Question) => void

/** The listener of a PDP; undefined when no one is to hear. */
export function makeListener(
  recorder: DecisionRecorder | undefined,
  onDecision: ((decision: Decision) => void) | undefined,
): DecisionListener | undefined {
  if (recorder === undefined) return onDecision && ((_, decision) => onDecision(decision))
  return (image, decision, question) => {
    recorder.record(image, decision, question)
    onDecision?.(decision)
  }
}
