// The objects that will exist after a delta: its puts and deletes on top of the image. Changes nothing; prepare uses it
// before anything is stored.
import type { Kernel } from '../../kernel/kernel.ts'
import type { PolicyChange } from '../../log/delta.ts'
import { ZerohopError } from '../../model/errors.ts'
import { findPermission, findSymbol, type SymbolKind } from '../look-up.ts'

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
      if (findPermission(this.#kernel, resource, permission.slice(colon + 1)) !== 0) return
    }
    throw invalid(this.#to, `permission \`${permission}\` of ${by} does not exist`)
  }
}

export function invalid(to: number, reason: string): ZerohopError {
  return new ZerohopError('DELTA_INVALID', { to, reason })
}
