// Variables of the data folder and of the management servers. docs/operations.md is generated from these texts.
import {
  AUDIT_DAYS_DEFAULT,
  AUDIT_RECORDS_DEFAULT,
  BODY_MEMORY_BYTES_DEFAULT,
  CONNECTIONS_MAX_DEFAULT,
  DELTA_DAYS_DEFAULT,
  DELTA_REVISIONS_DEFAULT,
  ENDED_KEPT_SECONDS_DEFAULT,
  ENDING_MS_DEFAULT,
  ENDING_NOTICE_SECONDS_DEFAULT,
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
  Duration,
  Hosts,
  Hours,
  Issuer,
  makeChoice,
  Path,
  Pem,
  Port,
  SecondsOrNone,
  SecretsKey,
  Switch,
  Text,
  Token,
} from './value-types.ts'
import { COMMANDS, variable, withDefault } from './variable.ts'

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const LogLevel = makeChoice(LEVELS, `one of ${LEVELS.join(', ')}`)

const Reads = makeChoice(['linearizable', 'local'], '`linearizable` or `local`')
const TenantRoles = makeChoice(['within_own', 'grantable'], '`within_own` or `grantable`')
const MANAGEMENT = ['serve', 'api'] as const
const SERVERS = ['serve', 'api', 'pdp'] as const

export const SERVER_VARIABLES = {
  ZEROHOP_DATA: withDefault(Path, './data', {
    about: 'data folder (`--data`)',
    readBy: COMMANDS.filter((command) => command !== 'image' && command !== 'migrate'),
    unset: '`./data` (`/data` in the container)',
  }),
  ZEROHOP_HOST: withDefault(Text, '127.0.0.1', {
    about: 'address to listen on (`--host`)',
    readBy: [...SERVERS, 'check', 'types', 'integration'],
    unset: '`127.0.0.1` (`0.0.0.0` in the container)',
  }),
  ZEROHOP_API_PORT: withDefault(Port, 8080, {
    about: 'port of the management API; 0 picks a free port and prints it (`--api-port`)',
    readBy: [...MANAGEMENT, 'types'],
    hint: '0 = any free port',
  }),
  ZEROHOP_DRAIN_SECONDS: withDefault(SecondsOrNone, ENDING_MS_DEFAULT / 1000, {
    about:
      'seconds that a server keeps working after `SIGTERM` before it closes. Meanwhile `/ready` answers 503. Choose more than your load balancer needs to notice',
    readBy: [...SERVERS, 'integration'],
  }),
  ZEROHOP_BOOTSTRAP_KEY: variable(Text, {
    about: `first organization key of a new data folder, at least ${FIXED_KEY_LENGTH_MIN} printable characters`,
    readBy: MANAGEMENT,
    isSecret: true,
    unset: 'generated',
  }),
  ZEROHOP_ORGANIZATION_KEY: variable(Text, {
    about: 'API key of the organization',
    readBy: ['migrate'],
    isSecret: true,
  }),
  ZEROHOP_SECRETS_KEY_FILE: variable(Path, {
    about:
      'file with the key that encrypts stored secrets: 32 bytes, or 64 hex digits. Keep it outside the data folder and its backups',
    readBy: [...MANAGEMENT, 'org', 'keys', 'backup', 'export', 'import', 'database'],
    unset: '`<data>/secrets.key`, with a warning',
  }),
  ZEROHOP_DATABASE_URL: variable(DatabaseAddress, {
    about:
      'PostgreSQL database that several replicas share, as `postgres://user:password@host:5432/name`. The data folder is then only a cache. See [replicas](replicas.md)',
    readBy: [...MANAGEMENT, 'database'],
    isSecret: true,
    unset: 'no database: all data is in the data folder',
  }),
  ZEROHOP_DATABASE_MIGRATE: withDefault(Switch, true, {
    about: 'creates and upgrades the tables at startup. `false` if an administrator does that',
    readBy: [...MANAGEMENT, 'database'],
  }),
  ZEROHOP_DATABASE_LISTEN: withDefault(Switch, true, {
    about: 'uses LISTEN to learn of writes. `false`: polls the database every 50 ms',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_SECRETS_KEY: variable(SecretsKey, {
    about:
      'the key itself, as 64 hex digits, instead of a file. With a database one of the two is required, and it must be the same on all replicas',
    readBy: [...MANAGEMENT, 'database'],
    isSecret: true,
  }),
  ZEROHOP_CONSOLE: withDefault(Switch, true, {
    about: 'serves the [console](console.md) at `/console/` on the port of the management API. `off` disables it',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_CONSOLE_HOSTS: variable(Hosts, {
    about:
      'comma-separated hosts at which browsers reach the console, such as `console.example.com`. Each must use https, unless it starts with `http://`. `localhost` and other loopback names are always allowed',
    readBy: MANAGEMENT,
    unset: 'only loopback names',
  }),
  ZEROHOP_CONSOLE_ISSUER: variable(Issuer, {
    about:
      'URL of the OpenID Connect provider for [signing in to the console](console.md#signing-in-with-an-identity-provider). Also set `ZEROHOP_CONSOLE_CLIENT_ID` and `ZEROHOP_CONSOLE_ACCESS`',
    readBy: MANAGEMENT,
    unset: 'only API keys',
  }),
  ZEROHOP_CONSOLE_CLIENT_ID: variable(Text, {
    about: 'client id of the console at the provider',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_CONSOLE_CLIENT_SECRET: variable(Text, {
    about: 'client secret of the console at the provider',
    readBy: MANAGEMENT,
    isSecret: true,
    unset: 'none: a public client with PKCE',
  }),
  ZEROHOP_CONSOLE_CLAIM: withDefault(Text, 'groups', {
    about:
      'claim of the ID token, or of the user info, that the access rules match. Its value is a string or a list of strings',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_CONSOLE_SCOPES: withDefault(Text, 'openid profile', {
    about: 'space-separated scopes to request from the provider',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_CONSOLE_ACCESS: variable(AccessRules, {
    about:
      'comma-separated access rules: `value=role`, `value=role@project`, `value=role@project/environment` or `value=tenant-admin@project/environment/tenant`. Use semicolons if values contain commas. The first rule that matches applies. The other roles are `viewer`, `support`, `editor` and `admin`. The value `*` matches everyone',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_CONSOLE_USER_CLAIM: variable(Text, {
    about:
      'claim of the ID token, or of the user info, with the key of a stored user, such as `sub`. People act as that user in access requests, and rules for `tenant-admin` need it. `email` counts only with `email_verified`',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_READS: withDefault(Reads, 'linearizable', {
    about: '`local`: reads of the management API do not first ask the database for the newest state',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_TENANT_ROLES: withDefault(TenantRoles, 'within_own', {
    about:
      '`within_own`: who makes a role of a tenant, or assigns one, and is named as the [acting user](http-api.md#roles-of-a-tenant), gives no more than the own roles in that tenant have. `grantable`: what is offered to tenants is the only bound',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_IMAGE_MEMORY: withDefault(Bytes, IMAGE_MEMORY_BYTES_DEFAULT, {
    about: 'maximum bytes of all open images together, such as `512M`',
    readBy: ['serve'],
  }),
  ZEROHOP_BODY_MEMORY: withDefault(Bytes, BODY_MEMORY_BYTES_DEFAULT, {
    about:
      'maximum bytes of request bodies that a process holds at once; one API key can use a quarter. Above that, requests get 503 with `retry-after`. See [bounds of what comes in](#bounds-of-what-comes-in)',
    readBy: [...SERVERS, 'integration'],
  }),
  ZEROHOP_CONNECTIONS: withDefault(Count, CONNECTIONS_MAX_DEFAULT, {
    about: 'maximum open connections of each server. More connections are closed at once',
    readBy: [...SERVERS, 'integration'],
  }),
  ZEROHOP_METRICS_TOKEN: variable(Token, {
    about: `bearer token for [\`/metrics\`](#metrics), at least ${FIXED_KEY_LENGTH_MIN} printable characters. It shows all metrics of every process and gives no other access`,
    readBy: SERVERS,
    isSecret: true,
  }),
  ZEROHOP_LOG_LEVEL: withDefault(LogLevel, 'info', {
    about: 'lowest level that is logged',
    readBy: [...SERVERS, 'integration'],
  }),
  ZEROHOP_RATE_LIMIT: variable(Count, {
    about:
      'maximum requests per minute and API key. Above that, the management API answers 429 with `retry-after`. Each [replica](replicas.md#sizing) counts separately',
    readBy: MANAGEMENT,
    unset: 'off',
  }),
  ZEROHOP_RATE_LIMIT_WRITES: variable(Count, {
    about: 'maximum writes per minute and API key: requests other than GET and reports of PDPs',
    readBy: MANAGEMENT,
    unset: 'off',
  }),
  ZEROHOP_DELTA_REVISIONS: withDefault(Count, DELTA_REVISIONS_DEFAULT, {
    about: 'number of revisions per log for which deltas are kept. A PDP that is further behind loads a whole image',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_DELTA_DAYS: withDefault(Days, DELTA_DAYS_DEFAULT, {
    about: 'days for which deltas are kept. A delta beyond either limit is deleted',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_HISTORY_REVISIONS: withDefault(Count, HISTORY_REVISIONS_DEFAULT, {
    about: 'number of history entries that are kept per log, without their changes',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_HISTORY_DAYS: withDefault(Days, HISTORY_DAYS_DEFAULT, {
    about:
      'days for which history is kept, at least as long as the deltas. After that, nothing is left of a deleted environment',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_ENDED_KEPT: withDefault(Duration, ENDED_KEPT_SECONDS_DEFAULT, {
    about:
      'how long role assignments and relationship tuples are kept after their end, such as `30d` or `12h`. After that they are [deleted](#what-has-ended)',
    readBy: MANAGEMENT,
    unset: '`30d`',
  }),
  ZEROHOP_ENDING_NOTICE: withDefault(Duration, ENDING_NOTICE_SECONDS_DEFAULT, {
    about:
      'how long before their end role assignments and relationship tuples are [announced](#what-has-ended), such as `1d` or `8h`. 0: not at all',
    readBy: MANAGEMENT,
    unset: '`1d`',
  }),
  ZEROHOP_PAST_REVISIONS: withDefault(CountOrNone, PAST_REVISIONS_DEFAULT, {
    about: 'number of past revisions per environment that can be queried. 0: none',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_PAST_DAYS: withDefault(Days, PAST_DAYS_DEFAULT, {
    about:
      'days for which past revisions are kept. Deleted data can be read for that long. A revision beyond either limit is deleted',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_PAST_BYTES: withDefault(Bytes, PAST_BYTES_DEFAULT, {
    about:
      'maximum bytes of all checkpoints in a data folder. The newest checkpoint of each environment is always kept',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_AUDIT_RECORDS: withDefault(Count, AUDIT_RECORDS_DEFAULT, {
    about: 'number of decision records that are kept per environment',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_AUDIT_DAYS: withDefault(Days, AUDIT_DAYS_DEFAULT, {
    about: 'days for which decision records are kept',
    readBy: MANAGEMENT,
  }),
  ZEROHOP_SCRUB_HOURS: withDefault(Hours, SCRUB_HOURS_DEFAULT, {
    about: `hours between two checks of all data on disk, at most ${SCRUB_HOURS_MAX}. 0 turns them off. See [is the data whole?](#is-the-data-whole)`,
    readBy: MANAGEMENT,
  }),
  ZEROHOP_IMAGE_SIGNING_KEY: variable(Pem, {
    about: 'Ed25519 private key. The management side signs images and deltas with it, and `image sign` signs a file',
    readBy: [...MANAGEMENT, 'image'],
    isSecret: true,
  }),
}
