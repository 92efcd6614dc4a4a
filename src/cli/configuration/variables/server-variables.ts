// Variables of the data folder and of the management servers. docs/operations.md is generated from these texts.
import {
  AUDIT_DAYS_DEFAULT,
  AUDIT_RECORDS_DEFAULT,
  BODY_MEMORY_BYTES_DEFAULT,
  CONNECTIONS_MAX_DEFAULT,
  DELTA_DAYS_DEFAULT,
  DELTA_REVISIONS_DEFAULT,
  ENDING_MS_DEFAULT,
  FIXED_KEY_LENGTH_MIN,
  HISTORY_DAYS_DEFAULT,
  HISTORY_REVISIONS_DEFAULT,
  IMAGE_MEMORY_BYTES_DEFAULT,
  PAST_BYTES_DEFAULT,
  PAST_DAYS_DEFAULT,
  PAST_REVISIONS_DEFAULT,
  SCRUB_HOURS_DEFAULT,
  SCRUB_HOURS_MAX,
} from '../../../model/limits.ts'
import {
  AccessRules,
  Bytes,
  Count,
  CountOrNone,
  DatabaseAddress,
  Days,
  Hosts,
  Hours,
  Issuer,
  oneOf,
  Path,
  Pem,
  Port,
  SecondsOrNone,
  SecretsKey,
  Switch,
  Text,
  Token,
} from '../value-types.ts'
import { COMMANDS, variable, withDefault } from '../variable.ts'

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const LogLevel = oneOf(LEVELS, `one of ${LEVELS.join(', ')}`)

const Reads = oneOf(['linearizable', 'local'], '`linearizable` or `local`')
const MANAGEMENT = ['serve', 'api'] as const
const SERVERS = ['serve', 'api', 'pdp'] as const

export const SERVER_VARIABLES = {
  ZEROHOP_DATA: withDefault(Path, './data', {
    about: 'the data folder (`--data`)',
    readBy: COMMANDS.filter((command) => command !== 'image' && command !== 'migrate'),
    unset: '`./data` (`/data` in the container)',
  }),
  ZEROHOP_HOST: withDefault(Text, '127.0.0.1', {
    about: 'listen address (`--host`)',
    readBy: [...SERVERS, 'check', 'types', 'integration'],
    unset: '`127.0.0.1` (`0.0.0.0` in the container)',
  }),
  ZEROHOP_API_PORT: withDefault(Port, 8080, {
    about: 'port of the management API; 0 = any free one, printed (`--api-port`)',
    readBy: [...MANAGEMENT, 'types'],
    hint: '0 = any free one',
  }),
  ZEROHOP_DRAIN_SECONDS: withDefault(SecondsOrNone, ENDING_MS_DEFAULT / 1000, {
    about:
      'seconds that a server goes on after `SIGTERM`, with 503 at `/ready`, before it closes: longer than its load balancer takes to hear of it',
    readBy: [...SERVERS, 'integration'],
  }),
  ZEROHOP_BOOTSTRAP_KEY: variable(Text, {
    about: `the first organization key of a new folder: at least ${FIXED_KEY_LENGTH_MIN} printable characters`,
    readBy: MANAGEMENT,
    isSecret: true,
    unset: 'minted',
  }),
  ZEROHOP_ORGANIZATION_KEY: variable(Text, {
    about: 'API key of the organization',
    readBy: ['migrate'],
    isSecret: true,
  }),
  ZEROHOP_SECRETS_KEY_FILE: variable(Path, {
    about:
      'file with the key that seals secrets, 32 bytes or 64 hex digits; keep it outside the data folder and out of backups',
    readBy: [...MANAGEMENT, 'org', 'keys', 'backup', 'export', 'import', 'database'],
    unset: '`<data>/secrets.key`, with a warning',
  }),
  ZEROHOP_DATABASE_URL: variable(DatabaseAddress, {
    about:
      'PostgreSQL that several replicas share, as `postgres://user:password@host:5432/name`, see [replicas](replicas.md); the data folder is then a cache',
    readBy: [...MANAGEMENT, 'database'],
    isSecret: true,
    unset: 'none: the data folder is the truth',
  }),
  ZEROHOP_DATABASE_MIGRATE: withDefault(Switch, true, {
    about: 'creates and upgrades the tables at the start; `false` where an administrator does so',
    readBy: [...MANAGEMENT, 'database'],
  }),
  ZEROHOP_DATABASE_LISTEN: withDefault(Switch, true, {
    about: 'hears of writes by LISTEN; `false`: the database is asked every 50 ms instead',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_SECRETS_KEY: variable(SecretsKey, {
    about:
      '32 bytes as 64 hex digits, instead of a file: seals secrets in the database; one of the two is required there, and the same on all replicas',
    readBy: [...MANAGEMENT, 'database'],
    isSecret: true,
  }),
  ZEROHOP_CONSOLE: withDefault(Switch, true, {
    about: 'serves the [console](console.md) at `/console/` of the management API; `off`: it is not there',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_CONSOLE_HOSTS: variable(Hosts, {
    about:
      'hosts under which browsers reach the console, with commas between them, such as `console.example.com`; each is expected over https, unless `http://` is written before it. `localhost` and other loopback names are always among them',
    readBy: MANAGEMENT,
    unset: 'loopback names alone',
  }),
  ZEROHOP_CONSOLE_ISSUER: variable(Issuer, {
    about:
      'OpenID Connect provider where people [sign in to the console](console.md#signing-in-at-an-identity-provider); needs the client id and the rules',
    readBy: MANAGEMENT,
    unset: 'API keys alone',
  }),
  ZEROHOP_CONSOLE_CLIENT_ID: variable(Text, {
    about: 'what the console is called at the provider',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_CONSOLE_CLIENT_SECRET: variable(Text, {
    about: 'its secret',
    readBy: MANAGEMENT,
    isSecret: true,
    unset: 'none: a public client, with PKCE',
  }),
  ZEROHOP_CONSOLE_CLAIM: withDefault(Text, 'groups', {
    about: 'the claim of the ID token, or of the user info, whose values the rules name: a text or a list of texts',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_CONSOLE_SCOPES: withDefault(Text, 'openid profile', {
    about: 'scopes that the provider is asked for, with blanks between them',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_CONSOLE_ACCESS: variable(AccessRules, {
    about:
      'rules `value=role`, `value=role@project` or `value=role@project/environment` with commas between them, or semicolons where values have commas; the first one that fits counts. Roles are `viewer`, `support`, `editor` and `admin`, the value `*` is everybody',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_READS: withDefault(Reads, 'linearizable', {
    about: '`local`: reads of the management API do not ask the database for the newest state first',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_IMAGE_MEMORY: withDefault(Bytes, IMAGE_MEMORY_BYTES_DEFAULT, {
    about: 'bytes of all images that are kept open, such as `512M`',
    readBy: ['serve'],
  }),
  ZEROHOP_BODY_MEMORY: withDefault(Bytes, BODY_MEMORY_BYTES_DEFAULT, {
    about:
      'bytes of request bodies that a process holds at once, and one API key a quarter of them; above it 503 with `retry-after`, see [bounds of what comes in](#bounds-of-what-comes-in)',
    readBy: [...SERVERS, 'integration'],
  }),
  ZEROHOP_CONNECTIONS: withDefault(Count, CONNECTIONS_MAX_DEFAULT, {
    about: 'connections of each server of a process at once; further ones are closed before they are read',
    readBy: [...SERVERS, 'integration'],
  }),
  ZEROHOP_METRICS_TOKEN: variable(Token, {
    about: `bearer token of the operator, at least ${FIXED_KEY_LENGTH_MIN} printable characters: it shows everything at [\`/metrics\`](#metrics) of every process, and opens nothing else`,
    readBy: SERVERS,
    isSecret: true,
  }),
  ZEROHOP_LOG_LEVEL: withDefault(LogLevel, 'info', {
    about: 'lines of the log from this level on',
    readBy: [...SERVERS, 'integration'],
  }),
  ZEROHOP_RATE_LIMIT: variable(Count, {
    about:
      'requests that one API key may make in a minute; above it the management API answers 429 with `retry-after`. Each [replica](replicas.md#sizing) counts for itself',
    readBy: MANAGEMENT,
    unset: 'off',
  }),
  ZEROHOP_RATE_LIMIT_WRITES: variable(Count, {
    about: 'of these, requests that are not GET, nor reports of PDPs',
    readBy: MANAGEMENT,
    unset: 'off',
  }),
  ZEROHOP_DELTA_REVISIONS: withDefault(Count, DELTA_REVISIONS_DEFAULT, {
    about: 'revisions of each log whose deltas a follower can still get; one that is further behind takes an image',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_DELTA_DAYS: withDefault(Days, DELTA_DAYS_DEFAULT, {
    about: 'days for which deltas are kept; whatever is over either bound goes',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_HISTORY_REVISIONS: withDefault(Count, HISTORY_REVISIONS_DEFAULT, {
    about: 'entries that the history of each log keeps, without their changes',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_HISTORY_DAYS: withDefault(Days, HISTORY_DAYS_DEFAULT, {
    about:
      'days that history goes back; never less than the deltas. After it, nothing is left of an environment that was deleted',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_PAST_REVISIONS: withDefault(CountOrNone, PAST_REVISIONS_DEFAULT, {
    about: 'revisions of each environment that can be asked about, with the changes that led to them; 0 for none',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_PAST_DAYS: withDefault(Days, PAST_DAYS_DEFAULT, {
    about:
      'days that past revisions go back: until then what was deleted can still be read; whatever is over either bound goes',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_PAST_BYTES: withDefault(Bytes, PAST_BYTES_DEFAULT, {
    about: 'bytes of all checkpoints of a data folder together; the newest of each environment stays',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_AUDIT_RECORDS: withDefault(Count, AUDIT_RECORDS_DEFAULT, {
    about: 'records of decisions that each environment keeps',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_AUDIT_DAYS: withDefault(Days, AUDIT_DAYS_DEFAULT, {
    about: 'days that records of decisions are kept',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_SCRUB_HOURS: withDefault(Hours, SCRUB_HOURS_DEFAULT, {
    about: `hours between two comparisons of all data on disk, see [is the data whole?](#is-the-data-whole); 0 = none, at most ${SCRUB_HOURS_MAX}`,
    readBy: MANAGEMENT,
  }),
  ZEROHOP_IMAGE_SIGNING_KEY: variable(Pem, {
    about: 'Ed25519 private key: the management side signs images and deltas with it, and `image sign` a file',
    readBy: [...MANAGEMENT, 'image'],
    isSecret: true,
  }),
}
