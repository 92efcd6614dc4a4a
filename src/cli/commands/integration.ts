// `zerohop integration`: the reference integration backend on port 8000. --demo adds a page and a stand-in identity
// provider, so that everything from sign-in to decision runs on one machine without an account.
import type { Logger } from 'pino'
import { STAND_IN_ISSUER, standIn } from '../../integration/demo/provider.ts'
import { demoRoutes } from '../../integration/demo/routes.ts'
import { integrationApp } from '../../integration/integration-app.ts'
import {
  inProcess,
  type PermissionSettings,
  type Permissions,
  publicClient,
} from '../../integration/permission-client.ts'
import { makeTokens, type TokenSettings } from '../../integration/tokens.ts'
import { readKeys } from '../../management/objects/keys-file.ts'
import { ZerohopError } from '../../model/errors.ts'
import { isLoopback } from '../../model/loopback.ts'
import type { Env, IntegrationEnv } from '../configuration/env.ts'
import { Closers, closeOnSignals, formatUrl, listen, makeIntake } from '../process/process.ts'

export interface IntegrationOptions {
  readonly demo?: boolean
  /** how Zerohop is called */
  readonly client?: 'in-process' | 'permitio'
}

const DEMO_CLIENT_ID = 'zerohop-demo'

/** Runs until a signal. */
export async function runIntegration(env: Env, options: IntegrationOptions, log: Logger): Promise<void> {
  const { integration, host } = env
  const demo = options.demo ?? false
  if (demo && !isLoopback(host)) {
    throw invalid(`--demo lets everyone sign in as anyone: it listens on this machine only, not on ${host}`)
  }
  const clientId = integration.clientId ?? (demo ? DEMO_CLIENT_ID : undefined)
  if (clientId === undefined) throw invalid('CLIENT_ID is not set: it is the app client that the tokens are for')
  const provider = demo ? await standIn(clientId) : undefined
  const tokens = makeTokens(
    provider === undefined
      ? { ...toProvider(integration), clientId }
      : { issuer: STAND_IN_ISSUER, clientId, fetchJwks: async () => provider.jwks() },
  )
  const permissions = await makePermissions(options.client ?? 'in-process', resolveSettings(env, demo))
  const closers = new Closers()
  const app = integrationApp({
    tokens,
    permissions,
    logger: log.child({ part: 'integration' }),
    intake: makeIntake(env),
    ...(integration.frontendOrigin === undefined ? {} : { frontendOrigin: integration.frontendOrigin }),
  })
  closers.addApp(app)
  let port = 0
  if (provider !== undefined) {
    const origins = (): string[] => [`http://localhost:${port}`, formatUrl(host, port)]
    demoRoutes(app, { standIn: provider, clientId, origins })
    log.warn('--demo: the identity provider is a STAND-IN that lets everyone sign in as anyone')
  }
  try {
    port = await listen(app, host, integration.port)
  } catch (error) {
    await closers.close()
    throw error
  }
  process.stdout.write(`integration     ${formatUrl(host, port)}\n`)
  if (demo) process.stdout.write(`try it          http://localhost:${port}/\n`)
  closeOnSignals(closers, env.drainMs)
}

function toProvider({
  userPoolId,
  issuer,
  jwksUri,
  claims,
  audience,
}: IntegrationEnv): Omit<TokenSettings, 'clientId'> {
  return {
    claims,
    ...(userPoolId ? { userPoolId } : {}),
    ...(issuer ? { issuer } : {}),
    ...(jwksUri ? { jwksUri } : {}),
    ...(audience ? { audience } : {}),
  }
}

function makePermissions(client: 'in-process' | 'permitio', settings: PermissionSettings): Promise<Permissions> {
  return client === 'permitio' ? publicClient(settings) : inProcess(settings)
}

/** With the data folder of `npm start` no key needs to be copied for a try-out. */
function resolveSettings({ data, integration }: Env, demo: boolean): PermissionSettings {
  const { apiUrl, pdpUrl } = integration
  const token = integration.token ?? (demo ? readKeys(data)?.environments.development : undefined)
  if (token !== undefined) return { token, apiUrl, pdpUrl }
  throw invalid(
    `PERMIT_TOKEN is not set: it is the API key of the environment${demo ? `, and ${data} has no keys.json to take it from` : ''}`,
  )
}

function invalid(reason: string): ZerohopError {
  return new ZerohopError('CONFIG_INVALID', { reason })
}
