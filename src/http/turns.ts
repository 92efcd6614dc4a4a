// Turns of the event loop, for a management API that shares its loop with a PDP: one commit of the writer lets many answers go at once, the
// requests that follow come at once, and a check that arrives between waits for all of them. So only a few begin or end in each turn.
import type { FastifyInstance } from 'fastify'

/** Lets `most` requests begin, and `most` answers leave, in each turn of the event loop; the others wait in their order. */
export function takeTurns(app: FastifyInstance, most: number): void {
  const turns = new Turns(most)
  app.addHook('onRequest', (_request, _reply, done) => turns.take(done))
  app.addHook('onSend', (_request, _reply, payload, done) => turns.take(() => done(null, payload)))
}

/** Who waits is a request that was accepted, so there are as many as connections at most. */
class Turns {
  readonly #most: number
  #left: number
  #waiting: (() => void)[] = []
  #isTurning = false

  constructor(most: number) {
    this.#most = most
    this.#left = most
  }

  /** Runs `go` in this turn, or in a later one. */
  take(go: () => void): void {
    if (!this.#isTurning) {
      this.#isTurning = true
      setImmediate(() => this.#turn())
    }
    if (this.#left > 0) {
      this.#left--
      go()
    } else this.#waiting.push(go)
  }

  /** The loop has been to its sockets. */
  #turn(): void {
    this.#isTurning = this.#waiting.length > 0
    if (this.#isTurning) setImmediate(() => this.#turn())
    this.#left = this.#most
    for (const go of this.#waiting.splice(0, this.#most)) {
      this.#left--
      go()
    }
  }
}
