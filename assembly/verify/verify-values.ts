// The part of `verify` for attributes, texts and memberships. Safe on any bytes: a composite is walked over the links
// that are 0 at rest, so that one that is reached twice is found. Links are left as they were when all is sound.
import {
  AttributePath,
  CELL_BYTES,
  Cell,
  Composite,
  Document,
  Header,
  MEMBER_BYTES,
  Member,
  Names,
  Principal,
  Resource,
  TALLY,
  Tally,
  Text,
} from '../abi'
import { Fault, Kind, Table } from '../limits'
import { field } from '../memory/memory'
import { hashBytes, isLive, keyLength } from '../memory/symbols'
import { entryRecord, firstEntry, hashOfEntry, nextEntry } from '../memory/table'
import { compositeBytes, findText } from '../memory/values'
import { namesBytes } from '../policy/attribute-paths'
import { grantHash } from '../policy/grants'
import { findMember } from '../policy/memberships'
import { inHeap, isLiveSymbol, isSymbol } from './bounds'

const QUEUE_END: u32 = 1

/** Are the references of all texts as many as were found? */
export function soundReferences(): bool {
  let counted: u64 = 0
  let texts: u32 = 0
  for (let entry = firstEntry(Table.Texts); entry !== 0; entry = nextEntry(Table.Texts, entry)) {
    const text = entryRecord(entry)
    if (!isStoredText(text) || load<u32>(text, Text.References) === 0) return false
    counted += load<u32>(text, Text.References) as u64
    texts++
  }
  return texts === field(Header.Texts) && counted === load<u64>(TALLY, Tally.References)
}

function isStoredText(text: u32): bool {
  if (!inHeap(text, Text.Bytes)) return false
  const length = load<u32>(text, Text.Length)
  if (!inHeap(text, Text.Bytes + length) || length > 0x7fffffff) return false
  return findText(text + Text.Bytes, length, hashBytes(text + Text.Bytes, length)) === text
}

/** Is it a stored text? Counts the reference. */
export function refersToText(text: u32): bool {
  store<u64>(TALLY, load<u64>(TALLY, Tally.References) + 1, Tally.References)
  return isStoredText(text)
}

/** Is it a sound composite with everything in it? 0, which stands for no composite, is sound. */
export function soundComposite(composite: u32): bool {
  if (composite === 0) return true
  if (!enters(composite)) return false
  let last = composite
  for (let at = composite; at !== QUEUE_END; ) {
    const count = load<u32>(at, Composite.Count)
    for (let index: u32 = 0; index < count; index++) {
      const cell = at + Composite.Cells + index * CELL_BYTES
      const name = load<u32>(cell, Cell.Name)
      if (name !== 0 && !refersToText(name)) return false
      const kind = load<u32>(cell, Cell.Kind)
      const value = load<u32>(cell, Cell.Value)
      if (kind > (Kind.Object as u32) || kind === Kind.Key) return false
      if (kind === Kind.Text && !refersToText(value)) return false
      if (kind !== Kind.List && kind !== Kind.Object) continue
      if (!enters(value)) return false
      store<u32>(last, value, Composite.Queue)
      last = value
    }
    const next = load<u32>(at, Composite.Queue)
    store<u32>(at, 0, Composite.Queue)
    at = next
  }
  return true
}

function enters(composite: u32): bool {
  if (!inHeap(composite, Composite.Cells) || load<u32>(composite, Composite.Queue) !== 0) return false
  const count = load<u32>(composite, Composite.Count)
  if (count > 0x7ffffff || !inHeap(composite, compositeBytes(count))) return false
  store<u32>(composite, QUEUE_END, Composite.Queue)
  return true
}

/** Stored attributes of users, tenants and instances, and what resources declare. */
export function verifyAttributes(): Fault {
  const sound =
    soundAttributes(Table.Users, Principal.Attributes) &&
    soundAttributes(Table.Tenants, Principal.Attributes) &&
    soundAttributes(Table.Instances, Principal.Attributes) &&
    soundAttributes(Table.Resources, Resource.Attributes) &&
    soundAttributes(Table.Documents, Document.Value)
  if (!sound) return Fault.Value
  const userType = field(Header.UserType)
  const tenantType = field(Header.TenantType)
  if (userType !== 0 && !isSymbol(userType, Table.Resources)) return Fault.Header
  if (tenantType !== 0 && !isSymbol(tenantType, Table.Resources)) return Fault.Header
  return soundPaths() ? Fault.None : Fault.Condition
}

function soundAttributes(table: u32, offset: u32): bool {
  for (let entry = firstEntry(table); entry !== 0; entry = nextEntry(table, entry)) {
    const record = entryRecord(entry)
    const composite = load<u32>(record + offset)
    if (composite !== 0 && !isLive(record)) return false
    if (!soundComposite(composite)) return false
  }
  return true
}

/** A live path has a number of its own and the names of its key; a dead one has no names. */
function soundPaths(): bool {
  const top = field(Header.PathTop)
  for (let entry = firstEntry(Table.Paths); entry !== 0; entry = nextEntry(Table.Paths, entry)) {
    const path = entryRecord(entry)
    const number = load<u32>(path, AttributePath.Number)
    const names = load<u32>(path, AttributePath.Names)
    if (number === 0 || number > top || isLive(path) !== (load<u32>(path, AttributePath.Uses) !== 0)) return false
    if (isLive(path) !== (names !== 0)) return false
    if (names !== 0 && !soundNames(names, keyLength(path))) return false
  }
  return true
}

function soundNames(names: u32, most: u32): bool {
  if (!inHeap(names, Names.Texts)) return false
  const count = load<u32>(names, Names.Count)
  if (count === 0 || count > most || !inHeap(names, namesBytes(count))) return false
  for (let index: u32 = 0; index < count; index++) {
    if (!refersToText(load<u32>(names + index * 4, Names.Texts))) return false
  }
  return true
}

export function verifyMembers(): Fault {
  const members = field(Header.Members)
  let found: u32 = 0
  for (let entry = firstEntry(Table.Members); entry !== 0; entry = nextEntry(Table.Members, entry)) {
    const member = entryRecord(entry)
    if (!inHeap(member, MEMBER_BYTES)) return Fault.Member
    const user = load<u32>(member, Member.User)
    const tenant = load<u32>(member, Member.Tenant)
    if (!isLiveSymbol(user, Table.Users) || !isLiveSymbol(tenant, Table.Tenants)) return Fault.Member
    if (grantHash(user, tenant) !== hashOfEntry(entry)) return Fault.Member
    if (findMember(user, tenant) !== member) return Fault.Member
    found++
  }
  if (found !== members) return Fault.Counter
  const ofUsers = countMembers(Table.Users, Member.User, Member.NextOfUser, Member.PreviousOfUser)
  const ofTenants = countMembers(Table.Tenants, Member.Tenant, Member.NextOfTenant, Member.PreviousOfTenant)
  return ofUsers === members && ofTenants === members ? Fault.None : Fault.Member
}

/** Members over the lists of a table's parties; u32.MAX_VALUE when one is broken. */
function countMembers(table: u32, owner: u32, next: u32, previous: u32): u32 {
  const most = field(Header.Members)
  let total: u32 = 0
  for (let entry = firstEntry(table); entry !== 0; entry = nextEntry(table, entry)) {
    const party = entryRecord(entry)
    let before: u32 = 0
    for (let member = load<u32>(party, Principal.Members); member !== 0; member = load<u32>(member + next)) {
      if (++total > most || !inHeap(member, MEMBER_BYTES)) return 0xffffffff
      if (load<u32>(member + owner) !== party || load<u32>(member + previous) !== before) return 0xffffffff
      before = member
    }
  }
  return total
}
