// The fields of a role of a tenant, made of what is offered to it.
import { ApiError } from '../../../api/api-error.ts'
import type { ChoiceGroup, Field } from '../../../components/object-draft.ts'
import type { TenantRole, TenantRoles } from './tenant-role-queries.ts'

const KEY: Field = {
  name: 'key',
  label: 'Key',
  placeholder: 'bookkeeper',
  description: "Letters, digits, - and _. Can't be changed later.",
  isRequired: true,
}

/** Permissions of a role that are named with it. */
const NAMED = 3

/** @param role the one that is changed; without, a new one */
export function tenantRoleFields(offered: TenantRoles, role?: TenantRole): readonly Field[] {
  const parents = listParents(offered, role)
  return [
    ...(role === undefined ? [KEY] : []),
    { name: 'name', label: 'Name', placeholder: 'Bookkeeper' },
    { name: 'description', label: 'Description' },
    {
      name: 'permissions',
      label: 'Permissions',
      choices: offered.permissions.map(({ key }) => key),
      groups: groupPermissions(offered),
    },
    {
      name: 'extends',
      label: 'Extends',
      description: 'Everything that these roles allow is allowed, too.',
      choices: parents.map(({ key }) => key),
      groups: [{ choices: parents.map((each) => ({ key: each.key, name: roleName(each), about: about(each) })) }],
    },
  ]
}

/** A heading for each resource type. */
function groupPermissions({ permissions }: TenantRoles): readonly ChoiceGroup[] {
  const byType = Map.groupBy(permissions, ({ resource }) => resource.key)
  return [...byType.values()].map((own) => ({
    heading: own[0]?.resource.name ?? '',
    choices: own.map(({ key, action }) => ({ key, name: action.name })),
  }))
}

/** The key within the tenant, of `bookkeeper@acme`. */
export const shortKey = ({ key }: Pick<TenantRole, 'key'>): string => key.split('@')[0] ?? key

export const roleName = (role: Pick<TenantRole, 'key' | 'name'>): string => role.name || shortKey(role)

function about({ permissions, extends: parents }: TenantRole): string | undefined {
  const more = permissions.length - NAMED
  const all = [
    ...permissions.slice(0, NAMED),
    ...(more > 0 ? [`${more} more`] : []),
    ...(parents.length > 0 ? [`what ${parents.join(', ')} allows`] : []),
  ]
  return all.join(', ') || undefined
}

/** Those that it may extend: not itself, and none that extends it already. */
function listParents({ own, extendable }: TenantRoles, role: TenantRole | undefined): readonly TenantRole[] {
  return [...extendable, ...own.filter((each) => role === undefined || !reaches(own, each.key, role.key))]
}

function reaches(own: readonly TenantRole[], from: string, to: string, seen = new Set<string>()): boolean {
  if (from === to) return true
  if (seen.has(from)) return false
  seen.add(from)
  return (own.find(({ key }) => key === from)?.extends ?? []).some((parent) => reaches(own, parent, to, seen))
}

/** The permissions of the role, and those that it has by extending others, as far as they are known here. */
export function listAllowed({ own, extendable }: TenantRoles, role: TenantRole): readonly string[] {
  const known = new Map([...own, ...extendable].map((each) => [each.key, each]))
  const found = new Set<string>()
  // a Set also walks what is added on the way
  const reached = new Set([role.key])
  for (const key of reached) {
    for (const permission of known.get(key)?.permissions ?? []) found.add(permission)
    for (const parent of known.get(key)?.extends ?? []) reached.add(parent)
  }
  return [...found]
}

/** What is not offered, and what the user who acts does not have, is said at the field that it is about. */
export function placeRefusal(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  const { status, message, code, id, body } = error
  const field =
    status === 403 && message.endsWith('cannot give it.')
      ? 'permissions'
      : status === 404 && message.includes('is not offered to roles of tenants')
        ? message.startsWith('Role')
          ? 'extends'
          : 'permissions'
        : undefined
  return field === undefined ? error : new ApiError(status, message, code, id, [{ path: [field], message }], body)
}
