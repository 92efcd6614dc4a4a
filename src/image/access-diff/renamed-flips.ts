// Takes out of the flips of an access diff what only has another name: lost under the old one and gained by the same
// user under the new one.
import type { RenamedAccess } from '../../model/access-diff.ts'
import { EVERYBODY } from '../../model/keys.ts'
import { type Bucket, type Buckets, countUsers, pickFlips, toAreaNumber } from './flip-buckets.ts'
import type { Objects } from './objects.ts'
import type { Renames } from './renames.ts'
import type { Twins } from './twins.ts'

/** Removes each such pair from both directions, and returns how many there were. */
export function takeRenamed(
  buckets: { readonly lost: Buckets; readonly gained: Buckets },
  { users, tenants, instances, permissions }: Objects,
  renames: Renames,
): RenamedAccess {
  const userAfter = renumber(users, (key) => renames.of('user', key))
  const tenantAfter = renumber(tenants, (key) => renames.of('tenant', key))
  const instanceAfter = renumber(instances, (key) => renames.instance(key))
  const permissionAfter = renumber(permissions, (key) => renames.permission(key))
  const renamed = new Set<number>()
  let decisions = 0
  for (const [area, lost] of buckets.lost) {
    const { permission, tenant } = [...lost.values()][0]!
    const [newPermission, newTenant] = [permissionAfter(permission), tenantAfter(tenant)]
    if (newPermission === undefined || newTenant === undefined) continue
    const newArea = toAreaNumber(newPermission, newTenant)
    const gained = buckets.gained.get(newArea)
    if (gained === undefined) continue
    const known = new Set([...gained.values()].flatMap(flipNames))
    const taken = new Set<string>()
    const restOfLost = filterBuckets(lost, (user, instance) => {
      const name = flipName(userAfter(user), instance === undefined ? undefined : instanceAfter(instance))
      if (!known.has(name)) return true
      taken.add(name)
      renamed.add(user)
      decisions++
      return false
    })
    buckets.lost.set(area, restOfLost)
    buckets.gained.set(
      newArea,
      filterBuckets(gained, (user, instance) => !taken.has(flipName(user, instance))),
    )
  }
  return { ...countUsers(renamed, users.named(EVERYBODY)), decisions }
}

/** From the number of an object to that of its new key, undefined when neither image has it. Looks each up once. */
function renumber(twins: Twins, keyAfter: (key: string) => string): (number: number) => number | undefined {
  const known = new Map<number, number | undefined>()
  return (number) => {
    if (!known.has(number)) {
      const key = twins.key(number)
      const now = keyAfter(key)
      known.set(number, now === key ? number : twins.named(now))
    }
    return known.get(number)
  }
}

const flipName = (user: number | undefined, instance: number | undefined): string => `${user} ${instance}`

const flipNames = ({ users, instances }: Bucket): string[] => users.map((user, at) => flipName(user, instances?.[at]))

/** The flips of one area that are kept; buckets without any are left out. */
function filterBuckets(
  buckets: ReadonlyMap<number, Bucket>,
  isKept: (user: number, instance: number | undefined) => boolean,
): Map<number, Bucket> {
  const kept = new Map<number, Bucket>()
  for (const [name, bucket] of buckets) {
    const { users, instances } = bucket
    const at = [...users.keys()].filter((index) => isKept(users[index]!, instances?.[index]))
    if (at.length === 0) continue
    kept.set(name, pickFlips(bucket, at))
  }
  return kept
}
