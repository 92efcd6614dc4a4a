// The metrics of a replica: its database, and what it did for the record.
import type { FastifyInstance } from 'fastify'
import type { ManagementUseCases } from '../../management/host/registry.ts'
import type { UpkeepEvent } from '../../store/settings.ts'
import type { Store } from '../../store/store.ts'
import type { Metrics } from '../metrics.ts'

export function replicaMetrics(app: FastifyInstance, metrics: Metrics, store: Store<ManagementUseCases>): void {
  // a cache whose disk is full is not the database's fault
  const isUp = (): boolean => store.trouble === undefined || store.trouble.code.startsWith('DISK_')
  metrics.gauge('zerohop_database_up', () => (isUp() ? 1 : 0))
  metrics.gauge('zerohop_replica_lag_seconds', () =>
    store.caughtUpAt === undefined ? undefined : (performance.now() - store.caughtUpAt) / 1000,
  )
  metrics.counter(
    'zerohop_history_lost_total',
    () => Number(store.historyLost !== undefined) + Number(store.trouble?.code === 'HISTORY_LOST'),
  )
  const counts = { written: 0, confirmed: 0, refused: 0, trimmed: 0, reloaded: 0, failed: 0 }
  const count = (upkeep: UpkeepEvent): void => {
    counts[upkeep.what] += upkeep.what === 'trimmed' ? upkeep.removed + upkeep.shortened : 1
  }
  for (const event of store.atStart) count(event)
  const stop = store.listen((event) => {
    if (event.event === 'upkeep') count(event.upkeep)
  })
  app.addHook('onClose', (_app, done) => {
    stop()
    done()
  })
  metrics.counter('zerohop_snapshots_written_total', () => counts.written)
  metrics.counter('zerohop_snapshots_confirmed_total', () => counts.confirmed)
  metrics.counter('zerohop_snapshots_refused_total', () => counts.refused)
  metrics.counter('zerohop_snapshots_reloaded_total', () => counts.reloaded)
  metrics.counter('zerohop_entries_trimmed_total', () => counts.trimmed)
  metrics.counter('zerohop_upkeep_failures_total', () => counts.failed)
}
