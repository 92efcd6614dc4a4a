// The first step of a delta (design.md §4): validates every change against the image and reserves room. It may fail, and then no answer
// has changed; what it returns, commit (src/image/apply.ts) can carry out without fail.
import { Header, PERMISSIONS_MAX, Role, Table } from '../../assembly/abi.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { PolicyChange, PolicyKind, PolicyObjects } from '../log/delta.ts'
import { ZerohopError } from '../model/errors.ts'
import { partKey } from '../model/objects.ts'
import {
  type Assignment,
  assignmentOf,
  type InstanceContent,
  isInstanceKey,
  type RoleContent,
  roleContent,
  typeOf,
  typeOfRole,
} from './contents.ts'
import { troubleOf } from './extends.ts'
import { invalid, Overlay, type SymbolKind, TABLE_OF } from './overlay.ts'
import { childrenOf, parentsOf } from './read.ts'

type TupleContent = PolicyObjects['relationship_tuple']

/** The last change of each object, sorted into the order in which commit can do them. */
export interface Plan {
  readonly unassign: Assignment[]
  readonly unrelate: TupleContent[]
  readonly resources: [key: string, value: PolicyObjects['resource']][]
  readonly parties: [table: Table.Users | Table.Tenants, key: string][]
  readonly instances: [key: string, value: InstanceContent][]
  readonly roles: [key: string, value: RoleContent][]
  readonly relate: TupleContent[]
  readonly assign: Assignment[]
  readonly gone: [kind: SymbolKind, key: string][]
}

/** Room of one change at most: a record with the longest key, a split bucket, a role set of ordinary size. */
const CHANGE_BYTES = 1280
/** Room of one role at most, apart from what extends it: two full rows. */
const ROLE_BYTES = 2 * 32 * 256
/** Room that is there for directories, segments and recomputed rows. */
const SLACK_BYTES = 1024 * 1024

/**
 * Validates the changes against the image and reserves room for them.
 * @throws DELTA_INVALID with the reason, IMAGE_FULL; the image is as it was
 */
export function prepare(kernel: Kernel, changes: readonly PolicyChange[], to: number): Plan {
  const preparation = new Preparation(kernel, to)
  for (const change of changes.length === 1 ? changes : lastOfEach(changes)) preparation.take(change)
  return preparation.finish()
}

class Preparation {
  readonly #kernel: Kernel
  readonly #to: number
  readonly #known: Overlay
  readonly #plan: Plan = {
    unassign: [],
    unrelate: [],
    resources: [],
    parties: [],
    instances: [],
    roles: [],
    relate: [],
    assign: [],
    gone: [],
  }
  #bytes = SLACK_BYTES

  constructor(kernel: Kernel, to: number) {
    this.#kernel = kernel
    this.#to = to
    this.#known = new Overlay(kernel, to)
  }

  take(change: PolicyChange): void {
    this.#bytes += CHANGE_BYTES
    if (change.op === 'put') this.#put(change)
    else if (change.op === 'delete') this.#delete(change.kind, change.key)
    // What comes over the wire may be newer than this version: half-understood is not applied.
    else throw this.#unknown(change)
  }

  finish(): Plan {
    this.#requireReferences()
    requireChains(this.#kernel, this.#plan, this.#to)
    if (this.#kernel.field(Header.PermissionTop) + this.#known.permissions.size > PERMISSIONS_MAX) {
      throw new ZerohopError('IMAGE_FULL', { reason: 'no permission id is left until compaction' })
    }
    if (this.#kernel.calls.reserve(this.#bytes) === 0)
      throw new ZerohopError('IMAGE_FULL', { reason: `no room for ${this.#bytes} bytes` })
    return this.#plan
  }

  #delete(kind: PolicyKind, key: string): void {
    if (kind === 'role_assignment') this.#plan.unassign.push(parseAssignment(key, this.#to))
    else if (kind === 'relationship_tuple') this.#plan.unrelate.push(parseTuple(key, this.#to))
    else if (Object.hasOwn(TABLE_OF, kind)) {
      this.#plan.gone.push([kind as SymbolKind, key])
      this.#known.note(kind, key, false)
    } else throw this.#unknown({ op: 'delete', kind })
  }

  #put(change: PolicyChange & { readonly op: 'put' }): void {
    const { key } = change
    switch (change.kind) {
      case 'role_assignment':
        this.#plan.assign.push(assignmentOf(change.value))
        return
      case 'relationship_tuple':
        this.#plan.relate.push(change.value)
        this.#requireName(change.value.relation)
        return
      case 'resource':
        this.#plan.resources.push([this.#requireName(key), change.value])
        this.#bytes += change.value.actions.length * CHANGE_BYTES
        for (const action of change.value.actions) this.#known.notePermission(key, this.#requireName(action))
        break
      case 'role':
        this.#putRole(this.#requireName(key), change.value)
        break
      case 'resource_role':
        this.#putResourceRole(key, change.value)
        break
      case 'user':
      case 'tenant':
        this.#plan.parties.push([TABLE_OF[change.kind], this.#requireName(key)])
        break
      case 'resource_instance':
        if (!isInstanceKey(key)) throw this.#badKey(key)
        for (const name of key.split(':')) this.#requireName(name)
        this.#plan.instances.push([key, change.value])
        break
      default:
        throw this.#unknown(change)
    }
    this.#known.note(change.kind, key, true)
  }

  #putRole(key: string, value: RoleContent): void {
    this.#plan.roles.push([key, value])
    this.#bytes += ROLE_BYTES + (value.rules?.length ?? 0) * CHANGE_BYTES
  }

  #putResourceRole(key: string, value: PolicyObjects['resource_role']): void {
    const { resource, role, granted_to } = value
    if (key !== partKey(this.#requireName(resource), this.#requireName(role))) throw this.#badKey(key)
    for (const rule of granted_to?.users_with_role ?? []) this.#requireName(rule.linked_by_relation)
    this.#putRole(key, roleContent(value))
  }

  #requireReferences(): void {
    for (const [key, role] of this.#plan.roles) this.#requireRole(key, role)
    for (const [key, { tenant }] of this.#plan.instances) {
      this.#known.require('resource', typeOf(key), `instance \`${key}\``)
      this.#known.require('tenant', tenant, `instance \`${key}\``)
    }
    for (const { subject, object } of this.#plan.relate) {
      this.#known.require('resource_instance', subject, 'a tuple')
      this.#known.require('resource_instance', object, 'a tuple')
    }
    for (const { user, role, tenant, instance } of this.#plan.assign) {
      this.#known.require('user', user, 'an assignment')
      this.#known.require(kindOfRole(role), role, 'an assignment')
      if (instance === undefined) this.#known.require('tenant', tenant, 'an assignment')
      else this.#known.require('resource_instance', instance, 'an assignment')
    }
  }

  #requireRole(key: string, { permissions, extends: parents, rules = [] }: RoleContent): void {
    const by = `role \`${key}\``
    const type = typeOfRole(key)
    if (type !== undefined) this.#known.require('resource', type, by)
    for (const permission of permissions) {
      if (type !== undefined && !permission.startsWith(`${type}:`))
        throw invalid(this.#to, `permission \`${permission}\` of ${by} is of another resource`)
      this.#known.requirePermission(permission, by)
    }
    for (const parent of parents) this.#known.require(kindOfRole(key), parent, by)
    for (const { source } of rules) this.#known.require('resource_role', source, by)
  }

  #requireName(key: string): string {
    if (!key.includes('/') && this.#kernel.writeKey(key) > 0) return key
    throw this.#badKey(key)
  }

  #badKey(key: string): ZerohopError {
    return invalid(this.#to, `\`${key.slice(0, 64)}\` cannot be a key`)
  }

  #unknown({ op, kind }: { readonly op: string; readonly kind: string }): ZerohopError {
    return invalid(this.#to, `a ${op} of kind \`${kind}\` is not known to this version`)
  }
}

function kindOfRole(key: string): 'role' | 'resource_role' {
  return typeOfRole(key) === undefined ? 'role' : 'resource_role'
}

/** Walks the graph only when an edge is new: taking edges away makes neither a circle nor a longer chain. */
function requireChains(kernel: Kernel, plan: Plan, to: number): void {
  if (plan.roles.every(([, value]) => value.extends.length === 0)) return
  const changed = new Map(plan.roles.map(([key, value]) => [key, value.extends]))
  const gone = new Set(plan.gone.filter(([kind]) => TABLE_OF[kind] === Table.Roles).map(([, key]) => key))
  const newChildren = new Map<string, string[]>()
  for (const [child, parents] of changed) {
    for (const parent of parents) {
      const children = newChildren.get(parent)
      if (children === undefined) newChildren.set(parent, [child])
      else children.push(child)
    }
  }
  const stored = (key: string, list: (kernel: Kernel, role: number) => number[]): string[] => {
    const role = kernel.calls.find(Table.Roles, Math.max(0, kernel.writeWhole(key)))
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

function lastOfEach(changes: readonly PolicyChange[]): Iterable<PolicyChange> {
  const last = new Map<string, PolicyChange>()
  for (const change of changes) last.set(`${change.kind}/${change.key}`, change)
  return last.values()
}

function parseAssignment(key: string, to: number): Assignment {
  const [user, role, tenant, instance, rest] = key.split('/')
  if (!user || !role || !tenant || rest !== undefined || (instance !== undefined && !isInstanceKey(instance)))
    throw invalid(to, `\`${key}\` is not the key of an assignment`)
  return assignmentOf({ user, role, tenant, resource_instance: instance ?? null })
}

function parseTuple(key: string, to: number): TupleContent {
  const [subject, relation, object, rest] = key.split('/')
  if (subject && relation && object && rest === undefined && isInstanceKey(subject) && isInstanceKey(object))
    return { subject, relation, object }
  throw invalid(to, `\`${key}\` is not the key of a tuple`)
}
