// The layout of an image: every offset, size and section, as bare numbers and enums; bounds and codes are in limits.ts.
// Compiled by asc AND by tsc, so both sides of the border read one text. On the host only src/kernel and
// src/image/records read it. docs/kernel-memory.md draws it. Raise ABI_VERSION with every change of what an image or a
// call says; what the kernel alone reads during one call (query, tally, the goals of a search) may move without.
//
//   0x00000  guard      nothing lives here: id 0 and stray small numbers mean "none"
//   0x00400  header     HEADER_BYTES: identity, roots, counters, free lists        ┐ an image file is
//   0x01000  scratch    arguments and results of one call; never saved             │ header ++ heap
//   0x12000  static     messages of the debug build's asserts; never saved         │
//   0x20000  work       the goals of one search over relations; never saved        │
//   0x48000  sent       which attributes were sent with a question; never saved    │
//   0x50000  encoded    values on their way in: sent, or to be stored; never saved │
//   0xd0000  frames     the lists that a condition is walking; never saved         │
//   0xd1000  related    the relations that were sent with a question; never saved
//   0xdf000  query      what is asked and how far it is decided; never saved        │
//   0xdf100  tally      what verify has counted so far; never saved                │
//   0xe0000  heap       every record and table                                     ┘

export const HEADER = 0x400
export const HEADER_BYTES = 0x800
export const SCRATCH = 0x1000
export const WORK = 0x20000
export const SENT = 0x48000
export const ENCODED = 0x50000
export const FRAMES = 0xd0000
/** Relations that were sent with a question (D14): groups, one for each relation. */
export const RELATED = 0xd1000
export const QUERY = 0xdf000
export const TALLY = 0xdf100
export const HEAP = 0xe0000

/** "ZHOP", little-endian. */
export const MAGIC = 0x504f485a

// ── header fields, bytes from HEADER ─────────────────────────────────────────────────────────────────────────────────
export enum Header {
  Magic = 0,
  Abi = 4,
  /** bytes of the image file: header and heap */
  Length = 8,
  /** CRC-32 of the file with this field as 0 */
  Crc = 12,
  /** 16 bytes: the id of the environment */
  Environment = 16,
  RevisionLow = 32,
  RevisionHigh = 36,
  /** 32 bytes: SHA-256 chain of the log at the revision */
  Chain = 40,
  /** first address after the heap */
  Top = 96,
  /** bytes on free lists */
  Free = 100,
  /** bytes of symbols whose object is deleted: their id stays theirs until compaction */
  Dead = 104,
  Users = 108,
  Tenants = 112,
  Roles = 116,
  Resources = 120,
  Permissions = 124,
  /** (user, scope) pairs with at least one role */
  Grants = 128,
  /** roles over all grants */
  Assignments = 132,
  RoleSets = 136,
  /** the highest permission id given so far */
  PermissionTop = 140,
  /** permission id → record: address and capacity (entries) of the directory */
  PermissionDirectory = 144,
  PermissionCapacity = 148,
  Instances = 152,
  /** relations that a tuple or a rule names */
  Relations = 156,
  Tuples = 160,
  /** derivation rules of all roles */
  Rules = 164,
  Texts = 168,
  /** paths that a program reads */
  Paths = 172,
  /** the highest number of a path given so far */
  PathTop = 176,
  Sets = 180,
  SetRules = 184,
  Members = 188,
  /** the resource `__user`, which declares the attributes of users; 0 until it was there */
  UserType = 192,
  /** the same for tenants, `__tenant` */
  TenantType = 196,
  Documents = 200,
  /** ORDERS roots of orders of keys */
  Orders = 204,
  /** roles with times over all grants */
  TimedRoles = 228,
  /** tuples with times */
  TimedTuples = 232,
  /** resource roles that stand for user sets: so many of the permissions are theirs */
  RolesAsSets = 236,
  /** suspensions with times */
  TimedSuspensions = 240,
  /** the party that stands for everybody (D16), in no table; 0 while it has no role */
  Everybody = 244,
  /** TABLES roots of TABLE_BYTES */
  Tables = 256,
  /** free blocks of 512 bytes and more, one list for each power of two */
  FreeLarge = 896,
  /** free blocks of 4, 8, … 512 bytes */
  FreeSmall = 1024,
}

/** A block that is free, of the size of its list. */
export enum FreeBlock {
  Next = 0,
}

// ── hash tables (assembly/memory/table.ts) ───────────────────────────────────────────────────────────────────────────
export const TABLES = 19
export const TABLE_BYTES = 24
/** Fields of a table root. */
export enum Root {
  Count = 0,
  Buckets = 4,
  /** 2^level − 1 */
  Mask = 8,
  /** the next bucket to split */
  Split = 12,
  Directory = 16,
  Capacity = 20,
}
export const BUCKET_BYTES = 64
export const BUCKET_SLOTS = 7
export enum Bucket {
  Hashes = 0,
  Count = 28,
  Records = 32,
  Overflow = 60,
}
export const SEGMENT_BUCKETS = 64
export const SEGMENT_BYTES = 4096

// ── orders of keys (assembly/memory/key-order.ts) ────────────────────────────────────────────────────────────────────
export enum OrderRoot {
  Node = 0,
  /** steps from the root down to the leaves */
  Height = 4,
  /** bytes of a root */
  Bytes = 8,
}
export const NODE_BYTES = 256
export enum Node {
  Count = 0,
  /** the leaf after this one; 0 in an inner node */
  Next = 4,
  Entries = 8,
}
/** Records of a leaf at most. */
export const LEAF_RECORDS = 62
/** Entries of an inner node at most. */
export const FANOUT = 31
export const NODE_ENTRY_BYTES = 8
/** An entry of an inner node. */
export enum NodeEntry {
  /** the first record below the node */
  First = 0,
  Node = 4,
}

// ── records ──────────────────────────────────────────────────────────────────────────────────────────────────────────
/**
 * Every symbol begins with: key length u16 · table u8 · flags u8. An id is the address of the record; a permission's is
 * dense.
 */
export enum SymbolRecord {
  /** the length; for the host, the word of all three */
  Meta = 0,
  Table = 2,
  Flags = 3,
}
export const FLAG_LIVE = 1
/** Of a user: it has a suspension (D16). */
export const FLAG_SUSPENDED = 2

/** A user, or a scope (tenant, resource instance): the head of its list of grants, its stored attributes, its key. */
export enum Principal {
  Grants = 4,
  /** a composite, or 0 */
  Attributes = 8,
  /** list of memberships (users and tenants only) */
  Members = 12,
  Key = 16,
}
export enum Resource {
  /** list of its permissions, newest first */
  Permissions = 4,
  /** list of its resource roles, dead ones too, newest first */
  Roles = 8,
  /** a composite: name → number of the declared type; or 0 */
  Attributes = 12,
  Key = 16,
}
/** What the image carries for the host: the kernel keeps it and never looks inside. */
export enum Document {
  /** a composite, or 0 */
  Value = 4,
  Key = 8,
}
/** A resource instance is a party: it begins as one. */
export enum Instance {
  /** the tenant to which it belongs; 0 when it is deleted */
  Tenant = 12,
  /** its resource type */
  Type = 16,
  /** list of the tuples whose object it is */
  Objects = 20,
  /** list of the tuples whose subject it is */
  Subjects = 24,
  Key = 28,
}
/** The key of a permission is `resource:action`. */
export enum Permission {
  /** dense, from 1: the bit in every row */
  Id = 4,
  Resource = 8,
  Next = 12,
  /** roles whose own row has it */
  Holders = 16,
  /** list of its set rules */
  SetRules = 20,
  /** lists of the indexes of their sides */
  UserIndexes = 24,
  ResourceIndexes = 28,
  /** the resource role that it stands for (D17), whose key it has; 0: it is that of an action */
  Role = 32,
  /** list of its sides of users that are resource roles */
  RoleSides = 36,
  Key = 40,
}
/**
 * A bitset row is ROW_PAGES page addresses, then page 0 itself; a page is PAGE_BYTES of bits, address 0 stands for a
 * page of zeros. Page 0 lies in place because most policies have fewer permissions than it has bits: a test of one is
 * one load.
 */
export const ROW_PAGES = 32
export const ROW_BYTES = 384
export enum Row {
  /** addresses; that of page 0 is not used */
  Pages = 0,
  FirstPage = 128,
}
export const PAGE_BYTES = 256
export const PAGE_SHIFT = 11
export enum Role {
  /** edges to the roles that it extends */
  Parents = 4,
  /** edges to the roles that extend it */
  Children = 8,
  /** link of the work list while rows are computed; 0 at rest */
  Queue = 12,
  /** its own row, a block of ROW_BYTES; 0 while it extends nothing: then the effective row is its own */
  Own = 16,
  /** the effective row, in place: own permissions and those of all that it extends */
  Row = 20,
  /** the resource type of a resource role, whose key is `type/role`; 0 for a role in tenants */
  Type = 404,
  /** the next role of the type */
  NextOfType = 408,
  /** list of the rules that derive this role */
  Rules = 412,
  /** list of the rules that derive another role from this one */
  Sources = 416,
  /** RULE_NO_DIRECT for all rules of the role */
  Flags = 420,
  /** id of the permission that stands for the role where it is a user set (D17); 0 until it was one */
  Permission = 424,
  /** sides of set rules that are the role; of resource roles only */
  Sides = 428,
  Key = 432,
}
export const EDGE_BYTES = 20
export enum Edge {
  Child = 0,
  Parent = 4,
  NextParent = 8,
  NextChild = 12,
  PreviousChild = 16,
}
export const GRANT_BYTES = 28
export enum Grant {
  User = 0,
  Scope = 4,
  /** a role's address + SINGLE, the address of a role set, or that of timed roles + TIMED */
  Roles = 8,
  NextOfUser = 12,
  PreviousOfUser = 16,
  NextOfScope = 20,
  PreviousOfScope = 24,
}
export const SINGLE = 1
/** Added to an address: there are times (D15). */
export const TIMED = 2
/** Two or more roles, ascending by address, shared by every grant that has exactly these. */
export enum RoleSet {
  References = 0,
  Count = 4,
  Hash = 8,
  Roles = 12,
}
/** The roles of a grant where some have times: those behind the record, ascending by role. It belongs to one grant. */
export enum TimedRoles {
  Grant = 0,
  /** the roles without times, as a grant has them; 0 when there are none */
  Plain = 4,
  /** roles with times, at least one */
  Count = 8,
  Roles = 12,
}
/** A role with its times, ms since 1970; infinite where it is unbounded. No role of a grant is there twice. */
export const TIMED_ROLE_BYTES = 20
export enum TimedRole {
  Role = 0,
  /** f64: in force from then on */
  From = 4,
  /** f64: in force before then */
  Until = 12,
}

/** A relation's name, kept while a tuple or a rule uses it. */
export enum Relation {
  Uses = 4,
  Key = 8,
}
/** `subject` is related by `relation` to `object`: who holds a role on the subject may get one on the object. */
export const TUPLE_BYTES = 28
export enum Tuple {
  /** + TIMED when times follow the record */
  Relation = 0,
  Subject = 4,
  Object = 8,
  NextOfObject = 12,
  PreviousOfObject = 16,
  NextOfSubject = 20,
  PreviousOfSubject = 24,
}
/** Behind a tuple with times: f64 each, as those of a role. */
export const TIMED_TUPLE_BYTES = 44
export enum TimedTuple {
  From = 28,
  Until = 36,
}
/**
 * Who has the role `source` on an instance that is related by `relation` to an object has the role `target` on it (D5).
 */
export const RULE_BYTES = 28
export enum Rule {
  Target = 0,
  Relation = 4,
  Source = 8,
  Flags = 12,
  NextOfTarget = 16,
  NextOfSource = 20,
  PreviousOfSource = 24,
}
/** A pair to look at, in the work area: has the user this role on this instance? */
export const GOAL_BYTES = 16
export enum Goal {
  Instance = 0,
  Role = 4,
  /** its slot among the pairs seen: what stands there counts only when the goal points back */
  Slot = 8,
  /** the goal that led here, counted from 1; 0 for the first ones */
  From = 12,
}
/** A relation that was sent with a question, and the instances that the asked resource is related to by it (D14). */
export enum Related {
  Relation = 0,
  /** subjects of this group; the next group is behind the last one */
  Count = 4,
  /** instances */
  Subjects = 8,
}
/** Slots of the pairs seen: u16, the number of a goal. Twice as many as goals, behind them in the work area. */
export const GOAL_SLOTS = 16384

// ── attributes, conditions and set rules ─────────────────────────────────────────────────────────────────────────────
/** Text, in UTF-8: interned when it is stored, so that equal stored texts are one record. */
export enum Text {
  References = 0,
  Length = 4,
  Bytes = 8,
}
/**
 * A list, or an object when its cells have names: a header and cells. Same layout where it is stored and where it is
 * sent.
 */
export enum Composite {
  Count = 0,
  /** link of the work list while it is copied or released; 0 at rest */
  Queue = 4,
  Cells = 8,
}
export const CELL_BYTES = 16
export enum Cell {
  /** text of the member's name; 0 in a list */
  Name = 0,
  Kind = 4,
  /** f64, or an address */
  Value = 8,
}
/** What a condition reads: an attribute, and members inside it. It is a symbol, kept while a program uses it. */
export enum AttributePath {
  Uses = 4,
  /** dense, from 1: its place in the area of what was sent */
  Number = 8,
  /** block: count, texts of the names; 0 when it is dead */
  Names = 12,
  Source = 16,
  Key = 20,
}
/** The names of a path behind its root. */
export enum Names {
  Count = 0,
  /** texts */
  Texts = 4,
}
/**
 * A program: conditions as a flat list of steps. Steps lead forward only; a match alone comes back, once for each item.
 */
export enum Program {
  Count = 0,
  /** a composite: the constants, by number; or 0 */
  Constants = 4,
  Steps = 8,
}
export const STEP_BYTES = 16
export enum Step {
  /** u16 */
  Op = 0,
  /** u16: RIGHT_PATH, FOREIGN */
  Flags = 2,
  /** a path */
  Left = 4,
  /** the number of a constant, or a path */
  Right = 8,
  /** u16: the step after this one when it is true, and when it is false */
  WhenTrue = 12,
  WhenFalse = 14,
}
/** A match that is being walked. */
export const FRAME_BYTES = 32
export enum Frame {
  /** address of the match's step */
  Step = 0,
  /** its place among the steps */
  At = 4,
  /** cell of the item */
  Item = 8,
  /** items left behind this one */
  Left = 12,
  /** the stored instance that the item names, and its type, when FOREIGN */
  Instance = 16,
  Type = 20,
}
/** A condition set. */
export enum ConditionSet {
  /** SET_OF_USERS or SET_OF_RESOURCES */
  Kind = 4,
  /** base resource of a resource set */
  Resource = 8,
  Parent = 12,
  Program = 16,
  /** text: the conditions as JSON */
  Json = 20,
  /** its equality tests: a block, or 0 when it has none */
  Tests = 24,
  /** list of the sides that it is */
  Sides = 28,
  /** list of the sets whose parent it is */
  Children = 32,
  NextOfParent = 36,
  PreviousOfParent = 40,
  /** link of the work list while sides move; 0 at rest */
  Queue = 44,
  Key = 48,
}
/**
 * The equality tests without which conditions cannot hold, at most INDEX_TESTS_MAX: a count, then a path and a hash for
 * each.
 */
export const TEST_BYTES = 8
export enum Tests {
  Count = 0,
  /**
   * a path; with LIST_TEST its value is a list that has the constant; LIST_TEST alone: the roles assigned in the tenant
   */
  Path = 4,
  /** of the constant, by kind and value */
  Hash = 8,
}
export const LIST_TEST = 1
/** The users of a set (or with a role) may do what the permission says with the resources of a set (or of a type). */
export const SET_RULE_BYTES = 28
export enum SetRule {
  /** id of the permission */
  Permission = 0,
  /** a condition set or a role */
  Users = 4,
  /** a condition set or a resource */
  Resources = 8,
  Next = 12,
  Previous = 16,
  /** list of the side of users */
  NextOfSide = 20,
  PreviousOfSide = 24,
}
/** What the set rules of one permission name as users, or as resources: once, however many rules name it. */
export const SIDE_BYTES = 40
export enum Side {
  /** id of the permission */
  Permission = 0,
  /** SET_OF_USERS or SET_OF_RESOURCES */
  Kind = 4,
  /** a condition set; a role as users, a resource as resources */
  Set = 8,
  /** rules that name it */
  Count = 12,
  /** list of these rules; 0 for resources */
  Rules = 16,
  Group = 20,
  NextOfGroup = 24,
  PreviousOfGroup = 28,
  /** of the set, or where it is a resource role of the permission */
  NextOfSet = 32,
  PreviousOfSet = 36,
}
/**
 * The sides of one kind of a permission whose tests read the same paths: one lookup for each index finds those that can
 * be true.
 */
export const INDEX_BYTES = 40
export enum Index {
  /** id of the permission */
  Permission = 0,
  Kind = 4,
  Next = 8,
  Previous = 12,
  /** list of its groups */
  Groups = 16,
  /** tests, 0 to INDEX_TESTS_MAX: a list test comes last, the others are ascending by path */
  Count = 20,
  Paths = 24,
}
/** The sides of an index whose tests have the same values (the same hash of them). */
export const GROUP_BYTES = 20
export enum Group {
  Index = 0,
  Hash = 4,
  /** list of its sides */
  Sides = 8,
  Next = 12,
  Previous = 16,
}
/** A user who belongs to a tenant without a role in it. */
export const MEMBER_BYTES = 24
export enum Member {
  User = 0,
  Tenant = 4,
  NextOfUser = 8,
  PreviousOfUser = 12,
  NextOfTenant = 16,
  PreviousOfTenant = 20,
}

/** When a user is suspended (D16), ms since 1970; infinite where it is unbounded. */
export const SUSPENSION_BYTES = 20
export enum Suspension {
  User = 0,
  /** f64: suspended from then on */
  From = 4,
  /** f64: suspended before then */
  Until = 12,
}

/**
 * What is asked, and how far it is decided. Written when a question begins; says nothing after the next one has begun.
 */
export const QUERY_BYTES = 216
export enum Query {
  User = 0,
  Tenant = 4,
  /** 0 when none is asked about, or it is not stored */
  Instance = 8,
  /** the resource of the permission */
  Type = 12,
  /** where what was sent ends in the encoded area */
  SentEnd = 16,
  /** the first free byte behind it, for generated values */
  Free = 20,
  /** 1: the encoded area is full, so the check could not decide (D13) */
  IsFull = 24,
  /** 1: the value that was found last is compared as an instant (D9) */
  IsTime = 28,
  /** the last value that was not of its declared type, or 0 */
  Refused = 32,
  /** how many there were since this memory is open: no question sets it back */
  Refusals = 36,
  /** work that conditions took */
  ConditionSteps = 40,
  /** tuples and rules that the search looked at */
  RelationSteps = 44,
  /** goals of the search */
  Goals = 48,
  /** the goal that was met, counted from 1; 0 when a direct role or nothing allowed */
  Met = 52,
  /** where the next candidate is written, and the end of the room for them */
  NextCandidate = 56,
  CandidatesEnd = 60,
  /** where the relations that were sent end in their area; 0 without any */
  RelatedEnd = 64,
  /** 1: something with times was met, and no instant was given */
  NeedsTime = 68,
  /**
   * f64: the instant of the question, ms since 1970; NaN when none is given. No question changes it
   */
  Now = 72,
  /** 1: questions are about what users hold themselves, without what everybody does. No question changes it */
  OwnAlone = 80,
  /** resource roles that stand for user sets of the permission, as far as they were searched for */
  RoleSides = 84,
  /** ROLE_SIDES_MAX words: the role, with the verdict in the lowest two bits */
  SideRoles = 88,
}
/** What `verify` has counted so far. */
export const TALLY_BYTES = 40
export enum Tally {
  /** u64: references to texts */
  References = 0,
  /** u64: uses of paths in programs */
  Uses = 8,
  /** the last record in the order of keys, or 0 */
  Previous = 16,
  /** records seen in that order */
  Seen = 20,
  /** the leaf that must come next */
  Awaited = 24,
  /** groups, and sides in them, that the lists of permissions lead to */
  Groups = 28,
  Sides = 32,
}
/** A node on the way down a tree, and the slot to go to next; in the work area. */
export const VISIT_BYTES = 8
export enum Visit {
  Node = 0,
  Slot = 4,
}
