// What a policy file can hold, by the words that `manages`, `moved`, plans and the console use. Parts of a resource
// type have keys `resource/part`. The console is built with this file, so nothing is imported here.

/** The schema: what can exist, and the rules. */
export const SCHEMA_KINDS = [
  'user_attribute',
  'tenant_attribute',
  'resource',
  'action',
  'attribute',
  'action_group',
  'relation',
  'resource_role',
  /* canary: kind-in-files */ 'role',
  'condition_set',
  'set_rule',
] as const

const FACTS = ['tenant', 'user', 'membership', 'resource_instance', 'relationship_tuple', 'role_assignment'] as const

export type FactKind = (typeof FACTS)[number]

/** Facts: users and data of the application, which a file owns only when `manages` says so. */
export const FACT_KINDS: ReadonlySet<string> = new Set(FACTS)

/** All of them, what others refer to first. */
export const POLICY_KINDS = [...SCHEMA_KINDS, ...FACTS] as const

export type PolicyKind = (typeof POLICY_KINDS)[number]
