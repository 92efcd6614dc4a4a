// Every list of the API as the model expects it: all rows of all kinds in the order of creation.
import { assignmentRead, tenantRead, userRead } from './facts.ts'
import { resourceRead, roleRead } from './schema.ts'
import type { State } from './state.ts'

const rows = <T>(map: Map<string, T>, print: (key: string, value: T) => object) =>
  [...map].map(([key, value]) => print(key, value))
const page = (data: readonly object[]) => ({
  data,
  total_count: data.length,
  page_count: data.length === 0 ? 0 : 1,
})

/** The answer to `GET path?per_page=100` of each list. */
export const LISTS: Readonly<Record<string, (state: State) => unknown>> = {
  '$S/resources': (state) => rows(state.resources, (key, resource) => resourceRead(state, key, resource)),
  '$S/roles': (state) => rows(state.roles, roleRead),
  '$F/users': (state) => page(rows(state.users, (key, user) => userRead(state, key, user))),
  '$F/tenants': (state) => rows(state.tenants, tenantRead),
  '$F/role_assignments': (state) => rows(state.assignments, (_, one) => assignmentRead(one)),
}
