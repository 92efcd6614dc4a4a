// The objects of both images that questions are about: users, tenants, types, instances and permissions.
import { Instance, Permission, Principal, Resource } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { findSymbol } from '../update/staged-symbols.ts'
import { type Kind, Twins } from './twins.ts'

export interface Objects {
  readonly users: Twins
  readonly tenants: Twins
  readonly types: Twins
  readonly instances: Twins
  readonly permissions: Twins
}

export function objectsOf(kernels: readonly [Kernel, Kernel]): Objects {
  return {
    users: new Twins(kernels, ofTable('user', Principal.Key)),
    tenants: new Twins(kernels, ofTable('tenant', Principal.Key)),
    types: new Twins(kernels, ofTable('resource', Resource.Key)),
    instances: new Twins(kernels, ofTable('resource_instance', Instance.Key)),
    permissions: new Twins(kernels, PERMISSIONS),
  }
}

const ofTable = (kind: 'user' | 'tenant' | 'resource_instance' | 'resource', at: number): Kind => ({
  find: (kernel, key) => findSymbol(kernel, kind, key),
  keyOf: (kernel, id) => kernel.key(id, at),
})
const PERMISSIONS: Kind = {
  find: (kernel, key) => kernel.calls.findPermission(kernel.writeWhole(key)),
  keyOf: (kernel, id) => kernel.key(kernel.calls.permissionRecord(id), Permission.Key),
}

/** The key of an instance without its type. */
export function keyOn({ instances }: Objects, instance: number): string {
  const key = instances.key(instance)
  return key.slice(key.indexOf(':') + 1)
}
