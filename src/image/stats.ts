// Statistics of an image, read from its header in constant time.
import type { Kernel } from '../kernel/kernel.ts'
import { imageCounts } from './records/header.ts'

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
  /** assignments with times (D15) */
  readonly timedRoles: number
  /** tuples with times */
  readonly timedTuples: number
}

export function readStats(kernel: Kernel): ImageStats {
  const [header, heap] = kernel.parts
  return { bytes: header.length + heap.length, ...imageCounts(kernel) }
}
