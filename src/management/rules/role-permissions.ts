// Permissions and `extends` of a role: validates the references, and that inheritance has no cycles and a bounded depth
// (D4: roles in tenants). Used for tenant roles and for the roles of a resource type, whose permissions are actions of
// that type.

import type { Objects } from '../../kinds/index.ts'
import type { Resource } from '../../kinds/resource.ts'
import type { Role } from '../../kinds/role.ts'
import { put } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { parsePermission } from '../../model/keys.ts'
import { EXTENDS_MAX, PERMISSIONS_PER_REQUEST_MAX } from '../../model/limits.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { BODY, type Path } from './fields.ts'
import { type Hierarchy, requireParents } from './hierarchy.ts'

/**
 * The permissions named by `sent`, as `resource:action` of keys, in the order sent, without duplicates. Ids may stand
 * for keys. With `of`, the actions are those of that resource type, and its name may be left out.
 * @throws PERMISSION_INVALID, PERMISSION_FOREIGN, OBJECT_NOT_FOUND, LIMIT_EXCEEDED
 */
export function resolvePermissions(
  view: View,
  sent: readonly string[],
  of?: Resource,
  path: Path = [...BODY, 'permissions'],
): string[] {
  requireCount(sent, 'the permissions of one request', PERMISSIONS_PER_REQUEST_MAX, path)
  const types = new PermissionTypes(view, of)
  const resolved = sent.map((permission, at) => resolve(types, permission, of, [...path, at]))
  return [...new Set(resolved)]
}

function resolve(types: PermissionTypes, permission: string, of: Resource | undefined, path: Path): string {
  const parts = readParts(permission, of, path)
  const named = types.require(parts.resource, path)
  if (of !== undefined && named.key !== of.key) {
    throw new ZerohopError('PERMISSION_FOREIGN', { permission, resource: of.key }, { path })
  }
  const { key, actions } = of === undefined ? named : types.require(of.key, path)
  const action = actions.get(parts.action)
  if (action === undefined) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'action', ref: permission }, { path })
  return `${key}:${action}`
}

/** `held` without the permissions named by `sent`; others are skipped. @throws PERMISSION_INVALID */
export function withoutPermissions(
  view: View,
  held: readonly string[],
  sent: readonly string[],
  of?: Resource,
): string[] {
  const path = [...BODY, 'permissions']
  requireCount(sent, 'the permissions of one request', PERMISSIONS_PER_REQUEST_MAX, path)
  const types = new PermissionTypes(view, of)
  const gone = new Set<string>()
  for (const [at, permission] of sent.entries()) {
    const parts = readParts(permission, of, [...path, at])
    const named = types.find(parts.resource)
    if (named) gone.add(`${named.key}:${named.actions.get(parts.action) ?? parts.action}`)
  }
  return held.filter((permission) => !gone.has(permission))
}

function readParts(permission: string, of: Resource | undefined, path: Path): { resource: string; action: string } {
  if (of && permission !== '' && !permission.includes(':')) return { resource: of.key, action: permission }
  const parts = parsePermission(permission)
  if (parts === undefined) throw new ZerohopError('PERMISSION_INVALID', { permission }, { path })
  return parts
}

/** A resource type, as far as permissions need it. */
interface PermissionType {
  readonly key: string
  /** keys of its actions by key and by id; a key wins, because stored permissions have keys */
  readonly actions: ReadonlyMap<string, string>
}

/** The resource types that the permissions of one request name: each is read once, however many permissions name it. */
class PermissionTypes {
  readonly #view: View
  readonly #found = new Map<string, PermissionType | undefined>()

  constructor(view: View, of: Resource | undefined) {
    this.#view = view
    if (of !== undefined) this.#found.set(of.key, toPermissionType(of))
  }

  /** @param ref id or key of the type */
  find(ref: string): PermissionType | undefined {
    if (!this.#found.has(ref)) {
      const resource = this.#view.find('resource', ref)
      this.#found.set(ref, resource && toPermissionType(resource))
    }
    return this.#found.get(ref)
  }

  /** @throws OBJECT_NOT_FOUND */
  require(ref: string, path: Path): PermissionType {
    return this.find(ref) ?? toPermissionType(this.#view.require('resource', ref, path))
  }
}

/** Of types that are held in memory, such as those that a draft has read: many roles name the same ones. */
const permissionTypes = new WeakMap<Resource, PermissionType>()

function toPermissionType(resource: Resource): PermissionType {
  let type = permissionTypes.get(resource)
  if (type === undefined) {
    const { key, actions } = resource
    const byId = actions.map((action) => [action.id, action.key] as const)
    type = { key, actions: new Map([...byId, ...actions.map((action) => [action.key, action.key] as const)]) }
    permissionTypes.set(resource, type)
  }
  return type
}

/**
 * The keys of the roles that role `key` will extend. `keyOf` finds a role by id or key.
 * @throws OBJECT_NOT_FOUND, EXTENDS_CYCLE, LIMIT_EXCEEDED on too many parents or too long a chain
 */
export function resolveExtends(
  hierarchy: Hierarchy,
  key: string,
  sent: readonly string[],
  keyOf: (ref: string, path: Path) => string,
  path: Path = [...BODY, 'extends'],
): string[] {
  requireCount(sent, 'the roles that one role extends', EXTENDS_MAX, path)
  const parents = sent.map((ref, at) => (ref === key ? key : keyOf(ref, [...path, at])))
  requireParents(hierarchy, key, parents, path)
  return [...new Set(parents)]
}

/** The role without `parent` in its `extends`. */
export function withoutParent<R extends Pick<Role, 'extends' | 'updated_at'>>(role: R, parent: string, now: number): R {
  return { ...role, extends: role.extends.filter((key) => key !== parent), updated_at: now }
}

type RoleKind = 'role' | 'resource_role'

/** Writes the role with these permissions, which are those that it has and more, or some of them. */
export function writePermissions<K extends RoleKind>(
  kind: K,
  role: Objects[K],
  permissions: readonly string[],
  mint: Mint,
): Decided<Objects[K]> {
  if (permissions.length === role.permissions.length) return { changes: [], result: role }
  const changed = { ...role, permissions, updated_at: mint.now }
  return { changes: [put(kind, changed)], result: changed }
}

/** Writes the role with one more role that it extends; `resolved` gives all of them, checked. */
export function writeParent<K extends RoleKind>(
  kind: K,
  role: Objects[K],
  parent: string,
  resolved: (parents: readonly string[], path: Path) => readonly string[],
  mint: Mint,
): Decided<Objects[K]> {
  if (role.extends.includes(parent)) return { changes: [], result: role }
  const parents = resolved([...role.extends, parent], ['path', 'parent'])
  const changed = { ...role, extends: parents, updated_at: mint.now }
  return { changes: [put(kind, changed)], result: changed }
}

/**
 * Writes the role without one of the roles that it extends; `ref` is how that one was named. @throws OBJECT_NOT_FOUND
 * when it does not extend it
 */
export function dropParent<K extends RoleKind>(
  kind: K,
  role: Objects[K],
  parent: string,
  ref: string,
  mint: Mint,
): Decided<Objects[K]> {
  if (!role.extends.includes(parent)) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'parent', ref })
  const changed = withoutParent(role, parent, mint.now)
  return { changes: [put(kind, changed)], result: changed }
}

function requireCount(sent: readonly unknown[], what: string, limit: number, path: Path): void {
  if (sent.length > limit) throw new ZerohopError('LIMIT_EXCEEDED', { what, limit }, { path })
}
