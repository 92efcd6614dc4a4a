// Verifies keys, ids, indexes and search texts in both directions: each object has exactly its entries, and each entry
// leads to an object with that key, id, value or text. A missing entry would make a cascade miss an assignment. Each
// step is one read transaction over a bounded number of rows.

import type { IndexName, KindName, Objects } from '../kinds/index.ts'
import { findSearchTexts, KIND_NAMES, KINDS } from '../kinds/index.ts'
import { isZerohopError } from '../model/errors.ts'
import { SEARCH_PLACES_PER_RECORD, VERIFY_ROWS_PER_STEP } from '../model/limits.ts'
import type { Head } from './heads.ts'
import { INDEXES, REFERENCES } from './indexes.ts'
import { kindOfNumber } from './kinds.ts'
import type { PlaceTable } from './places.ts'
import { readRows, recordKey, searchRow } from './search-texts.ts'
import { indexesByKind, listSecretHashes } from './state.ts'
import { idKey, indexKey, logRange, nameKey, objectKey, objectRange, readObjectPlace } from './table-keys.ts'
import { attempt, findHead, type LogPart, report } from './verify-part.ts'

type AnyObject = Objects[KindName]

/** Every object is found by its key, its id, the values of its indexes and its search texts. */
export function* verifyObjectsLead(part: LogPart): Generator<void> {
  for (const kind of KIND_NAMES) {
    let start: Uint8Array | undefined
    for (;;) {
      const head = findHead(part)
      if (head === undefined) return
      if (!head.counts[kind] && start === undefined) break
      const range = { ...objectRange(head.number, kind), ...(start === undefined ? {} : { start }) }
      start = undefined
      const findRow = rowsOfRecords(part, head, kind)
      for (const { key, content, damage } of part.tables
        .objects(kind)
        .inspect({ ...range, limit: VERIFY_ROWS_PER_STEP })) {
        if (damage === undefined)
          attempt(part.reporter, part.log, () => {
            const object = JSON.parse(content) as AnyObject
            verifyObject(part, head, kind, key, object)
            if (findRow(readObjectPlace(key)) !== searchRow(kind, object))
              report(part, head, `${words(kind)} \`${object.key}\` has other search texts`)
          })
        start = after(key)
      }
      yield
      if (start === undefined) break
    }
  }
}

/** The search texts of places, where those of one record follow each other. */
function rowsOfRecords({ tables }: LogPart, { number }: Head, kind: KindName): (place: number) => string | undefined {
  let at: number | undefined
  let rows: readonly (string | undefined)[] = []
  return (place) => {
    if (findSearchTexts(kind) === undefined) return undefined
    if (Math.floor(place / SEARCH_PLACES_PER_RECORD) !== at) {
      const record = tables.search.get(recordKey(number, kind, place))
      rows = record === undefined ? [] : readRows(record)
      at = Math.floor(place / SEARCH_PLACES_PER_RECORD)
    }
    return rows[place % SEARCH_PLACES_PER_RECORD]
  }
}

function verifyObject(part: LogPart, head: Head, kind: KindName, key: Uint8Array, object: AnyObject): void {
  const { tables, log } = part
  const { number } = head
  const place = readObjectPlace(key)
  const missing = (what: string): void => report(part, head, `${words(kind)} \`${object.key}\` ${what}`)
  if (tables.keys.get(nameKey(number, kind, object.key)) !== place) missing('is not found by its key')
  if (KINDS[kind].hasIds && tables.ids.get(idKey(number, kind, object.id)) !== place) missing('is not found by its id')
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

/** Every entry of keys, ids, indexes and search texts leads to an object of this log that has it. */
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
  yield* verifySearchTexts(part)
}

/** Every row of search texts is that of an object. */
function* verifySearchTexts(part: LogPart): Generator<void> {
  const limit = Math.ceil(VERIFY_ROWS_PER_STEP / SEARCH_PLACES_PER_RECORD)
  let start: Uint8Array | undefined
  for (;;) {
    const head = findHead(part)
    if (head === undefined) return
    const range = { ...logRange(head.number), ...(start === undefined ? {} : { start }), limit }
    start = undefined
    for (const { key, content, damage } of part.tables.search.inspect(range)) {
      start = after(key)
      const kind = kindOfNumber(key[4])
      if (damage !== undefined) part.reporter.damage({ log: part.log, error: damage })
      else if (kind === undefined || !unlessDamaged(() => isOfObjects(part, head, kind, key, content)))
        report(part, head, `an entry of table ${part.tables.search.name} leads to another object`)
      part.reporter.checked(1)
    }
    yield
    if (start === undefined) return
  }
}

/** What the texts are was compared with the objects. */
function isOfObjects(part: LogPart, head: Head, kind: KindName, key: Uint8Array, record: string): boolean {
  const first = readObjectPlace(key) * SEARCH_PLACES_PER_RECORD
  return readRows(record).every((_, place) =>
    part.tables.objects(kind).get(objectKey(head.number, kind, first + place)),
  )
}

function* walk(
  part: LogPart,
  table: PlaceTable,
  holds: (head: Head, key: Uint8Array, place: number) => boolean,
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

function isIndexed(part: LogPart, head: Head, key: Uint8Array, place: number): boolean {
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
function objectAt({ tables }: LogPart, head: Head, kind: KindName, place: number): AnyObject | undefined {
  const text = tables.objects(kind).get(objectKey(head.number, kind, place))
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

const words = (kind: KindName): string => kind.replaceAll('_', ' ')
const isSame = (one: Uint8Array | undefined, other: Uint8Array): boolean =>
  one !== undefined && Buffer.compare(one, other) === 0
const decodeText = (key: Uint8Array, from: number, to = key.length): string =>
  Buffer.from(key).toString('utf8', from, to)
/** The least key after a key of that length. */
const after = (key: Uint8Array): Uint8Array => Buffer.concat([key, Buffer.from([0])])
