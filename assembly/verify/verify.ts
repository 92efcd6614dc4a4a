// Walks every section and tests every invariant that the other files state. Safe on any bytes: no address is read
// before it is known to lie in the heap, no list is walked further than there can be entries. Returns the first fault.
import {
  BUCKET_BYTES,
  BUCKET_SLOTS,
  Bucket,
  FreeBlock,
  GRANT_BYTES,
  Grant,
  HEAP,
  Header,
  Permission,
  Principal,
  RoleSet,
  Root,
  SEGMENT_BUCKETS,
  SEGMENT_BYTES,
  SINGLE,
  SymbolRecord,
  TABLES,
  TALLY,
  TALLY_BYTES,
  TIMED,
  TIMED_ROLE_BYTES,
  TimedRole,
  TimedRoles,
} from '../abi'
import { Fault, GRANT_ROLES_MAX, KEY_BYTES_MAX, PERMISSIONS_MAX, Table } from '../limits'
import { linksMax } from '../memory/lists'
import { field } from '../memory/memory'
import { counterField, hashBytes, isLive, keyLength, keyOffset, lookup } from '../memory/symbols'
import {
  bucketByIndex,
  bucketOverflow,
  entryRecord,
  findBucket,
  firstEntry,
  firstMatch,
  hashOfEntry,
  matchedRecord,
  nextEntry,
  nextMatch,
  recordAt,
  rootAddress,
} from '../memory/table'
import { everybody } from '../policy/everybody'
import { findGrantStored, grantHash, plainRoles, roleCountStored, timedCount, timedStart } from '../policy/grants'
import { areTimes, inHeap, isLiveSymbol, isSymbol } from './bounds'
import { verifyConditions } from './verify-conditions'
import { isParty, verifyEverybody } from './verify-everybody'
import { verifyOrders } from './verify-key-order'
import { verifyRelations } from './verify-relations'
import { verifyRoles } from './verify-roles'
import { verifySides } from './verify-set-rule-index'
import { verifySuspensions } from './verify-suspensions'
import { soundReferences, verifyAttributes, verifyMembers } from './verify-values'

/** Instead of a count. */
const BROKEN: u32 = 0xffffffff
/** The smallest record of any table: an empty text. */
const RECORD_BYTES: u32 = 8

export function verifyImage(): Fault {
  memory.fill(TALLY, 0, TALLY_BYTES)
  const top = field(Header.Top)
  if (top < (HEAP as u32) || top > (memory.size() as u32) << 16) return Fault.Header
  if (field(Header.Free) > top - HEAP) return Fault.Header
  for (let table: u32 = 0; table < (TABLES as u32); table++) {
    if (!soundTable(table)) return Fault.Table
  }
  const directory = verifyDirectory()
  if (directory !== Fault.None) return directory
  for (let table: u32 = 0; table < (TABLES as u32); table++) {
    const fault = hasSymbols(table) ? verifySymbols(table) : Fault.None
    if (fault !== Fault.None) return fault
  }
  if (!verifyEverybody()) return Fault.Everybody
  const sets = verifyRoleSets()
  if (sets !== Fault.None) return sets
  const grants = verifyGrants()
  if (grants !== Fault.None) return grants
  const roles = verifyRoles()
  if (roles !== Fault.None) return roles
  const parties = verifyParties()
  if (parties !== Fault.None) return parties
  const orders = verifyOrders()
  if (orders !== Fault.None) return orders
  const relations = verifyRelations()
  if (relations !== Fault.None) return relations
  const attributes = verifyAttributes()
  if (attributes !== Fault.None) return attributes
  const conditions = verifyConditions()
  if (conditions !== Fault.None) return conditions
  const sides = verifySides()
  if (sides !== Fault.None) return sides
  if (!soundReferences()) return Fault.Value
  const members = verifyMembers()
  if (members !== Fault.None) return members
  const suspensions = verifySuspensions()
  if (suspensions !== Fault.None) return suspensions
  return verifyFreeLists()
}

function soundTable(table: u32): bool {
  const root = rootAddress(table)
  const buckets = load<u32>(root, Root.Buckets)
  const mask = load<u32>(root, Root.Mask)
  const capacity = load<u32>(root, Root.Capacity)
  if ((mask & (mask + 1)) !== 0 || mask > 0x3ffffff || buckets < (SEGMENT_BUCKETS as u32)) return false
  if (buckets !== mask + 1 + load<u32>(root, Root.Split) || load<u32>(root, Root.Split) > mask) return false
  const segments = (buckets + SEGMENT_BUCKETS - 1) / SEGMENT_BUCKETS
  const directory = load<u32>(root, Root.Directory)
  if (capacity > 0xfffffff || segments > capacity || !inHeap(directory, capacity * 4)) return false
  for (let index: u32 = 0; index < segments; index++) {
    if (!inHeap(load<u32>(directory + index * 4), SEGMENT_BYTES)) return false
  }
  return soundBuckets(table, buckets)
}

function soundBuckets(table: u32, buckets: u32): bool {
  const total = load<u32>(rootAddress(table), Root.Count)
  if (total > linksMax()) return false
  let entries: u32 = 0
  for (let index: u32 = 0; index < buckets; index++) {
    const first = bucketByIndex(table, index)
    for (let bucket = first; bucket !== 0; bucket = bucketOverflow(bucket)) {
      if (!inHeap(bucket, BUCKET_BYTES)) return false
      const count = load<u32>(bucket, Bucket.Count)
      if (count > (BUCKET_SLOTS as u32) || (bucketOverflow(bucket) !== 0 && count !== BUCKET_SLOTS)) return false
      entries += count
      if (entries > total) return false
      for (let slot: u32 = 0; slot < count; slot++) {
        if (!inHeap(recordAt(bucket, slot), RECORD_BYTES)) return false
        if (findBucket(table, load<u32>(bucket + slot * 4, Bucket.Hashes)) !== first) return false
      }
      if (count === 0 && bucket !== first) return false
    }
  }
  return entries === total
}

function verifyDirectory(): Fault {
  const top = field(Header.PermissionTop)
  const capacity = field(Header.PermissionCapacity)
  if (top > (PERMISSIONS_MAX as u32) || capacity > 0xfffff) return Fault.Header
  if (top === 0) return Fault.None
  if (top >= capacity || !inHeap(field(Header.PermissionDirectory), capacity * 4)) return Fault.Header
  for (let id: u32 = 1; id <= top; id++) {
    const record = load<u32>(field(Header.PermissionDirectory) + id * 4)
    if (!inHeap(record, Permission.Key) || load<u32>(record, Permission.Id) !== id) return Fault.Symbol
  }
  return Fault.None
}

function hasSymbols(table: u32): bool {
  if (table <= (Table.Permissions as u32)) return true
  if (table === Table.Instances || table === Table.Relations || table === Table.Paths) return true
  return table === Table.Sets || table === Table.Documents
}

/** Bytes of the longest key: of one name, or of two with a sign between them. */
function longestKey(table: u32): u32 {
  if (table === Table.Paths) return 0xffff
  const one = table <= (Table.Tenants as u32) || table === Table.Resources || table === Table.Sets
  return one ? KEY_BYTES_MAX : KEY_BYTES_MAX * 2 + 1
}

function verifySymbols(table: u32): Fault {
  const offset = keyOffset(table)
  const longest = longestKey(table)
  let live: u32 = 0
  for (let entry = firstEntry(table); entry !== 0; entry = nextEntry(table, entry)) {
    const record = entryRecord(entry)
    const length = keyLength(record)
    if (length > longest || !inHeap(record, offset + length)) return Fault.Symbol
    if ((load<u8>(record, SymbolRecord.Table) as u32) !== table) return Fault.Symbol
    const hash = hashBytes(record + offset, length)
    if (hash !== hashOfEntry(entry)) return Fault.Symbol
    if (lookup(table, record + offset, length, hash) !== record) return Fault.Symbol
    if (isLive(record)) live++
    if (table === Table.Permissions && !soundPermission(record)) return Fault.Symbol
  }
  return live === field(counterField(table)) ? Fault.None : Fault.Counter
}

function soundPermission(record: u32): bool {
  const id = load<u32>(record, Permission.Id)
  if (id === 0 || id > field(Header.PermissionTop)) return false
  if (load<u32>(field(Header.PermissionDirectory) + id * 4) !== record) return false
  const resource = load<u32>(record, Permission.Resource)
  const next = load<u32>(record, Permission.Next)
  return isSymbol(resource, Table.Resources) && (next === 0 || isSymbol(next, Table.Permissions))
}

function verifyRoleSets(): Fault {
  let sets: u32 = 0
  for (let entry = firstEntry(Table.RoleSets); entry !== 0; entry = nextEntry(Table.RoleSets, entry)) {
    const set = entryRecord(entry)
    const count = load<u32>(set, RoleSet.Count)
    if (count < 2 || count > (GRANT_ROLES_MAX as u32) || !inHeap(set, RoleSet.Roles + count * 4)) return Fault.RoleSet
    if (load<u32>(set, RoleSet.Hash) !== hashOfEntry(entry)) return Fault.RoleSet
    let previous: u32 = 0
    for (let at: u32 = 0; at < count; at++) {
      const role = load<u32>(set + at * 4, RoleSet.Roles)
      if (role <= previous || !isLiveSymbol(role, Table.Roles)) return Fault.RoleSet
      previous = role
    }
    if (load<u32>(set, RoleSet.References) === 0) return Fault.RoleSet
    sets++
  }
  return sets === field(Header.RoleSets) ? Fault.None : Fault.Counter
}

function verifyGrants(): Fault {
  let grants: u32 = 0
  let assignments: u32 = 0
  let timed: u32 = 0
  for (let entry = firstEntry(Table.Grants); entry !== 0; entry = nextEntry(Table.Grants, entry)) {
    const grant = entryRecord(entry)
    if (!inHeap(grant, GRANT_BYTES)) return Fault.Grant
    const user = load<u32>(grant, Grant.User)
    const scope = load<u32>(grant, Grant.Scope)
    if (!isParty(user) || !isScope(scope)) return Fault.Grant
    if (grantHash(user, scope) !== hashOfEntry(entry)) return Fault.Grant
    if (findGrantStored(user, scope) !== grant) return Fault.Grant
    const roles = load<u32>(grant, Grant.Roles)
    if (!soundRoles(roles, grant)) return Fault.Grant
    assignments += roleCountStored(roles)
    timed += timedCount(roles)
    grants++
  }
  if (timed !== field(Header.TimedRoles)) return Fault.Counter
  return grants === field(Header.Grants) && assignments === field(Header.Assignments) ? Fault.None : Fault.Counter
}

/** What a grant stores of its roles. */
function soundRoles(roles: u32, grant: u32): bool {
  if ((roles & TIMED) === 0) return soundPlain(roles)
  const record = roles - TIMED
  if (!inHeap(record, TimedRoles.Roles) || load<u32>(record, TimedRoles.Grant) !== grant) return false
  const count = load<u32>(record, TimedRoles.Count)
  if (count === 0 || count > (GRANT_ROLES_MAX as u32)) return false
  if (!inHeap(record, TimedRoles.Roles + count * TIMED_ROLE_BYTES)) return false
  const plain = plainRoles(roles)
  if ((plain & TIMED) !== 0 || (plain !== 0 && !soundPlain(plain))) return false
  if (roleCountStored(roles) > (GRANT_ROLES_MAX as u32)) return false
  let previous: u32 = 0
  for (let index: u32 = 0; index < count; index++) {
    const at = timedStart(roles) + index * TIMED_ROLE_BYTES
    const role = load<u32>(at, TimedRole.Role)
    if (role <= previous || !isLiveSymbol(role, Table.Roles) || isAmong(plain, role)) return false
    if (!areTimes(load<f64>(at, TimedRole.From), load<f64>(at, TimedRole.Until))) return false
    previous = role
  }
  return true
}

function soundPlain(roles: u32): bool {
  return (roles & SINGLE) !== 0 ? isLiveSymbol(roles - SINGLE, Table.Roles) : isRoleSet(roles)
}

/** Is it one of these roles, which are sound and without times? */
function isAmong(roles: u32, role: u32): bool {
  if (roles === 0 || (roles & SINGLE) !== 0) return roles === (role | SINGLE)
  const count = load<u32>(roles, RoleSet.Count)
  for (let at: u32 = 0; at < count; at++) if (load<u32>(roles + at * 4, RoleSet.Roles) === role) return true
  return false
}

function isScope(scope: u32): bool {
  return isLiveSymbol(scope, Table.Tenants) || isLiveSymbol(scope, Table.Instances)
}

function isRoleSet(set: u32): bool {
  if (!inHeap(set, RoleSet.Roles)) return false
  const hash = load<u32>(set, RoleSet.Hash)
  for (let match = firstMatch(Table.RoleSets, hash); match !== 0; match = nextMatch(match, hash)) {
    if (matchedRecord(match) === set) return true
  }
  return false
}

/** Lists of users and scopes: every grant is in both, linked both ways, and nowhere else. */
function verifyParties(): Fault {
  const ofUsers = countLists(Table.Users, Grant.User, Grant.NextOfUser, Grant.PreviousOfUser)
  const ofEverybody = countList(everybody(), 0, Grant.User, Grant.NextOfUser, Grant.PreviousOfUser)
  const ofTenants = countLists(Table.Tenants, Grant.Scope, Grant.NextOfScope, Grant.PreviousOfScope)
  const ofInstances = countLists(Table.Instances, Grant.Scope, Grant.NextOfScope, Grant.PreviousOfScope)
  const grants = field(Header.Grants)
  if (ofUsers > grants || ofTenants > grants || ofInstances > grants) return Fault.Grant
  if (ofEverybody > grants || ofUsers + ofEverybody !== grants) return Fault.Grant
  return ofTenants + ofInstances === grants ? Fault.None : Fault.Grant
}

/** Entries over the lists of a table's parties; BROKEN when one is. */
function countLists(table: u32, owner: u32, next: u32, previous: u32): u32 {
  let total: u32 = 0
  for (let entry = firstEntry(table); entry !== 0 && total !== BROKEN; entry = nextEntry(table, entry))
    total = countList(entryRecord(entry), total, owner, next, previous)
  return total
}

/** Adds the entries of the list of one party, if there is one, to a count; BROKEN as above. */
function countList(party: u32, before: u32, owner: u32, next: u32, previous: u32): u32 {
  if (party === 0) return before
  const most = field(Header.Grants)
  let total = before
  let last: u32 = 0
  for (let grant = load<u32>(party, Principal.Grants); grant !== 0; grant = load<u32>(grant + next)) {
    if (++total > most || !inHeap(grant, GRANT_BYTES)) return BROKEN
    if (load<u32>(grant + owner) !== party || load<u32>(grant + previous) !== last) return BROKEN
    last = grant
  }
  return total
}

function verifyFreeLists(): Fault {
  const free = field(Header.Free)
  let total: u32 = 0
  for (let size: u32 = 4; size <= 512; size += 4) {
    total = sumList(Header.FreeSmall + size - 4, size, total, free)
    if (total > free) return Fault.FreeList
  }
  for (let power: u32 = 10; power < 31; power++) {
    total = sumList(Header.FreeLarge + (power - 9) * 4, (1 as u32) << power, total, free)
    if (total > free) return Fault.FreeList
  }
  return total === free ? Fault.None : Fault.FreeList
}

function sumList(list: u32, size: u32, before: u32, limit: u32): u32 {
  let total = before
  for (let block = field(list); block !== 0; block = load<u32>(block, FreeBlock.Next)) {
    total += size
    if (total > limit || !inHeap(block, size)) return 0xffffffff
  }
  return total
}
