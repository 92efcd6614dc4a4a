import { REPLICA_METRICS as TABLE } from '../../src/http/metric-table/replica-metrics.ts'

/** Metrics that only replicas show. */
export const REPLICA_METRICS: readonly string[] = Object.keys(TABLE)
