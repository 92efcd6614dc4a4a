// The metrics of the management API: what is on record, its disk, single environments, and records of decisions.
import type { FastifyInstance } from 'fastify'
import type { AuditLog } from '../../decision-log/audit-log.ts'
import { IMAGE_ROOM } from '../../kernel/image-bytes.ts'
import type { ManagementUseCases } from '../../management/host/registry.ts'
import type { Checkpoints } from '../../management/past/checkpoints.ts'
import type { TimedFact } from '../../management/rules/payload.ts'
import { endedSpan, endingSpan, scheduledSpan, TIMED_FACTS } from '../../management/rules/time-spans.ts'
import { lastBackup } from '../../store/backup.ts'
import type { Store } from '../../store/store.ts'
import type { Span, StoredView } from '../../store/view.ts'
import type { Metrics } from '../metrics.ts'
import { replicaMetrics } from './replica-metrics.ts'

function scrubMetrics(metrics: Metrics, { scrub: { stats } }: Store<ManagementUseCases>): void {
  metrics.counter('zerohop_scrub_records_total', () => stats.checked)
  metrics.counter('zerohop_scrub_damages_total', () => stats.damages)
  metrics.counter('zerohop_scrub_failures_total', () => stats.failures)
  metrics.gauge('zerohop_scrub_completed_timestamp_seconds', () => stats.completedAt / 1000)
  metrics.gauge('zerohop_scrub_progress_ratio', () => stats.progress)
}

/** Metrics of what is on record, and of the disk that it is on. */
export function storeMetrics(app: FastifyInstance, metrics: Metrics, store: Store<ManagementUseCases>): void {
  metrics.counter('zerohop_writes_total', () => store.writer.writes)
  metrics.counter('zerohop_writes_acknowledged_early_total', () => store.acknowledgedEarly)
  if (store.isReplicated) replicaMetrics(app, metrics, store)
  metrics.gauge('zerohop_writes_waiting', () => store.writer.waiting)
  const observe = metrics.histogram('zerohop_write_batch_seconds')
  const stop = store.listen((event) => {
    if (event.event === 'batch') observe(event.seconds)
  })
  app.addHook('onClose', (_app, done) => {
    stop()
    done()
  })
  metrics.gauge('zerohop_store_bytes', () => store.bytes)
  metrics.gauge('zerohop_disk_free_bytes', () => store.disk.freeBytes)
  metrics.gauge('zerohop_disk_full', () => (store.disk.trouble === undefined ? 0 : 1))
  if (!store.isReplicated)
    metrics.gauge('zerohop_backup_completed_timestamp_seconds', () => lastBackup(store.folder) / 1000)
  scrubMetrics(metrics, store)
  metrics.gauge('zerohop_revisions', () => store.logs().reduce((sum, log) => sum + store.head(log).revision, 0))
  metrics.gauge('zerohop_image_room_bytes', () =>
    store.logs().reduce((least, log) => Math.min(least, IMAGE_ROOM - (store.imageBytes(log) ?? 0)), IMAGE_ROOM),
  )
  environmentMetrics(metrics, store)
  metrics.gauge('zerohop_logs', () => store.logs().length)
  metrics.gauge('zerohop_log_entries', () => store.logs().reduce((sum, log) => sum + store.historyCount(log), 0))
}

/** Metrics of what questions about the past start from. */
export function checkpointMetrics(metrics: Metrics, checkpoints: Pick<Checkpoints, 'bytes' | 'failures'>): void {
  metrics.gauge('zerohop_checkpoint_bytes', () => checkpoints.bytes)
  metrics.counter('zerohop_checkpoint_failures_total', () => checkpoints.failures)
}

function environmentMetrics({ environments }: Metrics, store: Store<ManagementUseCases>): void {
  environments.gauge('zerohop_environment_revision', (id) => store.head(id).revision)
  environments.gauge('zerohop_environment_log_entries', (id) => store.historyCount(id))
  environments.gauge('zerohop_environment_image_room_bytes', (id) => IMAGE_ROOM - (store.imageBytes(id) ?? 0))
  const countIn = (id: string, spanOf: (kind: TimedFact, now: number) => Span) =>
    TIMED_FACTS.reduce((sum, kind) => sum + store.view(id).countIn(spanOf(kind, Date.now())), 0)
  environments.gauge('zerohop_environment_grants_scheduled', (id) => countIn(id, scheduledSpan))
  environments.gauge('zerohop_environment_grants_ended', (id) => countIn(id, endedSpan))
  environments.gauge('zerohop_environment_next_end_timestamp_seconds', (id) => findNextEnd(store.view(id)))
}

/** When something that was granted for a time ends next, in seconds since 1970. */
function findNextEnd(view: StoredView): number | undefined {
  const ends = TIMED_FACTS.flatMap((kind) => {
    const [place] = view.placesIn(endingSpan(kind, Date.now() + 1), { limit: 1 })
    return (place === undefined ? undefined : view.at(kind, place)?.valid_until) ?? []
  })
  return ends.length === 0 ? undefined : Math.min(...ends) / 1000
}

/** Metrics of records of decisions. */
export function auditMetrics(metrics: Metrics, audit: AuditLog): void {
  if (audit.bytes !== undefined) metrics.gauge('zerohop_audit_bytes', () => audit.bytes ?? 0)
  metrics.counter('zerohop_audit_records_total', () => audit.stats.stored)
  metrics.environments.gauges(
    'zerohop_environment_audit_records',
    // metrics are answered while the database is away, without what only it can tell
    (ids) => audit.counts(ids).catch(() => new Map()),
  )
}
