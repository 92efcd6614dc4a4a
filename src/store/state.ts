// The state is a fold over the log: `apply` is the only code that writes objects, and it is total. What a change means
// for other objects (cascades, uniqueness, references) was decided by the use case and stands in the list of changes.

import { type ImageSize, NO_SIZE, plus } from '../kernel/image-bytes.ts'
import { type IndexName, KINDS, type KindName, type Objects } from '../kinds/index.ts'
import type { Change, LogId } from '../log/change.ts'
import { Digest, type Sum } from './checksum.ts'
import type { Head } from './heads.ts'
import { listSizes, sizeOfObject, withSize } from './image-budget.ts'
import { INDEXES, REFERENCES } from './indexes.ts'
import { listTexts } from './log.ts'
import { findFeature } from './newer-kinds.ts'
import type { ReadRows, Row } from './read-rows.ts'
import { Removals } from './removals.ts'
import type { SearchEdits } from './search-texts.ts'
import { idKey, indexKey, nameKey, objectKey, readObjectPlace } from './table-keys.ts'
import type { Tables } from './tables.ts'

type AnyObject = Objects[KindName]
export interface Index {
  readonly name: IndexName
  readonly values: (object: AnyObject) => readonly string[]
}

/** The indexes over objects of a kind. */
export const indexesByKind = new Map<KindName, Index[]>()
for (const [name, { kind, values }] of Object.entries(INDEXES)) {
  const list = indexesByKind.get(kind) ?? []
  // an index of a kind is only ever asked about objects of that kind
  list.push({ name: name as IndexName, values: values as Index['values'] })
  indexesByKind.set(kind, list)
}

/** The digests of the touched kinds while changes are applied to a log. */
class Digests {
  readonly #sums: Head['sums']
  readonly #touched = new Map<KindName, Digest>()

  constructor(sums: Head['sums']) {
    this.#sums = sums
  }

  of(kind: KindName): Digest {
    const touched = this.#touched.get(kind) ?? new Digest(this.#sums[kind])
    this.#touched.set(kind, touched)
    return touched
  }

  sums(): Head['sums'] {
    const sums: Partial<Record<KindName, Sum>> = { ...this.#sums }
    for (const [kind, digest] of this.#touched) sums[kind] = digest.sum
    return sums
  }
}

/** What the caller knows of the changes already. */
interface Known {
  /** the size of what each change puts */
  readonly sizes?: readonly ImageSize[]
  /** the result of `listTexts` */
  readonly texts?: readonly string[]
  /** objects as they are before the changes */
  readonly rows?: ReadRows
}

/**
 * Writes the changes into the state, inside the caller's transaction, and returns the head with its new counts, digests
 * and next place. A put on an existing key keeps its place in the creation order; one after a delete gets a new place.
 * A delete of a key that is not there changes nothing.
 * @param search collects search texts; the caller flushes it before it commits
 * @throws DATA_DAMAGED when an object that a change replaces cannot be read
 */
export function apply(
  tables: Tables,
  log: LogId,
  head: Head,
  changes: readonly Change[],
  search: SearchEdits,
  { sizes = listSizes(changes), texts = listTexts(changes), rows }: Known = {},
): Head {
  const { number } = head
  const counts: Partial<Record<KindName, number>> = { ...head.counts }
  const digests = new Digests(head.sums)
  const removals = new Removals(tables, number)
  let { image }: { readonly image: ImageSize } = withSize(tables, head)
  let next = head.next
  for (const [index, change] of changes.entries()) {
    const { kind, key } = change
    const name = nameKey(number, kind, key)
    const row = rows?.take(kind, key) ?? readRow(tables, number, kind, name)
    if (row !== undefined) {
      unlink(tables, log, number, kind, row, search, removals)
      digests.of(kind).subtract(row.at, row.crc)
      image = plus(image, sizeOfObject(kind, row.object), -1)
    }
    if (change.op === 'put') {
      removals.flush()
      image = plus(image, sizes[index] ?? NO_SIZE)
      const at = row?.at ?? objectKey(number, kind, next)
      const place = readObjectPlace(at)
      if (row === undefined) {
        tables.keys.put(name, place)
        counts[kind] = (counts[kind] ?? 0) + 1
        next++
      }
      digests.of(kind).add(at, tables.objects(kind).put(at, texts[index] ?? ''))
      link(tables, log, number, kind, change.value, place, search)
    } else if (row !== undefined) {
      tables.keys.remove(name)
      tables.objects(kind).remove(row.at)
      counts[kind] = (counts[kind] ?? 0) - 1
    }
  }
  removals.flush()
  return { ...head, next, counts, sums: digests.sums(), image: { ...image, at: head.revision + 1 } }
}

/** The object under a key, as it is stored. @throws DATA_DAMAGED */
function readRow(tables: Tables, number: number, kind: KindName, name: Buffer): Row | undefined {
  const place = tables.keys.get(name)
  if (place === undefined) return undefined
  const at = objectKey(number, kind, place)
  const table = tables.objects(kind)
  const found = table.entry(at)
  if (found === undefined) throw table.damaged(at, 'is missing')
  return { object: JSON.parse(found.content) as AnyObject, at, crc: found.crc, isTaken: true }
}

/**
 * Writes the entries that lead to an object: its id, its index entries, its search texts (with the caller's `flush`),
 * hashes of API keys. Users are written before their assignments.
 */
export function link(
  tables: Tables,
  log: LogId,
  number: number,
  kind: KindName,
  object: AnyObject,
  place: number,
  search: SearchEdits,
): void {
  const feature = findFeature(kind, object)
  if (feature !== undefined) tables.noteFeature(feature)
  if (KINDS[kind].hasIds) tables.ids.put(idKey(number, kind, object.id), place)
  for (const { name, values } of indexesByKind.get(kind) ?? []) {
    for (const text of values(object)) tables.indexes.put(indexKey(number, name, text), place)
  }
  search.put(number, kind, place, object)
  if (kind === REFERENCES.users_of_role.of) refer(tables, number, object as Objects['role_assignment'])
  for (const hash of listSecretHashes(kind, object)) tables.hashes.put(hash, log)
}

/** Removes the entries that `link` wrote for the object; those of indexes with the next flush of `removals`. */
function unlink(
  tables: Tables,
  log: LogId,
  number: number,
  kind: KindName,
  { object, at }: Row,
  search: SearchEdits,
  removals: Removals,
): void {
  const place = readObjectPlace(at)
  if (KINDS[kind].hasIds) tables.ids.remove(idKey(number, kind, object.id))
  for (const { name, values } of indexesByKind.get(kind) ?? []) {
    for (const text of values(object)) removals.unlist(name, text, place)
  }
  search.remove(number, kind, place)
  if (kind === REFERENCES.users_of_role.of) removals.unrefer(object as Objects['role_assignment'])
  for (const hash of listSecretHashes(kind, object)) if (tables.hashes.get(hash) === log) tables.hashes.remove(hash)
}

/** Lists the user under the role. */
function refer(tables: Tables, number: number, assignment: Objects['role_assignment']): void {
  const { to, entry } = REFERENCES.users_of_role
  const named = entry(assignment)
  const place = named && tables.keys.get(nameKey(number, to, named.key))
  if (named !== undefined && place !== undefined)
    tables.indexes.put(indexKey(number, 'users_of_role', named.value), place)
}

/**
 * Hashes of secrets that lead to the object. A deleted environment keeps those of its keys, so that using them can be
 * reported as such.
 */
export function listSecretHashes(kind: KindName, object: AnyObject): readonly string[] {
  if (kind === 'api_key') return [object.key]
  return kind === 'deleted_environment' ? (object as Objects['deleted_environment']).key_hashes : []
}
