// Variables of the decision log and of traces. docs/operations.md is generated from these texts.
import {
  DECISION_BUFFER_BYTES_DEFAULT,
  DECISION_FILE_BYTES_DEFAULT,
  DECISION_FILES_DEFAULT,
} from '../../../model/limits.ts'
import { Address, Bytes, Count, oneOf, Pairs, Path, Switch, someOf, Text } from '../value-types.ts'
import { variable, withDefault } from '../variable.ts'

const PDPS = ['serve', 'pdp'] as const
const SERVERS = ['serve', 'api', 'pdp'] as const

const Sinks = someOf(['file', 'stdout', 'api'], '`off`, or some of `file`, `stdout` and `api` with commas between')
const Policy = oneOf(['block', 'drop'], '`block` or `drop`')
const Exporter = oneOf(['otlp', 'console', 'none'], '`otlp`, `console` or `none`')

export const RECORD_VARIABLES = {
  PDP_DECISION_LOG: variable(Sinks, {
    about:
      'where a record of each decision goes, several with commas; `api` is the management API; [decision log](decision-log.md)',
    readBy: PDPS,
    unset: '`serve` without a database: `api`, else `off`',
  }),
  PDP_DECISION_LOG_FOLDER: variable(Path, {
    about: 'its files; also the buffer of what is sent elsewhere',
    readBy: PDPS,
    unset: '`<data>/decisions`',
  }),
  PDP_DECISION_LOG_POLICY: variable(Policy, {
    about: 'when a record cannot be kept: `block` answers 503, `drop` answers and counts the loss',
    readBy: PDPS,
    unset: '`block` when the sink is `file` alone, else `drop`',
  }),
  PDP_DECISION_LOG_BUFFER: withDefault(Bytes, DECISION_BUFFER_BYTES_DEFAULT, {
    about: 'bytes that may wait for `stdout` or `api`',
    readBy: PDPS,
  }),
  PDP_DECISION_LOG_FILE_SIZE: withDefault(Bytes, DECISION_FILE_BYTES_DEFAULT, {
    about: 'bytes after which a new file begins',
    readBy: PDPS,
  }),
  PDP_DECISION_LOG_FILES: withDefault(Count, DECISION_FILES_DEFAULT, {
    about: 'files that the sink `file` keeps',
    readBy: PDPS,
  }),
  PDP_DECISION_LOG_ATTRIBUTES: withDefault(Switch, false, {
    about: 'records hold the attributes and the context that were sent',
    readBy: PDPS,
  }),
  PDP_DECISION_LOG_READ_ATTRIBUTES: withDefault(Switch, false, {
    about:
      'records hold those of them that the rules of the permission read: enough to [replay](past-decisions.md) a decision',
    readBy: PDPS,
  }),
  PDP_DECISION_LOG_REASONS: withDefault(Switch, false, {
    about:
      'records say what allowed or refused; each decision is explained for it, which takes longer than the decision',
    readBy: PDPS,
  }),
  OTEL_TRACES_EXPORTER: variable(Exporter, {
    about: 'traces by OpenTelemetry; see [traces](#traces)',
    readBy: SERVERS,
    unset: '`otlp` when an address below is set, else `none`',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(Address, {
    about: 'where the collector is: its base',
    readBy: SERVERS,
    unset: '`http://localhost:4318`',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: variable(Address, {
    about: 'where the collector is: the very address of traces',
    readBy: SERVERS,
    unset: 'below the base',
  }),
  OTEL_SDK_DISABLED: withDefault(Switch, false, {
    about: 'no traces, whatever else is set',
    readBy: SERVERS,
  }),
  OTEL_SERVICE_NAME: variable(Text, {
    about: 'name of the service in traces',
    readBy: SERVERS,
    unset: '`zerohop-` and the command',
  }),
  OTEL_RESOURCE_ATTRIBUTES: variable(Pairs, {
    about: 'further attributes of the resource: `name=value,name=value`, percent-encoded where a value holds a comma',
    readBy: SERVERS,
  }),
}
