// The state is a fold over the log: `apply` is the only code that writes objects, and it is total. What a change means for other
// objects (cascades, uniqueness, references) was decided by the use case and stands in the list of changes.
import type { Change, LogId } from '../log/change.ts'
import { type ImageSize, NO_SIZE, plus } from '../log/image-bytes.ts'
import type { Kind, Objects } from '../model/objects.ts'
import { idKey, indexKey, nameKey, objectKey, placeValue, readPlace } from './encode.ts'
import { INDEXES, type IndexName, REFERENCES } from './indexes.ts'
import { measured, sizeOfObject, sizesOf } from './room.ts'
import { type Head, type Tables, WITHOUT_IDS } from './tables.ts'

type AnyObject = Objects[Kind]
export interface Index {
  readonly name: IndexName
  readonly values: (object: AnyObject) => readonly string[]
}

/** The indexes over objects of a kind. */
const indexesOf = new Map<Kind, Index[]>()
for (const [name, { kind, values }] of Object.entries(INDEXES)) {
  const list = indexesOf.get(kind) ?? []
  // an index of a kind is only ever asked about objects of that kind
  list.push({ name: name as IndexName, values: values as Index['values'] })
  indexesOf.set(kind, list)
}

/**
 * Writes the changes into the state, inside the caller's transaction, and returns the head with its counts and places moved on.
 * A put on an existing key keeps its place in the creation order; one after a delete gets a new place. A delete of a key that is
 * not there changes nothing.
 * @param sizes what each change puts, when the caller knows
 */
export function apply(
  tables: Tables,
  log: LogId,
  head: Head,
  changes: readonly Change[],
  sizes: readonly ImageSize[] = sizesOf(changes),
): Head {
  const counts: Partial<Record<Kind, number>> = { ...head.counts }
  let { image }: { readonly image: ImageSize } = measured(tables, head)
  let next = head.next
  for (const [index, change] of changes.entries()) {
    const { kind, key } = change
    const name = nameKey(head.number, kind, key)
    const known = tables.keys.get(name)
    const place = known === undefined ? next : readPlace(known)
    const old = known === undefined ? undefined : unlink(tables, log, head.number, kind, place)
    if (old !== undefined) image = plus(image, sizeOfObject(kind, old), -1)
    image = plus(image, sizes[index] ?? NO_SIZE)
    if (change.op === 'put') {
      if (known === undefined) {
        tables.keys.put(name, placeValue(place))
        counts[kind] = (counts[kind] ?? 0) + 1
        next++
      }
      tables.objects(kind).put(objectKey(head.number, kind, place), change.value)
      link(tables, log, head.number, kind, change.value, place)
    } else if (known !== undefined) {
      tables.keys.remove(name)
      tables.objects(kind).remove(objectKey(head.number, kind, place))
      counts[kind] = (counts[kind] ?? 0) - 1
    }
  }
  return { ...head, next, counts, image: { ...image, at: head.revision + 1 } }
}

/** Writes what leads to an object by its value: its id, its index entries, hashes of API keys. */
function link(tables: Tables, log: LogId, number: number, kind: Kind, object: AnyObject, place: number): void {
  const value = placeValue(place)
  if (!WITHOUT_IDS.has(kind)) tables.ids.put(idKey(number, kind, object.id), value)
  for (const { name, values } of indexesOf.get(kind) ?? []) {
    for (const text of values(object)) tables.indexes.put(indexKey(number, name, text), value)
  }
  if (kind === REFERENCES.users_of_role.of) refer(tables, number, object as Objects['role_assignment'], true)
  for (const hash of hashesOf(kind, object)) tables.hashes.put(hash, log)
}

/** Takes away what `link` wrote for the object as it stands in the table now, and returns that. */
function unlink(tables: Tables, log: LogId, number: number, kind: Kind, place: number): AnyObject | undefined {
  const object = tables.objects(kind).get(objectKey(number, kind, place))
  if (object === undefined) return undefined
  const value = placeValue(place)
  if (!WITHOUT_IDS.has(kind)) tables.ids.remove(idKey(number, kind, object.id))
  for (const { name, values } of indexesOf.get(kind) ?? []) {
    for (const text of values(object)) tables.indexes.remove(indexKey(number, name, text), value)
  }
  if (kind === REFERENCES.users_of_role.of) refer(tables, number, object as Objects['role_assignment'], false)
  for (const hash of hashesOf(kind, object)) if (tables.hashes.get(hash) === log) tables.hashes.remove(hash)
  return object
}

/** Lists the user under the role, or no longer when this was the last assignment that said so. Its own index entries are written. */
function refer(tables: Tables, number: number, assignment: Objects['role_assignment'], given: boolean): void {
  const { to, entry, sameIndex } = REFERENCES.users_of_role
  const named = entry(assignment)
  const place = named && tables.keys.get(nameKey(number, to, named.key))
  if (named === undefined || place === undefined) return
  const key = indexKey(number, 'users_of_role', named.value)
  if (given) tables.indexes.put(key, place)
  else if (tables.indexes.get(indexKey(number, sameIndex, named.same)) === undefined) tables.indexes.remove(key, place)
}

/** Hashes of secrets that lead to the object: those that died with an environment still say so. */
function hashesOf(kind: Kind, object: AnyObject): readonly string[] {
  if (kind === 'api_key') return [object.key]
  return kind === 'deleted_environment' ? (object as Objects['deleted_environment']).key_hashes : []
}
