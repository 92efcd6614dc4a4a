// The past of an environment in the record that replicas share: the confirmed snapshots that are kept are the starts,
// and entries are read where they were written, so that a replica with an empty folder reaches as far as any other.
import type { LogEntry, LogId, Position } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { SNAPSHOT_LOADS_MAX } from '../../model/limits.ts'
import type { PlacedObject } from '../load-snapshot.ts'
import { decodeEntry } from '../log.ts'
import type { PastReader, Reach, Start } from '../past-reader.ts'
import type { DatabaseSettings } from '../settings.ts'
import type { Connection } from './connection.ts'
import { Database } from './database.ts'
import { firstRevisions, type KnownLog, readEntriesAfter } from './entries.ts'
import { DamagedSnapshot, isThere, newestSnapshot, readSnapshot, type Snapshot } from './snapshots.ts'

/** @throws DATABASE_UNAVAILABLE, DATABASE_REFUSED; OBJECT_NOT_FOUND when the environment does not exist */
export async function openRecordPast(settings: DatabaseSettings, environment: LogId): Promise<PastReader> {
  const connection = await new Database(settings).open('past')
  try {
    const [log] = await connection.query<KnownLog & Record<string, unknown>>(
      "SELECT number, id, kind, encode(lineage, 'hex') AS lineage FROM zerohop.logs WHERE id = $1",
      [environment],
    )
    if (log === undefined) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'environment', ref: environment })
    return new RecordPastReader(connection, log)
  } catch (error) {
    connection.destroy()
    throw error
  }
}

class RecordPastReader implements PastReader {
  readonly #connection: Connection
  readonly #log: KnownLog

  constructor(connection: Connection, log: KnownLog) {
    this.#connection = connection
    this.#log = log
  }

  async start(revision: number): Promise<Start | undefined> {
    const { oldest, whole } = await firstRevisions(this.#connection, this.#log.number)
    const changesFrom = Math.max(oldest, whole)
    let before = revision
    for (let round = 1; round <= SNAPSHOT_LOADS_MAX; round++) {
      const snapshot = await newestSnapshot(this.#connection, this.#log.number, before)
      if (snapshot === undefined || !isUsable(snapshot, changesFrom)) break
      const objects = await this.#load(snapshot)
      if (objects !== undefined) return { position: toPosition(snapshot), objects }
      before = snapshot.revision - 1
    }
    return changesFrom > 1 ? undefined : { position: { revision: 0, chain: this.#log.lineage }, objects: [] }
  }

  /** Undefined when it is damaged, or was removed meanwhile. */
  async #load(snapshot: Snapshot): Promise<readonly PlacedObject[] | undefined> {
    try {
      const objects: PlacedObject[] = []
      for await (const part of readSnapshot(this.#connection, snapshot)) for (const each of part) objects.push(each)
      return objects
    } catch (error) {
      const isPassing = error instanceof DamagedSnapshot && !this.#connection.isLost
      if (isPassing || !(await isThere(this.#connection, snapshot))) return undefined
      throw error
    }
  }

  async entries(after: number): Promise<readonly LogEntry[]> {
    const { oldest, whole } = await firstRevisions(this.#connection, this.#log.number)
    if (after + 1 < Math.max(oldest, whole)) return []
    let previous = after === 0 ? this.#log.lineage : await this.#chainAt(after)
    if (previous === undefined) return []
    const entries: LogEntry[] = []
    for (const { bytes } of await readEntriesAfter(this.#connection, this.#log, after)) {
      const entry: LogEntry = { ...decodeEntry(bytes), previous }
      entries.push(entry)
      previous = entry.chain
    }
    return entries
  }

  async reach(): Promise<Reach> {
    const { number } = this.#log
    const { oldest, whole } = await firstRevisions(this.#connection, number)
    const changesFrom = Math.max(oldest, whole)
    const [found] = await this.#connection.query<{ from: number }>(
      `SELECT coalesce(
        (SELECT min(revision) FROM zerohop.snapshots WHERE number = $1 AND state = 'confirmed' AND revision + 1 >= $2),
        (SELECT max(revision) FROM zerohop.entries WHERE number = $1))::float8 AS from`,
      [number, changesFrom],
    )
    const from = changesFrom <= 1 ? 1 : (found?.from ?? changesFrom)
    const [entry] = await this.#connection.query<{ at: number }>(
      'SELECT at::float8 AS at FROM zerohop.entries WHERE number = $1 AND revision = $2',
      [number, from],
    )
    return { from, since: entry?.at }
  }

  async #chainAt(revision: number): Promise<string | undefined> {
    const [entry] = await this.#connection.query<{ chain: string }>(
      "SELECT encode(chain, 'hex') AS chain FROM zerohop.entries WHERE number = $1 AND revision = $2",
      [this.#log.number, revision],
    )
    return entry?.chain
  }

  async close(): Promise<void> {
    this.#connection.destroy()
  }
}

const toPosition = ({ revision, chain }: Snapshot): Position => ({ revision, chain })

const isUsable = ({ revision }: Snapshot, changesFrom: number): boolean => revision + 1 >= changesFrom
