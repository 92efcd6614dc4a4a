// The form in which answers list the permissions of a resource role: the one in which they were last written, `action`
// or `resource:action`, so that a client which compares what it wrote with what it reads finds no difference. Stored
// permissions are always `resource:action`; the form is a flag of the role, and bears on no decision.
import type { ResourceRole } from '../../kinds/resource-role.ts'

type Form = Pick<ResourceRole, 'bare_permissions'>

/** Whether permissions that are sent are actions alone; a list without any says nothing, and keeps the form. */
export const areBare = (sent: readonly string[], { bare_permissions: current }: Form): boolean =>
  sent.length === 0 ? current === true : sent.every((permission) => !permission.includes(':'))

/** The flag as a field of a stored role, which has it only when it is set. */
export const toForm = (isBare: boolean): Form => (isBare ? { bare_permissions: true } : {})

/** The role with that form; the same object when it has it. */
export function inForm(role: ResourceRole, isBare: boolean): ResourceRole {
  if ((role.bare_permissions === true) === isBare) return role
  const { bare_permissions: _, ...rest } = role
  return { ...rest, ...toForm(isBare) }
}

/** The permissions as answers list them. */
export const shownPermissions = ({
  permissions,
  bare_permissions: isBare,
}: Pick<ResourceRole, 'permissions' | 'bare_permissions'>): readonly string[] =>
  isBare ? permissions.map((permission) => permission.slice(permission.indexOf(':') + 1)) : permissions
