// How a server ends without leaving anybody unanswered. HTTP/1.1 has no way to call a connection back, so a server that is told to end first
// says `connection: close` in every answer and goes on for a moment: who asks again and again is answered once more and comes back elsewhere.
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { DRAIN_MS } from '../model/limits.ts'

/** Milliseconds between two looks at the connections of a closing server. */
const LOOK_MS = 20

declare module 'fastify' {
  interface FastifyInstance {
    readonly closing: Closing
    /** Says that the server is about to close, and waits until nobody is connected, or for DRAIN_MS. Call `close` after it. */
    drain(): Promise<void>
  }
}

export interface Closing {
  /** true once every answer ends its connection */
  begun: boolean
}

/** Gives the app its `closing` and `drain`, and lets `close` end connections that fall idle only after it was called. */
export function closeWell(app: FastifyInstance): void {
  const closing: Closing = { begun: false }
  app.decorate('closing', closing)
  app.decorate('drain', async () => {
    closing.begun = true
    const until = performance.now() + DRAIN_MS
    while (performance.now() < until && (await connections(app)) > 0) await pause(LOOK_MS)
  })
  app.addHook('preClose', (done) => {
    closing.begun = true
    const until = performance.now() + DRAIN_MS
    // Node closes what is idle at the moment of the call. What was just being answered would be kept alive for a minute, and who never
    // sent a byte does not count as idle.
    const sweep = setInterval(() => {
      app.server.closeIdleConnections()
      if (performance.now() < until) return
      for (const socket of app.intake.sockets) if (socket.bytesRead === 0) socket.destroy()
    }, LOOK_MS)
    app.server.once('close', () => clearInterval(sweep))
    sweep.unref()
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing.begun) reply.header('connection', 'close')
    done(null, payload)
  })
}

function connections(app: FastifyInstance): Promise<number> {
  return new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count ?? 0)))
}
