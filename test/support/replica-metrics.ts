/** Metrics that only replicas show. */
export const REPLICA_METRICS = [
  'zerohop_database_up',
  'zerohop_history_lost_total',
  'zerohop_snapshots_written_total',
  'zerohop_snapshots_confirmed_total',
  'zerohop_snapshots_refused_total',
  'zerohop_snapshots_reloaded_total',
  'zerohop_entries_trimmed_total',
  'zerohop_upkeep_failures_total',
]
