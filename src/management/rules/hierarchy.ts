// Inheritance: roles that extend roles, sets with a parent. The rules are the same: no cycles, and no chain longer than
// a bound, so that every walk over a chain ends.
import { type ErrorCode, ZerohopError } from '../../model/errors.ts'
import { EXTENDS_DEPTH_MAX, SET_DEPTH_MAX, TENANT_EXTENDS_DEPTH_MAX } from '../../model/limits.ts'
import { partKey } from '../../model/objects.ts'
import type { View } from '../../store/view.ts'
import type { Path } from './fields.ts'

/** An inheritance graph of objects by their keys. */
export interface Hierarchy {
  /** direct parents */
  parents(key: string): readonly string[]
  /** direct children */
  children(key: string): Iterable<string>
  /** maximal number of objects in one chain */
  readonly depth: number
  readonly what: string
  readonly cycle: ErrorCode
}

/** The roles in tenants. */
export function tenantRoles(view: View): Hierarchy {
  return {
    parents: (key) => view.get('role', key)?.extends ?? [],
    *children(key) {
      for (const child of view.by('roles_with_parent', key)) yield child.key
    },
    depth: EXTENDS_DEPTH_MAX,
    what: 'the chain of extended roles',
    cycle: 'EXTENDS_CYCLE',
  }
}

/** Keys that no role has: those of the longest chain that tenants may put below a role that is `extendable`. */
const ROOM = Array.from({ length: TENANT_EXTENDS_DEPTH_MAX }, (_, at) => `@${at}`)

/**
 * The roles in tenants with room below each that tenants may extend (D18), so that what tenants have made never stands in
 * the way of a change. `of` is the role that is written.
 */
export function rolesWithRoom(view: View, of: { readonly key: string; readonly extendable: boolean }): Hierarchy {
  const isExtendable = (key: string) => (key === of.key ? of.extendable : view.get('role', key)?.extendable === true)
  return {
    ...tenantRoles(view),
    *children(key) {
      if (key.startsWith('@')) return yield* ROOM.slice(ROOM.indexOf(key) + 1).slice(0, 1)
      for (const child of view.by('roles_with_parent', key)) yield child.key
      if (isExtendable(key)) yield ROOM[0]!
    },
  }
}

/** The roles of one resource type, by their key in the type. */
export function rolesOfResource(view: View, resource: string): Hierarchy {
  return {
    parents: (key) => view.get('resource_role', partKey(resource, key))?.extends ?? [],
    *children(key) {
      for (const child of view.by('resource_roles_with_parent', partKey(resource, key))) yield child.role
    },
    depth: EXTENDS_DEPTH_MAX,
    what: 'the chain of extended roles',
    cycle: 'EXTENDS_CYCLE',
  }
}

/** Condition sets. */
export function conditionSets(view: View): Hierarchy {
  return {
    parents: (key) => {
      const parent = view.get('condition_set', key)?.parent ?? null
      return parent === null ? [] : [parent]
    },
    *children(key) {
      for (const child of view.by('sets_with_parent', key)) yield child.key
    },
    depth: SET_DEPTH_MAX,
    what: 'the chain of parents',
    cycle: 'PARENT_CYCLE',
  }
}

/** @throws EXTENDS_CYCLE or PARENT_CYCLE, LIMIT_EXCEEDED when `key` may not have these parents */
export function requireParents(hierarchy: Hierarchy, key: string, parents: readonly string[], path: Path): void {
  const above = new Map<string, number>()
  let highest = 1
  for (const parent of parents) highest = Math.max(highest, 1 + height(hierarchy, parent, key, above, path))
  if (highest + depthBelow(hierarchy, key) <= hierarchy.depth) return
  throw new ZerohopError('LIMIT_EXCEEDED', { what: hierarchy.what, limit: hierarchy.depth }, { path })
}

/** All descendants of `key`, nearest first, without duplicates. */
export function descendants(hierarchy: Hierarchy, key: string): string[] {
  return [...descendantSteps(hierarchy, key).keys()]
}

/** How many steps each ancestor is away, nearest first. */
export function ancestorSteps(hierarchy: Hierarchy, key: string): ReadonlyMap<string, number> {
  return steps(key, (one) => hierarchy.parents(one))
}

/** How many steps each descendant is away, nearest first. */
export function descendantSteps(hierarchy: Hierarchy, key: string): ReadonlyMap<string, number> {
  return steps(key, (one) => hierarchy.children(one))
}

function steps(start: string, next: (key: string) => Iterable<string>): Map<string, number> {
  const found = new Map([[start, 0]])
  // iterating a Map includes members added meanwhile
  for (const [key, away] of found) for (const one of next(key)) if (!found.has(one)) found.set(one, away + 1)
  found.delete(start)
  return found
}

/** Objects on the longest chain from `key` upwards. The chain is bounded because every stored one is. */
function height(hierarchy: Hierarchy, key: string, forbidden: string, known: Map<string, number>, path: Path): number {
  const seen = known.get(key)
  if (seen !== undefined) return seen
  const circle = (via: string) => new ZerohopError(hierarchy.cycle, { key: forbidden, via }, { path })
  if (key === forbidden) throw circle(key)
  let highest = 1
  for (const parent of hierarchy.parents(key)) {
    if (parent === forbidden) throw circle(key)
    highest = Math.max(highest, 1 + height(hierarchy, parent, forbidden, known, path))
  }
  known.set(key, highest)
  return highest
}

/** Objects on the longest chain from the children of `key` downwards, counted level by level. */
function depthBelow(hierarchy: Hierarchy, key: string): number {
  let level = new Set([key])
  let depth = 0
  while (depth <= hierarchy.depth) {
    const next = new Set<string>()
    for (const one of level) for (const child of hierarchy.children(one)) next.add(child)
    if (next.size === 0) return depth
    level = next
    depth++
  }
  return depth
}
