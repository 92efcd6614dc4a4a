// Random questions about a world: about half of them start from what somebody holds, with none or one part exchanged, so that allow
// and deny are both common and the border between them is where most questions lie.
import type { Request } from '../reference/request.ts'
import type { World } from '../support/world.ts'
import type { Pool } from './histories.ts'

const ODD = ['', 'nobody', ':', 'ana/admin', '\ud800', 'Ana', 'default ', 'ünknown', 'x'.repeat(300)]

export function* questions(
  world: World,
  pool: Pool,
  next: (below: number) => number,
  count: number,
): Generator<Request> {
  const assignments = [...world.policy.role_assignment.values()]
  const roles = world.policy.role
  const any = <T>(from: readonly T[]): T => from[next(from.length)]!
  const anything = (from: readonly string[]) => (next(12) === 0 ? any(ODD) : any(from))
  const permitted = (role: string): readonly string[] => {
    let each = roles.get(role)!
    while (each.extends.length > 0 && (each.permissions.length === 0 || next(2) === 0))
      each = roles.get(any(each.extends))!
    return each.permissions
  }
  for (let asked = 0; asked < count; asked++) {
    let user = anything(pool.users)
    let tenant = anything(pool.tenants)
    let type = anything(pool.resources)
    let action = anything(pool.actions)
    if (assignments.length > 0 && next(5) > 0) {
      const assignment = any(assignments)
      const permissions = permitted(assignment.role)
      const exchanged = next(8)
      if (exchanged !== 0) user = assignment.user
      if (exchanged !== 1) tenant = assignment.tenant
      if (permissions.length > 0 && exchanged !== 2) {
        const permission = any(permissions)
        const colon = permission.indexOf(':')
        type = permission.slice(0, colon)
        if (exchanged !== 3) action = permission.slice(colon + 1)
      }
    }
    yield { user, action, resource: tenant === 'default' && next(2) === 0 ? { type } : { type, tenant } }
  }
}
