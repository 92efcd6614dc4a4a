// Variables of the PDP, alone or in one process with the management API. docs/operations.md is generated from these
// texts.
import { FACTS_WAIT_DEFAULT_MS, FACTS_WAIT_MAX_MS, FORWARD_TIMEOUT_MS } from '../../../model/limits.ts'
import {
  AnySeconds,
  BaseAddress,
  makeChoice,
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
} from './value-types.ts'
import { variable, withDefault } from './variable.ts'

const PDPS = ['serve', 'pdp'] as const
const SERVERS = ['serve', 'api', 'pdp'] as const

const TimeoutPolicy = makeChoice(['ignore', 'fail'], 'ignore or fail', (text) => text.toLowerCase())

export const PDP_VARIABLES = {
  PDP_HOST: variable(Text, {
    about: 'address the PDP listens on',
    readBy: [...PDPS, 'check'],
    unset: 'value of `ZEROHOP_HOST`',
  }),
  PDP_PORT: withDefault(Port, 7000, {
    about: 'port of the PDP; 0 picks a free port and prints it (`--pdp-port`)',
    readBy: [...PDPS, 'check'],
    hint: '0 = any free port',
  }),
  PDP_API_KEY: variable(Text, {
    about:
      'API key. `pdp`: the key of the environment to serve, which callers send as their bearer token. Other commands: the key that they send',
    readBy: [
      'pdp',
      'pdps',
      'check',
      'why',
      'log',
      'history',
      'grant',
      'revoke',
      'grants',
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
      'instead of `PDP_API_KEY`: an organization key with access `admin`. The PDP uses it to fetch the key of its environment at startup, so it cannot start offline',
    readBy: ['pdp'],
    isSecret: true,
  }),
  PDP_PROJECT_API_KEY: variable(Text, {
    about: 'the same, with the key of a project. Used instead of the organization key when both are set',
    readBy: ['pdp'],
    isSecret: true,
  }),
  PDP_ACTIVE_PROJECT: variable(Text, {
    about: 'with an organization key: id or key of the project to serve',
    readBy: ['pdp'],
  }),
  PDP_ACTIVE_ENV: variable(Text, {
    about: 'with an organization or project key: id or key of the environment to serve',
    readBy: ['pdp'],
  }),
  ZEROHOP_PDP_NAME: variable(PdpName, {
    about: 'name of this PDP in the [list of PDPs](pdp-api.md#the-list-of-pdps)',
    readBy: ['pdp'],
    unset: 'host name',
  }),
  PDP_CONTROL_PLANE: variable(BaseAddress, {
    about: 'URL of the management API. Plain http to another machine causes a warning',
    readBy: ['pdp', 'image', 'types'],
  }),
  ZEROHOP_API: variable(BaseAddress, {
    about: 'URL of the management API that the command calls with the key in PDP_API_KEY (`--api`)',
    readBy: [
      ...['pdps', 'plan', 'apply', 'diff', 'copy', 'why', 'log', 'history', 'grant', 'revoke', 'grants'],
      ...['export', 'import', 'keys', 'org'],
    ] as const,
  }),
  PDP_ACCEPT_NOW: withDefault(Switch, false, {
    about:
      'takes the `now` in the context of a request as the time of the question (D8, D15). Otherwise the PDP sets it to its own time. Callers who can set `now` can choose the time of a decision',
    readBy: PDPS,
  }),
  PDP_STRICT_ATTRIBUTES: withDefault(Switch, false, {
    about:
      'refuses a request with 422 if an attribute of the user or resource does not have its declared type, or if `context.now` is not an instant. Otherwise conditions ignore such values (D7), and `zerohop_ill_typed_attributes_total` counts them',
    readBy: PDPS,
  }),
  PDP_DEBUG: withDefault(Switch, false, {
    about:
      'adds an explanation to each answer, as the header `x-explain: true` does. `debug` contains the codes and reasons of [semantics](semantics.md), the nearest set rules that did not match, and notes',
    readBy: PDPS,
  }),
  PDP_ALLOW_METRICS_UNAUTHENTICATED: withDefault(Switch, false, {
    about:
      '[`/metrics`](#metrics) of both servers needs no key and shows the totals of all organizations. Prefer `ZEROHOP_METRICS_TOKEN`',
    readBy: SERVERS,
  }),
  PDP_MAX_STALENESS: variable(Seconds, {
    about:
      'maximum age of the image in seconds. Checks answer 503 if the image has not been known to be current for this long',
    readBy: ['pdp'],
    unset: 'off, with a warning',
  }),
  PDP_OPA_PORT: variable(Port, {
    about:
      'port of the OPA-style data API that some SDKs call. If the default port is in use, the PDP prints a warning and starts without it',
    readBy: PDPS,
    unset: '8181 when the PDP is on 7000, else off',
  }),
  PDP_LOCAL_FACTS_WAIT_TIMEOUT: withDefault(AnySeconds, FACTS_WAIT_DEFAULT_MS / 1000, {
    about: `seconds that a write of facts through the PDP waits until checks of this PDP see it. 0: does not wait. Negative: waits the maximum, ${FACTS_WAIT_MAX_MS / 1000} seconds`,
    readBy: PDPS,
  }),
  PDP_LOCAL_FACTS_TIMEOUT_POLICY: withDefault(TimeoutPolicy, 'ignore', {
    about: 'answer to such a write if checks do not see it in time. `ignore`: the normal answer. `fail`: 424',
    readBy: PDPS,
  }),
  PDP_CONTROL_PLANE_TIMEOUT: withDefault(Seconds, FORWARD_TIMEOUT_MS / 1000, {
    about: 'a forwarded request is aborted after this many seconds without data',
    readBy: PDPS,
  }),
  PDP_CONTAINER_CONTROL_KEY: variable(Text, {
    about: 'bearer token for `POST /_exit`, which ends the process as `SIGTERM` does. Without it the route is disabled',
    readBy: PDPS,
    isSecret: true,
  }),
  PDP_WORKERS: withDefault(Workers, 1, {
    about: 'number of processes that share the port of `pdp`. Each has its own image. Use as many as the PDP has cores',
    readBy: ['pdp'],
  }),
  PDP_IMAGE_PUBLIC_KEY: variable(Pem, {
    about: 'Ed25519 public key. With it the PDP accepts only [signed](#signed-images) images and deltas',
    readBy: ['pdp', 'check', 'image', 'types'],
  }),
  PDP_TLS_CERT: variable(Path, {
    about:
      'PEM file of a certificate with its chain. Together with `PDP_TLS_KEY`, both servers use TLS 1.2 or later. They reload the files on `SIGHUP`',
    readBy: [...SERVERS, 'check', 'types'],
    unset: 'plain http',
  }),
  PDP_TLS_KEY: variable(Path, {
    about: 'PEM file of the private key of that certificate',
    readBy: SERVERS,
    unset: 'plain http',
  }),
  PDP_OFFLINE_MODE_BACKUP_DIR: variable(Path, {
    about: 'folder in which a PDP keeps its last image',
    readBy: ['pdp'],
    unset: '`<data>/pdp`',
  }),
  PDP_PUBLIC_URL: variable(PublicAddress, {
    about:
      "public address of the PDP in AuthZEN's discovery document, for example that of a TLS proxy in front of it, with its path. It has no credentials and is not `0.0.0.0`. Without https there is a warning",
    readBy: PDPS,
    unset: 'the address it listens on',
  }),
  PDP_AUTHZEN_SUBJECT_TYPES: variable(Words, {
    about:
      'comma-separated AuthZEN subject types that mean a user. A subject of any other type is unknown, but `anonymous`: no one is signed in',
    readBy: PDPS,
    unset: '`user,identity`',
  }),
}
