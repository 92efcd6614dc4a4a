// What an image says, as plain sorted data: the one form between changes, the canonical build and compaction. The same contents
// give the same bytes on every machine, however they came about (design.md §4).
import {
  Edge,
  Grant,
  HEADER,
  Header,
  Party,
  Permission,
  Resource,
  Role,
  RoleSet,
  Root,
  SCRATCH_BYTES,
  SINGLE,
  TABLE_BYTES,
  Table,
} from '../../assembly/abi.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { PolicyChange } from '../log/delta.ts'
import { ZerohopError } from '../model/errors.ts'
import { assignmentKey } from '../model/objects.ts'

export interface RoleContent {
  readonly permissions: readonly string[]
  readonly extends: readonly string[]
}

/** Everything of an image by key. Not sorted; the build sorts. */
export interface Contents {
  readonly resources: Map<string, readonly string[]>
  readonly roles: Map<string, RoleContent>
  readonly tenants: Set<string>
  /** user → tenant → roles */
  readonly users: Map<string, Map<string, string[]>>
}

/** Folds changes into contents: the last one of an object wins; deletes remove. */
export function fold(changes: Iterable<PolicyChange>): Contents {
  const contents: Contents = { resources: new Map(), roles: new Map(), tenants: new Set(), users: new Map() }
  const assignments = new Map<string, { user: string; role: string; tenant: string }>()
  for (const change of changes) {
    if (change.op === 'delete') forget(contents, assignments, change.kind, change.key)
    else if (change.kind === 'resource') contents.resources.set(change.key, change.value.actions)
    else if (change.kind === 'role') contents.roles.set(change.key, change.value)
    else if (change.kind === 'tenant') contents.tenants.add(change.key)
    else if (change.kind === 'user') contents.users.set(change.key, contents.users.get(change.key) ?? new Map())
    else assignments.set(change.key, change.value)
  }
  for (const { user, role, tenant } of assignments.values()) {
    const grants = contents.users.get(user)
    if (grants === undefined) throw invalid(`user \`${user}\` of an assignment does not exist`)
    if (!contents.tenants.has(tenant)) throw invalid(`tenant \`${tenant}\` of an assignment does not exist`)
    if (!contents.roles.has(role)) throw invalid(`role \`${role}\` of an assignment does not exist`)
    const roles = grants.get(tenant)
    if (roles === undefined) grants.set(tenant, [role])
    else roles.push(role)
  }
  return contents
}

function forget(contents: Contents, assignments: Map<string, unknown>, kind: PolicyChange['kind'], key: string): void {
  if (kind === 'resource') contents.resources.delete(key)
  else if (kind === 'role') contents.roles.delete(key)
  else if (kind === 'tenant') contents.tenants.delete(key)
  else if (kind === 'user') contents.users.delete(key)
  else assignments.delete(key)
}

function invalid(reason: string): ZerohopError {
  return new ZerohopError('DELTA_INVALID', { to: 'build', reason })
}

/** Contents as changes, in sorted order: what a follower of another ABI builds from. */
export function* toChanges(contents: Contents): Iterable<PolicyChange> {
  for (const [key, actions] of sortedEntries(contents.resources))
    yield { op: 'put', kind: 'resource', key, value: { actions } }
  for (const [key, value] of sortedEntries(contents.roles)) yield { op: 'put', kind: 'role', key, value }
  for (const key of [...contents.tenants].sort()) yield { op: 'put', kind: 'tenant', key, value: {} }
  for (const [user, grants] of sortedEntries(contents.users)) {
    yield { op: 'put', kind: 'user', key: user, value: {} }
    for (const [tenant, roles] of sortedEntries(grants)) {
      for (const role of roles) {
        yield {
          op: 'put',
          kind: 'role_assignment',
          key: assignmentKey(user, role, tenant),
          value: { user, role, tenant },
        }
      }
    }
  }
}

/** Entries by key, in the order of UTF-16 code units: the same everywhere, whatever the locale. */
export function sortedEntries<T>(map: Map<string, T>): [string, T][] {
  return [...map.keys()].sort().map((key) => [key, map.get(key)!])
}

/** Reads everything that is live out of a kernel. */
export function read(kernel: Kernel): Contents {
  const contents: Contents = { resources: new Map(), roles: new Map(), tenants: new Set(), users: new Map() }
  const names = new Map<number, string>()
  for (const record of records(kernel, Table.Resources)) {
    contents.resources.set(kernel.key(record, Resource.Key), actionsOf(kernel, record).sort())
  }
  const roles = [...records(kernel, Table.Roles)]
  for (const record of roles) names.set(record, kernel.key(record, Role.Key))
  for (const record of roles) {
    contents.roles.set(names.get(record)!, {
      permissions: permissionsOf(kernel, record).sort(),
      extends: parentsOf(kernel, record)
        .map((parent) => names.get(parent)!)
        .sort(),
    })
  }
  for (const record of records(kernel, Table.Tenants)) {
    const key = kernel.key(record, Party.Key)
    names.set(record, key)
    contents.tenants.add(key)
  }
  for (const record of records(kernel, Table.Users)) {
    const grants = new Map<string, string[]>()
    for (const grant of grantsOfUser(kernel, record)) {
      const held = rolesOf(kernel, kernel.word(grant + Grant.Roles)).map((role) => names.get(role)!)
      grants.set(names.get(kernel.word(grant + Grant.Scope))!, held.sort())
    }
    contents.users.set(kernel.key(record, Party.Key), grants)
  }
  return contents
}

/** The live records of a table. */
export function* records(kernel: Kernel, table: Table): Iterable<number> {
  const buckets = kernel.word(tableRoot(table) + Root.Buckets)
  for (let index = 0; index < buckets; index++) {
    for (const record of kernel.readList(kernel.calls.listBucket(table, index))) {
      if (kernel.isLive(record)) yield record
    }
  }
}

function tableRoot(table: Table): number {
  return HEADER + Header.Tables + table * TABLE_BYTES
}

function actionsOf(kernel: Kernel, resource: number): string[] {
  const actions: string[] = []
  for (let at = kernel.word(resource + Resource.Permissions); at !== 0; at = kernel.word(at + Permission.Next)) {
    if (!kernel.isLive(at)) continue
    const key = kernel.key(at, Permission.Key)
    actions.push(key.slice(key.indexOf(':') + 1))
  }
  return actions
}

/** Keys of the permissions attached to a role itself. */
export function permissionsOf(kernel: Kernel, role: number): string[] {
  return listed(kernel, (first) => kernel.calls.listRole(role, first))
}

/** Keys of the permissions that a grant allows, inherited ones included. */
export function permissionsOfGrant(kernel: Kernel, grant: number): string[] {
  return listed(kernel, (first) => kernel.calls.listGrant(grant, first))
}

function listed(kernel: Kernel, list: (first: number) => number): string[] {
  const keys: string[] = []
  for (let first = 1; ; ) {
    const ids = kernel.readList(list(first))
    for (const id of ids) keys.push(kernel.key(kernel.calls.permissionRecord(id), Permission.Key))
    if (ids.length < SCRATCH_BYTES / 4) return keys
    first = ids[ids.length - 1]! + 1
  }
}

/** Records of the roles that a role extends directly. */
export function parentsOf(kernel: Kernel, role: number): number[] {
  const parents: number[] = []
  for (let edge = kernel.word(role + Role.Parents); edge !== 0; edge = kernel.word(edge + Edge.NextParent)) {
    parents.push(kernel.word(edge + Edge.Parent))
  }
  return parents
}

/** Records of the roles that extend a role directly. */
export function childrenOf(kernel: Kernel, role: number): number[] {
  const children: number[] = []
  for (let edge = kernel.word(role + Role.Children); edge !== 0; edge = kernel.word(edge + Edge.NextChild)) {
    children.push(kernel.word(edge + Edge.Child))
  }
  return children
}

/** Records of the grants of a user. */
export function grantsOfUser(kernel: Kernel, user: number): number[] {
  const grants: number[] = []
  for (let grant = kernel.word(user + Party.Grants); grant !== 0; grant = kernel.word(grant + Grant.NextOfUser))
    grants.push(grant)
  return grants
}

/** Records of the roles of a grant. */
export function rolesOf(kernel: Kernel, roles: number): number[] {
  if ((roles & SINGLE) !== 0) return [roles - SINGLE]
  const count = kernel.word(roles + RoleSet.Count)
  return Array.from({ length: count }, (_, index) => kernel.word(roles + RoleSet.Roles + index * 4))
}
