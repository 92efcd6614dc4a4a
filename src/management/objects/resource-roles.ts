// Roles of a resource type: assigned on one instance, with actions of that type (D5: roles on instances). They extend
// roles of the same type and may be derived.

import type { ResourceRole } from '../../kinds/resource-role.ts'
import { type Change, put } from '../../log/change.ts'
import { ROLES_MAX } from '../../model/limits.ts'
import { partKey } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import {
  type Collection,
  create,
  erase,
  locate,
  makePartWrites,
  type OnResource,
  patch,
  replace,
  requirePlace,
} from '../rules/collection.ts'
import { BODY, type Path, settleAttributes, settleName, settleText } from '../rules/fields.ts'
import { settleGiving } from '../rules/giving.ts'
import { rolesOfResource } from '../rules/hierarchy.ts'
import {
  dropParent,
  resolveExtends,
  resolvePermissions,
  withoutPermissions,
  writeParent,
  writePermissions,
} from '../rules/role-permissions.ts'
import type { ResourceRoleCreate, ResourceRolePermissions, ResourceRoleUpdate } from '../schemas/resource-roles.ts'
import { afterResourceRole } from './cascade-schema.ts'
import { resolveDerivation } from './derivations.ts'
import { areBare, inForm, toForm } from './permission-form.ts'

/** The input for a resource role; a policy file says itself whether answers list its permissions as actions alone. */
export type ResourceRoleFields = ResourceRoleUpdate & { readonly bare_permissions?: boolean | null }

export const resourceRoles: Collection<'resource_role', ResourceRoleFields> = {
  kind: 'resource_role',
  limit: ROLES_MAX,
  defaults: (key, _mint, of) => ({
    resource: of,
    role: key,
    name: key,
    description: null,
    permissions: [],
    extends: [],
    attributes: null,
    granted_to: null,
  }),
  merge: (base, sent, { view, key, of, path, stored, mint }) => {
    const resource = view.require('resource', of)
    const at = (field: string): Path => [...path, field]
    const { granted_to: derivation, bare_permissions: isBare } = sent
    return {
      resource: of,
      role: key,
      name: settleName(sent.name, base.name, key, path),
      description: settleText(sent.description, base.description, 'description', path),
      permissions:
        sent.permissions === undefined
          ? base.permissions
          : resolvePermissions(view, sent.permissions ?? [], resource, at('permissions')),
      ...toForm(isBare ?? areBare(sent.permissions ?? [], base)),
      extends:
        sent.extends === undefined ? base.extends : resolveParents(view, of, key, sent.extends ?? [], at('extends')),
      attributes: settleAttributes(sent.attributes, base.attributes, null, at('attributes')),
      ...settleGiving(view, { kind: 'resource_role', key: partKey(of, key) }, stored, sent, path),
      granted_to:
        derivation === undefined
          ? base.granted_to
          : resolveDerivation(view, of, derivation ?? {}, stored?.granted_to ?? null, mint, at('granted_to')),
    }
  },
  removed: (view, role, mint) => afterResourceRole(view, role, mint),
}

function resolveParents(view: View, of: string, key: string, sent: readonly string[], path: Path): string[] {
  const resolveKey = (ref: string, at: Path) => locate(view, 'resource_role', ref, of, at).role
  return resolveExtends(rolesOfResource(view, of), key, sent, resolveKey, path)
}

interface OneRole extends OnResource {
  readonly ref: string
}
type RolePermissions = OneRole & ResourceRolePermissions

/** Creates a role; it may be derived from itself, over a relation of the type to itself. */
export function createResourceRole(
  view: View,
  input: OnResource & { readonly role: ResourceRoleCreate },
  mint: Mint,
): Decided<ResourceRole> {
  return addResourceRole(view, input.role, mint, requirePlace(view, input).of)
}

/** The same where the key of the resource type is known: first the role, then the fields that may name it. */
export function addResourceRole(
  view: View,
  { granted_to, ...rest }: ResourceRoleFields & { readonly key: string },
  mint: Mint,
  of = '',
): Decided<ResourceRole> {
  const draft = new Draft(view)
  const made = draft.take(create(resourceRoles, draft, rest, mint, { of }))
  if (!granted_to) return { changes: draft.changes(), result: made }
  const role = draft.take(patch(resourceRoles, draft, { ref: made.role, fields: { granted_to } }, mint, { of }))
  return { changes: draft.changes(), result: role }
}

export const {
  update: updateResourceRole,
  replace: replaceResourceRole,
  remove: deleteResourceRole,
} = makePartWrites(resourceRoles, 'role')

/** Adds permissions; those that the role has already are skipped, but for the form in which they are sent. */
export function addResourceRolePermissions(view: View, input: RolePermissions, mint: Mint): Decided<ResourceRole> {
  const resource = view.require('resource', input.resource)
  const role = locate(view, 'resource_role', input.ref, resource.key)
  const added = resolvePermissions(view, input.permissions, resource)
  const permissions = [...new Set([...role.permissions, ...added])]
  const formed = inForm(role, areBare(input.permissions, role))
  if (formed === role) return writePermissions('resource_role', role, permissions, mint)
  const changed = { ...formed, permissions, updated_at: mint.now }
  return { changes: [put('resource_role', changed)], result: changed }
}

/** Removes permissions; those that the role does not have are skipped. */
export function removeResourceRolePermissions(view: View, input: RolePermissions, mint: Mint): Decided<ResourceRole> {
  const resource = view.require('resource', input.resource)
  const role = locate(view, 'resource_role', input.ref, resource.key)
  const left = withoutPermissions(view, role.permissions, input.permissions, resource)
  return writePermissions('resource_role', role, left, mint)
}

/**
 * The role without the parents that it will lose, so that one body can reverse which of two roles extends the other.
 */
export function dropParents(view: View, role: ResourceRole, sent: readonly string[], mint: Mint): Change[] {
  const parents = role.extends.filter((parent) => {
    return sent.some((ref) => ref === parent || view.find('resource_role', ref)?.key === partKey(role.resource, parent))
  })
  if (parents.length === role.extends.length) return []
  return [put('resource_role', { ...role, extends: parents, updated_at: mint.now })]
}

type RoleParent = OneRole & {
  /** id or key of a role of the same resource type */
  readonly parent: string
}

/** Adds a role to the `extends` of the role. */
export function addResourceRoleParent(view: View, input: RoleParent, mint: Mint): Decided<ResourceRole> {
  const { of } = requirePlace(view, input)
  const role = locate(view, 'resource_role', input.ref, of)
  const parent = locate(view, 'resource_role', input.parent, of).role
  const resolved = (parents: readonly string[], path: Path) => resolveParents(view, of, role.role, parents, path)
  return writeParent('resource_role', role, parent, resolved, mint)
}

/** Removes a role from the `extends` of the role. @throws OBJECT_NOT_FOUND when it does not extend it */
export function removeResourceRoleParent(view: View, input: RoleParent, mint: Mint): Decided<ResourceRole> {
  const { of } = requirePlace(view, input)
  const role = locate(view, 'resource_role', input.ref, of)
  const parent = locate(view, 'resource_role', input.parent, of).role
  return dropParent('resource_role', role, parent, input.parent, mint)
}

/**
 * Applies the map `roles` of a resource: its roles are created or replaced, others are deleted. Roles in it may name
 * each other.
 */
export function writeRoles(
  draft: Draft,
  of: string,
  sent: Readonly<Record<string, ResourceRoleUpdate>>,
  mint: Mint,
): void {
  for (const { role } of [...draft.by('resource_roles_of_resource', of)]) {
    if (!Object.hasOwn(sent, role)) draft.take(erase(resourceRoles, draft, { ref: role }, mint, { of }))
  }
  const formatPlace = (key: string) => {
    const path = [...BODY, 'roles', key]
    return { of, path, keyPath: path }
  }
  for (const [key, fields] of Object.entries(sent)) {
    const known = draft.get('resource_role', partKey(of, key))
    if (!known) draft.take(create(resourceRoles, draft, { key }, mint, formatPlace(key)))
    else draft.stage(dropParents(draft, known, fields.extends ?? [], mint))
  }
  for (const [key, fields] of Object.entries(sent)) {
    const { id } = locate(draft, 'resource_role', key, of)
    draft.take(replace(resourceRoles, draft, { ref: id, fields }, mint, formatPlace(key)))
  }
}
