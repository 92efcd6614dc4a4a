// An exported policy as one that owns every kind of the schema: a plan with `prune` also shows what it lacks.
import type { components } from 'zerohop/client'
import { SCHEMA_KINDS } from 'zerohop/policy-kinds'

type PolicyFile = components['schemas']['PolicyFile']

/** undefined for a policy that names nothing: no plan deletes everything */
export function everythingManaged({ zerohop, ...sections }: PolicyFile): PolicyFile | undefined {
  const isNamed = Object.values(sections).some((section) => Object.keys(section ?? {}).length > 0)
  return isNamed ? { zerohop, ...sections, manages: SCHEMA_KINDS.map((kind) => ({ kind })) } : undefined
}
