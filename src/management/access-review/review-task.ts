// What goes to the thread of access reviews, and what comes back.
import type { GroupedBy, ReviewGroup, TenantRolesCounted } from '../../image/access-review/counts.ts'
import type { ReviewPage, ReviewPlace, ReviewQuestion } from '../../image/access-review/review.ts'
import type { LogId, Position } from '../../log/change.ts'
import type { AccessDiff } from '../../model/access-diff.ts'

/** A revision of an environment, and what it is compared with. */
export interface ReviewedRevision {
  readonly environment: LogId
  readonly at: Position
  readonly since?: Position | undefined
}

interface AtInstant {
  /** milliseconds since 1970: `context.now` of every question */
  readonly now: number
}

export type ReviewTask = ReviewedRevision &
  (
    | {
        readonly task: 'lines'
        readonly question: ReviewQuestion & AtInstant
        readonly after?: ReviewPlace | undefined
        readonly limit: number
      }
    | ({ readonly task: 'counts'; readonly by: GroupedBy } & AtInstant)
    | ({ readonly task: 'changes'; readonly since: Position; readonly page?: string | undefined } & AtInstant)
  )

export interface Counted {
  readonly groups: readonly ReviewGroup[]
  /** by role, where tenants have roles of their own */
  readonly ofTenants?: TenantRolesCounted | undefined
  /** false when there was more to count than the limits allow */
  readonly complete: boolean
}

export interface ReviewResults {
  readonly lines: ReviewPage
  readonly counts: Counted
  readonly changes: AccessDiff
}
