// Makes a whole data file of a damaged one, as far as something proves what belongs there: what leads to objects is made anew from the objects, and
// objects that are damaged are made anew from the log where that is whole. What nothing proves is left out and said, and its log stays
// refused, because its head goes on counting what is missing. Nothing is guessed.
import type { LogId } from '../log/change.ts'
import { NO_SIZE } from '../log/image-bytes.ts'
import { isZerohopError } from '../model/errors.ts'
import { REPAIR_ENTRIES_PER_STEP, UPGRADE_ROWS_PER_STEP } from '../model/limits.ts'
import type { Kind, Objects } from '../model/objects.ts'
import { Digest, NO_SUM } from './checksum.ts'
import { nameKey, objectRange, placeOf, revisionKey } from './encode.ts'
import { entryCount, type Head } from './heads.ts'
import { KINDS } from './kinds.ts'
import { chainAfter, contentOf } from './log.ts'
import type { Entry, Inspected } from './record.ts'
import { apply, link } from './state.ts'
import { nameOfLog, type Tables } from './tables.ts'

/** Hears, in words, what was made anew and what is lost. */
export type Say = (what: string) => void

/**
 * Fills the new tables `to` from the damaged ones.
 * @throws DATA_DAMAGED when the heads or the totals are damaged: then nothing says what belongs into the folder
 */
export function repair(from: Tables, to: Tables, say: Say): void {
  const heads = from.heads.all()
  to.root.transactionSync(() => to.totals.create(from.totals.read().next_log))
  copySecrets(from, to, say)
  for (const [log, head] of heads) new LogRepair(from, to, log, head, say).run()
}

function copySecrets(from: Tables, to: Tables, say: Say): void {
  const sound: Entry<Uint8Array>[] = []
  try {
    for (const entry of from.secrets.inspect()) {
      if (entry.damage === undefined) sound.push(entry)
      else say(`${entry.damage.message}: it is lost, rotate that key`)
    }
  } catch (error) {
    if (!isZerohopError(error, 'DATA_DAMAGED')) throw error
    say(`${error.message}: some sealed secrets are lost, rotate the keys that cannot be read back`)
  }
  for (const part of parts(sound, UPGRADE_ROWS_PER_STEP)) {
    to.root.transactionSync(() => {
      for (const { key, content } of part) to.secrets.put(Buffer.from(key).toString(), content)
    })
  }
}

class LogRepair {
  readonly #from: Tables
  readonly #to: Tables
  readonly #log: LogId
  readonly #head: Head
  readonly #say: Say

  constructor(from: Tables, to: Tables, log: LogId, head: Head, say: Say) {
    this.#from = from
    this.#to = to
    this.#log = log
    this.#head = head
    this.#say = say
  }

  run(): void {
    const name = nameOfLog(this.#log, this.#head)
    const isLogWhole = this.#copyEntries()
    if (!isLogWhole) this.#say(`${name}: entries of its log are lost, and nothing can bring them back but a backup`)
    const damaged = this.#head.leaving === undefined ? KINDS.filter((kind) => !this.#isProven(kind)) : []
    if (damaged.length > 0 && isLogWhole && this.#isFoldable()) {
      this.#fold()
      this.#say(`${name}: ${words(damaged)} made anew from its log`)
    } else {
      for (const kind of KINDS) this.#copyObjects(kind)
      if (damaged.length > 0)
        this.#say(`${name}: ${words(damaged)} damaged, and its log does not go back to the beginning`)
    }
    this.#to.root.transactionSync(() => this.#to.heads.put(this.#log, this.#head))
  }

  /** Copies the entries that can be read. Returns whether they are all. */
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

  /** True when the state can be made of the log alone: nothing was trimmed, and the chain leads from the beginning to the head. */
  #isFoldable(): boolean {
    const { number, lineage, deltasFrom = 1, historyFrom = 1 } = this.#head
    if (deltasFrom > 1 || historyFrom > 1) return false
    let chain = lineage
    for (const { content } of this.#to.log.range({ start: revisionKey(number, 0), end: revisionKey(number + 1, 0) })) {
      chain = chainAfter(chain, content)
      if (contentOf(content).chain !== chain) return false
    }
    return chain === this.#head.chain
  }

  #fold(): void {
    const { number, lineage } = this.#head
    const image = { ...NO_SIZE, at: 0 }
    let head: Head = { number, lineage, revision: 0, chain: lineage, next: 1, counts: {}, sums: {}, log: NO_SUM, image }
    const entries = this.#to.log.range({ start: revisionKey(number, 0), end: revisionKey(number + 1, 0) })
    for (const part of parts(entries, REPAIR_ENTRIES_PER_STEP)) {
      this.#to.root.transactionSync(() => {
        for (const { content } of part) {
          const { revision, changes } = contentOf(content)
          head = { ...apply(this.#to, this.#log, head, changes), revision }
        }
      })
    }
  }

  /** Whether all objects of a kind are those that the head counts. */
  #isProven(kind: Kind): boolean {
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

  /** Copies the objects of a kind that can be read, and writes anew what leads to them. */
  #copyObjects(kind: Kind): void {
    const { number } = this.#head
    const table = this.#to.objects(kind)
    this.#copy(
      this.#from.objects(kind).inspect(objectRange(number, kind)),
      UPGRADE_ROWS_PER_STEP,
      ({ key, content }) => {
        const object = JSON.parse(content) as Objects[Kind]
        table.put(key, content)
        this.#to.keys.put(nameKey(number, kind, object.key), placeOf(key))
        link(this.#to, this.#log, number, kind, object, placeOf(key))
      },
    )
  }

  /** Does something with each sound record. A table that ends in damage ends here too. */
  #copy<C>(records: Iterable<Inspected<C>>, step: number, put: (record: Inspected<C>) => void): void {
    for (const part of parts(readable(records), step)) {
      this.#to.root.transactionSync(() => {
        for (const record of part) if (record.damage === undefined) put(record)
      })
    }
  }
}

/** The records up to where the table cannot be walked any further. */
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

const words = (kinds: readonly Kind[]): string =>
  `objects (${kinds.map((kind) => kind.replaceAll('_', ' ')).join(', ')})`
