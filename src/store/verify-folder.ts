// Verifies a data folder: every record against its checksum, every log and table against its count and digest, every
// key, id and index entry against its object, and the log against its chain. It works in steps, so that a running
// server can do it too (scrub.ts): a step is one read transaction, and the data may change between steps.

import type { KindName } from '../kinds/index.ts'
import { KIND_NAMES } from '../kinds/index.ts'
import type { LogId } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import { VERIFY_ROWS_PER_STEP } from '../model/limits.ts'
import { Digest } from './checksum.ts'
import { dataFolder } from './disk.ts'
import type { Head } from './heads.ts'
import { logRange, objectRange } from './table-keys.ts'
import type { Tables } from './tables.ts'
import { verifyEntries } from './verify-log.ts'
import { attempt, compare, type LogPart, type VerificationReporter } from './verify-part.ts'
import { verifyObjectsLead, verifyPlacesLead } from './verify-places.ts'

/** The steps of a whole verification. Each `next` does one; the read transaction may be renewed after it. */
export function* verifyAll(tables: Tables, reporter: VerificationReporter): Generator<void> {
  const heads = attempt(reporter, undefined, () => tables.heads.all())
  for (const table of [tables.hashes, tables.secrets]) {
    attempt(reporter, undefined, () => {
      for (const _ of table.all()) reporter.checked(1)
    })
    yield
  }
  yield* verifyAnswers(tables, reporter)
  if (heads === undefined) return
  verifyStrays(tables, heads, reporter)
  for (const [log] of heads) yield* verifyLog(tables, log, reporter)
}

/** Answers to requests with an idempotency key, against their checksums. */
function* verifyAnswers(tables: Tables, reporter: VerificationReporter): Generator<void> {
  const table = tables.answers('open')
  let start: Uint8Array | undefined
  while (table !== undefined) {
    const range = { ...(start === undefined ? {} : { start }), limit: VERIFY_ROWS_PER_STEP }
    start = undefined
    attempt(reporter, undefined, () => {
      for (const { key, damage } of table.inspect(range)) {
        start = Buffer.concat([key, Buffer.of(0)])
        if (damage !== undefined) reporter.damage({ log: undefined, error: damage })
        reporter.checked(1)
      }
    })
    yield
    if (start === undefined) return
  }
}

/** The steps for one log, which may be written to or deleted meanwhile. */
export function* verifyLog(tables: Tables, log: LogId, reporter: VerificationReporter): Generator<void> {
  const part: LogPart = { tables, log, reporter }
  for (const kind of KIND_NAMES) {
    const head = attempt(reporter, log, () => tables.heads.get(log))
    if (head === undefined || head.leaving !== undefined) return
    if (verifyObjects(part, head, kind) > 0) yield
  }
  for (const steps of [verifyEntries(part), verifyObjectsLead(part), verifyPlacesLead(part)]) {
    for (;;) {
      const isDone = attempt(reporter, log, () => steps.next().done ?? false) ?? true
      yield
      if (isDone) break
    }
  }
}

/** The objects of a kind against their checksums, and all together against the head. Returns how many there are. */
function verifyObjects({ tables, log, reporter }: LogPart, head: Head, kind: KindName): number {
  const digest = new Digest()
  let isWalked = false
  attempt(reporter, log, () => {
    for (const { key, crc, damage } of tables.objects(kind).inspect(objectRange(head.number, kind))) {
      if (damage !== undefined) reporter.damage({ log, error: damage })
      digest.add(key, crc)
    }
    isWalked = true
  })
  reporter.checked(digest.count)
  const part = { tables, log, reporter }
  if (isWalked) compare(part, head, kind.replaceAll('_', ' '), digest, head.counts[kind] ?? 0, head.sums[kind])
  return digest.count
}

/** Reports records of logs that do not exist. */
function verifyStrays(tables: Tables, heads: readonly [LogId, Head][], reporter: VerificationReporter): void {
  const numbers = heads.map(([, { number }]) => number).sort((one, other) => one - other)
  const gaps = [-1, ...numbers].map((number, at) => ({
    start: logRange(number + 1).start,
    ...(at === numbers.length ? {} : { end: logRange(numbers[at]!).start }),
  }))
  const { objectTables, keys, ids, indexes, search, log } = tables
  for (const table of [...objectTables, keys, ids, indexes, search, log]) {
    attempt(reporter, undefined, () => {
      if (gaps.every((gap) => [...table.keys({ ...gap, limit: 1 })].length === 0)) return
      const reason = `table ${table.name} has records of a log that does not exist`
      throw new ZerohopError('DATA_DAMAGED', { what: dataFolder(tables.folder), reason })
    })
  }
}
