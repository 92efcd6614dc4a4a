// The objects that will exist after a delta: its puts and deletes on top of the image. Changes nothing; prepare uses it
// before anything is stored.
import { Table } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { PolicyChange } from '../../log/delta.ts'
import { ZerohopError } from '../../model/errors.ts'

/** The table in which the objects of a kind are symbols. */
export const TABLE_OF = {
  resource: Table.Resources,
  role: Table.Roles,
  resource_role: Table.Roles,
  user: Table.Users,
  tenant: Table.Tenants,
  resource_instance: Table.Instances,
  condition_set: Table.Sets,
} as const

export type SymbolKind = keyof typeof TABLE_OF

export class StagedSymbols {
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

  /** @throws DELTA_INVALID when the object will not exist */
  require(kind: SymbolKind, key: string, by: string): void {
    const noted = this.#objects.size === 0 ? undefined : this.#objects.get(`${kind}/${key}`)
    if (noted ?? findSymbol(this.#kernel, kind, key) !== 0) return
    throw invalid(this.#to, `${kind} \`${key}\` of ${by} does not exist`)
  }

  /** @throws DELTA_INVALID when the permission will not exist */
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

/** The id of a live object of the kind, or 0. */
export function findSymbol(kernel: Kernel, kind: SymbolKind, key: string): number {
  const whole = kind === 'resource_role' || kind === 'resource_instance'
  const length = whole ? kernel.writeWhole(key) : kernel.writeKey(key)
  return length > 0 ? kernel.calls.find(TABLE_OF[kind], length) : 0
}

export function invalid(to: number, reason: string): ZerohopError {
  return new ZerohopError('DELTA_INVALID', { to, reason })
}
