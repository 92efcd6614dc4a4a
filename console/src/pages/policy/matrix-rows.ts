// Rows and columns of the matrix, and what a cell says.
import { foldCase } from 'zerohop/fold-case'
import type { AccessRule } from './access-rules.ts'
import { type Edits, editedRoles } from './draft.ts'
import { formatPermission, permissionSet, type ResourceType, type Role, type Roles } from './policy.ts'

export interface Row {
  readonly key: string
  /** as it would be; of a deleted one as it was */
  readonly role: Role
  /** before the draft; null for a new one */
  readonly base: Role | null
  readonly state: 'same' | 'new' | 'changed' | 'deleted'
  /** a role on instances, which is not changed here */
  readonly isOnInstances?: true
}

export interface Column {
  readonly resource: string
  readonly resourceName: string
  readonly action: string
  readonly actionName: string
  readonly permission: string
  /** of its resource type, of those that are shown */
  readonly isFirst: boolean
}

/** Permissions that no one used for a time. */
export interface UnusedCells {
  readonly permissions: ReadonlySet<string>
  /** `Unused for 30 days` */
  readonly words: string
}

interface RowFilter {
  /** in keys or names of roles */
  readonly role?: string | undefined
  /** only those of the draft */
  readonly isChanged?: boolean
}

/** Stored roles in their order, then new ones. */
export function listRows(
  stored: Roles,
  edits: Edits,
  { role: text = '', isChanged = false }: RowFilter,
): readonly Row[] {
  const wanted = foldCase(text)
  const there = editedRoles(stored, edits)
  const keys = isChanged ? [...edits.keys()] : [...new Set([...stored.keys(), ...edits.keys()])]
  return keys.flatMap((key): Row[] => {
    const edit = edits.get(key)
    const base = edit === undefined ? (stored.get(key) ?? null) : edit.base
    const role = there.get(key) ?? base
    if (role === null || !foldCase(`${key} ${role.name}`).includes(wanted)) return []
    return [{ key, role, base, state: editState(edit) }]
  })
}

/** Roles on instances, below the others. */
export function listInstanceRows(roles: Roles, { role: text = '', isChanged = false }: RowFilter): readonly Row[] {
  const wanted = foldCase(text)
  if (isChanged) return []
  return [...roles.values()]
    .filter(({ key }) => foldCase(key).includes(wanted))
    .map((role) => ({ key: role.key, role, base: role, state: 'same', isOnInstances: true }))
}

function editState(edit: { readonly base: Role | null; readonly now: Role | null } | undefined): Row['state'] {
  if (edit === undefined) return 'same'
  if (edit.now === null) return 'deleted'
  return edit.base === null ? 'new' : 'changed'
}

/**
 * The actions whose keys or names, or those of their resource type, have the text in them.
 * @param edits when there are any, only what they give or take
 */
export function listColumns(
  resources: readonly ResourceType[],
  edits: Edits | undefined,
  { action: text = '' }: { readonly action?: string | undefined },
): readonly Column[] {
  const wanted = foldCase(text)
  const changed = edits && changedPermissions(edits)
  return resources.flatMap((resource) => {
    const shown = resource.actions.flatMap((action): Omit<Column, 'isFirst'>[] => {
      const permission = formatPermission(resource.key, action.key)
      if (changed !== undefined && !changed.has(permission)) return []
      if (!foldCase(`${permission} ${resource.name} ${action.name}`).includes(wanted)) return []
      const names = { resourceName: resource.name, actionName: action.name }
      return [{ resource: resource.key, action: action.key, permission, ...names }]
    })
    return shown.map((column, index) => ({ ...column, isFirst: index === 0 }))
  })
}

function changedPermissions(edits: Edits): ReadonlySet<string> {
  const changed = new Set<string>()
  for (const { base, now } of edits.values()) {
    const [before, after] = [base === null ? [] : base.permissions, now === null ? [] : now.permissions]
    for (const each of before) if (now === null || !permissionSet(now).has(each)) changed.add(each)
    for (const each of after) if (base === null || !permissionSet(base).has(each)) changed.add(each)
  }
  return changed
}

/** What a cell means, in words. */
export function cellLabel(
  row: Row,
  permission: string,
  inherited: ReadonlyMap<string, string>,
  rules: readonly AccessRule[] = [],
  unused?: UnusedCells,
): string {
  const { key, state } = row
  if (state === 'deleted') return `${key} will be deleted`
  const source = inherited.get(permission)
  const from = source === undefined ? '' : ` from ${source}`
  const own = permissionSet(row.role).has(permission)
  const says = own ? (source === undefined ? 'direct' : `direct, and inherited${from}`) : `inherited${from}`
  const text =
    own || source !== undefined
      ? `${key} has ${permission}: ${says}`
      : rules.length > 0
        ? `${key} has ${permission}: ${rulesText(key, rules)}`
        : `${key} does not have ${permission}`
  const isGiven = own || source !== undefined || rules.length > 0
  const use = isGiven && unused?.permissions.has(permission) ? `, ${unused.words.toLowerCase()}` : ''
  return `${text}${use}${isCellChanged(row, permission) ? ', not saved' : ''}`
}

/** `conditional, on open-documents` */
function rulesText(row: string, rules: readonly AccessRule[]): string {
  const sets = [...new Set(rules.flatMap(({ set }) => (set === undefined ? [] : [set])))]
  const by = rules.some(({ set }) => set === undefined) ? 'by an access rule' : `conditional, on ${sets.join(' or ')}`
  const others = [...new Set(rules.map(({ role }) => role))].filter((role) => role !== row)
  return others.length === 0 ? by : `${by}, from ${others.join(', ')}`
}

export function isCellChanged({ role, base, state }: Row, permission: string): boolean {
  if (state === 'same' || state === 'deleted') return false
  return permissionSet(role).has(permission) !== (base !== null && permissionSet(base).has(permission))
}
