// An exported policy as one that owns every kind of the schema: planned with `prune`, what it lacks is told as well.
import type { components } from 'zerohop/client'

type PolicyFile = components['schemas']['PolicyFile']
type Kind = NonNullable<PolicyFile['manages']>[number]['kind']

/** Kinds of the schema: an export without facts has no others. */
const KINDS: readonly Kind[] = [
  'user_attribute',
  'tenant_attribute',
  'resource',
  'action',
  'attribute',
  'action_group',
  'relation',
  'resource_role',
  'role',
  'condition_set',
  'set_rule',
]

/** undefined for a policy that names nothing: no plan deletes everything */
export function everythingManaged({ zerohop, ...sections }: PolicyFile): PolicyFile | undefined {
  const isNamed = Object.values(sections).some((section) => Object.keys(section ?? {}).length > 0)
  return isNamed ? { zerohop, ...sections, manages: KINDS.map((kind) => ({ kind })) } : undefined
}
