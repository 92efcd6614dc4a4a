// What `--demo` adds to the backend: the page, its style and script, and the stand-in provider. All of it comes from this process.
import type { FastifyInstance } from 'fastify'
import { DEMO_CSS, DEMO_JS, demoPage } from './page.ts'
import type { StandIn } from './provider.ts'

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"

export interface DemoOptions {
  readonly standIn: StandIn
  readonly clientId: string
  /** under which the page itself is reached */
  readonly origins: () => readonly string[]
}

export function demoRoutes(app: FastifyInstance, { standIn, clientId, origins }: DemoOptions): void {
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
