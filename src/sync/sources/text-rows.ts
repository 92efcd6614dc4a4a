// Rows of texts: files with a JSON object on each line, CSV files, and what a program prints. They are not read from a snapshot:
// whoever writes the files sees to it.
import { createReadStream } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { ZerohopError } from '../../model/errors.ts'
import { SYNC_FETCH_ROWS, SYNC_ROW_BYTES_MAX } from '../../model/limits.ts'
import { CsvReader } from './csv.ts'
import { Inexact, readJson } from './numbers.ts'
import type { RowBatch, Snapshot, SourceValue } from './source.ts'
import { toSourceError } from './source-failure.ts'

type Chunks = AsyncIterable<Uint8Array>

/** @param folder that of the sync file, which names are relative to */
export function openFiles(form: 'ndjson' | 'csv', folder: string): Snapshot {
  return {
    async *read(_name, section) {
      const name = section.file ?? ''
      try {
        const chunks = readFile(isAbsolute(name) ? name : join(folder, name))
        yield* form === 'csv' ? csvRows(chunks, name) : jsonRows(chunks, name)
      } catch (error) {
        throw toSourceError(error, name)
      }
    },
    close: async () => undefined,
  }
}

async function* readFile(file: string): Chunks {
  const source = createReadStream(file)
  const unpacked = /\.gz$/i.test(file) ? createGunzip() : undefined
  if (unpacked !== undefined) {
    source.once('error', (error) => unpacked.destroy(error))
    source.pipe(unpacked)
  }
  try {
    for await (const chunk of (unpacked ?? source) as Chunks) yield chunk
  } finally {
    source.destroy()
  }
}

/** Texts of UTF-8, in which nothing is replaced. @throws SYNC_SOURCE_FAILED */
async function* texts(chunks: Chunks, where: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new ZerohopError('SYNC_SOURCE_FAILED', { where, reason: 'it is not UTF-8' })
  }
}

async function* csvRows(chunks: Chunks, where: string): AsyncGenerator<RowBatch, void, undefined> {
  const reader = new CsvReader(where)
  const batches = new Batches()
  let columns: string[] | undefined
  function* take(records: Iterable<(string | null)[]>): Generator<RowBatch, void, undefined> {
    for (const record of records) {
      if (columns === undefined) {
        columns = record.map((name) => name ?? '')
        continue
      }
      if (record.length === 1 && record[0] === null) continue // an empty line
      if (record.length !== columns.length) {
        const reason = `row ${batches.count + 1} has ${record.length} fields, and the first line names ${columns.length}`
        throw new ZerohopError('SYNC_SOURCE_FAILED', { where, reason })
      }
      yield* batches.add(columns, record)
    }
  }
  for await (const text of texts(chunks, where)) yield* take(reader.add(text))
  yield* take(reader.end())
  yield* batches.end(columns ?? [])
}

/** @throws SYNC_SOURCE_FAILED for a line that is not a JSON object */
export async function* jsonRows(chunks: Chunks, where: string): AsyncGenerator<RowBatch, void, undefined> {
  const batches = new Batches()
  let rest = ''
  let line = 0
  const wrong = (reason: string) => new ZerohopError('SYNC_SOURCE_FAILED', { where, reason: `line ${line}: ${reason}` })
  function* take(lines: readonly string[]): Generator<RowBatch, void, undefined> {
    for (const text of lines) {
      line++
      if (text.trim() === '') continue
      const object = readLine(text, wrong)
      yield* batches.add(Object.keys(object), Object.values(object))
    }
  }
  for await (const text of texts(chunks, where)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    if (rest.length > SYNC_ROW_BYTES_MAX) throw wrong(`it is longer than ${SYNC_ROW_BYTES_MAX} characters`)
    yield* take(lines)
  }
  yield* take([rest])
  yield* batches.end([])
}

function readLine(text: string, wrong: (reason: string) => ZerohopError): Record<string, SourceValue> {
  let value: unknown
  try {
    value = readJson(text)
  } catch (error) {
    throw wrong((error as Error).message)
  }
  if (value instanceof Inexact) throw wrong(`the number ${value.text} cannot be kept exactly`)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('it is not a JSON object')
  return value as Record<string, SourceValue>
}

/** Collects rows with the same columns. */
class Batches {
  count = 0
  #columns: readonly string[] = []
  #rows: (readonly SourceValue[])[] = [];

  *add(columns: readonly string[], row: readonly SourceValue[]): Generator<RowBatch, void, undefined> {
    if (this.#rows.length >= SYNC_FETCH_ROWS || !this.#isSame(columns)) yield* this.#flush()
    this.#columns = columns
    this.#rows.push(row)
    this.count++
  }

  *end(columns: readonly string[]): Generator<RowBatch, void, undefined> {
    yield* this.#flush()
    if (this.count === 0) yield { first: 1, columns, rows: [] }
  }

  *#flush(): Generator<RowBatch, void, undefined> {
    if (this.#rows.length === 0) return
    yield { first: this.count - this.#rows.length + 1, columns: this.#columns, rows: this.#rows }
    this.#rows = []
  }

  #isSame(columns: readonly string[]): boolean {
    return columns.length === this.#columns.length && columns.every((name, at) => name === this.#columns[at])
  }
}
