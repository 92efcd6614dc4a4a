// Changes of roles that are not saved yet, as plain data. An edit keeps the role as it was when its first change was
// made: so it is known when somebody else changed it meanwhile, and their change and this one can be put together.

import { permissionSet, type Role, type RoleAbout, type Roles } from './policy.ts'
import { describeRequestable } from './requestable.ts'

/** null: the role does not exist. */
export interface Edit {
  readonly base: Role | null
  readonly now: Role | null
}

/** By the key of the role. */
export type Edits = ReadonlyMap<string, Edit>

/** A change as the API takes it: `PlannedChange` of a role. */
export interface PlannedChange {
  readonly op: 'create' | 'update' | 'delete'
  readonly kind: 'role'
  readonly key: string
  /** the fields that are sent */
  readonly value?: { readonly [field: string]: unknown }
}

export const NO_EDITS: Edits = new Map()

/** The roles as they would be; deleted ones are left out. */
export function editedRoles(stored: Roles, edits: Edits): Roles {
  const roles = new Map(stored)
  for (const [key, { now }] of edits) {
    if (now === null) roles.delete(key)
    else roles.set(key, now)
  }
  return roles
}

/** With `next` in the place of the role; without the edit when that is how the role was. */
export function withRole(stored: Roles, edits: Edits, key: string, next: Role | null): Edits {
  const base = edits.get(key)?.base ?? (edits.has(key) ? null : (stored.get(key) ?? null))
  const changed = new Map(edits)
  if (isSame(base, next)) changed.delete(key)
  else changed.set(key, { base, now: next })
  return changed
}

/** Gives the role the permission, or takes it. */
export function withPermission(stored: Roles, edits: Edits, key: string, permission: string, isGiven: boolean): Edits {
  const role = editedRole(stored, edits, key)
  if (role === null || permissionSet(role).has(permission) === isGiven) return edits
  const permissions = isGiven
    ? [...role.permissions, permission]
    : role.permissions.filter((each) => each !== permission)
  return withRole(stored, edits, key, { ...role, permissions })
}

/** Without the role. Roles that extend it do so no more. */
export function withoutRole(stored: Roles, edits: Edits, key: string): Edits {
  let next = withRole(stored, edits, key, null)
  for (const role of editedRoles(stored, edits).values())
    if (role.key !== key && role.extends.includes(key))
      next = withRole(stored, next, role.key, { ...role, extends: role.extends.filter((each) => each !== key) })
  return next
}

/** Without the edits of one role: what the server has. A role that was to be deleted is extended again as it was. */
export function withoutEdit(stored: Roles, edits: Edits, key: string): Edits {
  const edit = edits.get(key)
  if (edit === undefined) return edits
  if (edit.base === null && !stored.has(key)) return withoutRole(stored, edits, key)
  let next: Edits = new Map([...edits].filter(([each]) => each !== key))
  if (edit.now !== null) return next
  for (const [child, { base, now }] of edits)
    if (now !== null && base?.extends.includes(key) && !now.extends.includes(key))
      next = withRole(stored, next, child, { ...now, extends: [...now.extends, key] })
  return next
}

export function editedRole(stored: Roles, edits: Edits, key: string): Role | null {
  const edit = edits.get(key)
  return edit === undefined ? (stored.get(key) ?? null) : edit.now
}

/** The facts about a role, before and after. */
export type AboutDifference = {
  readonly [N in keyof RoleAbout]?: readonly [before: RoleAbout[N], after: RoleAbout[N]]
}

/** How one role differs from another. */
export interface RoleDifference {
  /** only what differs */
  readonly about: AboutDifference
  readonly gained: readonly string[]
  readonly lost: readonly string[]
  readonly extended: readonly string[]
  readonly noLongerExtended: readonly string[]
}

const NO_ABOUT: RoleAbout = {
  name: '',
  description: null,
  default_duration: null,
  max_duration: null,
  everybody: null,
  assignable_by_tenants: null,
  requestable: null,
  extendable: null,
}
const EMPTY: Role = { key: '', ...NO_ABOUT, permissions: [], extends: [] }
const ABOUT = Object.keys(NO_ABOUT) as readonly (keyof RoleAbout)[]

/** From one state of a role to another one; a role that is not there has nothing. */
export function compareRoles(before: Role | null, after: Role | null): RoleDifference {
  const from = before ?? { ...EMPTY, name: after?.name ?? '' }
  const to = after ?? { ...EMPTY, name: from.name }
  return {
    about: compareAbout(from, to),
    gained: missingIn(from.permissions, to.permissions),
    lost: missingIn(to.permissions, from.permissions),
    extended: missingIn(from.extends, to.extends),
    noLongerExtended: missingIn(to.extends, from.extends),
  }
}

/** A draft that the tab kept may be older than a field, and has it as `null` has it. */
function compareAbout(from: RoleAbout, to: RoleAbout): AboutDifference {
  const differing = ABOUT.filter((name) => !isSameFact(from[name] ?? null, to[name] ?? null))
  return Object.fromEntries(differing.map((name) => [name, [from[name] ?? null, to[name] ?? null]]))
}

/** Facts are plain values, but for how a role can be requested, which is compared as a whole. */
function isSameFact(left: RoleAbout[keyof RoleAbout], right: RoleAbout[keyof RoleAbout]): boolean {
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') return left === right
  return describeRequestable(left) === describeRequestable(right)
}

/** What the second list has and the first one lacks. */
function missingIn(list: readonly string[], other: readonly string[]): readonly string[] {
  const known = new Set(list)
  return other.filter((each) => !known.has(each))
}

function isSame(left: Role | null, right: Role | null): boolean {
  if (left === null || right === null) return left === right
  const { about, ...lists } = compareRoles(left, right)
  return Object.keys(about).length === 0 && Object.values(lists).every(({ length }) => length === 0)
}

/** The edits that are still to be saved: a role that is stored as its edit has it needs none. */
export function unsavedEdits(stored: Roles, edits: Edits): Edits {
  const left = [...edits].filter(([key, { now }]) => !isSame(now, stored.get(key) ?? null))
  return left.length === edits.size ? edits : new Map(left)
}

/** A role of the draft that is not what it was when its edit began, or that needs something that is gone. */
export interface Conflict {
  readonly key: string
  readonly edit: Edit
  /** as it is now */
  readonly theirs: Role | null
  /** permissions and roles that the edit gives it, and that do not exist any more */
  readonly missing: readonly string[]
}

/** The edits that do not fit what is stored now. `permissions` are all there are. */
export function listConflicts(stored: Roles, permissions: ReadonlySet<string>, edits: Edits): readonly Conflict[] {
  const there = editedRoles(stored, edits)
  return [...edits].flatMap(([key, edit]) => {
    const theirs = stored.get(key) ?? null
    const { gained, extended } = compareRoles(theirs, edit.now)
    const missing = [...gained.filter((each) => !permissions.has(each)), ...extended.filter((each) => !there.has(each))]
    return isSame(edit.base, theirs) && missing.length === 0 ? [] : [{ key, edit, theirs, missing }]
  })
}

/**
 * The edits put on top of what others changed since: permissions and extended roles are put together one by one; where
 * both changed the same field, such as the name, that of the edit stays. A role that others deleted is made again, one that both
 * deleted is gone, and so is what does not exist any more.
 */
export function onTop(stored: Roles, permissions: ReadonlySet<string>, edits: Edits): Edits {
  const merged = new Map([...edits].map(([key, edit]) => [key, merge(edit, stored.get(key) ?? null)]))
  const there = new Set([...stored.keys(), ...merged.keys()].filter((key) => merged.get(key) !== null))
  const next = new Map<string, Edit>()
  for (const [key, now] of merged) {
    const base = stored.get(key) ?? null
    const fitting = now && {
      ...now,
      permissions: now.permissions.filter((each) => permissions.has(each)),
      extends: now.extends.filter((each) => there.has(each)),
    }
    if (!isSame(base, fitting)) next.set(key, { base, now: fitting })
  }
  return next
}

function merge({ base, now }: Edit, theirs: Role | null): Role | null {
  if (now === null || theirs === null || isSame(base, theirs)) return now
  const { about, gained, lost, extended, noLongerExtended } = compareRoles(base, now)
  return {
    ...theirs,
    ...(base === null ? { name: now.name } : {}),
    ...takeLater(about),
    permissions: patched(theirs.permissions, gained, lost),
    extends: patched(theirs.extends, extended, noLongerExtended),
  }
}

const takeLater = (about: AboutDifference): Partial<RoleAbout> =>
  Object.fromEntries(Object.entries(about).map(([name, [, after]]) => [name, after]))

function patched(list: readonly string[], added: readonly string[], removed: readonly string[]): readonly string[] {
  const gone = new Set(removed)
  return [...new Set([...list, ...added])].filter((each) => !gone.has(each))
}

/**
 * The changes for the API, in an order in which each of them can be made: first what a role stops extending, so that no
 * chain of roles becomes a ring on the way; new roles exist before others extend them.
 */
export function listChanges(edits: Edits): readonly PlannedChange[] {
  const kept = [...edits.values()].flatMap(({ base, now }) => (base !== null && now !== null ? [{ base, now }] : []))
  const loosened = kept.filter(({ base, now }) => missingIn(now.extends, base.extends).length > 0)
  const created = [...edits.values()].flatMap(({ base, now }) => (base === null && now !== null ? [now] : []))
  const linked = created.filter((role) => role.extends.length > 0)
  const deleted = [...edits].filter(([, { now }]) => now === null)
  return [
    ...loosened.map(({ base, now }) =>
      updated(now.key, { extends: base.extends.filter((key) => now.extends.includes(key)) }),
    ),
    ...created.map(({ key, extends: _, ...value }) => ({
      op: 'create' as const,
      kind: 'role' as const,
      key,
      value: { ...value },
    })),
    ...linked.map((role) => updated(role.key, { extends: role.extends })),
    ...kept
      .map(({ base, now }) => updated(now.key, changedFields(base, now)))
      .filter(({ value }) => Object.keys(value).length > 0),
    ...deleted.map(([key]) => ({ op: 'delete' as const, kind: 'role' as const, key })),
  ]
}

const updated = (key: string, value: Partial<Role>) => ({ op: 'update' as const, kind: 'role' as const, key, value })

/** The fields that differ. */
function changedFields(base: Role, now: Role): Partial<Role> {
  const { about, gained, lost, extended } = compareRoles(base, now)
  return {
    ...takeLater(about),
    ...(gained.length + lost.length === 0 ? {} : { permissions: now.permissions }),
    ...(extended.length === 0 ? {} : { extends: now.extends }),
  }
}
