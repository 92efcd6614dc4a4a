// What `--demo` adds to the backend: the page, its style and script, and the stand-in provider. All of it is served by
// this process, and the whole backend then answers only to host names of this machine: otherwise a foreign page that
// points its own name here (DNS rebinding) would be of the same origin, and could sign in as anyone.
import type { FastifyInstance } from 'fastify'
import { isLoopback } from '../../model/loopback.ts'
import { DEMO_CSS, DEMO_JS, demoPage } from './demo-page.ts'
import type { StandIn } from './provider.ts'

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"

export interface DemoOptions {
  readonly standIn: StandIn
  readonly clientId: string
  /** the origins under which the page is reached */
  readonly origins: () => readonly string[]
}

export function demoRoutes(app: FastifyInstance, { standIn, clientId, origins }: DemoOptions): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (isOwnHost(request.headers.host)) return done()
    reply
      .code(421)
      .type('text/plain; charset=utf-8')
      .send('This demo answers on this machine only: use http://localhost\n')
  })
  const files = [
    ['/', 'text/html; charset=utf-8', demoPage(clientId)],
    ['/demo.css', 'text/css; charset=utf-8', DEMO_CSS],
    ['/demo.js', 'text/javascript; charset=utf-8', DEMO_JS],
  ] as const
  for (const [path, type, text] of files) {
    app.get(path, (_request, reply) => {
      reply.type(type).header('content-security-policy', POLICY).header('cache-control', 'no-store').send(text)
    })
  }
  standIn.routes(app, origins)
}

/** True for a Host header that names this machine, with any port. */
function isOwnHost(host: string | undefined): boolean {
  return host !== undefined && URL.canParse(`http://${host}`) && isLoopback(new URL(`http://${host}`).hostname)
}
