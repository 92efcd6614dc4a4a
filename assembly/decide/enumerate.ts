// Listings, over the same tests as decide (D12). Results go to the scratch area; the host reads them before the next
// call.
import { Bucket, Grant, Header, Permission, SCRATCH } from '../abi'
import { SCRATCH_BYTES } from '../limits'
import { hasBit } from '../memory/bitset'
import { follow, linksMax } from '../memory/lists'
import { field } from '../memory/memory'
import { bucketByIndex, bucketOverflow, recordAt } from '../memory/table'
import { permissionRecord } from '../policy/permissions'
import { ownRow } from '../policy/roles'
import { grantHolds } from './rbac'

const LIST_MAX: u32 = SCRATCH_BYTES / 4

/**
 * Writes the ids of permissions from `first` on that the grant allows; returns how many (a full scratch area: ask
 * again).
 */
export function permissionsOfGrant(query: u32, grant: u32, first: u32): u32 {
  const roles = load<u32>(grant, Grant.Roles)
  const top = field(Header.PermissionTop)
  let count: u32 = 0
  for (let id = first; id <= top && count < LIST_MAX; id++) {
    if (!grantHolds(query, roles, id) || standsForRole(id)) continue
    store<u32>(SCRATCH + count * 4, id)
    count++
  }
  return count
}

/** Is it the permission of no action, but of a role that stands for a user set (D17)? */
function standsForRole(permission: u32): bool {
  return load<u32>(permissionRecord(permission), Permission.Role) !== 0
}

/** The same for what is attached to a role itself. */
export function permissionsOfRole(role: u32, first: u32): u32 {
  const row = ownRow(role)
  const top = field(Header.PermissionTop)
  let count: u32 = 0
  for (let id = first; id <= top && count < LIST_MAX; id++) {
    if (!hasBit(row, id) || standsForRole(id)) continue
    store<u32>(SCRATCH + count * 4, id)
    count++
  }
  return count
}

/** Writes the records of one bucket chain of a table; returns how many. */
export function recordsInBucket(table: u32, index: u32): u32 {
  let written: u32 = 0
  let left = linksMax()
  for (let bucket = bucketByIndex(table, index); bucket !== 0; bucket = bucketOverflow(bucket)) {
    left = follow(left)
    const count = load<u32>(bucket, Bucket.Count)
    for (let slot: u32 = 0; slot < count && written < LIST_MAX; slot++) {
      store<u32>(SCRATCH + written * 4, recordAt(bucket, slot))
      written++
    }
  }
  return written
}
