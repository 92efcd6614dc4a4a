// What an explanation says: the words and the forms of each part. docs/semantics.md lists the words with their meaning; test/reference
// gives the same ones. How they are found is explain.ts and its neighbours.
import type { AttributeType, Json } from '../../model/objects.ts'

export type Unknown = 'no_such_resource' | 'no_such_action' | 'no_such_tenant' | 'user_not_synced'

/** Why roles in the tenant allow or do not; the words of the contract's `debug`. */
export type RbacCode = Unknown | 'allow' | 'no_user_roles' | 'no_role_in_tenant' | 'no_permission'

/** Why roles on the instance allow or do not; `undecided` where a limit was met. */
export type RebacCode =
  | Unknown
  | 'allow'
  | 'no_such_instance'
  | 'instance_in_other_tenant'
  | 'no_graph_roles'
  | 'no_permission'
  | 'undecided'

/** Why set rules allow or do not. */
export type AbacCode =
  | Unknown
  | 'allow'
  | 'disabled'
  | 'instance_in_other_tenant'
  | 'no_matching_rules'
  | 'no_matching_usersets'
  | 'no_matching_resourcesets'
  | 'undecided'

/** One reason: the assigned role, and how it comes to have the permission. */
export interface Because {
  readonly source: 'rbac' | 'rebac' | 'abac'
  /** the role assigned to the user; for a set rule the user set, as the rule names it */
  readonly role: string
  /** for a set rule, as the rule names it */
  readonly resource_set?: string
  readonly tenant: string
  /** `type:key` on which the role is assigned; absent for a role in the tenant */
  readonly resource_instance?: string
  /** `resource:action` */
  readonly permission: string
  /**
   * from the assigned role to the one that has the permission attached: through what roles extend (names of roles), for roles on instances
   * through what is derived from them (`type:key#role`)
   */
  readonly path: readonly string[]
}

/** Why a test of a condition is as it is. `ref_…` is about the attribute on its right side. `met`: it is true, but stands under a `not`. */
export type TestReason = 'missing' | 'wrong_type' | 'ref_missing' | 'ref_wrong_type' | 'not_met' | 'met' | 'undecided'

/** One test of a condition set, with what it found. Values are shown shortened. */
export interface TestFound {
  /** where it stands inside the conditions */
  readonly path: readonly (string | number)[]
  /** `root.name` */
  readonly attribute: string
  readonly operator: string
  readonly reason: TestReason
  /** what the attribute is; absent when it is missing */
  readonly value?: Json
  /** the type that is declared for the attribute, when the value is not of it */
  readonly declared?: AttributeType
  /** what the condition compares with */
  readonly expected?: Json
  /** the attribute with which the condition compares, and what it is */
  readonly ref?: string
  readonly ref_value?: Json
}

/** A side of a set rule that is false. */
export interface FailedSet {
  readonly side: 'user_set' | 'resource_set'
  /** the set whose conditions are false: that of the rule or one above it; or the role or type that stands for one */
  readonly set: string
  readonly reason: 'role_not_assigned' | 'other_resource' | 'conditions'
  /** the tests that make its conditions false */
  readonly tests: readonly TestFound[]
}

/** A set rule for the permission that does not allow. */
export interface Miss {
  readonly user_set: string
  readonly resource_set: string
  readonly failed: readonly FailedSet[]
}

/** A `not` over a value that is missing or ill-typed: it is true (D7), perhaps against what its author meant. */
export interface Note extends TestFound {
  readonly set: string
}

/** An attribute that was sent and is not of its declared type: conditions see none (D7). */
export interface IllTyped {
  /** `user.name` or `resource.name` */
  readonly attribute: string
  readonly declared: AttributeType
  readonly value: Json
}

/** What set rules add to an explanation. */
export interface SetsExplained {
  readonly abac: AbacCode
  /** set rules for the permission */
  readonly rules: number
  /** the nearest of those that do not allow; none when one allows */
  readonly misses: readonly Miss[]
  readonly notes: readonly Note[]
}

/**
 * The answer of `explain`. `because` has every assigned role in the tenant that allows, one path over relations, and the set rules that
 * allow. src/model/limits.ts bounds what it lists.
 */
export interface Explanation extends SetsExplained {
  readonly allow: boolean
  readonly revision: number
  /** the tenant of D2 */
  readonly tenant: string
  readonly code: RbacCode
  readonly rebac: RebacCode
  readonly because: readonly Because[]
  /** roles assigned in the tenant */
  readonly roles: readonly string[]
  readonly ill_typed: readonly IllTyped[]
}

export const NO_SETS = { rules: 0, misses: [], notes: [] } as const
