// Hash tables from a 32-bit hash to a record, by linear hashing: the table grows by splitting one bucket at a time, so
// no insert ever rehashes the whole and nothing moves but the entries of that bucket.
//
//   root ──► directory: u32 × capacity ──► segment: 64 buckets of 64 bytes (one cache line each)
//   bucket  │ hash u32 × 7 │ count u32 │ record u32 × 7 │ overflow u32 │
//
// INVARIANT: entries fill a chain front to back; only the last bucket of a chain may be partly filled.
// INVARIANT: an entry of hash h is in the chain of findBucket(h).
import {
  BUCKET_BYTES,
  BUCKET_SLOTS,
  Bucket,
  HEADER,
  Header,
  Root,
  SEGMENT_BUCKETS,
  SEGMENT_BYTES,
  TABLE_BYTES,
} from '../abi'
import { IMAGE_BYTES_MAX } from '../limits'
import { assertCount } from './checked'
import { follow } from './lists'
import { allocate, release } from './memory'

/** The lowest slot in the high half of a match, and the half that is the bucket. */
const FIRST_SLOT: u64 = 0x1_0000_0000
const BUCKET: u64 = 0xffff_ffff

export function rootAddress(table: u32): u32 {
  return HEADER + Header.Tables + table * TABLE_BYTES
}

/** Makes an empty table of one segment. */
export function createTable(table: u32): void {
  const root = rootAddress(table)
  const directory = allocate(64)
  store<u32>(directory, allocate(SEGMENT_BYTES))
  store<u32>(root, 0, Root.Count)
  store<u32>(root, SEGMENT_BUCKETS, Root.Buckets)
  store<u32>(root, SEGMENT_BUCKETS - 1, Root.Mask)
  store<u32>(root, 0, Root.Split)
  store<u32>(root, directory, Root.Directory)
  store<u32>(root, 16, Root.Capacity)
}

function bucketAt(root: u32, index: u32): u32 {
  const segment = load<u32>(load<u32>(root, Root.Directory) + (index >>> 6) * 4)
  return segment + (index & 63) * BUCKET_BYTES
}

/** The first bucket of the chain that holds `hash`. */
export function findBucket(table: u32, hash: u32): u32 {
  const root = rootAddress(table)
  const mask = load<u32>(root, Root.Mask)
  let index = hash & mask
  if (index < load<u32>(root, Root.Split)) index = hash & (mask * 2 + 1)
  return bucketAt(root, index)
}

/** The bucket at a position from 0 to bucketCount − 1, for walks over all entries. */
export function bucketByIndex(table: u32, index: u32): u32 {
  return bucketAt(rootAddress(table), index)
}

export function bucketCount(table: u32): u32 {
  return load<u32>(rootAddress(table), Root.Buckets)
}

/** Bit i is set when slot i of this bucket holds `hash`. */
export function matches(bucket: u32, hash: u32): u32 {
  const wanted = i32x4.splat(hash as i32)
  const low = i32x4.bitmask(i32x4.eq(v128.load(bucket, Bucket.Hashes), wanted))
  const high = i32x4.bitmask(i32x4.eq(v128.load(bucket, Bucket.Hashes + 16), wanted))
  return ((low | (high << 4)) as u32) & (((1 as u32) << load<u32>(bucket, Bucket.Count)) - 1)
}

export function recordAt(bucket: u32, slot: u32): u32 {
  return load<u32>(bucket + slot * 4, Bucket.Records)
}

export function bucketOverflow(bucket: u32): u32 {
  return load<u32>(bucket, Bucket.Overflow)
}

/** More buckets than fit into an image: a chain that is longer leads in a circle. */
const CHAIN_MAX: u32 = IMAGE_BYTES_MAX / BUCKET_BYTES

/**
 * The entries under a hash, one after another: `for (let match = firstMatch(…); match !== 0; match = nextMatch(match,
 * hash))`. In the low half of a match is its bucket, in the high half one bit for its slot and for each later slot of
 * that bucket with the same hash.
 */
export function firstMatch(table: u32, hash: u32): u64 {
  return matchFrom(findBucket(table, hash), hash)
}

/** The match after this one, or 0. */
export function nextMatch(match: u64, hash: u32): u64 {
  const rest = match & ((match - FIRST_SLOT) | BUCKET)
  if (rest > BUCKET) return rest
  const next = bucketOverflow(match as u32)
  return next === 0 ? 0 : matchFrom(next, hash)
}

/** The record of a match. */
export function matchedRecord(match: u64): u32 {
  return recordAt(match as u32, ctz<u32>((match >>> 32) as u32))
}

function matchFrom(first: u32, hash: u32): u64 {
  for (let bucket = first, left = CHAIN_MAX; bucket !== 0; bucket = bucketOverflow(bucket), left = follow(left)) {
    const found = matches(bucket, hash)
    if (found !== 0) return ((found as u64) << 32) | (bucket as u64)
  }
  return 0
}

/**
 * All entries of a table, one after another: `for (let entry = firstEntry(…); entry !== 0; entry = nextEntry(…,
 * entry))`. In the low half of an entry is its bucket, in the high half the place of its chain in the table, and in the
 * lowest three bits of that the slot.
 */
export function firstEntry(table: u32): u64 {
  return entryFrom(table, 0, 0, 0)
}

/** The entry after this one, or 0. */
export function nextEntry(table: u32, entry: u64): u64 {
  const at = (entry >>> 32) as u32
  return entryFrom(table, at >>> 3, entry as u32, (at & 7) + 1)
}

/** The record of an entry. */
export function entryRecord(entry: u64): u32 {
  return recordAt(entry as u32, ((entry >>> 32) as u32) & 7)
}

/** The hash under which an entry stands. */
export function hashOfEntry(entry: u64): u32 {
  return load<u32>((entry as u32) + (((entry >>> 32) as u32) & 7) * 4, Bucket.Hashes)
}

/** The first entry from a slot of a bucket on; bucket 0 is the first one of the chain `index`. */
function entryFrom(table: u32, index: u32, bucket: u32, slot: u32): u64 {
  const chains = bucketCount(table)
  let at = bucket
  for (let chain = index; chain < chains; chain++) {
    if (at === 0) at = bucketByIndex(table, chain)
    for (let left = CHAIN_MAX; at !== 0; at = bucketOverflow(at), left = follow(left)) {
      if (slot < load<u32>(at, Bucket.Count)) return ((((chain << 3) | slot) as u64) << 32) | (at as u64)
      slot = 0
    }
  }
  return 0
}

/** Adds an entry; the caller has made sure that the record is not there yet. */
export function insert(table: u32, hash: u32, record: u32): void {
  const root = rootAddress(table)
  if (!ASC_NO_ASSERT) assertCount(table)
  const count = load<u32>(root, Root.Count) + 1
  store<u32>(root, count, Root.Count)
  // 4.5 entries a bucket on average: 14 bytes an entry, and few chains.
  if (count * 2 > load<u32>(root, Root.Buckets) * 9) split(root)
  append(findBucket(table, hash), hash, record)
}

function append(bucket: u32, hash: u32, record: u32): void {
  while (load<u32>(bucket, Bucket.Count) === BUCKET_SLOTS) {
    let next = load<u32>(bucket, Bucket.Overflow)
    if (next === 0) {
      next = allocate(BUCKET_BYTES)
      store<u32>(bucket, next, Bucket.Overflow)
    }
    bucket = next
  }
  const slot = load<u32>(bucket, Bucket.Count)
  store<u32>(bucket + slot * 4, hash, Bucket.Hashes)
  store<u32>(bucket + slot * 4, record, Bucket.Records)
  store<u32>(bucket, slot + 1, Bucket.Count)
}

/** Removes an entry that is there: the last entry of the chain takes its place. */
export function remove(table: u32, hash: u32, record: u32): void {
  let bucket = findBucket(table, hash)
  // The bucket in front of `bucket`, later of `last`: an overflow bucket that becomes empty is unlinked from it.
  let before: u32 = 0
  let slot: u32 = 0
  for (;;) {
    const count = load<u32>(bucket, Bucket.Count)
    slot = 0
    while (slot < count && recordAt(bucket, slot) !== record) slot++
    if (slot < count) break
    before = bucket
    bucket = load<u32>(bucket, Bucket.Overflow)
    if (!ASC_NO_ASSERT) assert(bucket !== 0, 'an entry is not in its table')
    if (bucket === 0) unreachable()
  }
  let last = bucket
  while (load<u32>(last, Bucket.Overflow) !== 0) {
    before = last
    last = load<u32>(last, Bucket.Overflow)
  }
  const end = load<u32>(last, Bucket.Count) - 1
  store<u32>(bucket + slot * 4, load<u32>(last + end * 4, Bucket.Hashes), Bucket.Hashes)
  store<u32>(bucket + slot * 4, recordAt(last, end), Bucket.Records)
  store<u32>(last + end * 4, 0, Bucket.Hashes)
  store<u32>(last + end * 4, 0, Bucket.Records)
  store<u32>(last, end, Bucket.Count)
  if (end === 0 && before !== 0) {
    store<u32>(before, 0, Bucket.Overflow)
    release(last, BUCKET_BYTES)
  }
  const root = rootAddress(table)
  store<u32>(root, load<u32>(root, Root.Count) - 1, Root.Count)
}

/** Adds one bucket and moves to it what belongs there out of the bucket whose turn it is. */
function split(root: u32): void {
  const index = load<u32>(root, Root.Buckets)
  const mask = load<u32>(root, Root.Mask)
  const source = load<u32>(root, Root.Split)
  if ((index & (SEGMENT_BUCKETS - 1)) === 0) addSegment(root, index >>> 6)
  store<u32>(root, index + 1, Root.Buckets)
  if (source === mask) {
    store<u32>(root, mask * 2 + 1, Root.Mask)
    store<u32>(root, 0, Root.Split)
  } else {
    store<u32>(root, source + 1, Root.Split)
  }
  redistribute(bucketAt(root, source), bucketAt(root, index), mask + 1)
}

function redistribute(first: u32, target: u32, bit: u32): void {
  let write = first
  let writeSlot: u32 = 0
  let read = first
  while (read !== 0) {
    const count = load<u32>(read, Bucket.Count)
    for (let slot: u32 = 0; slot < count; slot++) {
      const hash = load<u32>(read + slot * 4, Bucket.Hashes)
      const record = recordAt(read, slot)
      if ((hash & bit) !== 0) {
        append(target, hash, record)
        continue
      }
      if (writeSlot === BUCKET_SLOTS) {
        write = load<u32>(write, Bucket.Overflow)
        writeSlot = 0
      }
      store<u32>(write + writeSlot * 4, hash, Bucket.Hashes)
      store<u32>(write + writeSlot * 4, record, Bucket.Records)
      writeSlot++
    }
    read = load<u32>(read, Bucket.Overflow)
  }
  cut(first, write, writeSlot)
}

/**
 * Ends a chain behind `slots` entries of `last`, clears what was behind and frees its buckets. Buckets before `last`
 * are full.
 */
function cut(first: u32, last: u32, slots: u32): void {
  for (let bucket = first; bucket !== last; bucket = load<u32>(bucket, Bucket.Overflow)) {
    store<u32>(bucket, BUCKET_SLOTS, Bucket.Count)
  }
  store<u32>(last, slots, Bucket.Count)
  for (let slot = slots; slot < (BUCKET_SLOTS as u32); slot++) {
    store<u32>(last + slot * 4, 0, Bucket.Hashes)
    store<u32>(last + slot * 4, 0, Bucket.Records)
  }
  let rest = load<u32>(last, Bucket.Overflow)
  store<u32>(last, 0, Bucket.Overflow)
  while (rest !== 0) {
    const next = load<u32>(rest, Bucket.Overflow)
    release(rest, BUCKET_BYTES)
    rest = next
  }
}

function addSegment(root: u32, position: u32): void {
  const capacity = load<u32>(root, Root.Capacity)
  if (position === capacity) {
    const old = load<u32>(root, Root.Directory)
    const directory = allocate(capacity * 8)
    memory.copy(directory, old, capacity * 4)
    release(old, capacity * 4)
    store<u32>(root, directory, Root.Directory)
    store<u32>(root, capacity * 2, Root.Capacity)
  }
  store<u32>(load<u32>(root, Root.Directory) + position * 4, allocate(SEGMENT_BYTES))
}
