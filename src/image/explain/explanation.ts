// The types of an explanation and its codes. docs/semantics.md lists the codes with their meaning; test/reference gives
// the same ones. explain.ts and its neighbours compute them.
import type { TimesPolicy } from '../../kinds/times.ts'
import type { AttributeType, Json } from '../../model/objects.ts'

/** What is the reason of every part: a name that the policy does not have, or that the user is suspended (D16). */
export type Unknown = 'no_such_resource' | 'no_such_action' | 'no_such_tenant' | 'user_not_synced' | 'user_suspended'

/** Why roles in the tenant allow or deny; the codes of the contract's `debug`. */
export type RbacCode = Unknown | 'allow' | 'no_user_roles' | 'no_role_in_tenant' | 'no_permission'

/** Why roles on the instance allow or deny; `undecided` when a limit was reached. */
export type RebacCode =
  | Unknown
  | 'allow'
  | 'no_such_instance'
  | 'instance_in_other_tenant'
  | 'no_graph_roles'
  | 'no_permission'
  | 'undecided'

/** Why set rules allow or deny. */
export type AbacCode =
  | Unknown
  | 'allow'
  | 'disabled'
  | 'instance_in_other_tenant'
  | 'no_matching_rules'
  | 'no_matching_usersets'
  | 'no_matching_resourcesets'
  | 'undecided'

/** One reason: the assigned role, and how it gets the permission. */
export interface Because {
  readonly source: 'rbac' | 'rebac' | 'abac'
  /** the role is assigned to everybody (D16), and not to the user */
  readonly everybody?: true
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
   * from the assigned role to the role that has the permission attached: over `extends` (names of roles), for roles on
   * instances over derivations (`type:key#role`). For a set rule for a role on instances (D17) that to the role; for others
   * empty
   */
  readonly path: readonly string[]
  /**
   * the instant at which the first of what is for a time ends: the assigned role, or a relation on the path (D15), in ms
   * since 1970. For a set rule that of the role that stands for its user set, or of the path to it. Absent when none of
   * them ends
   */
  readonly valid_until?: number
}

/** The end of a reason, where it has one. */
export const endsAt = (until: number): Pick<Because, 'valid_until'> =>
  until === Number.POSITIVE_INFINITY ? {} : { valid_until: until }

/**
 * Why a test of a condition has its result. `ref_…` is about the attribute on its right side. `not_in_tenant`: it is an
 * attribute of the tenant, and the user does not belong to the tenant (D6). `met`: it is true, but under a `not`.
 */
export type TestReason =
  | 'missing'
  | 'not_in_tenant'
  | 'wrong_type'
  | 'ref_missing'
  | 'ref_not_in_tenant'
  | 'ref_wrong_type'
  | 'not_met'
  | 'met'
  | 'undecided'

/** One test of a condition set, with what it found. Values are shown shortened. */
export interface TestFound {
  /** its path inside the conditions */
  readonly path: readonly (string | number)[]
  /** `root.name` */
  readonly attribute: string
  readonly operator: string
  readonly reason: TestReason
  /** the value of the attribute; absent when it is missing */
  readonly value?: Json
  /** the type that is declared for the attribute, when the value is not of it */
  readonly declared?: AttributeType
  /** the value that the condition compares with */
  readonly expected?: Json
  /** the attribute that the condition compares with */
  readonly ref?: string
  readonly ref_value?: Json
}

/** A side of a set rule that is false. */
export interface FailedSet {
  readonly side: 'user_set' | 'resource_set'
  /**
   * the set whose conditions are false (that of the rule or an ancestor), or the role or type that the rule names
   * instead of a set
   */
  readonly set: string
  readonly reason: 'role_not_assigned' | 'role_not_held' | 'other_resource' | 'conditions'
  /** the tests that make its conditions false */
  readonly tests: readonly TestFound[]
}

/** A set rule for the permission that does not allow. */
export interface Miss {
  readonly user_set: string
  readonly resource_set: string
  readonly failed: readonly FailedSet[]
}

/** A set that is true, with the tests that make it so: without one of them it might be false. */
export interface HeldSet {
  readonly side: 'user_set' | 'resource_set'
  /** the set of the rule or an ancestor */
  readonly set: string
  readonly tests: readonly TestFound[]
}

/** A set rule that allows. A role or a type that stands for a set is not among `held`. */
export interface Match {
  readonly user_set: string
  readonly resource_set: string
  readonly held: readonly HeldSet[]
}

/** A `not` over a value that is missing or ill-typed: it is true (D7), which its author may not have intended. */
export interface Note extends TestFound {
  readonly set: string
}

/**
 * A request attribute that is not of its declared type: it counts as missing in conditions (D7: missing and ill-typed
 * values).
 */
export interface IllTyped {
  /** `user.name` or `resource.name` */
  readonly attribute: string
  readonly declared: AttributeType
  readonly value: Json
}

/** When a grant that is stored gives something, and why it does not at the instant of the question. */
interface OutOfForce extends TimesPolicy {
  readonly state: 'ended' | 'scheduled'
}

/** A role assignment that is not in force; without `resource_instance` one in the tenant. */
export interface AssignmentNotInForce extends OutOfForce {
  readonly user: string
  readonly role: string
  readonly tenant: string
  readonly resource_instance?: string
}

/** A relationship tuple that is not in force. */
export interface TupleNotInForce extends OutOfForce {
  readonly subject: string
  readonly relation: string
  readonly object: string
}

export type NotInForce = AssignmentNotInForce | TupleNotInForce

/** The part of an explanation about set rules. */
export interface SetsExplained {
  readonly abac: AbacCode
  /** set rules for the permission */
  readonly rules: number
  /** the nearest of those that do not allow; none when one allows */
  readonly misses: readonly Miss[]
  /** the first of those that allow, by name */
  readonly matches: readonly Match[]
  readonly notes: readonly Note[]
}

/**
 * The answer of `explain`. `because` has every assigned role in the tenant that allows, one path over relations, and
 * the set rules that allow. src/model/limits.ts bounds its length.
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
  /** of a deny: the grants that would allow, were they in force (D15); the nearest in time first */
  readonly not_in_force: readonly NotInForce[]
  readonly ill_typed: readonly IllTyped[]
  /** of a user who is suspended (D16): from when and until when, where that is bounded; else absent */
  readonly suspension?: TimesPolicy
}

export const NO_SETS = { rules: 0, misses: [], matches: [], notes: [] } as const
