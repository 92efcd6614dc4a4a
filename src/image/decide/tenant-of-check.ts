// Which tenant a check is decided in (D2): that of the request, else that of the stored instance, else `default`.
// Checks of an instance do the same with ids (image.ts), because they are asked too often to print a key and look it up
// again.
import { Instance, Principal } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { DEFAULT_TENANT } from '../../model/keys.ts'

/** The key of the tenant. `instance` is the id of the stored instance, 0 when there is none. */
export function tenantOf(kernel: Kernel, sent: string | undefined, instance: number): string {
  if (sent !== undefined) return sent
  return instance === 0 ? DEFAULT_TENANT : kernel.key(kernel.word(instance + Instance.Tenant), Principal.Key)
}
