// Modules that a server needs with its first requests only: it starts sooner without them. They are loaded once it
// listens, not with those requests: a process that has used up its descriptors by then could not open their files.
import type { FastifyInstance } from 'fastify'
import { contained, inBackground } from '../model/contained.ts'

/** Calls `load` when the server has begun to listen. Where that fails, the request that needs the modules tries again. */
export function loadOnceListening(app: FastifyInstance, load: () => unknown): void {
  const place = 'loading what first requests need'
  const begin = contained(place, () => inBackground(place, Promise.resolve(load())))
  app.addHook('onListen', (done) => {
    setImmediate(begin)
    done()
  })
}
