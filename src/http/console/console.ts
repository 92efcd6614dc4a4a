// What the server side of the console is made of, apart from the gate: marking requests, admitting them by `Host` and
// `Origin`, headers of answers with data, and the page. Which key a session stands for is looked up in
// src/http/management/routes/console.ts.
import type { FastifyInstance } from 'fastify'
import { loadOnceListening } from '../late-modules.ts'
import { AllowedHosts } from './allowed-hosts.ts'
import { isConsole } from './console-request.ts'
import type { ProviderOptions } from './identity-provider.ts'
import { consolePage } from './page.ts'

export interface ConsoleOptions {
  /** origins under which browsers reach it, besides the loopback names: `https://console.example.com` */
  readonly origins?: readonly string[]
  /** the built page; by default that of the package */
  readonly folder?: string
  /** where users sign in, besides API keys */
  readonly provider?: ProviderOptions
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * where the page of this request is; set for requests below `/console/api` that its rules of `Host` and `Origin`
     * admit
     */
    consoleOrigin: string | undefined
  }
}

/** Data is for this page alone, and for no cache. */
const DATA_HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const

/**
 * Serves the page and puts the rules of `Host` and `Origin` before every request of the console, also to paths of no
 * route. Call it before routes are added.
 * @param isSecure whether the app itself listens with TLS
 */
export function serveConsole(app: FastifyInstance, { origins = [], folder }: ConsoleOptions, isSecure: boolean): void {
  const hosts = new AllowedHosts(origins, isSecure)
  app.decorateRequest('consoleOrigin', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    if (!isConsole(request.raw)) return done()
    reply.headers(DATA_HEADERS)
    try {
      request.consoleOrigin = hosts.require(request)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
  // with EMFILE later, the page could not be sent, nor a session be made
  loadOnceListening(app, () => Promise.all([import('@fastify/send'), import('jose')]))
  consolePage(app, folder)
}
