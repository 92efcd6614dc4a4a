// What a shadow run records: a difference between two answers to one question, and counts. One JSON object in a line.

/** Who gives the answer to the application; the other one is only compared with it. */
export type Decider = 'old' | 'new'

/** Why the two answers differ, as the new engine explains its own. */
export type Cause =
  | 'role'
  | 'instance_role'
  | 'everyone'
  | 'access_rule'
  | 'unknown_user'
  | 'unknown_resource'
  | 'unknown_action'
  | 'unknown_tenant'
  | 'unknown_instance'
  | 'other_tenant'
  | 'suspended'
  | 'not_in_force'
  | 'condition'
  | 'role_missing'
  | 'permission_missing'
  | 'failed'

/** One question to which the answers differ, or that one engine did not answer. Attributes are not recorded. */
export interface Difference {
  /** RFC 3339 */
  readonly time: string
  readonly decide: Decider
  /** null where it failed */
  readonly old: boolean | null
  readonly new: boolean | null
  readonly cause: Cause
  /** what the cause is about: a role, an action, an access rule, the code of an error */
  readonly detail: string
  /** null where no one is signed in */
  readonly user: string | null
  readonly action: string
  readonly resource: { readonly type: string; readonly key?: string; readonly tenant?: string }
  /** of the policy by which the new engine answered; null where it failed */
  readonly revision: number | null
  /** in words */
  readonly new_reason: string
  /** as `explainOld` gives it */
  readonly old_reason?: string
}

/** What was asked and compared so far. `sampled` is `agreed`, `differed`, `failed` and `pending` together. */
export interface ShadowCounts {
  /** questions of the application */
  readonly asked: number
  /** questions that were put to the other engine as well */
  readonly sampled: number
  readonly agreed: number
  readonly differed: number
  /** questions that the other engine did not answer: it threw, or gave a promise */
  readonly failed: number
  /** questions to which the old engine has not answered yet */
  readonly pending: number
  /** sampled questions that were not put to the old engine, because too many were pending */
  readonly skipped: number
  /** of `differed` and `failed`: those that `onDifference` and the file were given */
  readonly reported: number
  /** of `differed` and `failed`: those beyond the bound of a second */
  readonly dropped: number
  /** of `reported`: those that the file did not take, because it was full or could not be written */
  readonly unwritten: number
}

/** The counts of one process, as its file has them. */
export interface CountsLine {
  readonly time: string
  /** a random name for the counts of one process: later counts of it replace earlier ones */
  readonly run: string
  readonly counts: ShadowCounts
}
