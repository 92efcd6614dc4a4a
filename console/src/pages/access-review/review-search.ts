// The address of the page Access review.
import { textIn } from '../../components/search-params.ts'
import { type Unused, unusedIn } from '../../components/unused-times.ts'

export type ReviewTab = 'user' | 'role' | 'resource'

export interface ReviewSearch {
  /** `user` when absent */
  readonly tab?: ReviewTab
  readonly user?: string
  /** a role in tenants, or `type#role` */
  readonly role?: string
  /** a type, or `type:key` */
  readonly resource?: string
  readonly action?: string
  readonly tenant?: string
  /** a revision, a date, or an instant; now when absent */
  readonly at?: string
  /** what it is compared with, in the same form */
  readonly since?: string
  /** only what was added or removed */
  readonly changed?: true
  /** only what was not used for this time */
  readonly unused?: Unused
  /** where the page begins */
  readonly after?: string
}

/** What an address says; whatever does not belong there is left out. */
export function parseReviewSearch(search: Record<string, unknown>): ReviewSearch {
  const { tab, changed } = search
  const since = textIn(search, 'since')
  return {
    ...(tab === 'role' || tab === 'resource' ? { tab } : {}),
    ...textIn(search, 'user'),
    ...textIn(search, 'role'),
    ...textIn(search, 'resource'),
    ...textIn(search, 'action'),
    ...textIn(search, 'tenant'),
    ...textIn(search, 'at'),
    ...since,
    ...(changed === true && 'since' in since ? { changed } : {}),
    ...unusedIn(search),
    ...textIn(search, 'after'),
  }
}
