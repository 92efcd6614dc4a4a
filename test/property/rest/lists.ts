// Every list of the API as the model expects it: all rows of all kinds in the order of creation.
import { tenantRead, userRead } from './facts.ts'
import { instanceRead } from './instances.ts'
import { actionGroupRead, relationRead, resourceRoleRead } from './parts.ts'
import { resourceRead, roleRead } from './schema.ts'
import { conditionSetRead, listAncestors } from './sets.ts'
import type { State } from './state.ts'

const rows = <T>(map: Map<string, T>, print: (key: string, value: T) => unknown) =>
  [...map].map(([key, value]) => print(key, value))
const page = (data: readonly unknown[]) => ({
  data,
  total_count: data.length,
  page_count: data.length === 0 ? 0 : 1,
})
const values = <T>(map: Map<string, T>): T[] => [...map.values()]

/**
 * The answer to `GET path?per_page=100` of each list that the state has. Of a row that shows more, only what the model
 * knows counts.
 */
export function* listsOf(state: State): Generator<readonly [path: string, rows: unknown]> {
  yield ['$S/resources', rows(state.resources, (key, resource) => resourceRead(state, key, resource))]
  yield ['$S/roles', rows(state.roles, roleRead)]
  for (const key of state.resources.keys()) {
    yield [`$S/resources/${key}/roles`, state.partsOf(state.resourceRoles, key).map(resourceRoleRead)]
    yield [`$S/resources/${key}/relations`, page(state.partsOf(state.relations, key).map(relationRead))]
    yield [`$S/resources/${key}/action_groups`, state.partsOf(state.actionGroups, key).map(actionGroupRead)]
  }
  yield ['$F/users', page(rows(state.users, (key, user) => userRead(state, key, user)))]
  yield ['$F/tenants', rows(state.tenants, tenantRead)]
  yield ['$F/role_assignments', values(state.assignments)]
  yield ['$F/resource_instances', values(state.instances).map(instanceRead)]
  yield ['$F/relationship_tuples', values(state.tuples)]
  yield ['$F/set_rules', values(state.setRules)]
  yield ['$S/condition_sets', rows(state.conditionSets, (key, set) => conditionSetRead(state, key, set))]
  for (const key of state.conditionSets.keys()) {
    const above = listAncestors(state, key).map((one) => conditionSetRead(state, one, state.conditionSets.get(one)!))
    yield [`$S/condition_sets/${key}/ancestors`, above]
  }
}

/** Drops the members of rows that the model does not keep: the details of tuples, the key of a set rule. */
export function known(path: string, body: unknown): unknown {
  if (!/tuples|set_rules/.test(path)) return body
  return (body as Record<string, unknown>[]).map(
    ({ subject, relation, object, tenant, user_set, permission, resource_set }) =>
      path.endsWith('tuples') ? { subject, relation, object, tenant } : { user_set, permission, resource_set },
  )
}
