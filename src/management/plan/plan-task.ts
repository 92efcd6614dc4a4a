// What goes to the thread that makes plans, and what comes back.

import type { Turns } from '../../image/access-diff/turns.ts'
import type { LogId } from '../../log/change.ts'
import type { AccessDiff } from '../../model/access-diff.ts'
import type { PolicyKind } from '../../model/policy-kinds.ts'
import type { PlanEntry } from '../differences/entries.ts'
import type { KindCount } from '../differences/reconcile.ts'
import type { TenantRoleEntry } from '../differences/tenant-role-entries.ts'
import type { Conflict, Lost } from '../differences/undone.ts'
import type { Problem, Source } from '../policy-file/problem.ts'
import type { ConditionMatches, ConditionMatchQuestion } from '../schemas/condition-matches.ts'
import type { Moved, PolicyFile } from '../schemas/policy-file.ts'
import type { SyncWritten } from '../schemas/syncs.ts'
import type { Wanted } from './decide-plan.ts'
import type { Later } from './later.ts'

export interface PlanTask extends Wanted {
  readonly environment: LogId
  /** milliseconds since 1970: the time of every question */
  readonly now: number
  readonly page?: string | null | undefined
  /** a second instant, in ms since 1970: access is compared from the present to it */
  readonly at?: number | undefined
}

/** Policy files to be read, and judged by what the environment has. */
export interface CheckTask {
  readonly environment: LogId
  /** milliseconds since 1970 */
  readonly now: number
  readonly files: readonly Source[]
  readonly prune?: boolean | null | undefined
}

export interface CheckedFiles {
  /** all files as one policy; null when there is an error */
  readonly policy: PolicyFile | null
  readonly problems: readonly Problem[]
}

/** Who or what condition sets match: asked of the same images. */
export interface MatchTask {
  readonly environment: LogId
  /** milliseconds since 1970: the time of the question */
  readonly now: number
  readonly matched: ConditionMatchQuestion
}

/** What the thread is asked. */
export interface PlanMessage {
  readonly task: PlanTask | CheckTask | MatchTask
  /** whether the thread may build an image of very many objects itself; without it it answers with nothing */
  readonly mayBuild: boolean
}

/** Who changed an object last; nulls where the log does not tell, or not any more. */
export interface LastChange {
  /** id of the API key; null for the command line */
  readonly by: string | null
  /** where no key did: the name of the user, or the operation of the command line */
  readonly operation: string | null
  readonly revision: number | null
  /** milliseconds since 1970 */
  readonly at: number | null
}

/** An object that was changed since it was applied. */
export interface ChangedOutside extends LastChange {
  readonly kind: PolicyKind
  readonly key: string
}

export interface MadePlan {
  readonly revision: number
  readonly entries: readonly PlanEntry[]
  /** roles of tenants that a copy takes along */
  readonly tenantRoles?: readonly Omit<TenantRoleEntry, 'was'>[]
  /** entries beyond PLAN_ENTRIES_MAX, of either list */
  readonly more: number
  readonly fingerprints: Readonly<Record<string, string | null>>
  readonly cascade: readonly KindCount[]
  readonly carried: readonly KindCount[]
  readonly suggested: readonly Moved[]
  readonly outside: readonly ChangedOutside[]
  /** of a revert, with who changed the object last */
  readonly conflicts: readonly (Conflict & Partial<LastChange>)[]
  readonly lost: readonly Lost[]
  readonly diff: AccessDiff
  /** of a sync: what its items come down to */
  readonly sync?: SyncWritten
  /** what starts or ends until the second instant, where there is one */
  readonly upcoming?: { readonly at: number; readonly turns: Turns } | undefined
  /** what grants that the plan writes do later; of a plan without a second instant */
  readonly later: readonly Later[]
  /** ends that the plan gives, and on which conditions count */
  readonly warnings: readonly string[]
  /** of what the plan says */
  readonly digest: string
}

/** The answer to a task of the same kind; undefined where an image is needed that the thread may not build. */
export type PlanAnswer = MadePlan | CheckedFiles | ConditionMatches | undefined
