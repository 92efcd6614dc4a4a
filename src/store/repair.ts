// Rebuilds a damaged data file from what is proven intact: what leads to objects is rebuilt from the objects, and
// damaged objects from the log when the log is intact. What cannot be proven is left out and reported, and its log
// stays refused, because its head still counts what is missing. Nothing is guessed.

import { NO_SIZE } from '../kernel/image-bytes.ts'
import type { KindName, Objects } from '../kinds/index.ts'
import { KIND_NAMES } from '../kinds/index.ts'
import type { LogId } from '../log/change.ts'
import { isZerohopError } from '../model/errors.ts'
import { REPAIR_ENTRIES_PER_STEP, UPGRADE_ROWS_PER_STEP } from '../model/limits.ts'
import type { Entry, Inspected } from './checked-table.ts'
import { Digest, NO_SUM } from './checksum.ts'
import { entryCount, type Head } from './heads.ts'
import { chainAfter, decodeContent } from './log.ts'
import { SearchEdits } from './search-texts.ts'
import { apply, link } from './state.ts'
import { nameKey, objectRange, readObjectPlace, revisionKey } from './table-keys.ts'
import { nameOfLog, type Tables } from './tables.ts'

/** Receives a text for each part that was rebuilt or is lost. */
export type Report = (what: string) => void

/**
 * Fills the new tables `to` from the damaged ones.
 * @throws DATA_DAMAGED when the heads or the totals are damaged: then it is unknown what the folder must contain
 */
export function repair(from: Tables, to: Tables, report: Report): void {
  const heads = from.heads.all()
  to.root.transactionSync(() => to.totals.create(from.totals.read().next_log))
  copySecrets(from, to, report)
  copyAnswers(from, to, report)
  for (const [log, head] of heads) new LogRepair(from, to, log, head, report).run()
}

function copySecrets(from: Tables, to: Tables, report: Report): void {
  const intact: Entry<Uint8Array>[] = []
  try {
    for (const entry of from.secrets.inspect()) {
      if (entry.damage === undefined) intact.push(entry)
      else report(`${entry.damage.message}: it is lost, rotate that key`)
    }
  } catch (error) {
    if (!isZerohopError(error, 'DATA_DAMAGED')) throw error
    report(`${error.message}: some sealed secrets are lost, rotate the keys that cannot be read back`)
  }
  for (const part of parts(intact, UPGRADE_ROWS_PER_STEP)) {
    to.root.transactionSync(() => {
      for (const { key, content } of part) to.secrets.put(Buffer.from(key).toString(), content)
    })
  }
}

/** Answers to requests with an idempotency key: without them such a request could be carried out twice. */
function copyAnswers(from: Tables, to: Tables, report: Report): void {
  const table = from.answers('open')
  if (table === undefined) return
  const copy = to.answers('create')
  const intact: Entry<Uint8Array>[] = []
  try {
    for (const entry of table.inspect()) {
      if (entry.damage === undefined) intact.push({ ...entry, key: Buffer.from(entry.key) })
      else report(`${entry.damage.message}: it is lost`)
    }
  } catch (error) {
    if (!isZerohopError(error, 'DATA_DAMAGED')) throw error
    report(`${error.message}: some answers to requests with an idempotency key are lost`)
  }
  for (const part of parts(intact, UPGRADE_ROWS_PER_STEP)) {
    to.root.transactionSync(() => {
      for (const { key, content } of part) copy?.put(key, content)
    })
  }
}

class LogRepair {
  readonly #from: Tables
  readonly #to: Tables
  readonly #log: LogId
  readonly #head: Head
  readonly #report: Report

  constructor(from: Tables, to: Tables, log: LogId, head: Head, report: Report) {
    this.#from = from
    this.#to = to
    this.#log = log
    this.#head = head
    this.#report = report
  }

  run(): void {
    const name = nameOfLog(this.#log, this.#head)
    const isLogWhole = this.#copyEntries()
    if (!isLogWhole) this.#report(`${name}: entries of its log are lost, and only a backup can restore them`)
    const damaged = this.#head.leaving === undefined ? KIND_NAMES.filter((kind) => !this.#isProven(kind)) : []
    if (damaged.length > 0 && isLogWhole && this.#isFoldable()) {
      this.#fold()
      this.#report(`${name}: ${words(damaged)} rebuilt from its log`)
    } else {
      for (const kind of KIND_NAMES) this.#copyObjects(kind)
      if (damaged.length > 0)
        this.#report(`${name}: ${words(damaged)} damaged, and its log does not go back to the beginning`)
    }
    this.#to.root.transactionSync(() => this.#to.heads.put(this.#log, this.#head))
  }

  /** Copies the readable entries. Returns whether all of them were readable. */
  #copyEntries(): boolean {
    const { number } = this.#head
    const digest = new Digest()
    const range = { start: revisionKey(number, 0), end: revisionKey(number + 1, 0) }
    this.#copy(this.#from.log.inspect(range), UPGRADE_ROWS_PER_STEP, (entry) => {
      digest.add(entry.key, this.#to.log.put(entry.key, entry.content))
    })
    return (
      this.#head.leaving !== undefined || (digest.count === entryCount(this.#head) && digest.equals(this.#head.log))
    )
  }

  /**
   * True when the state can be rebuilt from the log alone: nothing was trimmed, and the chain is intact from the
   * beginning to the head.
   */
  #isFoldable(): boolean {
    const { number, lineage, deltasFrom = 1, historyFrom = 1 } = this.#head
    if (deltasFrom > 1 || historyFrom > 1) return false
    let chain = lineage
    for (const { content } of this.#to.log.range({ start: revisionKey(number, 0), end: revisionKey(number + 1, 0) })) {
      chain = chainAfter(chain, content)
      if (decodeContent(content).chain !== chain) return false
    }
    return chain === this.#head.chain
  }

  #fold(): void {
    const { number, lineage } = this.#head
    const image = { ...NO_SIZE, at: 0 }
    let head: Head = { number, lineage, revision: 0, chain: lineage, next: 1, counts: {}, sums: {}, log: NO_SUM, image }
    const entries = this.#to.log.range({ start: revisionKey(number, 0), end: revisionKey(number + 1, 0) })
    const search = new SearchEdits(this.#to.search)
    for (const part of parts(entries, REPAIR_ENTRIES_PER_STEP)) {
      this.#to.root.transactionSync(() => {
        for (const { content } of part) {
          const { revision, changes } = decodeContent(content)
          head = { ...apply(this.#to, this.#log, head, changes, search), revision }
        }
        search.flush()
      })
    }
  }

  /** Whether the objects of a kind match count and digest in the head. */
  #isProven(kind: KindName): boolean {
    const digest = new Digest()
    try {
      const range = objectRange(this.#head.number, kind)
      for (const { key, crc } of this.#from.objects(kind).range(range)) digest.add(key, crc)
    } catch (error) {
      if (isZerohopError(error, 'DATA_DAMAGED')) return false
      throw error
    }
    return digest.count === (this.#head.counts[kind] ?? 0) && digest.equals(this.#head.sums[kind] ?? NO_SUM)
  }

  /** Copies the readable objects of a kind, and rebuilds what leads to them. */
  #copyObjects(kind: KindName): void {
    const { number } = this.#head
    const search = new SearchEdits(this.#to.search)
    const table = this.#to.objects(kind)
    this.#copy(
      this.#from.objects(kind).inspect(objectRange(number, kind)),
      UPGRADE_ROWS_PER_STEP,
      ({ key, content }) => {
        const object = JSON.parse(content) as Objects[KindName]
        table.put(key, content)
        this.#to.keys.put(nameKey(number, kind, object.key), readObjectPlace(key))
        link(this.#to, this.#log, number, kind, object, readObjectPlace(key), search)
      },
      () => search.flush(),
    )
  }

  /**
   * Calls `put` for each intact record, `step` records in each transaction, which `end` ends. Stops where the table
   * cannot be walked further.
   */
  #copy<C>(
    records: Iterable<Inspected<C>>,
    step: number,
    put: (record: Inspected<C>) => void,
    end = (): void => undefined,
  ): void {
    for (const part of parts(readable(records), step)) {
      this.#to.root.transactionSync(() => {
        for (const record of part) if (record.damage === undefined) put(record)
        end()
      })
    }
  }
}

/** The records up to the point where the table cannot be walked further. */
function* readable<C>(records: Iterable<Inspected<C>>): Generator<Inspected<C>> {
  try {
    yield* records
  } catch (error) {
    if (!isZerohopError(error, 'DATA_DAMAGED')) throw error
  }
}

function* parts<T>(all: Iterable<T>, size: number): Generator<T[]> {
  let part: T[] = []
  for (const one of all) {
    part.push(one)
    if (part.length < size) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}

const words = (kinds: readonly KindName[]): string =>
  `objects (${kinds.map((kind) => kind.replaceAll('_', ' ')).join(', ')})`
