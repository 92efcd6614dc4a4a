// Which tenant a check is decided in (D2): that of the request, else that of the stored instance, else `default`.
// Checks of an instance do the same with ids (image.ts), because they are asked too often to print a key and look it up
// again. And whether a row is the stored instance of its key.
import type { Kernel } from '../../kernel/kernel.ts'
import { DEFAULT_TENANT } from '../../model/keys.ts'
import { findInstance, findSymbol } from '../look-up.ts'
import { instanceTenant } from '../records/instance.ts'
import { principalKey } from '../records/principal.ts'

/** The key of the tenant. `instance` is the id of the stored instance, or 0. */
export function resolveTenant(kernel: Kernel, sent: string | undefined, instance: number): string {
  if (sent !== undefined) return sent
  return instance === 0 ? DEFAULT_TENANT : principalKey(kernel, instanceTenant(kernel, instance))
}

/**
 * Which stored instance a marked row is: the one of its key when that is stored in the tenant that the row names, else
 * none. Without a tenant it names none, and D2 determines it.
 */
export function instanceOfRow(kernel: Kernel, named: number, tenant: number | undefined): number {
  const isElsewhere = named !== 0 && tenant !== undefined && instanceTenant(kernel, named) !== tenant
  return isElsewhere ? 0 : named
}

interface Asked {
  readonly type: string
  readonly key?: string | undefined
  readonly tenant: string | undefined
  readonly isRow?: boolean | undefined
}

/** The stored instance that a question is about, in keys; 0 when it does not exist. */
export function instanceAsked(kernel: Kernel, { type, key, tenant, isRow }: Asked): number {
  const named = findInstance(kernel, type, key)
  if (isRow !== true || tenant === undefined) return named
  return instanceOfRow(kernel, named, findSymbol(kernel, 'tenant', tenant))
}
