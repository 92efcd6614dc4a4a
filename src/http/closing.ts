// Graceful shutdown: no request is left unanswered. A server that is to end first says so at `/ready` and goes on, so
// that a load balancer sends nothing more. HTTP/1.1 cannot withdraw a connection, so before it closes it sends
// `connection: close` in every answer for a moment: clients with kept-alive connections get one more answer and then
// reconnect elsewhere.
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { DRAIN_MS } from '../model/limits.ts'
import { beforeSending } from './hooks.ts'

/** Milliseconds between two looks at the connections of a closing server. */
const LOOK_MS = 20

/** The answer of `/ready` once a server has been asked to end. */
export const ENDING = 'this server ends: send requests elsewhere'

declare module 'fastify' {
  interface FastifyInstance {
    readonly closing: Closing
    /**
     * Begins to end connections with their answers, and waits until none is left, at most DRAIN_MS. Call `close` after
     * it.
     */
    drain(): Promise<void>
  }
}

export interface Closing {
  /** true once the server has been asked to end: `/ready` is 503, and everything else is answered as before */
  announced: boolean
  /** true once every answer ends its connection */
  begun: boolean
}

/**
 * Decorates the app with `closing` and `drain`, and makes `close` also end connections that become idle after it was
 * called.
 */
export function closeWell(app: FastifyInstance): void {
  const closing: Closing = { announced: false, begun: false }
  app.decorate('closing', closing)
  app.decorate('drain', async () => {
    closing.begun = true
    const until = performance.now() + DRAIN_MS
    while (performance.now() < until && (await connections(app)) > 0) await pause(LOOK_MS)
  })
  app.addHook('preClose', (done) => {
    closing.begun = true
    const until = performance.now() + DRAIN_MS
    // Node closes the connections that are idle at the moment of the call. One that is just being answered would be
    // kept alive for a minute, and one that never sent a byte does not count as idle.
    const sweep = setInterval(() => {
      app.server.closeIdleConnections()
      if (performance.now() < until) return
      for (const socket of app.intake.sockets) if (socket.bytesRead === 0) socket.destroy()
    }, LOOK_MS)
    app.server.once('close', () => clearInterval(sweep))
    sweep.unref()
    done()
  })
  beforeSending(app, (_request, reply) => {
    if (closing.begun) reply.header('connection', 'close')
  })
}

function connections(app: FastifyInstance): Promise<number> {
  return new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count ?? 0)))
}
