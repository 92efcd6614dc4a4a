// How the flips of an access diff are kept: by permission and tenant, and there by source and lifecycle. Numbers are
// those of twins.
import type { AccessGroup, Lifecycle } from '../../model/access-diff.ts'

/** The flips of one direction by one source, about one permission in one tenant. */
export interface Bucket {
  readonly source: number
  readonly permission: number
  readonly tenant: number
  readonly lifecycle: Lifecycle | undefined
  /** `condition`: conditions that read the time are enough for it, whatever starts, ends or changes */
  readonly by?: 'condition'
  readonly users: number[]
  /** of each flip; undefined when all are on the type */
  instances: (number | undefined)[] | undefined
}

/** Some of the flips of a bucket, by their places in it. */
export function pickFlips(bucket: Bucket, at: readonly number[]): Bucket {
  const { users, instances } = bucket
  return {
    ...bucket,
    users: at.map((index) => users[index]!),
    instances: instances && at.map((index) => instances[index]),
  }
}

/** Different users: everyone (D16) is said beside them, and not counted. @param everyone its number, where it has one */
export function countUsers(
  users: ReadonlySet<number>,
  everyone: number | undefined,
): Pick<AccessGroup, 'users' | 'everybody'> {
  if (everyone === undefined || !users.has(everyone)) return { users: users.size }
  return { users: users.size - 1, everybody: true }
}

/** By permission and tenant (`toAreaNumber`), then by source and lifecycle. */
export type Buckets = Map<number, Map<number, Bucket>>

/** Room for the numbers of tenants in the number of an area: it stays an exact integer. */
const TENANTS = 2 ** 27
export const toAreaNumber = (permission: number, tenant: number): number => permission * TENANTS + tenant
