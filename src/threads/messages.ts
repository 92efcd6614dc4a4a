// What a worker thread and who asks it say to each other.
import type { Failure } from './failure.ts'

export type ToWorker<Question> =
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question }
  /** answers what it was asked before, closes what it has open, and ends */
  | { readonly kind: 'close' }

export type FromWorker<Answer, Event = never> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answer }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: Failure }
  | { readonly kind: 'event'; readonly event: Event }
