// An upper bound of the image bytes of each stored object, so that every PDP can load what management accepts
// (docs/kernel-memory.md). The bound of an image is a sum over objects, so a write updates it by the objects that it
// changes. It bounds the canonical build ("How large an image is" there); memory that deltas leave behind is reclaimed
// by the next canonical build. An image stores equal texts once; here they count for each object that has them.
import {
  AttributePath,
  BUCKET_BYTES,
  BUCKET_SLOTS,
  CELL_BYTES,
  Composite,
  ConditionSet,
  Document,
  EDGE_BYTES,
  GRANT_BYTES,
  GROUP_BYTES,
  HEADER_BYTES,
  HEAP,
  INDEX_BYTES,
  Instance,
  LEAF_RECORDS,
  MEMBER_BYTES,
  NODE_BYTES,
  PAGE_BYTES,
  PAGE_SHIFT,
  Permission,
  Principal,
  Program,
  Relation,
  Resource,
  ROW_BYTES,
  Role,
  RULE_BYTES,
  SEGMENT_BYTES,
  SET_RULE_BYTES,
  SIDE_BYTES,
  STEP_BYTES,
  SUSPENSION_BYTES,
  TABLES,
  TEST_BYTES,
  Tests,
  Text,
  TIMED_ROLE_BYTES,
  TIMED_TUPLE_BYTES,
  TimedRoles,
  TUPLE_BYTES,
} from '../../assembly/abi.ts'
import { IMAGE_BYTES_MAX, INDEX_TESTS_MAX } from '../../assembly/limits.ts'
import type { PolicyObjects, PolicyPut } from '../kinds/index.ts'
import { isTimed } from '../kinds/times.ts'
import type { Change } from '../log/change.ts'
import { project } from '../log/delta.ts'
import { EVERYBODY } from '../model/keys.ts'
import { type Json, partKey, resourceRoleOfSet } from '../model/objects.ts'

/** The size of the objects of one environment: a plain sum over them. */
export interface ImageSize {
  readonly bytes: number
  readonly permissions: number
  /** rows of permissions: one for each role, and one more for each that extends others */
  readonly rows: number
}

export const NO_SIZE: ImageSize = { bytes: 0, permissions: 0, rows: 0 }

/** The largest heap of an environment in bytes. */
export const IMAGE_ROOM = IMAGE_BYTES_MAX - HEAP

/**
 * The largest number of bytes that the image of an environment can have: its objects, the further pages of its rows,
 * and an empty image.
 */
export function imageBytes({ bytes, permissions, rows }: ImageSize): number {
  const pages = permissions >>> PAGE_SHIFT
  return EMPTY + bytes + rows * pages * PAGE_BYTES
}

export function plus(left: ImageSize, right: ImageSize, sign: 1 | -1 = 1): ImageSize {
  return {
    bytes: left.bytes + sign * right.bytes,
    permissions: left.permissions + sign * right.permissions,
    rows: left.rows + sign * right.rows,
  }
}

/** The size of the object that a change puts; zero for kinds that are not in images. */
export function measureChange(change: Change & { readonly op: 'put' }): ImageSize {
  if (change.kind === 'relation') return { ...NO_SIZE, bytes: symbol(Relation.Key, change.key) }
  const put = project(change)
  return put?.op === 'put' ? sizeOfPolicy(put) : NO_SIZE
}

/** The same for a projected object; relations that tuples and rules name are counted with their own objects. */
export function sizeOfPolicy(put: PolicyPut): ImageSize {
  switch (put.kind) {
    case 'resource':
      return { ...NO_SIZE, bytes: resourceBytes(put.key, put.value), permissions: put.value.actions.length }
    case 'role':
    case 'tenant_role':
    case 'resource_role': {
      const rules = put.kind !== 'resource_role' ? [] : (put.value.granted_to?.users_with_role ?? [])
      const edges = put.value.extends.length
      const bytes = symbol(Role.Key, put.key) + edges * EDGE_BYTES + (edges > 0 ? ROW_BYTES : 0)
      return { bytes: bytes + rules.length * RULE_BYTES, permissions: 0, rows: edges > 0 ? 2 : 1 }
    }
    case 'set_rule': {
      const role = resourceRoleOfSet(put.value.user_set)
      if (role === undefined) return { ...NO_SIZE, bytes: factBytes(put) }
      // D17: a permission stands for the role, here one for each rule
      const bytes = factBytes(put) + permissionBytes(role.resource, role.role)
      return { bytes, permissions: 1, rows: 0 }
    }
    default:
      return { ...NO_SIZE, bytes: factBytes(put) }
  }
}

function factBytes(put: Exclude<PolicyPut, { kind: 'resource' | 'role' | 'tenant_role' | 'resource_role' }>): number {
  const { key, kind, value } = put
  switch (kind) {
    case 'user':
      return symbol(Principal.Key, key) + ORDERED + attributes(value.attributes) + suspensionBytes(value)
    case 'tenant':
      return symbol(Principal.Key, key) + attributes(value.attributes)
    case 'resource_instance':
      return symbol(Instance.Key, key) + ORDERED + attributes(value.attributes)
    case 'role_assignment':
      // Roles of a user in one scope share a grant: no larger than one each.
      return GRANT_BYTES + ENTRY + (isTimed(value) ? TIMED_ROLE : 0) + (value.user === EVERYBODY ? PARTY : 0)
    case 'membership':
      return MEMBER_BYTES + ENTRY
    case 'relationship_tuple':
      return (isTimed(value) ? TIMED_TUPLE_BYTES : TUPLE_BYTES) + ENTRY
    case 'condition_set':
      return symbol(ConditionSet.Key, key) + conditionBytes(value.conditions)
    case 'set_rule':
      return SET_RULE_BYTES + ENTRY + 2 * (SIDE_BYTES + GROUP_BYTES + 2 * ENTRY + INDEX_BYTES)
    case 'proxy_config':
      return symbol(Document.Key, partKey(kind, key)) + valueBytes({ rules: JSON.stringify(value.rules) })
  }
}

// ── the parts of an image ────────────────────────────────────────────────────────────────────────────────────────────
const SMALL_BLOCK_MAX = 512

/** Bytes of a block, including padding before it for its alignment (assembly/memory/memory.ts). */
function block(bytes: number): number {
  return bytes <= SMALL_BLOCK_MAX ? (bytes + 3) & ~3 : 2 ** (32 - Math.clz32(bytes - 1)) + BUCKET_BYTES
}

/** Entries for which a table adds a bucket. */
const ENTRIES_PER_BUCKET = 4.5
/**
 * Room of one entry of a table: its share of a bucket, of the directory, and of overflow buckets if all chains had
 * their maximal length.
 */
const ENTRY = Math.ceil(BUCKET_BYTES / ENTRIES_PER_BUCKET + BUCKET_BYTES / BUCKET_SLOTS + 0.3)
/** Room of one record in the order of keys, when the keys were inserted in that order: full nodes. */
const ORDERED = Math.ceil((NODE_BYTES / LEAF_RECORDS) * 1.05)
/** Room of one permission in their directory, which is doubled, and of the directories before it. */
const IN_DIRECTORY = 16
/** Room of the times of a role, as if it were the only one of its grant that has some. */
const TIMED_ROLE = TimedRoles.Roles + TIMED_ROLE_BYTES
/** Room of the party of everybody, as if each of its roles made one. */
const PARTY = Principal.Key + 4
/** Header, the first segment of each table, the first directories, the nodes at the edge of each order. */
const EMPTY = HEADER_BYTES + TABLES * (SEGMENT_BYTES + 4 * BUCKET_BYTES) + 32 * 1024

const symbol = (offset: number, key: string): number => block(offset + Buffer.byteLength(key)) + ENTRY
const text = (value: string): number => block(Text.Bytes + Buffer.byteLength(value)) + ENTRY
const composite = (count: number): number => block(Composite.Cells + count * CELL_BYTES)

/** A stored value with everything inside; its own cell is counted with the containing value. */
function valueBytes(value: Json | undefined): number {
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + valueBytes(item), composite(value.length))
  const members = Object.entries(value)
  return members.reduce((sum, [name, inner]) => sum + text(name) + valueBytes(inner), composite(members.length))
}

const suspensionBytes = ({ suspension }: PolicyObjects['user']): number =>
  suspension === undefined ? 0 : SUSPENSION_BYTES + ENTRY
const attributes = (value: Json | undefined): number => (value === undefined ? 0 : valueBytes(value))

function resourceBytes(
  key: string,
  { actions, attributes: declared = {} }: { actions: readonly string[]; attributes?: object },
) {
  const bytes =
    symbol(Resource.Key, key) + valueBytes(Object.fromEntries(Object.keys(declared).map((name) => [name, 0])))
  return actions.reduce((sum, action) => sum + permissionBytes(key, action), bytes)
}

const permissionBytes = (resource: string, name: string): number =>
  symbol(Permission.Key, `${resource}:${name}`) + IN_DIRECTORY

/** The conditions as text, their constants, their program with its tests, and every path that they may read. */
function conditionBytes(conditions: Json): number {
  const { nodes, paths } = measureConditions(conditions)
  const steps = 3 * nodes + 2 // a test is one, a match two more, an empty group one
  const program = block(Program.Steps + steps * STEP_BYTES) + composite(steps)
  const tests = block(Tests.Path + INDEX_TESTS_MAX * TEST_BYTES)
  return text(JSON.stringify(conditions)) + valueBytes(conditions) + program + tests + paths
}

/**
 * The number of values in the conditions, and the room of all names in them as paths: every path is a name, or is under
 * `ref`.
 */
function measureConditions(value: Json, name = ''): { nodes: number; paths: number } {
  let nodes = 1
  let paths = 0
  if (typeof value === 'string' && name === 'ref') paths += pathBytes(value)
  if (typeof value !== 'object' || value === null) return { nodes, paths }
  for (const [inner, each] of Object.entries(value)) {
    if (!Array.isArray(value)) paths += pathBytes(inner)
    const within = measureConditions(each, inner)
    nodes += within.nodes
    paths += within.paths
  }
  return { nodes, paths }
}

/** The prefix of a path inside a match. */
const ITEM = 'item.'

function pathBytes(path: string): number {
  const names = `${ITEM}${path}`.split('.')
  const record = symbol(AttributePath.Key, `${ITEM}${path}`) + block(4 + names.length * 4)
  return names.reduce((sum, name) => sum + text(name), record)
}
