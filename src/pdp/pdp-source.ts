// What a PDP is constructed from: the source of its image, and what records its decisions.
import type { Image } from '../image/image.ts'
import type { ZerohopError } from '../model/errors.ts'
import type { FollowerState } from './answering.ts'
import type { Question } from './request.ts'

/** The source of a PDP's image: a follower, or a fixed image. */
export interface PdpSource {
  /** the image that may answer; undefined when there is none, for the reason of `refusal()` */
  readonly current: Image | undefined
  readonly state: FollowerState
  /** how often conditions met a value that is not of its declared type */
  readonly illTyped: number
  refusal(): ZerohopError
  /** why it has ended; undefined while it has not */
  readonly ended: ZerohopError | undefined
  ready(): Promise<void>
  atLeast(revision: number, timeoutMs: number): Promise<void>
  close(): Promise<void>
}

/** A decision as passed to `onDecision`. */
export interface Decision {
  readonly user: string
  readonly action: string
  readonly resource: { readonly type: string; readonly key: string | undefined; readonly tenant: string }
  readonly allow: boolean
  readonly revision: number
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

/** The listener of a PDP; undefined when nobody is to hear. */
export function listenerOf(
  recorder: DecisionRecorder | undefined,
  onDecision: ((decision: Decision) => void) | undefined,
): DecisionListener | undefined {
  if (recorder === undefined) return onDecision && ((_, decision) => onDecision(decision))
  return (image, decision, question) => {
    recorder.record(image, decision, question)
    onDecision?.(decision)
  }
}
