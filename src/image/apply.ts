// Deltas in two steps (design.md §4). Prepare validates every change and reserves room: it may fail, and then no answer has
// changed. Commit interns and stores within one turn: it cannot fail; a trap all the same means that the image is poisoned.
import { Header, PERMISSIONS_MAX, Permission, Resource, Role, Table } from '../../assembly/abi.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { PolicyChange, PolicyObjects } from '../log/delta.ts'
import { ZerohopError } from '../model/errors.ts'
import { attach, permissionIds } from './build.ts'
import { childrenOf, parentsOf } from './contents.ts'
import { troubleOf } from './extends.ts'

interface Assignment {
  readonly user: string
  readonly role: string
  readonly tenant: string
}

/** The last change of each object, sorted into the order in which commit can do them. */
export interface Plan {
  readonly unassign: Assignment[]
  readonly resources: [key: string, value: PolicyObjects['resource']][]
  readonly parties: [table: Table.Users | Table.Tenants, key: string][]
  readonly roles: [key: string, value: PolicyObjects['role']][]
  readonly assign: Assignment[]
  readonly gone: [table: Table, key: string][]
}

const TABLE_OF = { resource: Table.Resources, role: Table.Roles, user: Table.Users, tenant: Table.Tenants } as const
/** Room of one change at most, apart from its key: a record, a split bucket, a role set of ordinary size. */
const CHANGE_BYTES = 1024
/** Room of one role at most, apart from what extends it: two full rows. */
const ROLE_BYTES = 2 * 32 * 256
/** Room that is there for directories, segments and recomputed rows. */
const SLACK_BYTES = 1024 * 1024

/**
 * Validates the changes against the image and reserves room for them.
 * @throws DELTA_INVALID with the reason, IMAGE_FULL; the image is as it was
 */
export function prepare(kernel: Kernel, changes: readonly PolicyChange[], to: number): Plan {
  const plan: Plan = { unassign: [], resources: [], parties: [], roles: [], assign: [], gone: [] }
  const known = new Overlay(kernel, to)
  let bytes = SLACK_BYTES
  for (const change of changes.length === 1 ? changes : lastOfEach(changes)) {
    requireKind(change, to)
    bytes += CHANGE_BYTES
    if (change.op === 'delete') {
      if (change.kind === 'role_assignment') plan.unassign.push(parseAssignment(change.key, to))
      else plan.gone.push([TABLE_OF[change.kind], change.key])
      known.note(change.kind, change.key, false)
      continue
    }
    if (change.kind === 'role_assignment') {
      plan.assign.push(change.value)
      continue
    }
    known.note(change.kind, requireKey(kernel, change.key, to), true)
    if (change.kind === 'resource') {
      plan.resources.push([change.key, change.value])
      bytes += change.value.actions.length * CHANGE_BYTES
      for (const action of change.value.actions) known.notePermission(change.key, requireKey(kernel, action, to))
    } else if (change.kind === 'role') {
      plan.roles.push([change.key, change.value])
      bytes += ROLE_BYTES
    } else {
      plan.parties.push([TABLE_OF[change.kind], change.key])
    }
  }
  requireReferences(plan, known)
  requireChains(kernel, plan, to)
  if (kernel.field(Header.PermissionTop) + known.permissions.size > PERMISSIONS_MAX) {
    throw new ZerohopError('IMAGE_FULL', { reason: 'no permission id is left until compaction' })
  }
  if (kernel.calls.reserve(bytes) === 0) throw new ZerohopError('IMAGE_FULL', { reason: `no room for ${bytes} bytes` })
  return plan
}

/** Carries out a plan. Order: nothing is referred to before it is there, nothing goes while it is referred to. */
export function commit(kernel: Kernel, plan: Plan): void {
  const { calls } = kernel
  const id = (table: Table, key: string): number => calls.find(table, Math.max(0, kernel.writeKey(key)))
  for (const { user, role, tenant } of plan.unassign) {
    calls.unassign(id(Table.Users, user), id(Table.Tenants, tenant), id(Table.Roles, role))
  }
  for (const [key, { actions }] of plan.resources) putResource(kernel, key, actions)
  for (const [table, key] of plan.parties) calls.put(table, kernel.writeKey(key))
  // Without old edges every step works on a part of the graph that will be: no circle and no longer chain on the way.
  for (const [key] of plan.roles) calls.setParents(calls.put(Table.Roles, kernel.writeKey(key)), 0)
  for (const [key, value] of plan.roles) putRole(kernel, id(Table.Roles, key), key, value)
  for (const { user, role, tenant } of plan.assign) {
    calls.assign(id(Table.Users, user), id(Table.Tenants, tenant), id(Table.Roles, role))
  }
  for (const [key, { actions }] of plan.resources) dropActions(kernel, id(Table.Resources, key), new Set(actions))
  for (const [table, key] of plan.gone) bury(kernel, table, id(table, key))
}

function putResource(kernel: Kernel, key: string, actions: readonly string[]): void {
  const resource = kernel.calls.put(Table.Resources, kernel.writeKey(key))
  for (const action of actions) kernel.calls.putPermission(resource, kernel.writePair(key, action))
}

function dropActions(kernel: Kernel, resource: number, keep: ReadonlySet<string>): void {
  for (let at = kernel.word(resource + Resource.Permissions); at !== 0; at = kernel.word(at + Permission.Next)) {
    if (!kernel.isLive(at)) continue
    const key = kernel.key(at, Permission.Key)
    if (!keep.has(key.slice(key.indexOf(':') + 1))) kernel.calls.deletePermission(kernel.word(at + Permission.Id))
  }
}

function putRole(kernel: Kernel, role: number, key: string, value: PolicyObjects['role']): void {
  const { calls } = kernel
  calls.clearRole(role)
  attach(kernel, role, permissionIds(kernel, key, value.permissions))
  const parents = [...new Set(value.extends)].map((parent) => calls.find(Table.Roles, kernel.writeKey(parent)))
  calls.setParents(role, kernel.writeList(parents))
  calls.refreshRole(role)
}

function bury(kernel: Kernel, table: Table, id: number): void {
  if (id === 0) return
  if (table === Table.Users) kernel.calls.deleteUser(id)
  else if (table === Table.Tenants) kernel.calls.deleteTenant(id)
  else if (table === Table.Roles) kernel.calls.deleteRole(id)
  else kernel.calls.deleteResource(id)
}

/** What will exist after the delta: its own puts and deletes over what the image has. */
class Overlay {
  readonly #kernel: Kernel
  readonly #to: number
  readonly #objects = new Map<string, boolean>()
  /** `resource:action` keys that the delta puts */
  readonly permissions = new Set<string>()

  constructor(kernel: Kernel, to: number) {
    this.#kernel = kernel
    this.#to = to
  }

  note(kind: PolicyChange['kind'], key: string, exists: boolean): void {
    this.#objects.set(`${kind}/${key}`, exists)
  }

  notePermission(resource: string, action: string): void {
    this.permissions.add(`${resource}:${action}`)
  }

  require(kind: keyof typeof TABLE_OF, key: string, by: string): void {
    const noted = this.#objects.size === 0 ? undefined : this.#objects.get(`${kind}/${key}`)
    const length = noted === undefined ? this.#kernel.writeKey(key) : -1
    if (noted ?? (length > 0 && this.#kernel.calls.find(TABLE_OF[kind], length) !== 0)) return
    throw invalid(this.#to, `${kind} \`${key}\` of ${by} does not exist`)
  }

  requirePermission(permission: string, by: string): void {
    if (this.permissions.has(permission)) return
    const colon = permission.indexOf(':')
    const resource = permission.slice(0, colon)
    // A resource that the delta puts has only the actions that it names.
    if (colon > 0 && !this.#objects.has(`resource/${resource}`)) {
      const length = this.#kernel.writePair(resource, permission.slice(colon + 1))
      if (length > 0 && this.#kernel.calls.findPermission(length) !== 0) return
    }
    throw invalid(this.#to, `permission \`${permission}\` of ${by} does not exist`)
  }
}

function requireReferences(plan: Plan, known: Overlay): void {
  for (const [key, { permissions, extends: parents }] of plan.roles) {
    for (const permission of permissions) known.requirePermission(permission, `role \`${key}\``)
    for (const parent of parents) known.require('role', parent, `role \`${key}\``)
  }
  for (const { user, role, tenant } of plan.assign) {
    known.require('user', user, 'an assignment')
    known.require('role', role, 'an assignment')
    known.require('tenant', tenant, 'an assignment')
  }
}

/** Walks the graph only when an edge is new: taking edges away makes neither a circle nor a longer chain. */
function requireChains(kernel: Kernel, plan: Plan, to: number): void {
  if (plan.roles.every(([, value]) => value.extends.length === 0)) return
  const changed = new Map(plan.roles.map(([key, value]) => [key, value.extends]))
  const gone = new Set(plan.gone.filter(([table]) => table === Table.Roles).map(([, key]) => key))
  const newChildren = new Map<string, string[]>()
  for (const [child, parents] of changed) {
    for (const parent of parents) {
      const children = newChildren.get(parent)
      if (children === undefined) newChildren.set(parent, [child])
      else children.push(child)
    }
  }
  const stored = (key: string, list: (kernel: Kernel, role: number) => number[]): string[] => {
    const role = kernel.calls.find(Table.Roles, Math.max(0, kernel.writeKey(key)))
    return role === 0 ? [] : list(kernel, role).map((each) => kernel.key(each, Role.Key))
  }
  const trouble = troubleOf(
    {
      parents: (key) => changed.get(key) ?? stored(key, parentsOf).filter((parent) => !gone.has(parent)),
      children: (key) => [
        ...(newChildren.get(key) ?? []),
        ...stored(key, childrenOf).filter((child) => !changed.has(child) && !gone.has(child)),
      ],
    },
    changed.keys(),
  )
  if (trouble !== undefined) throw invalid(to, trouble)
}

/** What comes over the wire may be newer than this version: half-understood is not applied. */
function requireKind(change: PolicyChange, to: number): void {
  const known = change.kind === 'role_assignment' || Object.hasOwn(TABLE_OF, change.kind)
  if (!known || (change.op !== 'put' && change.op !== 'delete')) {
    throw invalid(
      to,
      `a ${(change as PolicyChange).op} of kind \`${(change as PolicyChange).kind}\` is not known to this version`,
    )
  }
}

function lastOfEach(changes: readonly PolicyChange[]): Iterable<PolicyChange> {
  const last = new Map<string, PolicyChange>()
  for (const change of changes) last.set(`${change.kind}/${change.key}`, change)
  return last.values()
}

function parseAssignment(key: string, to: number): Assignment {
  const [user, role, tenant, rest] = key.split('/')
  if (user && role && tenant && rest === undefined) return { user, role, tenant }
  throw invalid(to, `\`${key}\` is not the key of an assignment`)
}

function requireKey(kernel: Kernel, key: string, to: number): string {
  if (kernel.writeKey(key) > 0) return key
  throw invalid(to, `\`${key.slice(0, 64)}\` cannot be a key`)
}

function invalid(to: number, reason: string): ZerohopError {
  return new ZerohopError('DELTA_INVALID', { to, reason })
}
