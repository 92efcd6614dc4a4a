// The same question again, with its reason: which roles, through which extensions; for a deny, what is missing (contract §5.3
// codes). Slower than a check and never on its path.
import { Grant, Role, Table } from '../../assembly/abi.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { grantsOfUser, parentsOf, permissionsOf, rolesOf } from './contents.ts'

/** Why RBAC allows or does not; the words of the contract's `debug`. */
export type RbacCode =
  | 'allow'
  | 'no_such_resource'
  | 'no_such_action'
  | 'no_such_tenant'
  | 'user_not_synced'
  | 'no_user_roles'
  | 'no_role_in_tenant'
  | 'no_permission'

/** One reason: the assigned role, and how it comes to have the permission. */
export interface Because {
  readonly source: 'rbac'
  /** the role assigned to the user in the tenant */
  readonly role: string
  readonly tenant: string
  /** `resource:action` */
  readonly permission: string
  /** from the assigned role through what it extends to the role that has the permission attached */
  readonly path: readonly string[]
}

/** The answer of `explain`. `because` has every assigned role that allows; `roles` are the roles held in the tenant. */
export interface Explanation {
  readonly allow: boolean
  readonly revision: number
  readonly code: RbacCode
  readonly because: readonly Because[]
  readonly roles: readonly string[]
}

interface Question {
  readonly user: string
  readonly action: string
  readonly type: string
  readonly tenant: string
}

/** Answers the question from the kernel's own tables (D1, D4). */
export function explainRbac(kernel: Kernel, revision: number, question: Question): Explanation {
  const found = ids(kernel, question)
  const deny = (code: RbacCode, roles: readonly string[] = []): Explanation => ({
    allow: false,
    revision,
    code,
    because: [],
    roles,
  })
  if (found.resource === 0) return deny('no_such_resource')
  if (found.permission === 0) return deny('no_such_action')
  if (found.tenant === 0) return deny('no_such_tenant')
  if (found.user === 0) return deny('user_not_synced')
  if (grantsOfUser(kernel, found.user).length === 0) return deny('no_user_roles')
  const grant = kernel.calls.grantOf(found.user, found.tenant)
  if (grant === 0) return deny('no_role_in_tenant')
  const held = rolesOf(kernel, kernel.word(grant + Grant.Roles))
  const name = (role: number): string => kernel.key(role, Role.Key)
  const permission = `${question.type}:${question.action}`
  const because = held
    .filter((role) => kernel.calls.holds(role, found.permission) === 1)
    .map(
      (role): Because => ({
        source: 'rbac',
        role: name(role),
        tenant: question.tenant,
        permission,
        path: pathTo(kernel, role, permission).map(name),
      }),
    )
  const roles = held.map(name).sort()
  return because.length === 0 ? deny('no_permission', roles) : { allow: true, revision, code: 'allow', because, roles }
}

function ids(kernel: Kernel, { user, action, type, tenant }: Question) {
  const id = (table: Table, key: string): number => {
    const length = kernel.writeKey(key)
    return length > 0 ? kernel.calls.find(table, length) : 0
  }
  const pair = kernel.writePair(type, action)
  const permission = pair > 0 ? kernel.calls.findPermission(pair) : 0
  return {
    permission,
    resource: id(Table.Resources, type),
    tenant: id(Table.Tenants, tenant),
    user: id(Table.Users, user),
  }
}

/** The shortest way over `extends` from a role to one that has the permission attached. */
function pathTo(kernel: Kernel, from: number, permission: string): number[] {
  const before = new Map<number, number>([[from, 0]])
  for (const role of before.keys()) {
    if (permissionsOf(kernel, role).includes(permission)) {
      const path: number[] = []
      for (let at = role; at !== 0; at = before.get(at)!) path.unshift(at)
      return path
    }
    for (const parent of parentsOf(kernel, role)) if (!before.has(parent)) before.set(parent, role)
  }
  return [from]
}
