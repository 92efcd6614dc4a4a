// The codes of an explanation in words, once: `reason` in the debug answer of a PDP, and the reasons of recorded decisions
// in the console. docs/semantics.md lists the codes. The console is built with this file: nothing is imported here.

const NAMES = {
  no_such_resource: 'no resource type has this key',
  no_such_action: 'the resource type has no such action',
  no_such_tenant: 'no tenant has this key',
  user_not_synced: 'no user has this key',
  user_suspended: 'the user is suspended',
} as const

/** Of roles in tenants; the record of a denied check has one of these codes. */
export const RBAC_REASONS = {
  ...NAMES,
  no_user_roles: 'the user holds no role in any tenant',
  no_role_in_tenant: 'the user holds no role in this tenant',
  no_permission: 'no role of the user in this tenant has the permission',
} as const

/** Of roles on instances. */
export const REBAC_REASONS = {
  ...NAMES,
  no_such_instance: 'no instance of the type has this key',
  instance_in_other_tenant: 'the instance is in another tenant',
  no_graph_roles: 'the user holds no role on the instance, neither assigned nor derived',
  no_permission: 'no role that the user holds on the instance has the permission',
  undecided: 'the relations of the instance are too many for one check',
} as const

/** Of set rules. */
export const ABAC_REASONS = {
  ...NAMES,
  disabled: 'the environment has no set rules',
  instance_in_other_tenant: 'the instance is in another tenant',
  no_matching_rules: 'no set rule for the permission matches both the user and the resource',
  no_matching_usersets: 'the user is in none of the user sets of the set rules for the permission',
  no_matching_resourcesets: 'the resource is in none of the resource sets of the set rules for the permission',
  undecided: 'the conditions, or what was sent for them, are too much for one check',
} as const

/** The model that allowed, as a record names it. */
const ALLOWED = {
  rbac: 'a role of the user in this tenant has the permission',
  rebac: 'a role of the user on the instance, assigned or derived, has the permission',
  abac: 'a set rule for the permission matches the user and the resource',
} as const

/** Every code that a record can have as its reason. */
export const RECORDED_REASONS: Readonly<Record<string, string>> = { ...ALLOWED, ...RBAC_REASONS }

export const NOT_RECORDED = 'not recorded'

/** The reason of a recorded decision, never empty. `allow` and `deny` only repeat the answer: no reason was recorded. */
export function reasonText(reason: string | null): string {
  if (reason === null || ['', 'allow', 'deny'].includes(reason)) return NOT_RECORDED
  return Object.hasOwn(RECORDED_REASONS, reason) ? RECORDED_REASONS[reason]! : reason.replaceAll('_', ' ')
}
