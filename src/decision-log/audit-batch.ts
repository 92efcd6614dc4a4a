// One batch of decision records into the audit tables, stored in one synced transaction with their index and counts.
import { addMinutes, indexRecord } from './audit-index.ts'
import {
  type AuditBatch,
  decodeText,
  type FindUser,
  type PreparedLine,
  type Refusal,
  readLines,
  type Stored,
  toStored,
} from './audit-lines.ts'
import { type AuditInstance, type AuditTables, keyId, recordKey } from './audit-tables.ts'
import { MinuteSums } from './audit-terms.ts'
import { addUses } from './folder-last-uses.ts'
import { UseSums } from './last-uses.ts'

/** Stores a batch. @throws INPUT_INVALID, LIMIT_EXCEEDED when it cannot be read at all; what LMDB throws */
export function storeBatch(tables: AuditTables, batch: AuditBatch, now: number, findUser: FindUser): Stored {
  const text = decodeText(batch)
  return tables.root.transactionSync(() => {
    const write = new Write(tables, now, batch.sentBy?.id ?? null)
    const refusals = readLines(text, batch, { now, findUser }, (line) => write.line(line))
    write.end()
    return toStored(write.stored, write.known, refusals)
  })
}

class Write {
  stored = 0
  known = 0
  readonly #tables: AuditTables
  readonly #instances = new Map<string, AuditInstance>()
  readonly #counts = new Map<string, number>()
  readonly #minutes = new MinuteSums()
  readonly #uses = new UseSums()
  readonly #now: number
  readonly #sender: string | null
  #numbered: number

  constructor(tables: AuditTables, now: number, sender: string | null) {
    this.#tables = tables
    this.#now = now
    this.#sender = sender
    this.#numbered = tables.meta.get('numbered') ?? 0
  }

  /**
   * Lines of this process are accepted as they are. A series stored by an older version belongs to the first sender
   * that continues it.
   */
  line(line: PreparedLine): Refusal | undefined {
    const { instance } = line.record
    const { sender } = this.#instances.get(instance) ?? this.#tables.instances.get(instance) ?? {}
    if (this.#sender !== null && sender !== undefined && sender !== this.#sender) return 'other_sender'
    this.#record(line)
    return undefined
  }

  #record({ environment, record, dropped }: PreparedLine): void {
    const { records, counts } = this.#tables
    const instance = this.#ensureInstance(record.instance)
    const key = recordKey(environment, record.at, instance.number, record.seq)
    if (records.doesExist(key)) {
      this.known++
      return
    }
    const stored = { id: keyId(key), ...record }
    void records.put(key, stored)
    indexRecord(this.#tables, environment, stored)
    this.#minutes.add(environment, stored)
    this.#uses.add(environment, stored, dropped)
    this.stored++
    this.#counts.set(environment, (this.#counts.get(environment) ?? counts.get(environment) ?? 0) + 1)
    this.#instances.set(record.instance, {
      number: instance.number,
      stored: instance.stored + 1,
      dropped: instance.dropped + dropped,
      last: Math.max(instance.last, record.seq),
      seen: this.#now,
      sender: instance.sender ?? this.#sender,
      ...(instance.uses === true ? { uses: true } : {}), // one of an older version gets it when its records were looked at
    })
  }

  end(): void {
    void this.#tables.meta.put('numbered', this.#numbered)
    for (const [name, instance] of this.#instances) void this.#tables.instances.put(name, instance)
    addMinutes(this.#tables, this.#minutes)
    addUses(this.#tables, this.#uses)
    for (const [environment, count] of this.#counts) void this.#tables.counts.put(environment, count)
  }

  #ensureInstance(name: string): AuditInstance {
    const known = this.#instances.get(name) ?? this.#tables.instances.get(name)
    const fresh = { uses: true as const, stored: 0, dropped: 0, last: 0, seen: this.#now, sender: this.#sender }
    const instance = known ?? { number: ++this.#numbered, ...fresh }
    this.#instances.set(name, instance)
    return instance
  }
}
