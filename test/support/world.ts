// A policy as management would keep it: operations on whole objects, and the list of changes that each becomes, with everything that
// it cascades to (contract §6.6-6.7). Case files and generators speak in operations; what reads policies gets the changes.
import type { PolicyChange, PolicyKind } from '../../src/log/delta.ts'
import { assignmentKey } from '../../src/model/objects.ts'
import { applyChanges, emptyPolicy, type Policy } from '../reference/policy.ts'

export type Operation =
  | readonly ['put', 'resource', { readonly key: string; readonly actions: readonly string[] }]
  | readonly [
      'put',
      'role',
      { readonly key: string; readonly permissions?: readonly string[]; readonly extends?: readonly string[] },
    ]
  | readonly ['put', 'user' | 'tenant', { readonly key: string }]
  | readonly [
      'put' | 'delete',
      'role_assignment',
      { readonly user: string; readonly role: string; readonly tenant: string },
    ]
  | readonly ['delete', 'resource' | 'role' | 'user' | 'tenant', { readonly key: string }]

/** What every environment has before its first operation. */
export const FIRST_CHANGES: readonly PolicyChange[] = [{ op: 'put', kind: 'tenant', key: 'default', value: {} }]

export class World {
  readonly policy: Policy = emptyPolicy()

  /** A new environment, or a copy of `from`. */
  constructor(from?: World) {
    applyChanges(this.policy, from?.contents() ?? FIRST_CHANGES)
  }

  /** Applies one operation; returns its changes, cascades first. An operation must be one that management would accept. */
  run(operation: Operation): PolicyChange[] {
    const changes = this.#changes(operation)
    applyChanges(this.policy, changes)
    return changes
  }

  runAll(operations: readonly Operation[]): PolicyChange[] {
    return operations.flatMap((operation) => this.run(operation))
  }

  /** The whole policy as puts, referenced objects before those that refer to them. */
  contents(): PolicyChange[] {
    const kinds: PolicyKind[] = ['resource', 'role', 'user', 'tenant', 'role_assignment']
    return kinds.flatMap((kind) =>
      [...this.policy[kind]].map(([key, value]) => ({ op: 'put', kind, key, value }) as PolicyChange),
    )
  }

  #changes(operation: Operation): PolicyChange[] {
    const [op, kind, object] = operation
    if (kind === 'role_assignment') {
      const { user, role, tenant } = object
      const key = assignmentKey(user, role, tenant)
      return op === 'put' ? [{ op, kind, key, value: { user, role, tenant } }] : [{ op, kind, key }]
    }
    if (op === 'delete') return [...this.#cascade(kind, object.key), { op, kind, key: object.key }]
    switch (kind) {
      case 'resource': {
        const permissions = new Set(object.actions.map((action) => `${object.key}:${action}`))
        const put: PolicyChange = { op, kind, key: object.key, value: { actions: object.actions } }
        return [...this.#withoutPermissions(object.key, permissions), put]
      }
      case 'role':
        return [
          {
            op,
            kind,
            key: object.key,
            value: { permissions: object.permissions ?? [], extends: object.extends ?? [] },
          },
        ]
      default:
        return [{ op, kind, key: object.key, value: {} }]
    }
  }

  #cascade(kind: 'resource' | 'role' | 'user' | 'tenant', key: string): PolicyChange[] {
    if (kind === 'resource') return this.#withoutPermissions(key, new Set())
    const changes: PolicyChange[] = []
    for (const [assignment, value] of this.policy.role_assignment) {
      if (value[kind] === key) changes.push({ op: 'delete', kind: 'role_assignment', key: assignment })
    }
    if (kind === 'role') {
      for (const [child, role] of this.policy.role) {
        if (child === key || !role.extends.includes(key)) continue
        const value = { ...role, extends: role.extends.filter((parent) => parent !== key) }
        changes.push({ op: 'put', kind: 'role', key: child, value })
      }
    }
    return changes
  }

  /** The roles that hold a permission on the resource outside `kept`, each put again without it. */
  #withoutPermissions(resource: string, kept: ReadonlySet<string>): PolicyChange[] {
    const changes: PolicyChange[] = []
    const lost = (permission: string) => permission.startsWith(`${resource}:`) && !kept.has(permission)
    for (const [key, role] of this.policy.role) {
      if (!role.permissions.some(lost)) continue
      const value = { ...role, permissions: role.permissions.filter((permission) => !lost(permission)) }
      changes.push({ op: 'put', kind: 'role', key, value })
    }
    return changes
  }
}
