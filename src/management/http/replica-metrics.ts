// The metrics of a replica: its database, and what it did for the record.
import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../../http/metrics.ts'
import type { UpkeepEvent } from '../../store/postgres/settings.ts'
import type { Store } from '../../store/store.ts'
import type { ManagementUseCases } from '../registry.ts'

export function replicaMetrics(app: FastifyInstance, metrics: Metrics, store: Store<ManagementUseCases>): void {
  metrics.gauge('zerohop_database_up', 'Whether the database of the replicas answers: 1, else 0.', () =>
    store.trouble === undefined ? 1 : 0,
  )
  metrics.counter(
    'zerohop_history_lost_total',
    'Times that the database had lost what this replica had: at its start, and just before it ends.',
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
  const counter = (name: string, help: string, what: keyof typeof counts): void =>
    metrics.counter(name, help, () => counts[what])
  counter('zerohop_snapshots_written_total', 'Snapshots that this replica wrote.', 'written')
  counter('zerohop_snapshots_confirmed_total', 'Snapshots that this replica confirmed.', 'confirmed')
  counter('zerohop_snapshots_refused_total', 'Snapshots that this replica refused.', 'refused')
  counter(
    'zerohop_snapshots_reloaded_total',
    'Logs whose entries this replica lacked after they were trimmed.',
    'reloaded',
  )
  counter('zerohop_entries_trimmed_total', 'Entries on record that this replica removed or shortened.', 'trimmed')
  counter('zerohop_upkeep_failures_total', 'Rounds of snapshots and trimming that failed.', 'failed')
}
