// The tables on disk; the indexes over objects are those of their kinds (src/kinds). A change in either changes the disk format:
// raise FORMAT, write an ADR and an upgrade (src/store/upgrade.ts). Every table is a named LMDB database, because
// clearing the unnamed one aborts the process. Keys are built in src/store/table-keys.ts.

import type { KindName } from '../kinds/index.ts'
import type { Feature } from '../kinds/kind.ts'
import type { LogId } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import { DATA_BYTES_MAX } from '../model/limits.ts'
import { BYTES, type Describe, type Form, LATIN1, RecordTable, TEXT } from './checked-table.ts'
import { dataFolder } from './disk.ts'
import { type CountedName, CountedTable, HeadTable, Totals } from './heads.ts'
import { kindOfNumber, OWN_TABLES } from './kinds.ts'
import { type Database, type DatabaseOptions, open, type RootDatabase } from './lmdb.ts'
import { PLACE_ENCODER, PlaceTable } from './places.ts'

/**
 * Number of the disk format. A folder of an older one is upgraded when it is opened; one of another number is refused
 * (DATA_FOREIGN).
 */
const FORMAT = 3
/**
 * Number of a folder that has, or had, something that older versions do not know (newer-kinds.ts): they refuse it. The
 * tables are the same. A folder gets it with the first such object, so that one without is opened by older versions as
 * before; of several features it has the highest one. A number is never reused for another feature.
 */
const FEATURE_FORMATS: { readonly [F in Feature]: number } = {
  times: 4,
  suspension: 5,
  role_sets: 6,
  everybody: 7,
  by_tenant: 8,
  requirements: 9,
  requests: 10,
  tenant_roles: 11,
  syncs: 13,
  claims: 12,
  directory: 14,
}
const FORMATS: readonly number[] = [FORMAT, ...Object.values(FEATURE_FORMATS)]
/** The formats that this version opens as they are, for error texts. */
export const FORMATS_TEXT = `${FORMAT} to ${Math.max(...FORMATS)}`
/** Whether a format is opened as it is. */
export const isOpened = (format: unknown): boolean => FORMATS.includes(format as number)

export interface Tables {
  readonly root: RootDatabase
  readonly folder: string
  /** how many records there are in the tables that belong to no single log */
  readonly totals: Totals
  /** log id → head */
  readonly heads: HeadTable
  /** log, kind, place in the creation order → object as JSON; the table of a kind */
  objects(kind: KindName): RecordTable<string>
  readonly objectTables: readonly RecordTable<string>[]
  /** number of rows in the tables that belong to logs; walks them */
  rows(): number
  /** Says that the folder has something with the feature; inside the caller's transaction. */
  noteFeature(feature: Feature): void
  /** log, kind, key → place */
  readonly keys: PlaceTable
  /** log, kind, id → place */
  readonly ids: PlaceTable
  /** log, index, value → places, ascending */
  readonly indexes: PlaceTable
  /** log, kind, places of the creation order → what a search looks at (search-texts.ts) */
  readonly search: RecordTable<string>
  /** log, revision → chain and entry */
  readonly log: RecordTable<Uint8Array>
  /** SHA-256 of the secret of an API key, also of one that died with its environment → its organization */
  readonly hashes: CountedTable<string>
  /** id of an API key → its sealed secret */
  readonly secrets: CountedTable<Uint8Array>
  /**
   * Answers to requests with an idempotency key (kept-answers.ts): a table that older versions do not open, so that it is
   * made when it is needed; undefined while it is not there.
   */
  answers(mode: 'open' | 'create'): RecordTable<Uint8Array> | undefined
}

/** Number of each table in its checksums. A number is never reused for another table. */
const TABLE_NUMBERS = {
  meta: 1,
  heads: 2,
  log: 3,
  hashes: 4,
  secrets: 5,
  objects: 6,
  objects_user: 7,
  objects_membership: 8,
  objects_role_assignment: 9,
  objects_resource_instance: 10,
  objects_relationship_tuple: 11,
  search: 12,
  answers: 13,
} as const
export type RecordTableName = keyof typeof TABLE_NUMBERS

/** No other user of the machine may read the data. lmdb knows this option, its types do not. */
const FOR_ITS_OWNER = { permissionsMode: 0o600 }

/** How a folder is opened: `create` makes the tables in an empty one, `upgrade` those that its format lacks. */
export type OpenMode = 'create' | 'upgrade' | 'write' | 'read'

/** lmdb knows `create`, its types do not. */
type CreateOptions = DatabaseOptions & { readonly create?: boolean }

/** Whether a commit waits for the disk. A cache does not: after a power failure it is thrown away. */
export type Durability = 'durable' | 'cache'

/** Opens the LMDB environment of a folder. */
export function openRoot(folder: string, mode: OpenMode, durability: Durability = 'durable'): RootDatabase {
  return open({
    ...FOR_ITS_OWNER,
    path: folder,
    noSubdir: false,
    readOnly: mode === 'read',
    encoding: 'json',
    overlappingSync: false, // readers see a write only when it is on disk
    noSync: durability === 'cache',
    mapSize: DATA_BYTES_MAX,
    maxDbs: 32,
  })
}

const FORMAT_KEY = Buffer.from('format')

/** The table with the format number: plain JSON under a text key in every format, so that each version can read it. */
function formatTable(root: RootDatabase, create: boolean): Database<unknown, Uint8Array> | undefined {
  // Binary keys here too: LMDB has one key order for a table, however it was opened.
  const options: CreateOptions = { keyEncoding: 'binary', encoding: 'json', create }
  return root.openDB<unknown, Uint8Array>('meta', options) as Database<unknown, Uint8Array> | undefined
}

/** Says that the tables are of this format, once they are; inside the caller's transaction. */
export function writeFormat(root: RootDatabase): void {
  void formatTable(root, false)?.put(FORMAT_KEY, FORMAT)
}

/** The format number of a folder; undefined when the folder holds no Zerohop data. */
export function readFormat(root: RootDatabase): unknown {
  return formatTable(root, false)?.get(FORMAT_KEY)
}

/**
 * Opens the tables of a folder.
 * @throws DATA_FOREIGN when the folder holds other data or another format, DATA_DAMAGED; else what LMDB throws
 */
export function openTables(folder: string, mode: OpenMode, durability: Durability = 'durable'): Tables {
  const root = openRoot(folder, mode, durability)
  try {
    const create = mode === 'create'
    if (create) formatTable(root, true)?.putSync(FORMAT_KEY, FORMAT)
    const format = readFormat(root)
    if (!isOpened(format) && mode !== 'upgrade')
      throw new ZerohopError('DATA_FOREIGN', { path: folder, got: formatName(format), want: FORMATS_TEXT })
    const tables = makeTables(root, folder, create || mode === 'upgrade')
    if (create) root.transactionSync(() => tables.totals.create())
    return tables
  } catch (error) {
    void root.close()
    throw error
  }
}

const formatName = (format: unknown): string | number => (typeof format === 'number' ? format : 'unknown')

function makeTables(root: RootDatabase, folder: string, create: boolean): Tables {
  const places = (name: string, rest: DatabaseOptions = {}) =>
    new PlaceTable(
      name,
      folder,
      opened(name, { keyEncoding: 'binary', encoding: 'binary', encoder: PLACE_ENCODER, ...rest } as DatabaseOptions),
    )
  const opened = <V>(name: string, options: DatabaseOptions): Database<V, Uint8Array> => {
    const database = root.openDB<V, Uint8Array>(name, { create, ...options } as CreateOptions)
    if (database !== undefined) return database
    throw new ZerohopError('DATA_DAMAGED', { what: dataFolder(folder), reason: `table ${name} is missing` })
  }
  let kept: RecordTable<Uint8Array> | undefined
  const answers = (mode: 'open' | 'create'): RecordTable<Uint8Array> | undefined => {
    if (kept !== undefined) return kept
    const missing = new Error('no such table')
    const describe = folderWide('the answer of')
    const open = <V>(options: DatabaseOptions): Database<V, Uint8Array> => {
      const database = root.openDB<V, Uint8Array>('answers', { ...options, create: mode === 'create' } as CreateOptions)
      if (database === undefined) throw missing
      return database
    }
    try {
      kept = new RecordTable({ name: 'answers', number: TABLE_NUMBERS.answers, form: BYTES, describe, open })
    } catch (error) {
      if (error !== missing) throw error
    }
    return kept
  }
  const records = <C>(name: RecordTableName, form: Form<C>, describe: Describe, rest: DatabaseOptions = {}) =>
    new RecordTable({
      name,
      number: TABLE_NUMBERS[name],
      form,
      describe,
      open: (options) => opened(name, { ...options, ...rest }),
    })
  const folderWide =
    (noun: string): Describe =>
    (key) => ({
      what: dataFolder(folder),
      record: `${noun} \`${Buffer.from(key).toString()}\``,
    })
  const totals = new Totals(records('meta', TEXT, folderWide('record')), folder)
  const counted = <C>(name: CountedName, form: Form<C>, noun: string) =>
    new CountedTable(name, records(name, form, folderWide(noun)), totals)
  const heads = new HeadTable(counted('heads', TEXT, 'the head of log'))
  const ofLog =
    (record: (key: Buffer) => string): Describe =>
    (key) => ({
      what: logWords(heads, key),
      record: record(Buffer.from(key)),
    })
  const objects = (name: RecordTableName) => records(name, TEXT, ofLog(objectWords))
  const shared = objects('objects')
  const own = new Map<KindName, RecordTable<string>>(OWN_TABLES.map((kind) => [kind, objects(`objects_${kind}`)]))
  const [keys, ids, indexes] = [places('keys'), places('ids'), places('indexes', { dupSort: true })]
  const search = records('search', LATIN1, ofLog(searchWords))
  const log = records('log', BYTES, ofLog(entryWords), { compression: { threshold: COMPRESS_BYTES_MIN } })
  const objectTables = [shared, ...own.values()]
  return {
    root,
    folder,
    totals,
    heads,
    objects: (kind) => own.get(kind) ?? shared,
    objectTables,
    keys,
    ids,
    indexes,
    search,
    log,
    noteFeature: (feature) => {
      const format = formatTable(root, false)
      const wanted = FEATURE_FORMATS[feature]
      if (Number(format?.get(FORMAT_KEY)) < wanted) void format!.put(FORMAT_KEY, wanted)
    },
    rows: () => [...objectTables, keys, ids, indexes, search, log].reduce((sum, table) => sum + table.walk(), 0),
    hashes: counted('hashes', TEXT, 'the key hash'),
    secrets: counted('secrets', BYTES, 'the sealed secret of'),
    answers,
  }
}

/** The log that a key begins with, for error texts. */
function logWords(heads: HeadTable, key: Uint8Array): string {
  const number = key.length < 4 ? 0 : Buffer.from(key).readUInt32BE(0)
  return whichLog(heads, number) ?? `log ${number}`
}

function whichLog(heads: HeadTable, number: number): string | undefined {
  try {
    const found = heads.all().find(([, head]) => head.number === number)
    return found && nameOfLog(...found)
  } catch {
    return undefined // the heads are damaged too: the caller falls back to the number
  }
}

/** A log, for error texts. */
export function nameOfLog(log: LogId, head: { readonly counts: Readonly<Partial<Record<KindName, number>>> }): string {
  return `${(head.counts.organization ?? 0) > 0 ? 'organization' : 'environment'} \`${log}\``
}

function objectWords(key: Buffer): string {
  const kind = kindOfNumber(key[4])?.replaceAll('_', ' ')
  return kind === undefined || key.length !== 11 ? `record ${key.toString('hex')}` : `${kind} ${key.readUIntBE(5, 6)}`
}

const searchWords = (key: Buffer): string => `the search texts of ${objectWords(key)}`

function entryWords(key: Buffer): string {
  return key.length === 10 ? `revision ${key.readUIntBE(4, 6)}` : `record ${key.toString('hex')}`
}

/** Log entries from this size are compressed: a bulk call repeats the same field names a thousand times. */
export const COMPRESS_BYTES_MIN = 4_096
