// Verifies keys, ids and indexes in both directions: each object has exactly its entries, and each entry leads to an
// object with that key, id or value. A missing entry would make a cascade miss an assignment. Each step is one read
// transaction over a bounded number of rows.

import type { IndexName, KindName, Objects } from '../kinds/index.ts'
import { KIND_NAMES, KINDS } from '../kinds/index.ts'
import { isZerohopError } from '../model/errors.ts'
import { VERIFY_ROWS_PER_STEP } from '../model/limits.ts'
import type { Head } from './heads.ts'
import { INDEXES, REFERENCES } from './indexes.ts'
import { kindOfNumber } from './kinds.ts'
import type { PlaceTable } from './places.ts'
import { indexesByKind, listSecretHashes } from './state.ts'
import { idKey, indexKey, logRange, nameKey, objectKey, objectKeyPlace, objectRange, readPlace } from './table-keys.ts'
import { attempt, findHead, type LogPart, report } from './verify-part.ts'

type AnyObject = Objects[KindName]

/** Every object is found by its key, its id and the values of its indexes. */
export function* verifyObjectsLead(part: LogPart): Generator<void> {
  for (const kind of KIND_NAMES) {
    let start: Uint8Array | undefined
    for (;;) {
      const head = findHead(part)
      if (head === undefined) return
      if (!head.counts[kind] && start === undefined) break
      const range = { ...objectRange(head.number, kind), ...(start === undefined ? {} : { start }) }
      start = undefined
      for (const { key, content, damage } of part.tables
        .objects(kind)
        .inspect({ ...range, limit: VERIFY_ROWS_PER_STEP })) {
        if (damage === undefined)
          attempt(part.reporter, part.log, () => verifyObject(part, head, kind, key, JSON.parse(content) as AnyObject))
        start = after(key)
      }
      yield
      if (start === undefined) break
    }
  }
}

function verifyObject(part: LogPart, head: Head, kind: KindName, key: Uint8Array, object: AnyObject): void {
  const { tables, log } = part
  const { number } = head
  const place = objectKeyPlace(key)
  const missing = (what: string): void => report(part, head, `${kind.replaceAll('_', ' ')} \`${object.key}\` ${what}`)
  if (!isSame(tables.keys.get(nameKey(number, kind, object.key)), place)) missing('is not found by its key')
  if (KINDS[kind].hasIds && !isSame(tables.ids.get(idKey(number, kind, object.id)), place))
    missing('is not found by its id')
  for (const { name, values } of indexesByKind.get(kind) ?? []) {
    for (const value of values(object)) {
      if (!tables.indexes.has(indexKey(number, name, value), place)) missing(`is missing in index ${name}`)
    }
  }
  const named = kind === REFERENCES.users_of_role.of ? REFERENCES.users_of_role.entry(object as never) : undefined
  const user = named && tables.keys.get(nameKey(number, REFERENCES.users_of_role.to, named.key))
  if (
    named !== undefined &&
    user !== undefined &&
    !tables.indexes.has(indexKey(number, 'users_of_role', named.value), user)
  )
    missing('is missing in index users_of_role')
  for (const hash of listSecretHashes(kind, object))
    if (tables.hashes.get(hash) !== log) missing('is not found by its hash')
}

/** Every entry of keys, ids and indexes leads to an object of this log that has that key, id or value. */
export function* verifyPlacesLead(part: LogPart): Generator<void> {
  const { keys, ids, indexes } = part.tables
  yield* walk(part, keys, (head, key, place) => {
    const kind = kindOfNumber(key[4])
    return kind !== undefined && objectAt(part, head, kind, place)?.key === decodeText(key, 5)
  })
  yield* walk(part, ids, (head, key, place) => {
    const kind = kindOfNumber(key[4])
    return kind !== undefined && objectAt(part, head, kind, place)?.id === Buffer.from(key).toString('hex', 5)
  })
  yield* walk(part, indexes, (head, key, place) => isIndexed(part, head, key, place))
}

function* walk(
  part: LogPart,
  table: PlaceTable,
  holds: (head: Head, key: Uint8Array, place: Uint8Array) => boolean,
): Generator<void> {
  let start: Uint8Array | undefined
  /** places of the last key already compared: a key may have more than one step can take */
  let skip = 0
  for (;;) {
    const head = findHead(part)
    if (head === undefined) return
    const range = { ...logRange(head.number), ...(start === undefined ? {} : { start }) }
    let rows = 0
    let last = start
    for (const { key, place } of table.rows({ ...range, offset: skip, limit: VERIFY_ROWS_PER_STEP })) {
      rows++
      skip = last !== undefined && isSame(last, key) ? skip + 1 : 1
      last = key
      if (!unlessDamaged(() => holds(head, key, place)))
        report(part, head, `an entry of table ${table.name} leads to another object`)
    }
    part.reporter.checked(rows)
    start = last
    yield
    if (rows < VERIFY_ROWS_PER_STEP) return
  }
}

function isIndexed(part: LogPart, head: Head, key: Uint8Array, place: Uint8Array): boolean {
  const end = key.indexOf(0, 4)
  const name = decodeText(key, 4, end)
  if (end < 0 || !Object.hasOwn(INDEXES, name)) return false
  const { kind, values } = INDEXES[name as IndexName] as {
    kind: KindName
    values: (object: AnyObject) => readonly string[]
  }
  const object = objectAt(part, head, kind, place)
  const value = decodeText(key, end + 1)
  if (object === undefined) return false
  if (name !== 'users_of_role') return values(object).includes(value)
  const same = indexKey(head.number, REFERENCES.users_of_role.sameIndex, `${object.key}/${value}`)
  return part.tables.indexes.get(same) !== undefined
}

/** The object at a place, or undefined. @throws DATA_DAMAGED */
function objectAt({ tables }: LogPart, head: Head, kind: KindName, place: Uint8Array): AnyObject | undefined {
  const text = tables.objects(kind).get(objectKey(head.number, kind, readPlace(place)))
  return text === undefined ? undefined : (JSON.parse(text) as AnyObject)
}

/** A damaged object cannot be compared with its entries; it was already reported by its checksum. */
function unlessDamaged(holds: () => boolean): boolean {
  try {
    return holds()
  } catch (error) {
    if (isZerohopError(error, 'DATA_DAMAGED')) return true
    throw error
  }
}

const isSame = (one: Uint8Array | undefined, other: Uint8Array): boolean =>
  one !== undefined && Buffer.compare(one, other) === 0
const decodeText = (key: Uint8Array, from: number, to = key.length): string =>
  Buffer.from(key).toString('utf8', from, to)
/** The least key after a key of that length. */
const after = (key: Uint8Array): Uint8Array => Buffer.concat([key, Buffer.from([0])])
