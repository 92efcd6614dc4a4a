// Variables of the PDP, alone or in one process with the management API. docs/operations.md is generated from these
// texts.
import { FACTS_WAIT_DEFAULT_MS, FACTS_WAIT_MAX_MS, FORWARD_TIMEOUT_MS } from '../../../model/limits.ts'
import {
  AnySeconds,
  BaseAddress,
  oneOf,
  Path,
  PdpName,
  Pem,
  Port,
  PublicAddress,
  Seconds,
  Switch,
  Text,
  Words,
  Workers,
} from '../value-types.ts'
import { variable, withDefault } from '../variable.ts'

const PDPS = ['serve', 'pdp'] as const
const SERVERS = ['serve', 'api', 'pdp'] as const

const TimeoutPolicy = oneOf(['ignore', 'fail'], 'ignore or fail', (text) => text.toLowerCase())

export const PDP_VARIABLES = {
  PDP_HOST: variable(Text, {
    about: 'listen address of the PDP',
    readBy: [...PDPS, 'check'],
    unset: 'as `ZEROHOP_HOST`',
  }),
  PDP_PORT: withDefault(Port, 7000, {
    about: 'port of the PDP; 0 = any free one, printed (`--pdp-port`)',
    readBy: [...PDPS, 'check'],
    hint: '0 = any free one',
  }),
  PDP_API_KEY: variable(Text, {
    about: '`pdp`: key of the environment to serve, and the bearer key that callers send; the others send it',
    readBy: [
      'pdp',
      'pdps',
      'check',
      'why',
      'log',
      'history',
      'image',
      'types',
      'plan',
      'apply',
      'diff',
      'copy',
      'export',
      'import',
      'keys',
      'org',
      'migrate',
    ],
    isSecret: true,
  }),
  PDP_ORG_API_KEY: variable(Text, {
    about:
      'without `PDP_API_KEY`: an organization key of access `admin`, by which the PDP gets the key of its environment when it starts; it cannot start offline then',
    readBy: ['pdp'],
    isSecret: true,
  }),
  PDP_PROJECT_API_KEY: variable(Text, {
    about: 'the same with the key of a project, which is preferred',
    readBy: ['pdp'],
    isSecret: true,
  }),
  PDP_ACTIVE_PROJECT: variable(Text, {
    about: 'with such a wider key: id or key of the project to serve',
    readBy: ['pdp'],
  }),
  PDP_ACTIVE_ENV: variable(Text, {
    about: 'with such a wider key: id or key of the environment to serve',
    readBy: ['pdp'],
  }),
  ZEROHOP_PDP_NAME: variable(PdpName, {
    about: 'what the [list of PDPs](pdp-api.md#the-list-of-pdps) calls this one',
    readBy: ['pdp'],
    unset: 'the name of the machine',
  }),
  PDP_CONTROL_PLANE: variable(BaseAddress, {
    about: 'URL of the management API; plain http to another machine is warned of',
    readBy: ['pdp', 'image', 'types'],
  }),
  ZEROHOP_API: variable(BaseAddress, {
    about: 'URL of the management API that the command asks, with the key PDP_API_KEY (`--api`)',
    readBy: ['pdps', 'plan', 'apply', 'diff', 'copy', 'why', 'log', 'history', 'export', 'import', 'keys', 'org'],
  }),
  PDP_ACCEPT_NOW: withDefault(Switch, false, {
    about:
      'a `now` in the context of a request is kept; otherwise the PDP sets it to its own time (D8): who may set it may choose the hour of a decision',
    readBy: PDPS,
  }),
  PDP_STRICT_ATTRIBUTES: withDefault(Switch, false, {
    about:
      'a request whose user or resource attributes are not of their declared types, or whose `context.now` is no instant, is refused with 422; otherwise conditions do not see them (D7), and `zerohop_ill_typed_attributes_total` counts them',
    readBy: PDPS,
  }),
  PDP_DEBUG: withDefault(Switch, false, {
    about:
      'answers carry the path to the decision, as with the header `x-explain: true`: `debug` has codes and reasons of [semantics](semantics.md), the nearest set rules that do not allow, and notes',
    readBy: PDPS,
  }),
  PDP_ALLOW_METRICS_UNAUTHENTICATED: withDefault(Switch, false, {
    about:
      '[`/metrics`](#metrics) shows everything to whoever reaches a port, of both servers: totals of all organizations. Prefer `ZEROHOP_METRICS_TOKEN`',
    readBy: SERVERS,
  }),
  PDP_MAX_STALENESS: variable(Seconds, {
    about: 'seconds since the image was last known to be current after which checks answer 503',
    readBy: ['pdp'],
    unset: 'off, with a warning',
  }),
  PDP_OPA_PORT: variable(Port, {
    about: 'port of the OPA-shaped data API that some SDKs ask; a busy one is a warning, unless it is set',
    readBy: PDPS,
    unset: '8181 when the PDP is on 7000, else off',
  }),
  PDP_LOCAL_FACTS_WAIT_TIMEOUT: withDefault(AnySeconds, FACTS_WAIT_DEFAULT_MS / 1000, {
    about: `seconds that a write of facts through the PDP waits until its checks see it; 0 = not, negative = the most, ${FACTS_WAIT_MAX_MS / 1000}`,
    readBy: PDPS,
  }),
  PDP_LOCAL_FACTS_TIMEOUT_POLICY: withDefault(TimeoutPolicy, 'ignore', {
    about:
      'what such a write is answered with when it was not seen in time: `ignore` its answer all the same, `fail` 424',
    readBy: PDPS,
  }),
  PDP_CONTROL_PLANE_TIMEOUT: withDefault(Seconds, FORWARD_TIMEOUT_MS / 1000, {
    about: 'seconds without a byte after which a forwarded request is given up',
    readBy: PDPS,
  }),
  PDP_CONTAINER_CONTROL_KEY: variable(Text, {
    about: 'the bearer key with which `POST /_exit` ends the process as `SIGTERM` does; without it the route refuses',
    readBy: PDPS,
    isSecret: true,
  }),
  PDP_WORKERS: withDefault(Workers, 1, {
    about:
      'processes that answer on the port of `pdp`, each with an image of its own: as many as there are cores for it',
    readBy: ['pdp'],
  }),
  PDP_IMAGE_PUBLIC_KEY: variable(Pem, {
    about: 'Ed25519 public key: a PDP then believes only images and deltas that are [signed](#signed-images)',
    readBy: ['pdp', 'check', 'image', 'types'],
  }),
  PDP_TLS_CERT: variable(Path, {
    about:
      'PEM file of a certificate with its chain: with `PDP_TLS_KEY` both servers listen with TLS, 1.2 or later, and read the files again on `SIGHUP`',
    readBy: [...SERVERS, 'check', 'types'],
    unset: 'plain http',
  }),
  PDP_TLS_KEY: variable(Path, {
    about: 'PEM file of the key of that certificate',
    readBy: SERVERS,
    unset: 'plain http',
  }),
  PDP_OFFLINE_MODE_BACKUP_DIR: variable(Path, {
    about: 'where a PDP keeps its last image',
    readBy: ['pdp'],
    unset: '`<data>/pdp`',
  }),
  PDP_PUBLIC_URL: variable(PublicAddress, {
    about:
      "address of the PDP that AuthZEN's discovery names, such as the one of the TLS proxy before it, with its path if it has one; without credentials, https (else a warning), and not `0.0.0.0`",
    readBy: PDPS,
    unset: 'the address it listens on',
  }),
  PDP_AUTHZEN_SUBJECT_TYPES: variable(Words, {
    about:
      'types of an AuthZEN subject that mean a user, with commas between them; a subject of another type is unknown',
    readBy: PDPS,
    unset: '`user,identity`',
  }),
}
