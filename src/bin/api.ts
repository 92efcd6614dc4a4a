// `zerohop api`: the management API alone, with the feed that PDPs follow.
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { managementApp } from '../http/management/app.ts'
import { feedRoutes } from '../http/management/feed.ts'
import { openPap, type Pap } from '../pap/open.ts'
import type { Env } from './env.ts'
import { Closers, closeOnSignals, listen } from './process.ts'

export interface ManagementSide {
  readonly pap: Pap
  readonly apiPort: number
}

/** Opens the data folder and serves the management API over it. */
export async function startManagement(
  env: Env,
  noExample: boolean,
  log: Logger,
  closers: Closers,
): Promise<ManagementSide> {
  const { data, secretsKeyFile, bootstrapKey } = env
  const pap = await openPap({
    data,
    noExample,
    newId: () => randomBytes(16).toString('hex'),
    ...(secretsKeyFile === undefined ? {} : { secretsKeyFile }),
    ...(bootstrapKey === undefined ? {} : { bootstrapKey }),
  })
  const { store, snapshots } = pap
  closers.add(() => store.close())
  if (store.secretsKeyWarning !== undefined) log.warn(store.secretsKeyWarning)
  const app = managementApp({
    store,
    logger: log.child({ part: 'api' }),
    routes: (guarded) => feedRoutes(guarded, { store, snapshots }),
  })
  closers.addApp(app)
  const apiPort = await listen(app, env.host, env.apiPort)
  return { pap, apiPort }
}

/** Runs until a signal. */
export async function runApi(env: Env, options: { example: boolean }, log: Logger): Promise<void> {
  const closers = new Closers()
  try {
    await startManagement(env, !options.example, log, closers)
  } catch (error) {
    await closers.close()
    throw error
  }
  closeOnSignals(closers)
}
