// Makes a data file of this format from one of an older one. Format 1 has no checksums: it is copied row by row into
// `data.new`, compared with the counts in the heads, synced, and put in place by one rename; until then the old file is
// untouched. Format 2 has no search texts: they are added to the file, which is of format 2 until the last of them. So
// an interrupted upgrade just starts again.
import { mkdirSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import type { KindName, Objects } from '../kinds/index.ts'
import { KIND_NAMES, SEARCHED_KINDS } from '../kinds/index.ts'
import type { LogId } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import { UPGRADE_ROWS_PER_STEP } from '../model/limits.ts'
import { Digest, type Sum } from './checksum.ts'
import { dataFolder, syncFile } from './disk.ts'
import { entryCount, type Head } from './heads.ts'
import { kindOfNumber } from './kinds.ts'
import type { DatabaseOptions, RootDatabase } from './lmdb.ts'
import { SearchEdits } from './search-texts.ts'
import { objectRange, readObjectPlace } from './table-keys.ts'
import { COMPRESS_BYTES_MIN, nameOfLog, openRoot, openTables, readFormat, type Tables, writeFormat } from './tables.ts'

/** The formats that are upgraded. */
const OLD_FORMATS: readonly unknown[] = [1, 2]
export const isOldFormat = (format: unknown): boolean => OLD_FORMATS.includes(format)

/** Receives the number of rows done so far and in all. */
export type OnProgress = (done: number, total: number) => void

/** A head of format 1. */
type OldHead = Omit<Head, 'sums' | 'log' | 'leaving'>
interface Row {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** The format of a folder's data; undefined when it is not Zerohop data. */
export async function readFolderFormat(folder: string): Promise<unknown> {
  const root = openRoot(folder, 'read')
  try {
    return readFormat(root)
  } finally {
    await root.close()
  }
}

/**
 * Upgrades a folder that this process holds, if it is of an older format.
 * @throws COPY_ROOM, DISK_FULL, DATA_DAMAGED when the records differ from the counts: the folder keeps its format
 */
export async function upgradeData(folder: string, progress: OnProgress = () => undefined): Promise<void> {
  const format = await readFolderFormat(folder)
  if (format === 1) await copyData(folder, progress)
  if (format === 2) await addSearchTexts(folder, progress)
}

async function copyData(folder: string, progress: OnProgress): Promise<void> {
  const data = join(folder, 'data.mdb')
  requireRoom(folder, data)
  const unfinished = join(folder, 'data.new')
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  const from = openRoot(folder, 'read')
  try {
    const to = openTables(unfinished, 'create')
    try {
      await new Upgrade(from, to, folder, progress).run()
    } finally {
      await to.root.close()
    }
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw error
  } finally {
    await from.close()
  }
  syncFile(join(unfinished, 'data.mdb'))
  renameSync(join(unfinished, 'data.mdb'), data)
  syncFile(folder)
  rmSync(unfinished, { recursive: true, force: true })
}

/** What an interrupted upgrade left behind, and whatever an older version wrote since, is not built upon. */
async function addSearchTexts(folder: string, progress: OnProgress): Promise<void> {
  const tables = openTables(folder, 'upgrade')
  const { root, search } = tables
  try {
    const heads = tables.heads.all().filter(([, { leaving }]) => leaving === undefined)
    const count = ({ counts }: Head) => SEARCHED_KINDS.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0)
    const total = heads.reduce((sum, [, head]) => sum + count(head), 0)
    let done = 0
    for (let old = [...search.keys({ limit })]; old.length > 0; old = [...search.keys({ limit })]) {
      root.transactionSync(() => {
        for (const key of old) search.remove(key)
      })
      await pause()
    }
    for (const [, head] of heads) {
      for (const added of addSearchTextsOf(tables, head)) {
        done += added
        progress(done, total)
        await pause()
      }
    }
    root.transactionSync(() => writeFormat(root))
  } finally {
    await root.close()
  }
}

const limit = UPGRADE_ROWS_PER_STEP

/** A bounded number of objects in each transaction; their number after each. */
function* addSearchTextsOf(tables: Tables, head: Head): Generator<number> {
  for (const kind of SEARCHED_KINDS) {
    let range = objectRange(head.number, kind)
    for (let read = limit; read === limit; ) {
      const rows = [...tables.objects(kind).range({ ...range, limit })]
      read = rows.length
      if (read === 0) break
      const edits = new SearchEdits(tables.search)
      for (const { key, content } of rows)
        edits.put(head.number, kind, readObjectPlace(key), JSON.parse(content) as Objects[typeof kind])
      tables.root.transactionSync(() => edits.flush())
      range = { ...range, start: Buffer.concat([rows.at(-1)!.key, Buffer.from([0])]) }
      yield read
    }
  }
}

/** A copy needs the size of the file and a little more for the checksums. @throws COPY_ROOM */
export function requireRoom(folder: string, data: string): void {
  const want = Math.ceil(statSync(data).size * 1.1)
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize < want) throw new ZerohopError('COPY_ROOM', { path: folder, want, have: bavail * bsize })
}

class Upgrade {
  readonly #from: RootDatabase
  readonly #to: Tables
  readonly #folder: string
  readonly #progress: OnProgress
  #done = 0
  #total = 0
  /** digests of what was copied, by the number of the log: of objects by kind, and of entries */
  readonly #objects = new Map<number, Map<KindName, Digest>>()
  readonly #entries = new Map<number, Digest>()
  /** search texts of what was copied in the open transaction */
  readonly #search: SearchEdits
  /** ids of the environments that are deleted: their records are removed some at a time */
  readonly #deleted = new Set<LogId>()

  constructor(from: RootDatabase, to: Tables, folder: string, progress: OnProgress) {
    this.#from = from
    this.#to = to
    this.#search = new SearchEdits(to.search)
    this.#folder = folder
    this.#progress = progress
  }

  async run(): Promise<void> {
    const { objectTables, keys, ids, indexes, hashes, secrets, root, totals } = this.#to
    const nextLog = JSON.parse(text(this.#old('meta').get(Buffer.from('next_log')) ?? Buffer.from('1'))) as number
    root.transactionSync(() => totals.create(nextLog))
    const copies: [string, DatabaseOptions, (row: Row) => void][] = [
      ...objectTables.map((table): [string, DatabaseOptions, (row: Row) => void] => [
        table.name,
        {},
        (row) => this.#object(row),
      ]),
      ['keys', {}, ({ key, value }) => keys.putStored(key, value)],
      ['ids', {}, ({ key, value }) => ids.putStored(key, value)],
      ['indexes', { dupSort: true }, ({ key, value }) => indexes.putStored(key, value)],
      ['log', { compression: { threshold: COMPRESS_BYTES_MIN } }, (row) => this.#entry(row)],
      ['hashes', {}, ({ key, value }) => hashes.put(text(key), text(value))],
      ['secrets', {}, ({ key, value }) => secrets.put(text(key), value)],
    ]
    for (const [name, options] of copies) this.#total += this.#old(name, options).getCount()
    for (const [name, options, put] of copies) await this.#copy(name, options, put)
    const heads = [...this.#old('heads').getRange()]
    root.transactionSync(() => {
      for (const { key, value } of heads) this.#head(text(key), JSON.parse(text(value)) as OldHead)
    })
    this.#requireNoneLeft()
  }

  #old(name: string, options: DatabaseOptions = {}) {
    const all = { keyEncoding: 'binary', encoding: 'binary', ...options } as const
    const table = this.#from.openDB<Uint8Array, Uint8Array>(name, all)
    if (table !== undefined) return table
    throw this.#damaged(`table ${name} is missing`)
  }

  /**
   * A bounded number of rows in each transaction, with a turn of the event loop between, in which the lock of the
   * folder is touched.
   */
  async #copy(name: string, options: DatabaseOptions, put: (row: Row) => void): Promise<void> {
    const rows = this.#old(name, options).getRange()[Symbol.iterator]()
    for (let more = true; more; ) {
      let copied = 0
      this.#to.root.transactionSync(() => {
        for (; copied < UPGRADE_ROWS_PER_STEP; copied++) {
          const next = rows.next()
          more = next.done !== true
          if (!more) break
          put(next.value)
        }
        this.#search.flush()
      })
      this.#done += copied
      this.#progress(this.#done, this.#total)
      await pause()
    }
  }

  #object({ key, value }: Row): void {
    const kind = kindOfNumber(key[4])
    if (kind === undefined || key.length !== 11) throw this.#damaged('an object has no valid key')
    const number = readLogNumber(key)
    const kinds = this.#objects.get(number) ?? new Map<KindName, Digest>()
    this.#objects.set(number, kinds)
    const digest = kinds.get(kind) ?? new Digest()
    kinds.set(kind, digest)
    const content = text(value)
    const object = this.#parsed(content, kind)
    this.#search.put(number, kind, readObjectPlace(key), object)
    if (kind === 'deleted_environment') this.#deleted.add(object.id)
    digest.add(key, this.#to.objects(kind).put(key, content))
  }

  #parsed<K extends KindName>(content: string, kind: K): Objects[K] {
    try {
      return JSON.parse(content) as Objects[K]
    } catch {
      throw this.#damaged(`a ${kind} cannot be read`)
    }
  }

  #entry({ key, value }: Row): void {
    const number = readLogNumber(key)
    const digest = this.#entries.get(number) ?? new Digest()
    this.#entries.set(number, digest)
    digest.add(key, this.#to.log.put(key, value))
  }

  #head(log: LogId, head: OldHead): void {
    const kinds = this.#objects.get(head.number) ?? new Map<KindName, Digest>()
    const entries = this.#entries.get(head.number) ?? new Digest()
    this.#objects.delete(head.number)
    this.#entries.delete(head.number)
    const sums: Partial<Record<KindName, Sum>> = {}
    for (const [kind, digest] of kinds) sums[kind] = digest.sum
    const upgraded: Head = { ...head, sums, log: entries.sum }
    const wrong = KIND_NAMES.find((kind) => (kinds.get(kind)?.count ?? 0) !== (head.counts[kind] ?? 0))
    const hasLog = entries.count === entryCount(upgraded)
    const leaving = hasLog ? ('objects' as const) : ('everything' as const)
    if (wrong === undefined && hasLog) this.#to.heads.put(log, upgraded)
    else if (this.#deleted.has(log)) this.#to.heads.put(log, { ...upgraded, leaving })
    else throw this.#miscounted(log, upgraded, wrong, kinds, entries)
  }

  #miscounted(
    log: LogId,
    head: Head,
    wrong: KindName | undefined,
    kinds: Map<KindName, Digest>,
    entries: Digest,
  ): ZerohopError {
    const [name, found, expected] =
      wrong === undefined
        ? ['log entries', entries.count, entryCount(head)]
        : [wrong, kinds.get(wrong)?.count ?? 0, head.counts[wrong] ?? 0]
    const reason = `${name}: ${found} records instead of ${expected}`
    return new ZerohopError('DATA_DAMAGED', { what: nameOfLog(log, head), reason })
  }

  #requireNoneLeft(): void {
    for (const number of [...this.#objects.keys(), ...this.#entries.keys()])
      throw this.#damaged(`there are records of log ${number}, which has no head`)
  }

  #damaged(reason: string): ZerohopError {
    return new ZerohopError('DATA_DAMAGED', { what: dataFolder(this.#folder), reason })
  }
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
const readLogNumber = (key: Uint8Array): number => Buffer.from(key.buffer, key.byteOffset, key.length).readUInt32BE(0)
