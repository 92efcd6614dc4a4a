// Variables of the decision log and of traces. docs/operations.md is generated from these texts.
import {
  DECISION_BUFFER_BYTES_DEFAULT,
  DECISION_FILE_BYTES_DEFAULT,
  DECISION_FILES_DEFAULT,
} from '../../../model/limits.ts'
import { Address, Bytes, Count, makeChoice, makeChoices, Pairs, Path, Switch, Text } from './value-types.ts'
import { variable, withDefault } from './variable.ts'

const PDPS = ['serve', 'pdp'] as const
const SERVERS = ['serve', 'api', 'pdp'] as const

const Sinks = makeChoices(['file', 'stdout', 'api'], '`off`, or some of `file`, `stdout` and `api` with commas between')
const Policy = makeChoice(['block', 'drop'], '`block` or `drop`')
const Exporter = makeChoice(['otlp', 'console', 'none'], '`otlp`, `console` or `none`')

export const RECORD_VARIABLES = {
  PDP_DECISION_LOG: variable(Sinks, {
    about:
      'comma-separated destinations for a record of each decision; `api` is the management API. See [decision log](decision-log.md)',
    readBy: PDPS,
    unset: '`api` for `serve` without a database, otherwise `off`',
  }),
  PDP_DECISION_LOG_FOLDER: variable(Path, {
    about: 'folder for the files of the decision log, and for records that wait to be sent',
    readBy: PDPS,
    unset: '`<data>/decisions`',
  }),
  PDP_DECISION_LOG_POLICY: variable(Policy, {
    about:
      'what happens when a record cannot be stored. `block`: the check answers 503. `drop`: the check answers, and the lost record is counted',
    readBy: PDPS,
    unset: '`block` if `file` is the only sink, otherwise `drop`',
  }),
  PDP_DECISION_LOG_BUFFER: withDefault(Bytes, DECISION_BUFFER_BYTES_DEFAULT, {
    about: 'maximum bytes of records that wait for `stdout` or `api`',
    readBy: PDPS,
  }),
  PDP_DECISION_LOG_FILE_SIZE: withDefault(Bytes, DECISION_FILE_BYTES_DEFAULT, {
    about: 'maximum size of a file in bytes',
    readBy: PDPS,
  }),
  PDP_DECISION_LOG_FILES: withDefault(Count, DECISION_FILES_DEFAULT, {
    about: 'number of files that the sink `file` keeps',
    readBy: PDPS,
  }),
  PDP_DECISION_LOG_ATTRIBUTES: withDefault(Switch, false, {
    about: 'records contain all attributes and the context of the request',
    readBy: PDPS,
  }),
  PDP_DECISION_LOG_READ_ATTRIBUTES: withDefault(Switch, false, {
    about:
      'records contain only the attributes and context that the rules of the permission read. That is enough to [replay](past-decisions.md) a decision',
    readBy: PDPS,
  }),
  PDP_DECISION_LOG_REASONS: withDefault(Switch, false, {
    about: 'records contain the reason of each decision. Finding the reason takes longer than the decision itself',
    readBy: PDPS,
  }),
  OTEL_TRACES_EXPORTER: variable(Exporter, {
    about: 'exporter for OpenTelemetry traces. See [traces](#traces)',
    readBy: SERVERS,
    unset: '`otlp` if one of the two endpoints is set, otherwise `none`',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(Address, {
    about: 'base URL of the collector',
    readBy: SERVERS,
    unset: '`http://localhost:4318`',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: variable(Address, {
    about: 'full URL for traces; overrides the base URL',
    readBy: SERVERS,
    unset: '`/v1/traces` below the base URL',
  }),
  OTEL_SDK_DISABLED: withDefault(Switch, false, {
    about: 'turns traces off, whatever else is set',
    readBy: SERVERS,
  }),
  OTEL_SERVICE_NAME: variable(Text, {
    about: 'name of the service in traces',
    readBy: SERVERS,
    unset: '`zerohop-<command>`',
  }),
  OTEL_RESOURCE_ATTRIBUTES: variable(Pairs, {
    about: 'more attributes of the resource, as `name=value,name=value`. Percent-encode commas in values',
    readBy: SERVERS,
  }),
}
