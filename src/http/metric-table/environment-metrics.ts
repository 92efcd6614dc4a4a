// Metrics of single environments, which API keys see. Each has the label `environment`.
import type { MetricFacts } from './metric-facts.ts'

export const ENVIRONMENT_METRICS = {
  zerohop_environment_revision: {
    type: 'gauge',
    where: 'API, for API keys',
    unit: 'short',
    help: 'Revision of the environment.',
  },
  zerohop_environment_log_entries: {
    type: 'gauge',
    where: 'API, for API keys',
    unit: 'short',
    help: 'Entries that its log keeps for history.',
  },
  zerohop_environment_image_room_bytes: {
    type: 'gauge',
    where: 'API, for API keys',
    unit: 'bytes',
    help: 'Bytes that the environment may still grow by in its image.',
    more: 'At 0 its writes are refused (422)',
  },
  zerohop_environment_grants_scheduled: {
    type: 'gauge',
    where: 'API, for API keys',
    unit: 'short',
    help: 'Role assignments and relationship tuples whose time has not begun.',
  },
  zerohop_environment_grants_ended: {
    type: 'gauge',
    where: 'API, for API keys',
    unit: 'short',
    help: 'Role assignments and relationship tuples whose time has ended, and that are not deleted yet.',
  },
  zerohop_environment_next_end_timestamp_seconds: {
    type: 'gauge',
    where: 'API, for API keys',
    unit: 'dateTimeFromNow',
    help: 'When the next role assignment or relationship tuple ends, in seconds since 1970.',
    more: 'Absent while none ends',
  },
  zerohop_environment_audit_records: {
    type: 'gauge',
    where: 'API, for API keys',
    unit: 'short',
    help: 'Records of decisions that are kept of the environment.',
    more: 'On replicas by all of them together',
  },
  zerohop_environment_feed_followers: {
    type: 'gauge',
    where: 'API, for API keys',
    unit: 'short',
    help: 'PDPs that follow the environment over HTTP.',
  },
  zerohop_environment_pdps_behind: {
    type: 'gauge',
    where: 'API, for API keys',
    unit: 'short',
    help: 'PDPs of the environment that are connected and have lacked a revision for 30 seconds or longer.',
  },
  zerohop_environment_pdp_lag_revisions: {
    type: 'gauge',
    where: 'API, for API keys',
    unit: 'short',
    help: 'Revisions that the connected PDP lacks which is furthest behind the environment.',
  },
  zerohop_environment_checks_total: {
    type: 'counter',
    where: 'PDP of `serve`, for API keys',
    unit: 'short',
    labels: ['outcome'],
    help: 'Checks of the environment by how they ended.',
  },
  zerohop_environment_image_bytes: {
    type: 'gauge',
    where: 'PDP of `serve`, for API keys',
    unit: 'bytes',
    help: 'Bytes of its image, while it is open.',
    more: 'Asking for metrics opens none',
  },
  zerohop_environment_image_revision: {
    type: 'gauge',
    where: 'PDP of `serve`, for API keys',
    unit: 'short',
    help: 'Revision of its image, while it is open.',
  },
  zerohop_environment_ill_typed_attributes_total: {
    type: 'counter',
    where: 'PDP of `serve`, for API keys',
    unit: 'short',
    help: 'Times that a condition met an attribute, sent or stored, that is not of its declared type, since its image was opened.',
  },
} as const satisfies Record<string, MetricFacts>
