// The definition: for each part of a decision, the one word that says why it allows or does not. The words are those of
// the PDP's debug answer; when several would fit, the first of this order is given: the question's own names first,
// then what the user has.
import { listMatches, listMisses, listNotes, type Match, type Miss, type Note } from './misses.ts'
import type { Policy } from './policy.ts'
import { byRelations, rolesOn } from './relations.ts'
import { hasAction, isElsewhere, type Request, resolveTenant, storedInstance } from './request.ts'
import { byRoles, rolesIn } from './roles.ts'
import { bySets, hasResource, hasUser, rulesFor } from './sets.ts'
import { isSuspended } from './suspensions.ts'
import { listNotInForce, type NotInForce, policyAt } from './times.ts'

type Unknown = 'no_such_resource' | 'no_such_action' | 'no_such_tenant' | 'user_not_synced' | 'user_suspended'
export type RbacCode = Unknown | 'allow' | 'no_user_roles' | 'no_role_in_tenant' | 'no_permission'
export type RebacCode =
  | Unknown
  | 'allow'
  | 'no_such_instance'
  | 'instance_in_other_tenant'
  | 'no_graph_roles'
  | 'no_permission'
export type AbacCode =
  | Unknown
  | 'allow'
  | 'disabled'
  | 'instance_in_other_tenant'
  | 'no_matching_rules'
  | 'no_matching_usersets'
  | 'no_matching_resourcesets'

/** The reason of each part: roles in tenants, roles on instances, set rules. */
export interface Reasons {
  readonly rbac: RbacCode
  readonly rebac: RebacCode
  readonly abac: AbacCode
  /** the nearest set rules that do not allow; none when one does */
  readonly misses: readonly Miss[]
  /** the set rules that allow */
  readonly matches: readonly Match[]
  readonly notes: readonly Note[]
}

/** The same at an instant (D15). */
export interface ReasonsAt extends Reasons {
  /** of a deny: the grants that would allow, were they in force */
  readonly not_in_force: readonly NotInForce[]
}

export const explainAt = (policy: Policy, request: Request, t: number): ReasonsAt => ({
  ...explain(policyAt(policy, t), request),
  not_in_force: listNotInForce(policy, request, t),
})

export function explain(policy: Policy, request: Request): Reasons {
  const unknown = unknownName(policy, request)
  if (unknown !== undefined) {
    const isOpen = unknown === 'user_not_synced' // D16: what everybody has counts
    const rbac = isOpen && byRoles(policy, request) ? 'allow' : unknown
    const rebac = isOpen && byRelations(policy, request) ? 'allow' : unknown
    return { rbac, rebac, abac: unknown, misses: [], matches: [], notes: [] } // D1
  }
  return {
    rbac: whyRoles(policy, request),
    rebac: whyRelations(policy, request),
    abac: whySets(policy, request),
    misses: listMisses(policy, request),
    matches: listMatches(policy, request),
    notes: listNotes(policy, request),
  }
}

/** They declare what users and tenants have, and are nothing that could be asked about. */
const BUILT_IN = ['__user', '__tenant']

function unknownName(policy: Policy, request: Request): Unknown | undefined {
  const { user, action, resource } = request
  if (!policy.resource.has(resource.type) || BUILT_IN.includes(resource.type)) return 'no_such_resource'
  if (!hasAction(policy, resource.type, action)) return 'no_such_action'
  if (!policy.tenant.has(resolveTenant(policy, request))) return 'no_such_tenant'
  if (!policy.user.has(user)) return 'user_not_synced'
  return isSuspended(policy, user) ? 'user_suspended' : undefined // D16
}

function whyRoles(policy: Policy, request: Request): RbacCode {
  if (byRoles(policy, request)) return 'allow' // also by what everybody has (D16)
  const tenants = [...policy.tenant.keys()].filter((tenant) => rolesIn(policy, request.user, tenant).length > 0)
  if (tenants.length === 0) return 'no_user_roles'
  if (!tenants.includes(resolveTenant(policy, request))) return 'no_role_in_tenant' // D4
  return 'no_permission'
}

function whyRelations(policy: Policy, request: Request): RebacCode {
  const isRelated = Object.keys(request.resource.relations ?? {}).length > 0 // D14
  if (storedInstance(policy, request) === undefined && !isRelated) return 'no_such_instance' // D1
  if (isElsewhere(policy, request)) return 'instance_in_other_tenant' // D2
  if (rolesOn(policy, request).length === 0) return 'no_graph_roles' // D5
  return byRelations(policy, request) ? 'allow' : 'no_permission'
}

/**
 * D6: no rule at all; none for the permission; none with a true user set; none with a true resource set; or never both
 * in one rule.
 */
function whySets(policy: Policy, request: Request): AbacCode {
  if (isElsewhere(policy, request)) return 'instance_in_other_tenant' // D2
  if (bySets(policy, request)) return 'allow'
  const rules = rulesFor(policy, request)
  if (policy.set_rule.size === 0) return 'disabled'
  if (rules.length === 0) return 'no_matching_rules'
  if (!rules.some((rule) => hasUser(policy, request, rule.user_set))) return 'no_matching_usersets'
  if (!rules.some((rule) => hasResource(policy, request, rule.resource_set))) return 'no_matching_resourcesets'
  return 'no_matching_rules'
}
