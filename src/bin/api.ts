// `zerohop api`: the management API alone, with the feed that PDPs follow.
import type { Logger } from 'pino'
import { type Management, managementServer, openManagement } from '../server.ts'
import type { Env } from './env.ts'
import { Closers, closeOnSignals, listen } from './process.ts'

export interface ManagementSide {
  readonly management: Management
  readonly apiPort: number
}

/** Opens the data folder and serves the management API over it. */
export async function startManagement(
  env: Env,
  example: boolean,
  log: Logger,
  closers: Closers,
): Promise<ManagementSide> {
  const { data, secretsKeyFile, bootstrapKey } = env
  const management = await openManagement({
    data,
    noExample: !example,
    ...(secretsKeyFile === undefined ? {} : { secretsKeyFile }),
    ...(bootstrapKey === undefined ? {} : { bootstrapKey }),
  })
  const { store } = management
  closers.add(() => store.close())
  if (store.secretsKeyWarning !== undefined) log.warn(store.secretsKeyWarning)
  const app = managementServer(management, { logger: log.child({ part: 'api' }) })
  closers.addApp(app)
  return { management, apiPort: await listen(app, env.host, env.apiPort) }
}

/** Runs until a signal. */
export async function runApi(env: Env, options: { example: boolean }, log: Logger): Promise<void> {
  const closers = new Closers()
  try {
    await startManagement(env, options.example, log, closers)
  } catch (error) {
    await closers.close()
    throw error
  }
  closeOnSignals(closers)
}
