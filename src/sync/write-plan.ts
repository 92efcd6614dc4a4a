// Writes a plan in slices, each one revision with the claim of the sync, under a lease: what another run has written
// since the plan was made is not overwritten. A run that was cut goes on by another run, which finds what is left to do.
import type { SyncWritten } from '../management/schemas/syncs.ts'
import { ZerohopError } from '../model/errors.ts'
import { SYNC_PROBLEMS_SHOWN } from '../model/limits.ts'
import type { DifferencePlan } from './make-plan.ts'
import type { SyncServer } from './server.ts'

export interface WriteOptions {
  /** random ids, 32 hex digits each */
  readonly source: string
  readonly run: string
  readonly takesOver?: boolean
  /** ends it after the slice that is being written */
  readonly signal?: AbortSignal
  readonly onSlice?: (items: number) => void
}

export interface Written {
  readonly revision: number
  readonly slices: number
  readonly counts: Readonly<Record<string, number>>
  /** the first of them */
  readonly problems: SyncWritten['problems']
}

/**
 * @throws API_REFUSED where another run or source holds the sync, or took it over; FEED_UNREACHABLE; SYNC_PLAN_STALE when
 *   another run has written since
 */
export async function writePlan(
  plan: DifferencePlan,
  server: SyncServer,
  { source, run, takesOver = false, signal, onSlice }: WriteOptions,
): Promise<Written> {
  // a run that had begun before the plan, and wrote while it was made: the number of runs is the same
  if ((await server.find())?.updated_at !== plan.lastUsed) throw new ZerohopError('SYNC_PLAN_STALE')
  const { runs } = await server.lease(source, run, takesOver)
  const counts: Record<string, number> = {}
  const problems: SyncWritten['problems'][number][] = []
  let revision = plan.revision
  let slices = 0
  try {
    if (runs !== plan.runs + 1) throw new ZerohopError('SYNC_PLAN_STALE')
    for (const items of plan.slices()) {
      if (signal?.aborted) break
      const written = await server.write(run, items)
      for (const [outcome, count] of Object.entries(written.counts)) counts[outcome] = (counts[outcome] ?? 0) + count
      problems.push(...written.problems.slice(0, SYNC_PROBLEMS_SHOWN - problems.length))
      revision = written.revision
      slices++
      onSlice?.(items.length)
    }
  } finally {
    // whoever took over, or a server that is away, keeps it until its time
    await server.release(run).catch(() => undefined)
  }
  return { revision, slices, counts, problems }
}
