// `zerohop serve`: management API and PDP in one process on one data folder. The PDP answers for the environment of the
// bearer key of each request. On a terminal it prints its addresses and a command to try.
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Sink } from '../../decision-log/forwarder.ts'
import {
  EXAMPLE_NAMES,
  EXAMPLES,
  type ExampleName,
  type ExamplePolicy,
} from '../../management/host/example-policies.ts'
import { keysPath } from '../../management/objects/keys-file.ts'
import { DECISION_SEND_MS } from '../../model/limits.ts'
import { type Management, pooledPdpServer, readKeys } from '../../server.ts'
import type { Env } from '../configuration/env.ts'
import { readTls, reloadOnHangup } from '../configuration/tls.ts'
import { startDecisionLog } from '../process/decision-logging.ts'
import {
  Closers,
  closeOnSignals,
  formatUrl,
  listen,
  listenOpa,
  pdpOptions,
  warnOfPublicUrl,
} from '../process/process.ts'
import { startTracing } from '../process/start-tracing.ts'
import { unhandledRejections } from '../process/unhandled.ts'
import { type ManagementSide, type StartOptions, signInLink, startManagement } from './api.ts'
import { eventLog } from './pdp.ts'

const LOOPBACK_HOST = /^(localhost|127\.[\d.]+|::1)$/

/** Runs until a signal. */
export async function runServe(env: Env, options: StartOptions, log: Logger): Promise<void> {
  const closers = new Closers()
  try {
    const tracer = await startTracing(env, 'serve', log, closers)
    const { management, app: api, apiPort } = await startManagement(env, options, log, closers, tracer)
    warnOfPublicUrl(env, log)
    const tls = readTls(env)
    // in its own folder; a database that replicas share is not filled without being asked
    const unset = env.database === undefined ? (['api'] as const) : []
    const decisionLog = await startDecisionLog(env, log, closers, ownApi(management), 'serve', unset)
    const app = pooledPdpServer(management, {
      ...(decisionLog === undefined ? {} : { decisionLog }),
      ...(tls === undefined ? {} : { tls }),
      ...(tracer === undefined ? {} : { tracer }),
      unhandledRejections,
      ...pdpOptions(env, formatUrl(env.host, apiPort, tls !== undefined), true),
      strictAttributes: env.strictAttributes,
      logger: log.child({ part: 'pdp' }),
      onEvent: (event) => eventLog(log.child({ environment: event.environment }))(event),
      ...(env.imageMemoryBytes === undefined ? {} : { imageMemoryBytes: env.imageMemoryBytes }),
    })
    closers.addApp(app)
    await app.ready()
    api.console?.answerWith(app)
    const pdpPort = await listen(app, env.pdpHost, env.pdpPort)
    const opa = await listenOpa(app, env, log, closers)
    reloadOnHangup(env, [api, app, ...opa], log)
    const secure = tls !== undefined
    const urls = { api: formatUrl(env.host, apiPort, secure), pdp: formatUrl(env.pdpHost, pdpPort, secure) }
    printBanner(env, management, urls, consoleAddress(env, management, urls.api, api))
  } catch (error) {
    await closers.close()
    throw error
  }
  closeOnSignals(closers, env.drainMs)
}

/** The management API is in this process, so records are stored without HTTP. */
function ownApi({ audit }: Management): Sink {
  return {
    name: 'api',
    windowMs: DECISION_SEND_MS,
    send: async (lines) => void (await audit.append({ lines, isCompressed: false })),
  }
}

/**
 * The address of the console, which in a new folder signs in once; undefined when it is switched off. What signs in is
 * shown on a terminal only, since output is kept in logs, and where others are not meant to come from elsewhere.
 */
function consoleAddress(env: Env, { isNew }: Management, url: string, api: ManagementSide['app']): string | undefined {
  if (api.console === undefined) return undefined
  const signsIn = isNew && process.stdout.isTTY && LOOPBACK_HOST.test(env.host)
  return signsIn && readKeys(env.data)?.organization !== undefined ? signInLink(env, api) : `${url}/console/`
}

/** Prints the addresses and a command to try. The key itself is only shown on a terminal, never in a log. */
function printBanner(
  env: Env,
  management: Management,
  urls: { readonly api: string; readonly pdp: string },
  consoleUrl: string | undefined,
): void {
  const print = (line: string): void => void process.stdout.write(`${line}\n`)
  print(`management API  ${urls.api}`)
  print(`PDP             ${urls.pdp}`)
  print(`keys            ${keysPath(env.data)}`)
  if (consoleUrl !== undefined) print(`console         ${consoleUrl}`)
  if (consoleUrl?.includes('#')) print('                signs in once, on this machine, within five minutes')
  else if (consoleUrl !== undefined) print('                `zerohop console-link` prints a link that signs in once')
  const key = readKeys(env.data)?.environments.development
  const example = findExample(management)
  if (key === undefined || example === undefined) return
  const path = resolve(keysPath(env.data))
  const shown = process.stdout.isTTY
    ? key
    : `$(node -p 'JSON.parse(require("fs").readFileSync("${path}")).environments.development')`
  const { resource, users, try: asked } = EXAMPLES[example]
  const line = (user: string): string =>
    `curl -s ${urls.pdp}/allowed -H "authorization: Bearer ${shown}" -H 'content-type: application/json' ` +
    `-d '{"user":{"key":"${user}"},"action":"${asked.action}","resource":{"type":"${resource}","tenant":"default"}}'`
  const [allowed = ''] = Object.keys(users)
  print(`\nCan ${allowed} ${asked.action} ${resource}? Paste this; it answers "allow":true`)
  print(line(allowed))
  print(`\nCan ${asked.denied}? He can only ${asked.deniedMay}: "allow":false`)
  print(line(asked.denied))
}

/** The example policy that the environment `development` has. */
function findExample({ store, organization }: Management): ExampleName | undefined {
  const environments = [...store.view(organization).list('environment')]
  const development = environments.find(({ environment }) => environment === 'development')
  if (development === undefined) return undefined
  const view = store.view(development.id)
  return EXAMPLE_NAMES.find((name) => {
    const { resource, users }: ExamplePolicy = EXAMPLES[name]
    const [[user, role] = []] = Object.entries(users)
    return (
      view.get('role_assignment', `${user}/${role}/default`) !== undefined &&
      view.get('resource', resource) !== undefined
    )
  })
}
