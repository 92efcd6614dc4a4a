// Is a data folder whole? Compares every record with its checksum, every log and table with its count and digest, everything that leads to
// an object with the object, and the log with its chain. Done in steps, so that a server can do it beside its work (scrub.ts): within a
// step nothing changes, because it is one read transaction; between two steps everything may.
import type { LogId } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import type { Kind } from '../model/objects.ts'
import { Digest } from './checksum.ts'
import { dataFolder } from './disk.ts'
import { logRange, objectRange } from './encode.ts'
import type { Head } from './heads.ts'
import { KINDS } from './kinds.ts'
import type { Tables } from './tables.ts'
import { verifyEntries } from './verify-log.ts'
import { attempt, compare, type Heard, type LogPart } from './verify-part.ts'
import { verifyObjectsLead, verifyPlacesLead } from './verify-places.ts'

/** The steps of a whole verification. Each `next` does one; the read transaction may be renewed after it. */
export function* verifyAll(tables: Tables, heard: Heard): Generator<void> {
  const heads = attempt(heard, undefined, () => tables.heads.all())
  for (const table of [tables.hashes, tables.secrets]) {
    attempt(heard, undefined, () => {
      for (const _ of table.all()) heard.checked(1)
    })
    yield
  }
  if (heads === undefined) return
  verifyStrays(tables, heads, heard)
  for (const [log] of heads) yield* verifyLog(tables, log, heard)
}

/** The steps for one log. It may move meanwhile, and end. */
export function* verifyLog(tables: Tables, log: LogId, heard: Heard): Generator<void> {
  const part: LogPart = { tables, log, heard }
  for (const kind of KINDS) {
    const head = attempt(heard, log, () => tables.heads.get(log))
    if (head === undefined || head.leaving !== undefined) return
    if (verifyObjects(part, head, kind) > 0) yield
  }
  for (const steps of [verifyEntries(part), verifyObjectsLead(part), verifyPlacesLead(part)]) {
    for (;;) {
      const isDone = attempt(heard, log, () => steps.next().done ?? false) ?? true
      yield
      if (isDone) break
    }
  }
}

/** The objects of a kind against their checksums, and all together against the head. Returns how many there are. */
function verifyObjects({ tables, log, heard }: LogPart, head: Head, kind: Kind): number {
  const digest = new Digest()
  let isWalked = false
  attempt(heard, log, () => {
    for (const { key, crc, damage } of tables.objects(kind).inspect(objectRange(head.number, kind))) {
      if (damage !== undefined) heard.damage({ log, error: damage })
      digest.add(key, crc)
    }
    isWalked = true
  })
  heard.checked(digest.count)
  const part = { tables, log, heard }
  if (isWalked) compare(part, head, kind.replaceAll('_', ' '), digest, head.counts[kind] ?? 0, head.sums[kind])
  return digest.count
}

/** Records of logs that there are not. */
function verifyStrays(tables: Tables, heads: readonly [LogId, Head][], heard: Heard): void {
  const numbers = heads.map(([, { number }]) => number).sort((one, other) => one - other)
  const gaps = [-1, ...numbers].map((number, at) => ({
    start: logRange(number + 1).start,
    ...(at === numbers.length ? {} : { end: logRange(numbers[at]!).start }),
  }))
  const { objectTables, keys, ids, indexes, log } = tables
  for (const table of [...objectTables, keys, ids, indexes, log]) {
    attempt(heard, undefined, () => {
      if (gaps.every((gap) => [...table.keys({ ...gap, limit: 1 })].length === 0)) return
      const reason = `table ${table.name} has records of a log that does not exist`
      throw new ZerohopError('DATA_DAMAGED', { what: dataFolder(tables.folder), reason })
    })
  }
}
