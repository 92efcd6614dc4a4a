// Tenant roles: permissions, and other roles whose permissions they inherit (D4: roles in tenants).
import { ROLES_MAX } from '../../model/limits.ts'
import type { Role, V1Role } from '../../model/objects.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { afterRole } from '../cascade.ts'
import { type Collection, writesOf } from '../collection.ts'
import { type Path, settleAttributes, settleName, settleText } from '../fields.ts'
import { tenantRoles } from '../hierarchy.ts'
import {
  removeParentOf,
  resolveExtends,
  resolvePermissions,
  withoutPermissions,
  writeParent,
  writePermissions,
} from '../role-permissions.ts'
import { v1OfRole } from '../v1compat.ts'
import type { RolePermissions, RoleUpdate } from './schema.ts'

/** The input for a role; `v1` comes from writes of the first API version. */
export type RoleFields = RoleUpdate & { readonly v1?: V1Role }
type ChangedPermissions = RolePermissions & { readonly ref: string }

export const roles: Collection<'role', RoleFields> = {
  kind: 'role',
  limit: ROLES_MAX,
  defaults: (key) => ({ name: key, description: null, permissions: [], extends: [], attributes: null }),
  merge: (base, sent, { view, key, path, stored }) => ({
    name: settleName(sent.name, base.name, key, path),
    description: settleText(sent.description, base.description, 'description', path),
    permissions:
      sent.permissions === undefined
        ? base.permissions
        : resolvePermissions(view, sent.permissions ?? [], undefined, [...path, 'permissions']),
    extends: sent.extends === undefined ? base.extends : parentsOf(view, key, sent.extends ?? [], [...path, 'extends']),
    attributes: settleAttributes(sent.attributes, base.attributes, null, [...path, 'attributes']),
    ...v1OfRole(sent, stored?.v1, path),
  }),
  removed: (view, { key }, mint) => afterRole(view, key, mint),
}

function parentsOf(view: View, key: string, sent: readonly string[], path: Path): string[] {
  return resolveExtends(tenantRoles(view), key, sent, (ref, at) => view.require('role', ref, at).key, path)
}

export const { create: createRole, update: updateRole, replace: replaceRole, remove: deleteRole } = writesOf(roles)

/** Adds permissions; those that the role has already are skipped. */
export function addPermissions(view: View, { ref, permissions }: ChangedPermissions, mint: Mint): Decided<Role> {
  const role = view.require('role', ref)
  const added = resolvePermissions(view, permissions)
  return writePermissions('role', role, [...new Set([...role.permissions, ...added])], mint)
}

/** Removes permissions; those that the role does not have are skipped. */
export function removePermissions(view: View, { ref, permissions }: ChangedPermissions, mint: Mint): Decided<Role> {
  const role = view.require('role', ref)
  return writePermissions('role', role, withoutPermissions(view, role.permissions, permissions), mint)
}

interface RoleParent {
  readonly ref: string
  /** id or key of a role */
  readonly parent: string
}

/** Adds a role to the `extends` of the role. */
export function addParent(view: View, input: RoleParent, mint: Mint): Decided<Role> {
  const role = view.require('role', input.ref)
  const parent = view.require('role', input.parent).key
  return writeParent('role', role, parent, (parents, path) => parentsOf(view, role.key, parents, path), mint)
}

/** Removes a role from the `extends` of the role. @throws OBJECT_NOT_FOUND when it does not extend it */
export function removeParent(view: View, input: RoleParent, mint: Mint): Decided<Role> {
  const role = view.require('role', input.ref)
  const parent = view.require('role', input.parent).key
  return removeParentOf('role', role, parent, input.parent, mint)
}
