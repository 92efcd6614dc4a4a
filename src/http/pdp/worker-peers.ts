// The other processes that answer on the same port (PDP_WORKERS): what they say together. Each answers for itself; readiness and metrics are
// of all of them, because whoever asks cannot choose which one he reaches.
import type { Health } from './health.ts'

/** What one process says of itself. */
export interface Own {
  readonly health: () => Health
  /** its metrics as prom-client sums them */
  readonly metrics: () => Promise<object[]>
}

export interface WorkerPeers {
  /** Says how this process is to be asked. */
  answer(own: Own): void
  /** All processes that take connections, this one too; null for one that did not answer. `begun` once each of them was ready. */
  health(): Promise<{ readonly begun: boolean; readonly wanted: number; readonly each: readonly (Health | null)[] }>
  metrics(): Promise<object[][]>
}

/** Ready when every process that takes connections is, and each was once; as old as the oldest. */
export async function readinessOf(peers: WorkerPeers): Promise<Health> {
  const { begun, wanted, each } = await peers.health()
  const told = each.filter((one) => one !== null)
  const ready = told.filter(({ ok }) => ok)
  const reasons = told.flatMap(({ reason }) => reason ?? [])
  const ok = begun && each.length > 0 && ready.length === each.length
  const revisions = told.flatMap(({ revision }) => revision ?? [])
  const ages = told.flatMap(({ ageMs }) => ageMs ?? [])
  return {
    ok,
    ...(ok ? {} : { reason: reasons[0] ?? `${ready.length} of ${wanted} workers are ready` }),
    revision: revisions.length === 0 ? null : Math.min(...revisions),
    ageMs: ages.length === 0 ? null : Math.max(...ages),
    source: told.some(({ source }) => source === 'file') ? 'file' : (told[0]?.source ?? null),
    stale: told.some(({ stale }) => stale),
  }
}
