// What goes to the thread of access reviews, and what comes back.
import type { GroupedBy, ReviewGroup } from '../../image/access-review/counts.ts'
import type { ReviewPage, ReviewPlace, ReviewQuestion } from '../../image/access-review/review.ts'
import type { LogId, Position } from '../../log/change.ts'
import type { AccessDiff } from '../../model/access-diff.ts'

/** A revision of an environment, and what it is compared with. */
export interface ReviewedRevision {
  readonly environment: LogId
  readonly at: Position
  readonly since?: Position | undefined
}

export type ReviewTask = ReviewedRevision &
  (
    | {
        readonly task: 'lines'
        readonly question: ReviewQuestion
        readonly after?: ReviewPlace | undefined
        readonly limit: number
      }
    | { readonly task: 'counts'; readonly by: GroupedBy; readonly now: number }
    | { readonly task: 'changes'; readonly since: Position; readonly now: number; readonly page?: string | undefined }
  )

export interface Counted {
  readonly groups: readonly ReviewGroup[]
  /** false when there was more to count than the limits allow */
  readonly complete: boolean
}

export interface ReviewResults {
  readonly lines: ReviewPage
  readonly counts: Counted
  readonly changes: AccessDiff
}
