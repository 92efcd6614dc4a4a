// `zerohop api`: the management API alone, with the feed that PDPs follow.
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { fitsSocket } from '../../http/admin-client.ts'
import { serveAdmin } from '../../http/admin-socket.ts'
import type { RequestTracer } from '../../http/tracing.ts'
import { runAdmin } from '../../management/host/admin.ts'
import type { ExampleName } from '../../management/host/example-policies.ts'
import { keepRetention, type RetentionEvent } from '../../management/host/retention.ts'
import { hashSecret } from '../../management/objects/api-key.ts'
import type { CheckpointEvent } from '../../management/past/checkpoints.ts'
import { ZerohopError } from '../../model/errors.ts'
import { type Management, managementServer, openManagement, readKeys } from '../../server.ts'
import type { UpkeepEvent } from '../../store/settings.ts'
import { type Env, envSecrets } from '../configuration/env.ts'
import { readTls, reloadOnHangup } from '../configuration/tls.ts'
import { Closers, closeOnSignals, formatUrl, listen, makeIntake, newId, stopper } from '../process/process.ts'
import { toReplica } from '../process/replica-settings.ts'
import { startTracing } from '../process/start-tracing.ts'
import { formatReason, unhandledRejections } from '../process/unhandled.ts'
import { whenDatabaseAnswers } from '../process/wait-for-database.ts'

export interface StartOptions {
  /** whether a new folder gets an example policy, or which one */
  readonly example: boolean | ExampleName
  /** compares the whole data folder before anything is served */
  readonly verify: boolean
}

export interface ManagementSide {
  readonly management: Management
  readonly apiPort: number
  readonly app: ReturnType<typeof managementServer>
}

/** Opens the data folder and serves the management API over it. */
export async function startManagement(
  env: Env,
  { example, verify }: StartOptions,
  log: Logger,
  closers: Closers,
  tracer?: RequestTracer,
): Promise<ManagementSide> {
  const { data, secretsKeyFile, bootstrapKey } = env
  const tls = readTls(env)
  if (verify && env.database === undefined) await (await import('./data.ts')).requireWhole(data, log, upgradeLog(log))
  const replica = toReplica(env)
  const settings = {
    data,
    noExample: example === false,
    ...(typeof example === 'string' ? { example } : {}),
    signingKey: env.imageSigningKey,
    upgrading: upgradeLog(log),
    ...(secretsKeyFile === undefined ? {} : { secretsKeyFile }),
    ...(bootstrapKey === undefined ? {} : { bootstrapKey }),
    onCheckpoint: (event: CheckpointEvent) => logCheckpoint(event, log),
    replica,
  }
  const open = () => openManagement(settings)
  const management = await (replica === undefined ? open() : whenDatabaseAnswers(open, env, log, tls))
  const { store, snapshots, audit, checkpoints } = management
  closers.add(() => store.close())
  store.listen((event) => {
    if (event.event === 'trouble' && event.error?.code !== 'HISTORY_LOST') logTrouble(event.error, log)
    if (event.event === 'upkeep') logUpkeep(event.upkeep, log)
    // what was lost is gone for every replica: the next start folds what the database still has
    const isLost = event.event === 'trouble' && event.error?.code === 'HISTORY_LOST'
    if (event.event !== 'writer died' && !isLost) return
    const { error } = event
    if (error === undefined) return
    const { code, message } = error
    const reason = error.cause === undefined ? {} : { reason: formatReason(error.cause, envSecrets(env)) }
    log.fatal({ code, ...reason }, `${message}; the process ends`)
    stopper(closers, undefined, 1)(0)
  })
  for (const event of store.atStart) logUpkeep(event, log)
  if (store.historyLost !== undefined) {
    const { code, message } = store.historyLost
    log.error({ code, message }, 'the database had lost revisions of this replica: the replica rebuilt its state')
  }
  if (store.secretsKeyWarning !== undefined) log.warn(store.secretsKeyWarning)
  const onEvent = (event: RetentionEvent): void => {
    if (event.event === 'failed') log.warn({ err: event.error }, 'could not delete what has expired or ended')
    else {
      const { environment, revision, count } = event
      log.info({ environment, revision, count }, 'grants end soon')
    }
  }
  const retention = { ...env.retention, images: snapshots, checkpoints, audit }
  const stop = keepRetention(store, retention, { now: Date.now, onEvent })
  closers.add(async () => stop())
  if (env.scrubMs > 0) scrub(management, env.scrubMs, log)
  const app = managementServer(management, {
    logger: log.child({ part: 'api' }),
    openMetrics: env.openMetrics,
    ...(env.console === undefined ? {} : { console: env.console }),
    ...(env.metricsToken === undefined ? {} : { metricsToken: env.metricsToken }),
    unhandledRejections,
    reads: env.reads,
    tenantRoles: env.tenantRoles,
    intake: makeIntake(env),
    ...(tls === undefined ? {} : { tls }),
    ...(tracer === undefined ? {} : { tracer }),
    ...(Object.keys(env.rateLimits).length === 0 ? {} : { rateLimits: env.rateLimits }),
  })
  await serveCommands(management, app, env, log, closers)
  closers.addApp(app)
  return { management, app, apiPort: await listen(app, env.host, env.apiPort) }
}

/** Logs what goes wrong with the checkpoints of the past. */
function logCheckpoint(event: CheckpointEvent, log: Logger): void {
  const { environment } = event
  if (event.event === 'checkpoint failed')
    log.error({ environment, err: event.error }, 'a checkpoint for past revisions could not be written')
  else
    log.error({ environment, revision: event.revision }, 'a checkpoint for past revisions was damaged and was removed')
}

/** Logs when the database stops to answer, and when it answers again. */
function logTrouble(error: ZerohopError | undefined, log: Logger): void {
  if (error === undefined) log.info('the database answers again')
  else log.error({ code: error.code }, error.message)
}

/** Logs what a replica did for the record. */
function logUpkeep({ what, ...about }: UpkeepEvent, log: Logger): void {
  if (what === 'written') log.info(about, 'a snapshot was written')
  else if (what === 'confirmed') log.info(about, 'a snapshot was confirmed')
  else if (what === 'refused') log.error(about, 'a snapshot was rejected: replicas have different states')
  else if (what === 'trimmed') log.info(about, 'old entries were trimmed')
  else if (what === 'reloaded') log.warn(about, 'entries that this replica lacked were trimmed: it loaded a snapshot')
  else log.warn(about, 'snapshots and trimming failed')
}

/** Verifies the data periodically; damage is logged and counted in the metrics. */
function scrub({ store }: Management, everyMs: number, log: Logger): void {
  store.scrub.start({
    everyMs,
    now: Date.now,
    onEvent: (event) => {
      if (event.event === 'damaged') log.error({ err: event.damage.error }, 'data on disk is damaged')
      else if (event.event === 'failed') log.warn({ err: event.error }, 'the data folder could not be verified')
      else {
        const { checked, damages } = event.verified
        log.info({ checked, damages }, 'the data folder was verified')
      }
    },
  })
}

/** Logs the start of an upgrade and every tenth of its progress. */
function upgradeLog(log: Logger): (done: number, total: number) => void {
  let tenth = -1
  return (done, total) => {
    const now = total === 0 ? 10 : Math.floor((10 * done) / total)
    if (now === tenth) return
    tenth = now
    log.info({ percent: 10 * now, done, total }, 'upgrading the data folder')
  }
}

/** Serves the operator's commands while this process has locked the folder. */
async function serveCommands(
  { store, past }: Management,
  app: ManagementSide['app'],
  env: Env,
  log: Logger,
  closers: Closers,
): Promise<void> {
  const { data } = env
  const path = join(data, 'admin.sock')
  if (!fitsSocket(path)) {
    log.warn({ path }, 'the path of the data folder is too long for admin.sock: stop the server to run commands')
    return
  }
  const run = (command: string, input: unknown) =>
    runAdmin(
      { store, data, newId, past, answer: app.answerSystem, signInLink: () => signInLink(env, app) },
      command,
      input,
    )
  closers.add(await serveAdmin(path, run))
}

/** Where the link that signs in once works: a browser on this machine reaches these. */
const LOCAL_HOST = /^(localhost|127\.[\d.]+|::1|0\.0\.0\.0|::)$/

/** The address of the console with a token that signs in once, with the key of keys.json. @throws CONFIG_INVALID */
export function signInLink(env: Env, app: ManagementSide['app']): string {
  const key = readKeys(env.data)?.organization
  const address = app.server.address() as AddressInfo | null
  const reason =
    app.console === undefined || address === null
      ? 'this server does not serve the console'
      : !LOCAL_HOST.test(env.host)
        ? `the link works on the machine of the server only, and this one listens at ${env.host} alone`
        : key === undefined
          ? 'keys.json has no key of the organization any more: sign in with an API key'
          : undefined
  if (reason !== undefined) throw new ZerohopError('CONFIG_INVALID', { reason })
  const secure = readTls(env) !== undefined
  return `${formatUrl(env.host, address!.port, secure)}/console/#token=${app.console!.link(hashSecret(key!))}`
}

/** Runs until a signal. */
export async function runApi(env: Env, options: StartOptions, log: Logger): Promise<void> {
  const closers = new Closers()
  try {
    const tracer = await startTracing(env, 'api', log, closers)
    const { app } = await startManagement(env, options, log, closers, tracer)
    reloadOnHangup(env, [app], log)
  } catch (error) {
    await closers.close()
    throw error
  }
  closeOnSignals(closers, env.drainMs)
}
