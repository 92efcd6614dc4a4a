// Statistics of an image, read from its header in constant time.
import { Header } from '../../assembly/abi.ts'
import type { Kernel } from '../kernel/kernel.ts'

export interface ImageStats {
  /** bytes of the image file */
  readonly bytes: number
  /** bytes on free lists and of symbols of deleted objects, which compaction reclaims */
  readonly garbageBytes: number
  readonly users: number
  readonly tenants: number
  readonly roles: number
  readonly resources: number
  readonly permissions: number
  readonly instances: number
  readonly tuples: number
  readonly conditionSets: number
  readonly setRules: number
  /** (user, tenant) and (user, instance) pairs with a role */
  readonly grants: number
  readonly assignments: number
}

export function statsOf(kernel: Kernel): ImageStats {
  const field = (at: Header): number => kernel.field(at)
  const [header, heap] = kernel.parts
  return {
    bytes: header.length + heap.length,
    garbageBytes: field(Header.Free) + field(Header.Dead),
    users: field(Header.Users),
    tenants: field(Header.Tenants),
    roles: field(Header.Roles),
    resources: field(Header.Resources),
    permissions: field(Header.Permissions),
    instances: field(Header.Instances),
    tuples: field(Header.Tuples),
    conditionSets: field(Header.Sets),
    setRules: field(Header.SetRules),
    grants: field(Header.Grants),
    assignments: field(Header.Assignments),
  }
}
