// For each alert, series under which it fires after half an hour, and series under which it does not. In the form of promtool:
// `0+1x70` begins with 0 and grows by 1 in each of 70 minutes.
interface AlertCase {
  readonly fires: Readonly<Record<string, string>>
  readonly quiet: Readonly<Record<string, string>>
}

const one = (name: string, fires: string, quiet: string, labels = ''): AlertCase => {
  const series = `${name}{instance="a"${labels}}`
  return { fires: { [series]: fires }, quiet: { [series]: quiet } }
}
/** A counter that grows in the last minutes, and one that rests. */
const grows = (name: string): AlertCase => one(name, '3x25 4 5 6 7 8', '3x70')

export const ALERT_CASES: Readonly<Record<string, AlertCase>> = {
  Down: one('up', '0x70', '1x70', ', job="zerohop-pdp"'),
  ServerErrors: {
    fires: {
      'zerohop_http_requests_total{instance="a", route="/allowed", status="200"}': '0+600x70',
      'zerohop_http_requests_total{instance="a", route="/allowed", status="503"}': '0+60x70',
    },
    // a server that is not ready answers 503, which does not count as an error
    quiet: {
      'zerohop_http_requests_total{instance="a", route="/allowed", status="200"}': '0+600x70',
      'zerohop_http_requests_total{instance="a", route="/ready", status="503"}': '0+60x70',
    },
  },
  EventLoopSlow: one('zerohop_event_loop_delay_p99_seconds', '0.8x70', '0.1x70'),
  ContainedErrors: grows('zerohop_contained_errors_total'),
  UnhandledRejections: grows('zerohop_unhandled_rejections_total'),
  ConnectionsRefused: grows('zerohop_connections_refused_total'),
  BodiesRefused: grows('zerohop_bodies_refused_total'),
  // time begins at 0
  CertificateExpires: one('zerohop_certificate_expires_timestamp_seconds', '900000x70', '9000000x70'),
  ApiKeyExpires: one('zerohop_api_keys_ending', '1x70', '0x70'),
  ImagesRefused: one('zerohop_feed_images_refused_total', '0+3x70', '3x25 4x44'),
  FollowersRefused: grows('zerohop_feed_followers_refused_total'),
  WritesWaiting: one('zerohop_writes_waiting', '2000x70', '10x70'),
  DiskSlow: {
    fires: {
      'zerohop_write_batch_seconds_bucket{instance="a", le="1"}': '0x70',
      'zerohop_write_batch_seconds_bucket{instance="a", le="2.5"}': '0+60x70',
      'zerohop_write_batch_seconds_bucket{instance="a", le="+Inf"}': '0+60x70',
    },
    quiet: {
      'zerohop_write_batch_seconds_bucket{instance="a", le="0.01"}': '0+60x70',
      'zerohop_write_batch_seconds_bucket{instance="a", le="+Inf"}': '0+60x70',
    },
  },
  DiskSpaceLow: {
    fires: {
      'zerohop_disk_free_bytes{instance="a"}': '2e9x70',
      'zerohop_store_bytes{instance="a"}': '3e9x70',
    },
    quiet: {
      'zerohop_disk_free_bytes{instance="a"}': '2e9x70',
      'zerohop_store_bytes{instance="a"}': '1e9x70',
    },
  },
  DiskFull: one('zerohop_disk_full', '0x28 1 1', '0x70'),
  EnvironmentNearlyFull: one('zerohop_image_room_bytes', '1e8x70', '2e9x70'),
  CheckpointFailed: grows('zerohop_checkpoint_failures_total'),
  DataDamaged: one('zerohop_scrub_damages_total', '1x70', '0x70'),
  ScrubFailing: grows('zerohop_scrub_failures_total'),
  BackupOld: one('zerohop_backup_completed_timestamp_seconds', '-200000x70', '30000x70'),
  PdpBehind: one('zerohop_pdps_behind', '1x70', '0x70'),
  DatabaseDown: one('zerohop_database_up', '0x70', '1x70'),
  ReplicaLag: one('zerohop_replica_lag_seconds', '20x70', '1x70'),
  HistoryLost: one('zerohop_history_lost_total', '1x70', '0x70'),
  SnapshotRefused: one('zerohop_snapshots_refused_total', '1x70', '0x70'),
  UpkeepFailing: grows('zerohop_upkeep_failures_total'),
  ChecksUndecided: {
    fires: { 'zerohop_checks_total{instance="a", outcome="undecided"}': '0+6x70' },
    quiet: { 'zerohop_checks_total{instance="a", outcome="deny"}': '0+6x70' },
  },
  ImageOld: one('zerohop_image_age_seconds', '90x70', '1x70'),
  PdpDisconnected: one('zerohop_feed_connected', '0x70', '1x70'),
  DecisionsRefused: grows('zerohop_decision_log_refused_total'),
  DecisionsDropped: grows('zerohop_decision_log_dropped_total'),
}
