// Permissions and `extends` of a role: what may be named, and that inheritance stays a finite tree of bounded depth (D4).
import { ZerohopError } from '../model/errors.ts'
import { parsePermission } from '../model/keys.ts'
import { EXTENDS_DEPTH_MAX, EXTENDS_MAX, PERMISSIONS_PER_REQUEST_MAX } from '../model/limits.ts'
import type { Role } from '../model/objects.ts'
import type { View } from '../store/view.ts'
import { BODY, type Path } from './fields.ts'

/**
 * The permissions named by `sent`, as `resource:action` of keys, each once, in the order sent. Ids may stand for keys.
 * @throws PERMISSION_INVALID, OBJECT_NOT_FOUND, LIMIT_EXCEEDED
 */
export function resolvePermissions(
  view: View,
  sent: readonly string[],
  path: Path = [...BODY, 'permissions'],
): string[] {
  requireCount(sent, 'the permissions of one request', PERMISSIONS_PER_REQUEST_MAX, path)
  const resolved = new Set<string>()
  for (const [at, permission] of sent.entries()) {
    const parts = parsePermission(permission)
    if (parts === undefined) throw new ZerohopError('PERMISSION_INVALID', { permission }, { path: [...path, at] })
    const resource = view.require('resource', parts.resource, [...path, at])
    const action =
      resource.actions.find(({ key }) => key === parts.action) ?? resource.actions.find(({ id }) => id === parts.action)
    if (action === undefined)
      throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'action', ref: permission }, { path: [...path, at] })
    resolved.add(`${resource.key}:${action.key}`)
  }
  return [...resolved]
}

/** `held` without the permissions named by `sent`; what is not held is skipped. @throws PERMISSION_INVALID */
export function withoutPermissions(held: readonly string[], sent: readonly string[]): string[] {
  requireCount(sent, 'the permissions of one request', PERMISSIONS_PER_REQUEST_MAX, [...BODY, 'permissions'])
  for (const [at, permission] of sent.entries()) {
    if (parsePermission(permission)) continue
    throw new ZerohopError('PERMISSION_INVALID', { permission }, { path: [...BODY, 'permissions', at] })
  }
  const gone = new Set(sent)
  return held.filter((permission) => !gone.has(permission))
}

/**
 * The keys of the roles that role `key` shall extend.
 * @throws OBJECT_NOT_FOUND, EXTENDS_CYCLE, LIMIT_EXCEEDED on too many parents or too long a chain
 */
export function resolveExtends(view: View, key: string, sent: readonly string[]): string[] {
  const path = [...BODY, 'extends']
  requireCount(sent, 'the roles that one role extends', EXTENDS_MAX, path)
  const parents = sent.map((ref, at) => (ref === key ? key : view.require('role', ref, [...path, at]).key))
  const above = new Map<string, number>()
  let highest = 1
  for (const parent of parents) highest = Math.max(highest, 1 + height(view, parent, key, above, path))
  if (highest + depthBelow(view, key) > EXTENDS_DEPTH_MAX) {
    throw new ZerohopError(
      'LIMIT_EXCEEDED',
      { what: 'the chain of extended roles', limit: EXTENDS_DEPTH_MAX },
      { path },
    )
  }
  return [...new Set(parents)]
}

/** Roles on the longest chain from `role` upwards. The chain is bounded because every stored one is. */
function height(view: View, role: string, forbidden: string, known: Map<string, number>, path: Path): number {
  const seen = known.get(role)
  if (seen !== undefined) return seen
  if (role === forbidden) throw new ZerohopError('EXTENDS_CYCLE', { key: forbidden, via: role }, { path })
  let highest = 1
  for (const parent of view.get('role', role)?.extends ?? []) {
    if (parent === forbidden) throw new ZerohopError('EXTENDS_CYCLE', { key: forbidden, via: role }, { path })
    highest = Math.max(highest, 1 + height(view, parent, forbidden, known, path))
  }
  known.set(role, highest)
  return highest
}

/** Roles on the longest chain from the roles that extend `role` downwards, counted level by level. */
function depthBelow(view: View, role: string): number {
  let level = new Set<string>([role])
  let depth = 0
  while (depth <= EXTENDS_DEPTH_MAX) {
    const next = new Set<string>()
    for (const key of level) for (const child of view.by('roles_with_parent', key)) next.add(child.key)
    if (next.size === 0) return depth
    level = next
    depth++
  }
  return depth
}

/** `role` without `parent` among what it extends. */
export function withoutParent(role: Role, parent: string, now: number): Role {
  return { ...role, extends: role.extends.filter((key) => key !== parent), updated_at: now }
}

function requireCount(sent: readonly unknown[], what: string, limit: number, path: Path): void {
  if (sent.length > limit) throw new ZerohopError('LIMIT_EXCEEDED', { what, limit }, { path })
}
