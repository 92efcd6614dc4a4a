// The decision log of `serve` and `pdp`, configured by the variables PDP_DECISION_LOG*. A failure is logged once when
// it begins and once when it ends.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { DecisionLog } from '../../decision-log/decision-log.ts'
import type { Sink } from '../../decision-log/forwarder.ts'
import { streamSink } from '../../decision-log/stdout.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { ServerOptions } from '../../server.ts'
import type { Env } from '../configuration/env.ts'
import type { Closers } from './process.ts'

type Served = NonNullable<ServerOptions['decisionLog']>

/** An unreachable sink loses nothing: its records wait in the journal. */
const SAYS = {
  journal: ['decisions are not recorded', 'decisions are recorded again'],
  sink: ['decisions wait on disk, they are not sent', 'decisions are sent again'],
} as const

/**
 * Opens the log; undefined when it is off. `api` sends to the management API, as `owner`.
 * @param unset where decisions go when PDP_DECISION_LOG does not say
 * @throws DATA_READ_ONLY, DISK_FULL, CONFIG_INVALID
 */
export async function startDecisionLog(
  env: Env,
  log: Logger,
  closers: Closers,
  api: Sink | undefined,
  owner: string,
  unset: readonly 'api'[] = [],
): Promise<Served | undefined> {
  const { sinks = unset, policy, bufferBytes, fileBytes, files, attributes, reasons } = env.decisionLog
  if (sinks.length === 0) return undefined
  const targets: Sink[] = []
  if (sinks.includes('stdout')) targets.push(streamSink())
  if (sinks.includes('api')) {
    if (api === undefined)
      throw new ZerohopError('CONFIG_INVALID', { reason: 'PDP_DECISION_LOG=api needs a management API' })
    targets.push(api)
  }
  const decisionLog = await DecisionLog.open({
    folder: env.decisionLog.folder ?? join(env.data, 'decisions'),
    policy,
    sinks: targets,
    keepFiles: sinks.includes('file') ? files : undefined,
    fileBytes,
    bufferBytes,
    newId: () => randomBytes(16).toString('hex'),
    owner,
    onEvent: (event) => {
      const { part } = event
      const [fails, works] = SAYS[part === 'journal' ? 'journal' : 'sink']
      if (event.event === 'working') log.info({ sink: part }, works)
      else log.error({ sink: part, code: event.error.code }, `${fails}: ${event.error.message}`)
    },
  })
  closers.add(() => decisionLog.close())
  const { recorder } = decisionLog
  return {
    recorder,
    attributes,
    reasons,
    stats: () => ({
      ...recorder.stats,
      lost: decisionLog.lost,
      waitingBytes: decisionLog.waitingBytes,
      bytes: decisionLog.bytes,
    }),
  }
}
