// What an image may hold and what its numbers mean: bounds and codes, and no address. Compiled by asc AND by tsc. Every
// part of the host may read it; where things lie is in abi.ts. Raise ABI_VERSION with every change.

/**
 * Raise when a layout, a constant or an export changes meaning. The host refuses a kernel or an image of another
 * number.
 */
export const ABI_VERSION = 9

// ── bounds ───────────────────────────────────────────────────────────────────────────────────────────────────────────
/** Bytes that one call takes or answers in the scratch area. */
export const SCRATCH_BYTES = 0x10000
/** Eight times the bytes that attributes or conditions may have as JSON. */
export const ENCODED_BYTES = 0x80000
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
/** Resource roles that may stand for user sets in the set rules of one permission: each is a search of its own. */
export const ROLE_SIDES_MAX = 32
/** Relations that may be sent with one check: a resource type has a few. */
export const SENT_RELATIONS_MAX = 64
/** Subjects of one relation that may be sent with one check: each is looked up, in a tenth of a microsecond. */
export const SENT_SUBJECTS_MAX = 64
/** Attributes (and members inside them) that the conditions of one image read. */
export const PATHS_MAX = 8191
/** Steps, items and members that the set rules of one check look at: bounds its time to some milliseconds. */
export const CONDITION_STEPS_MAX = 262144
/** Matches inside matches: conditions are nested no deeper. */
export const FRAMES_MAX = 32
/** Equality tests by which one side of a set rule is found; what follows them is only evaluated. */
export const INDEX_TESTS_MAX = 4
/**
 * Indexes of one kind of side of one permission: a check looks at each. What would need one more is always evaluated.
 */
export const INDEXES_MAX = 32
/** Sides of one kind that a check collects before it evaluates them; beyond it, it tries one rule after the other. */
export const CANDIDATES_MAX = 16384
/** Steps from the root of an order down to its leaves: higher than any tree of records that fit into an image. */
export const ORDER_HEIGHT_MAX = 8

// ── codes ────────────────────────────────────────────────────────────────────────────────────────────────────────────
/** The tables of an image. */
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
  Texts = 10,
  /** key `root.name.name` */
  Paths = 11,
  /** condition sets */
  Sets = 12,
  SetRules = 13,
  Members = 14,
  /** key `kind/key` */
  Documents = 15,
  /** sides of set rules */
  Sides = 16,
  /** groups of sides */
  Groups = 17,
  /** when users are suspended */
  Suspensions = 18,
}
/** Orders of keys, for listings in pages. */
export enum Order {
  Users = 0,
  Instances = 1,
  /** live instances, by tenant and then by key */
  Tenants = 2,
}
/** What a value is. Values of different kinds are never equal and have no order. */
export enum Kind {
  /** nothing: also what was sent without the member that is read */
  Missing = 0,
  Null = 1,
  False = 2,
  True = 3,
  Number = 4,
  Text = 5,
  /** text that is the key of a symbol: what a question or an image names (D8: generated) */
  Key = 6,
  List = 7,
  Object = 8,
}
/** Declared types of attributes. A value of another type is as good as missing (D7). */
export enum Type {
  Json = 0,
  Bool = 1,
  Number = 2,
  String = 3,
  Time = 4,
  Array = 5,
  Object = 6,
  ObjectArray = 7,
}
/** Where a path begins. The first seven are generated and never overridden by a request (D8). */
export enum Source {
  UserKey = 1,
  UserRoles = 2,
  UserTenants = 3,
  ResourceType = 4,
  ResourceKey = 5,
  ResourceTenant = 6,
  TenantKey = 7,
  User = 8,
  Resource = 9,
  Tenant = 10,
  Context = 11,
  /** `context.now`: compared as an instant (D9) */
  Now = 12,
  Action = 13,
  /** inside the item that a match is looking at */
  Item = 14,
}
/**
 * Operations. An operand that is missing, or of a kind that the operation does not take, makes a test false (D7);
 * nothing is ever an error, and no type is turned into another. "As instants": when one side is declared `time` or is
 * `context.now` (D9).
 */
export enum Op {
  /** ends the program: the conditions hold */
  True = 1,
  /** ends the program: they do not */
  False = 2,
  /** goes on at WhenTrue */
  Always = 3,
  /** scalars of one kind with the same value, or the same instant */
  Equal = 4,
  /** two scalars that are not Equal; of different kinds they are not */
  NotEqual = 5,
  /** two numbers, two texts (by bytes) or two instants; anything else has no order: false */
  Less = 6,
  LessOrEqual = 7,
  Greater = 8,
  GreaterOrEqual = 9,
  /** right is a list of two: not below the first, not above the second */
  Between = 10,
  /** two texts: right occurs in left */
  Contains = 11,
  /** two texts: left begins with right */
  StartsWith = 12,
  /** two texts: left ends with right */
  EndsWith = 13,
  /** right is a list with an item Equal to left */
  In = 14,
  /** left is a list with an item Equal to right */
  ArrayContains = 15,
  /** two lists: each item of left is in right */
  ArraySubset = 16,
  /** two lists: each item of right is in left */
  ArraySuperset = 17,
  /** two lists with an item in common */
  ArrayIntersect = 18,
  /**
   * the steps behind it, up to ItemTrue and ItemFalse, are about left itself: an object, or (FOREIGN) the key of a
   * stored instance
   */
  MatchObject = 19,
  /** left is a list: true when the steps behind it are true of some item */
  MatchAny = 20,
  /** left is a list: true when they are true of every item */
  MatchAll = 21,
  /** the item passes */
  ItemTrue = 22,
  /** the item does not pass */
  ItemFalse = 23,
}
/** The right side is a path, not a constant. */
export const RIGHT_PATH = 1
/** The items of a match are keys of instances of the type that the constant names. */
export const FOREIGN = 2
/** The rule gives nothing to a user with a direct role on the object. */
export const RULE_NO_DIRECT = 1
/** Kinds of condition sets. */
export const SET_OF_USERS = 1
export const SET_OF_RESOURCES = 2
/** The answer of a check. Undecided: a limit was met before anything allowed (D13). */
export enum Verdict {
  Deny = 0,
  Allow = 1,
  Undecided = 2,
}
/** Added to a verdict that is not Allow: set rules have a say, `decideSets` must be asked. */
export const ASK_SETS = 4
/** In place of a verdict: it depends on the instant of the question (D15), none was given, and nothing else is said. */
export const ASK_TIME = 8
/** In place of a verdict about roles alone: they do not say enough, `decide` must be asked about the user (D16). */
export const ASK_USER = 16
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
  Value = 13,
  Condition = 14,
  SetRule = 15,
  Member = 16,
  /** the index over set rules */
  Index = 17,
  /** the order of keys */
  Order = 18,
  Suspension = 19,
  Everybody = 20,
}
