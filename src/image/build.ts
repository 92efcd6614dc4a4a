// The canonical build: contents in sorted order into an empty kernel. Compaction is this build from an image's own contents, so
// equal contents give equal bytes. Order of work: resources and permissions, roles, their rows, their edges, tenants, users with
// their grants.
import { SCRATCH_BYTES, Table } from '../../assembly/abi.ts'
import { Kernel } from '../kernel/kernel.ts'
import type { KernelSource } from '../kernel/module.ts'
import { ZerohopError } from '../model/errors.ts'
import { type Contents, sortedEntries } from './contents.ts'
import { troubleOf } from './extends.ts'

/** Ids written to the scratch area at a time. */
const LIST_MAX = SCRATCH_BYTES / 8

/** A kernel that holds exactly `contents`, identity fields of the header still empty. @throws DELTA_INVALID on a dangling reference */
export function buildKernel(contents: Contents, source: KernelSource): Kernel {
  const kernel = new Kernel(source)
  kernel.calls.create()
  for (const [key, actions] of sortedEntries(contents.resources)) {
    const resource = kernel.calls.put(Table.Resources, writeKey(kernel, key))
    for (const action of [...new Set(actions)].sort())
      kernel.calls.putPermission(resource, writePair(kernel, key, action))
  }
  const roles = buildRoles(kernel, contents)
  const tenants = new Map<string, number>()
  for (const key of [...contents.tenants].sort())
    tenants.set(key, kernel.calls.put(Table.Tenants, writeKey(kernel, key)))
  for (const [key, grants] of sortedEntries(contents.users)) {
    const user = kernel.calls.put(Table.Users, writeKey(kernel, key))
    for (const [tenant, held] of grants.size < 2 ? grants : sortedEntries(grants)) {
      const ids = held.map((role) => roles.get(role)!)
      kernel.calls.putGrant(user, tenants.get(tenant)!, kernel.writeList(ids))
    }
  }
  return kernel
}

function buildRoles(kernel: Kernel, contents: Contents): Map<string, number> {
  const ids = new Map<string, number>()
  const sorted = sortedEntries(contents.roles)
  for (const [key] of sorted) ids.set(key, kernel.calls.put(Table.Roles, writeKey(kernel, key)))
  for (const [key, { permissions }] of sorted) {
    attach(kernel, ids.get(key)!, permissionIds(kernel, key, permissions))
  }
  const trouble = troubleOf(
    { parents: (role) => contents.roles.get(role)?.extends ?? [], children: () => [] },
    contents.roles.keys(),
  )
  if (trouble !== undefined) throw invalid(trouble)
  for (const [key, { extends: parents }] of sorted) {
    if (parents.length === 0) continue
    const list = [...new Set(parents)]
      .sort()
      .map((parent) => ids.get(parent) ?? dangling(`role \`${parent}\` that \`${key}\` extends`))
    kernel.calls.setParents(ids.get(key)!, kernel.writeList(list))
    kernel.calls.refreshRole(ids.get(key)!)
  }
  return ids
}

/** Ids of permissions by key, ascending. */
export function permissionIds(kernel: Kernel, role: string, permissions: readonly string[]): number[] {
  const ids = permissions.map((permission) => {
    const colon = permission.indexOf(':')
    const length = writePair(kernel, permission.slice(0, colon), permission.slice(colon + 1))
    return kernel.calls.findPermission(length) || dangling(`permission \`${permission}\` of role \`${role}\``)
  })
  return ids.sort((left, right) => left - right)
}

/** Attaches permission ids to a role, a scratch area at a time. */
export function attach(kernel: Kernel, role: number, ids: readonly number[]): void {
  for (let start = 0; start < ids.length; start += LIST_MAX) {
    kernel.calls.extendRole(role, kernel.writeList(ids.slice(start, start + LIST_MAX)))
  }
}

function dangling(what: string): never {
  throw invalid(`${what} does not exist`)
}

function invalid(reason: string): ZerohopError {
  return new ZerohopError('DELTA_INVALID', { to: 'build', reason })
}

function writeKey(kernel: Kernel, key: string): number {
  return requireLength(kernel.writeKey(key), key)
}

function writePair(kernel: Kernel, left: string, right: string): number {
  return requireLength(kernel.writePair(left, right), left)
}

function requireLength(length: number, key: string): number {
  if (length > 0) return length
  throw invalid(`\`${key.slice(0, 64)}\` cannot be a key`)
}
