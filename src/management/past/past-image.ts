// The image of an environment at a past revision: the newest start at or before it, and the deltas from there, applied
// as a PDP applies them, so that it answers as a PDP did then. Runs in a worker thread (past-thread.ts).
import { Image } from '../../image/image.ts'
import type { KindName, Objects } from '../../kinds/index.ts'
import { type LogId, put } from '../../log/change.ts'
import { type PolicyChange, project, toDelta } from '../../log/delta.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { PlacedObject } from '../../store/load-snapshot.ts'
import type { PastReader, Reach } from '../../store/past-reader.ts'

/**
 * The image at a revision.
 * @throws REVISION_GONE when it cannot be reached; FEED_GAP, FEED_FORK when the log was trimmed or replaced meanwhile
 */
export async function imageAt(reader: PastReader, environment: LogId, revision: number): Promise<Image> {
  const start = await reader.start(revision)
  if (start === undefined) throw gone(revision, await reader.reach())
  const image = Image.build(environment, start.position, policyIn(start.objects))
  await advance(reader, image, revision)
  return image
}

/** Hears of each revision, with the time when it was written, in ms since 1970. */
interface OnRevision {
  /** before it is applied */
  readonly before: (at: number) => void
  /** after it is applied, and whether it changed what decisions read */
  readonly after: (hasChanged: boolean, at: number) => void
}

/** Applies the entries up to a revision. */
export async function advance(reader: PastReader, image: Image, to: number, heard?: OnRevision): Promise<void> {
  while (image.revision < to) {
    const entries = await reader.entries(image.revision)
    if (entries.length === 0) throw gone(to, await reader.reach())
    for (const entry of entries) {
      if (entry.revision > to) return
      const delta = toDelta(entry)
      heard?.before(entry.at)
      image.apply(delta)
      heard?.after(delta.changes.length > 0, entry.at)
    }
  }
}

/** The part of stored objects that decisions depend on. */
function* policyIn(objects: Iterable<PlacedObject>): Generator<PolicyChange> {
  for (const { kind, json } of objects) {
    // what is stored under a kind is an object of that kind
    const change = project(put(kind, JSON.parse(json) as Objects[KindName]))
    if (change?.op === 'put') yield change
  }
}

/** @param wanted a revision, or an instant in words */
export function gone(wanted: number | string, { from, since }: Reach): ZerohopError {
  const time = since === undefined ? '' : `, of ${new Date(since).toISOString()}`
  const what = typeof wanted === 'number' ? `revision ${wanted}` : `the state at ${wanted}`
  return new ZerohopError('REVISION_GONE', { wanted: what, from, since: time })
}
