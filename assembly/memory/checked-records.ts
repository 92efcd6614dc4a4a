// What the debug build knows of records: where one may lie, and whether what lies there is of a kind, by the table of a
// symbol, else by what the fields of the record name. Reads only. checked.ts asserts it.
import {
  AttributePath,
  BUCKET_BYTES,
  BUCKET_SLOTS,
  Bucket,
  CELL_BYTES,
  Cell,
  Composite,
  EDGE_BYTES,
  Edge,
  GRANT_BYTES,
  GROUP_BYTES,
  Grant,
  Group,
  HEADER,
  HEADER_BYTES,
  HEAP,
  Header,
  INDEX_BYTES,
  Index,
  LEAF_RECORDS,
  MEMBER_BYTES,
  Member,
  NODE_BYTES,
  Node,
  Permission,
  Program,
  RoleSet,
  Root,
  RULE_BYTES,
  Rule,
  SCRATCH,
  SET_RULE_BYTES,
  SetRule,
  SIDE_BYTES,
  SINGLE,
  Side,
  STEP_BYTES,
  Step,
  SUSPENSION_BYTES,
  Suspension,
  SymbolRecord,
  Text,
  TIMED,
  TIMED_ROLE_BYTES,
  TIMED_TUPLE_BYTES,
  TimedRole,
  TimedRoles,
  TUPLE_BYTES,
  Tuple,
  WORK,
} from '../abi'
import {
  GRANT_ROLES_MAX,
  INDEX_TESTS_MAX,
  Kind,
  Op,
  SCRATCH_BYTES,
  SET_OF_RESOURCES,
  SET_OF_USERS,
  Table,
} from '../limits'

/** Kinds of records. The names are those of the enums in abi.ts whose members are the fields. */
export enum Checked {
  Any = 0,
  SymbolRecord = 1,
  Principal = 2,
  Resource = 3,
  Document = 4,
  Instance = 5,
  Permission = 6,
  Role = 7,
  Relation = 8,
  AttributePath = 9,
  ConditionSet = 10,
  /** from here on: not symbols, and checked when they are read alone */
  Edge = 11,
  Grant = 12,
  RoleSet = 13,
  Tuple = 14,
  Rule = 15,
  Text = 16,
  Composite = 17,
  Cell = 18,
  Program = 19,
  Step = 20,
  SetRule = 21,
  Side = 22,
  Index = 23,
  Group = 24,
  Member = 25,
  Bucket = 26,
  Root = 27,
  Node = 28,
  TimedRoles = 29,
  TimedTuple = 30,
  Suspension = 31,
}

/** Does it lie in one area that is there? */
export function isRoom(address: u32, bytes: u32): bool {
  const end = (address as u64) + (bytes as u64)
  if (address >= (HEAP as u32)) return end <= (load<u32>(HEADER + Header.Top) as u64)
  if (address >= (WORK as u32)) return end <= (HEAP as u64)
  if (address >= (SCRATCH as u32)) return end <= ((SCRATCH + SCRATCH_BYTES) as u64)
  return address >= (HEADER as u32) && end <= ((HEADER + HEADER_BYTES) as u64)
}

/** Is this a block of the heap? */
export function isBlock(address: u32, bytes: u32): bool {
  return address >= (HEAP as u32) && (address & 3) === 0 && isRoom(address, bytes)
}

/** The table of a symbol; a number that no table has when it is not a symbol. */
function readTable(record: u32): u32 {
  return isBlock(record, 4) ? (load<u8>(record, SymbolRecord.Table) as u32) : 0xff
}

export function isIn(record: u32, table: u32): bool {
  return readTable(record) === table
}

/** Do the fields of the record, or its table, say that it is of this kind? */
export function isRecord(record: u32, kind: u32): bool {
  switch (kind) {
    case Checked.SymbolRecord:
      return isSymbolTable(readTable(record))
    case Checked.Principal:
      return isScope(record) || isIn(record, Table.Users)
    case Checked.Resource:
      return isIn(record, Table.Resources)
    case Checked.Document:
      return isIn(record, Table.Documents)
    case Checked.Instance:
      return isIn(record, Table.Instances)
    case Checked.Permission:
      return isIn(record, Table.Permissions) && isEntered(record)
    case Checked.Role:
      return isIn(record, Table.Roles)
    case Checked.Relation:
      return isIn(record, Table.Relations)
    case Checked.AttributePath:
      return isIn(record, Table.Paths) && load<u32>(record, AttributePath.Number) <= load<u32>(HEADER + Header.PathTop)
    case Checked.ConditionSet:
      return isIn(record, Table.Sets)
    default:
      return isPart(record, kind)
  }
}

function isSymbolTable(table: u32): bool {
  return (
    table <= (Table.Permissions as u32) ||
    table === Table.Instances ||
    table === Table.Relations ||
    table === Table.Paths ||
    table === Table.Sets ||
    table === Table.Documents
  )
}

function isScope(record: u32): bool {
  return isIn(record, Table.Tenants) || isIn(record, Table.Instances)
}

/** Leads the directory from the id of a permission to it? It has none before it is entered. */
function isEntered(record: u32): bool {
  const id = load<u32>(record, Permission.Id)
  return id === 0 || (isPermission(id) && load<u32>(load<u32>(HEADER + Header.PermissionDirectory) + id * 4) === record)
}

function isPermission(id: u32): bool {
  return id !== 0 && id <= load<u32>(HEADER + Header.PermissionTop)
}

function isPart(record: u32, kind: u32): bool {
  switch (kind) {
    case Checked.Edge:
      return (
        isBlock(record, EDGE_BYTES) &&
        isIn(load<u32>(record, Edge.Child), Table.Roles) &&
        isIn(load<u32>(record, Edge.Parent), Table.Roles)
      )
    case Checked.Grant:
      return (
        isBlock(record, GRANT_BYTES) &&
        isIn(load<u32>(record, Grant.User), Table.Users) &&
        isScope(load<u32>(record, Grant.Scope)) &&
        areRoles(load<u32>(record, Grant.Roles))
      )
    case Checked.RoleSet:
      return isRoleSet(record)
    case Checked.TimedRoles:
      return areTimed(record)
    case Checked.TimedTuple:
      return isTimedTuple(record)
    case Checked.Member:
      return (
        isBlock(record, MEMBER_BYTES) &&
        isIn(load<u32>(record, Member.User), Table.Users) &&
        isIn(load<u32>(record, Member.Tenant), Table.Tenants)
      )
    case Checked.Suspension:
      return isBlock(record, SUSPENSION_BYTES) && isIn(load<u32>(record, Suspension.User), Table.Users)
    case Checked.Tuple:
      return (
        isBlock(record, TUPLE_BYTES) &&
        isIn(load<u32>(record, Tuple.Relation) & ~TIMED, Table.Relations) &&
        isIn(load<u32>(record, Tuple.Subject), Table.Instances) &&
        isIn(load<u32>(record, Tuple.Object), Table.Instances)
      )
    case Checked.Rule:
      return (
        isBlock(record, RULE_BYTES) &&
        isIn(load<u32>(record, Rule.Target), Table.Roles) &&
        isIn(load<u32>(record, Rule.Relation), Table.Relations) &&
        isIn(load<u32>(record, Rule.Source), Table.Roles)
      )
    case Checked.SetRule:
      return (
        isBlock(record, SET_RULE_BYTES) &&
        isPermission(load<u32>(record, SetRule.Permission)) &&
        isSide(SET_OF_USERS, load<u32>(record, SetRule.Users)) &&
        isSide(SET_OF_RESOURCES, load<u32>(record, SetRule.Resources))
      )
    case Checked.Side:
      return (
        isBlock(record, SIDE_BYTES) &&
        isPermission(load<u32>(record, Side.Permission)) &&
        isSide(load<u32>(record, Side.Kind), load<u32>(record, Side.Set))
      )
    case Checked.Index:
      return isIndex(record)
    case Checked.Group:
      return isBlock(record, GROUP_BYTES) && isIndex(load<u32>(record, Group.Index))
    default:
      return isData(record, kind)
  }
}

/** Roles with times among them, one role in place, or a set of two and more. */
function areRoles(roles: u32): bool {
  return (roles & TIMED) === 0 ? arePlain(roles) : areTimed(roles - TIMED)
}

function arePlain(roles: u32): bool {
  return (roles & SINGLE) === 0 ? isRoleSet(roles) : isIn(roles - SINGLE, Table.Roles)
}

/** Without a tag: an address that still has one fails. */
function areTimed(record: u32): bool {
  if (!isBlock(record, TimedRoles.Roles) || !isBlock(load<u32>(record, TimedRoles.Grant), GRANT_BYTES)) return false
  const plain = load<u32>(record, TimedRoles.Plain)
  if (plain !== 0 && !arePlain(plain)) return false
  const count = load<u32>(record, TimedRoles.Count)
  if (count === 0 || count > (GRANT_ROLES_MAX as u32)) return false
  if (!isBlock(record, TimedRoles.Roles + count * TIMED_ROLE_BYTES)) return false
  const first = record + TimedRoles.Roles
  return (
    isIn(load<u32>(first, TimedRole.Role), Table.Roles) &&
    load<f64>(first, TimedRole.From) < load<f64>(first, TimedRole.Until)
  )
}

function isTimedTuple(record: u32): bool {
  return isBlock(record, TIMED_TUPLE_BYTES) && (load<u32>(record, Tuple.Relation) & TIMED) !== 0
}

function isRoleSet(roles: u32): bool {
  if (!isBlock(roles, RoleSet.Roles)) return false
  const count = load<u32>(roles, RoleSet.Count)
  if (count < 2 || count > (GRANT_ROLES_MAX as u32) || !isBlock(roles, RoleSet.Roles + count * 4)) return false
  const last = roles + (count - 1) * 4
  return (
    isIn(load<u32>(roles, RoleSet.Roles), Table.Roles) &&
    isIn(load<u32>(last, RoleSet.Roles), Table.Roles) &&
    load<u32>(roles, RoleSet.Roles) < load<u32>(last, RoleSet.Roles)
  )
}

function isSide(kind: u32, set: u32): bool {
  if (kind !== SET_OF_USERS && kind !== SET_OF_RESOURCES) return false
  return isIn(set, Table.Sets) || isIn(set, kind === SET_OF_USERS ? Table.Roles : Table.Resources)
}

function isIndex(index: u32): bool {
  return (
    isBlock(index, INDEX_BYTES) &&
    isPermission(load<u32>(index, Index.Permission)) &&
    (load<u32>(index, Index.Kind) === SET_OF_USERS || load<u32>(index, Index.Kind) === SET_OF_RESOURCES) &&
    load<u32>(index, Index.Count) <= (INDEX_TESTS_MAX as u32)
  )
}

/** Values, programs and tables: their counts, kinds and operations are such as there are. */
function isData(record: u32, kind: u32): bool {
  switch (kind) {
    case Checked.Text:
      return isRoom(record, Text.Bytes) && isRoom(record + Text.Bytes, load<u32>(record, Text.Length))
    case Checked.Composite:
      return isCounted(record, Composite.Count, Composite.Cells, CELL_BYTES)
    case Checked.Cell:
      return isRoom(record, CELL_BYTES) && load<u32>(record + Cell.Kind) <= (Kind.Object as u32)
    case Checked.Program:
      return isCounted(record, Program.Count, Program.Steps, STEP_BYTES)
    case Checked.Step: {
      const op = isRoom(record, STEP_BYTES) ? (load<u16>(record, Step.Op) as u32) : 0
      return op >= (Op.True as u32) && op <= (Op.ItemFalse as u32)
    }
    case Checked.Bucket:
      return isBlock(record, BUCKET_BYTES) && load<u32>(record, Bucket.Count) <= (BUCKET_SLOTS as u32)
    case Checked.Node:
      return isBlock(record, NODE_BYTES) && load<u32>(record, Node.Count) <= (LEAF_RECORDS as u32)
    default:
      return isRoot(record)
  }
}

function isCounted(record: u32, count: u32, first: u32, bytes: u32): bool {
  if (!isRoom(record, first)) return false
  const length = (load<u32>(record + count) as u64) * (bytes as u64)
  return length < (HEAP as u64) && isRoom(record + first, length as u32)
}

/** Linear hashing: as many buckets as the mask and the next one to split say, all below the directory. */
function isRoot(root: u32): bool {
  const mask = load<u32>(root, Root.Mask)
  const split = load<u32>(root, Root.Split)
  return (
    (mask & (mask + 1)) === 0 &&
    split <= mask &&
    load<u32>(root, Root.Buckets) === mask + 1 + split &&
    isBlock(load<u32>(root, Root.Directory), load<u32>(root, Root.Capacity) * 4)
  )
}

/** A field that leads to the next entry of a doubly linked list stands in front of the one that leads back. */
export function isLinked(record: u32, offset: u32, kind: u32): bool {
  if (!isNext(offset, kind)) return true
  const next = load<u32>(record + offset)
  return next === 0 || (isBlock(next, offset + 8) && load<u32>(next + offset + 4) === record)
}

function isNext(offset: u32, kind: u32): bool {
  switch (kind) {
    case Checked.Edge:
      return offset === Edge.NextChild
    case Checked.Grant:
      return offset === Grant.NextOfUser || offset === Grant.NextOfScope
    case Checked.Tuple:
      return offset === Tuple.NextOfObject || offset === Tuple.NextOfSubject
    case Checked.Rule:
      return offset === Rule.NextOfSource
    case Checked.Member:
      return offset === Member.NextOfUser || offset === Member.NextOfTenant
    case Checked.SetRule:
      return offset === SetRule.Next || offset === SetRule.NextOfSide
    case Checked.Side:
      return offset === Side.NextOfGroup || offset === Side.NextOfSet
    case Checked.Index:
      return offset === Index.Next
    case Checked.Group:
      return offset === Group.Next
    default:
      return false
  }
}
