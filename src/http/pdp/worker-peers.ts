// The processes that share a port (PDP_WORKERS). Each answers requests by itself; readiness and metrics are merged from
// all of them, because a client cannot choose which process it reaches.
import type { ImageProgress } from '../../log/feed.ts'
import type { Health } from './health.ts'

/** The state of one process. */
export interface Own {
  readonly health: () => Health
  /** its metrics in the form that prom-client merges */
  readonly metrics: () => Promise<object[]>
}

export interface WorkerPeers {
  /** Registers how the state of this process is read. */
  answer(own: Own): void
  /**
   * All processes that take connections, this one too; null for one that did not answer. `begun` is true once each of
   * them was ready.
   */
  health(): Promise<{ readonly begun: boolean; readonly wanted: number; readonly each: readonly (Health | null)[] }>
  metrics(): Promise<object[][]>
}

/**
 * Merges the states: ready when every process that takes connections is ready and each was ready once; the age is that
 * of the oldest, and the progress of loading that of the image with the least progress.
 */
export async function readReadiness(peers: WorkerPeers): Promise<Health> {
  const { begun, wanted, each } = await peers.health()
  const answers = each.filter((one) => one !== null)
  const ready = answers.filter(({ ok }) => ok)
  const reasons = answers.flatMap(({ reason }) => reason ?? [])
  const ok = begun && each.length > 0 && ready.length === each.length
  const revisions = answers.flatMap(({ revision }) => revision ?? [])
  const ages = answers.flatMap(({ ageMs }) => ageMs ?? [])
  return {
    ok,
    ...(ok ? {} : { reason: reasons[0] ?? `${ready.length} of ${wanted} workers are ready` }),
    revision: revisions.length === 0 ? null : Math.min(...revisions),
    ageMs: ages.length === 0 ? null : Math.max(...ages),
    source: answers.some(({ source }) => source === 'file') ? 'file' : (answers[0]?.source ?? null),
    stale: answers.some(({ stale }) => stale),
    loading: findLeast(answers.flatMap(({ ok, loading }) => (ok ? [] : (loading ?? [])))),
  }
}

const findLeast = ([first, ...more]: readonly ImageProgress[]): ImageProgress | undefined =>
  more.reduce((least, one) => (least !== undefined && one.bytes < least.bytes ? one : least), first)
