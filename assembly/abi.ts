// The layout of an image: every offset, size, section and limit, as bare numbers and enums. Compiled by asc AND by tsc, so both
// sides of the border read one text. docs/kernel-memory.md draws it. Change anything here ⇒ raise ABI_VERSION.
//
//   0x00000  guard      nothing lives here: id 0 and stray small numbers mean "none"
//   0x00400  header     HEADER_BYTES: identity, roots, counters, free lists        ┐ an image file is
//   0x01000  scratch    arguments and results of one call; never saved             │ header ++ heap
//   0x12000  static     messages of the debug build's asserts; never saved         │
//   0x20000  work       the goals of one search over relations; never saved        │
//   0x50000  heap       every record and table                                     ┘

/** Raise when a layout, a constant or an export changes meaning. The host refuses a kernel or an image of another number. */
export const ABI_VERSION = 3

export const HEADER = 0x400
export const HEADER_BYTES = 0x800
export const SCRATCH = 0x1000
export const SCRATCH_BYTES = 0x10000
export const WORK = 0x20000
export const HEAP = 0x50000

/** "ZHOP", little-endian. */
export const MAGIC = 0x504f485a

// ── limits that the layout itself sets ───────────────────────────────────────────────────────────────────────────────
/** Bytes of a key in UTF-8: what management accepts, every image holds. */
export const KEY_BYTES_MAX = 256
/** Bytes of an image: pointers stay below 2 GiB, so that they are never negative on the host's side. */
export const IMAGE_BYTES_MAX = 0x7fff0000
/** Permissions (`resource:action` pairs) of one image, 32 pages of 2,048 bits. */
export const PERMISSIONS_MAX = 65535
/** Roles in a chain of `extends`: also bounds how often one row is computed when an ancestor changes. */
export const EXTENDS_DEPTH_MAX = 32
/** Roles of one user in one scope. */
export const GRANT_ROLES_MAX = 1000
/** Pairs (instance, role) that one check over relations looks at; beyond it the answer is "could not decide" (D13). */
export const GOALS_MAX = 8192
/** Tuples and rules that one check over relations looks at: bounds its time to about a millisecond. */
export const RELATION_STEPS_MAX = 65536

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
  /** TABLES roots of TABLE_BYTES */
  Tables = 256,
  /** free blocks of 512 bytes and more, one list for each power of two */
  FreeLarge = 896,
  /** free blocks of 4, 8, … 512 bytes */
  FreeSmall = 1024,
}

// ── hash tables (assembly/table.ts) ──────────────────────────────────────────────────────────────────────────────────
/** The tables of an image; attributes, conditions and set rules get further ones. */
export enum Table {
  Users = 0,
  Tenants = 1,
  Roles = 2,
  Resources = 3,
  Permissions = 4,
  Grants = 5,
  RoleSets = 6,
  /** key `type:key` */
  Instances = 7,
  /** key `object type/relation` */
  Relations = 8,
  Tuples = 9,
}
export const TABLES = 10
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

// ── records ──────────────────────────────────────────────────────────────────────────────────────────────────────────
/** Every symbol begins with: key length u16 · table u8 · flags u8. An id is the address of the record; a permission's is dense. */
export enum SymbolRecord {
  Meta = 0,
}
export const FLAG_LIVE = 1

/** A user, or a scope (tenant, resource instance): the head of its list of grants, its stored attributes (none yet), its key. */
export enum Party {
  Grants = 4,
  Attributes = 8,
  Key = 12,
}
export enum Resource {
  /** list of its permissions, newest first */
  Permissions = 4,
  /** list of its resource roles, dead ones too, newest first */
  Roles = 8,
  Key = 12,
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
  Key = 20,
}
/**
 * A bitset row is ROW_PAGES page addresses, then page 0 itself; a page is PAGE_BYTES of bits, address 0 stands for a page of zeros. Page 0
 * lies in place because most policies have fewer permissions than it has bits: a test of one is one load.
 */
export const ROW_PAGES = 32
export const ROW_BYTES = 384
export const ROW_FIRST_PAGE = 128
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
  Key = 424,
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
  /** a role's address + SINGLE, or the address of a role set */
  Roles = 8,
  NextOfUser = 12,
  PreviousOfUser = 16,
  NextOfScope = 20,
  PreviousOfScope = 24,
}
export const SINGLE = 1
/** Two or more roles, ascending by address, shared by every grant that has exactly these. */
export enum RoleSet {
  References = 0,
  Count = 4,
  Hash = 8,
  Roles = 12,
}

/** A relation's name, kept while a tuple or a rule uses it. */
export enum Relation {
  Uses = 4,
  Key = 8,
}
/** `subject` is related by `relation` to `object`: who holds a role on the subject may get one on the object. */
export const TUPLE_BYTES = 28
export enum Tuple {
  Relation = 0,
  Subject = 4,
  Object = 8,
  NextOfObject = 12,
  PreviousOfObject = 16,
  NextOfSubject = 20,
  PreviousOfSubject = 24,
}
/** Who has the role `source` on an instance that is related by `relation` to an object has the role `target` on it (D5). */
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
/** The rule gives nothing to a user with a direct role on the object. */
export const RULE_NO_DIRECT = 1
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
/** Slots of the pairs seen: u16, the number of a goal. Twice as many as goals, behind them in the work area. */
export const GOAL_SLOTS = 16384

/** The answer of a check. Undecided: a limit was met before anything allowed (D13). */
export enum Verdict {
  Deny = 0,
  Allow = 1,
  Undecided = 2,
}

/** What `verify` found; 0 is sound. src/image/image.ts turns each into words. */
export enum Fault {
  None = 0,
  Header = 1,
  Table = 2,
  Symbol = 3,
  Row = 4,
  Edge = 5,
  Grant = 6,
  RoleSet = 7,
  Counter = 8,
  FreeList = 9,
  Instance = 10,
  Tuple = 11,
  Rule = 12,
}
