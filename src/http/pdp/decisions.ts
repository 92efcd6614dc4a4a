// What every deciding route tells about a decision: one call, which counts it and, when the decision log is on, writes its record. An answer goes
// out only after its records are with the operating system. Nothing here decides.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Check } from '../../pdp/request.ts'
import type { Metrics } from '../metrics.ts'

/** How a question ended: `undecided` is 503, `refused` any answer that says the question was wrong or not allowed. */
export type Outcome = 'allow' | 'deny' | 'undecided' | 'refused'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** true of a route that answers checks: what it refuses or cannot decide is counted */
    decides?: true
  }
}

/** The one thing that a route calls for each decision that it answers, before it sends the answer. */
export class Decisions {
  readonly counts: Record<Outcome, number> = { allow: 0, deny: 0, undecided: 0, refused: 0 }

  constructor(metrics: Metrics) {
    metrics.counterBy('zerohop_checks_total', 'Checks by how they ended.', 'outcome', () => this.counts)
  }

  /**
   * One decision of a request; a bulk calls it for each item. `reason` is the short code when the route knows it anyway.
   */
  record(_request: FastifyRequest, _check: Check, allow: boolean, _reason?: string): void {
    if (allow) this.counts.allow++
    else this.counts.deny++
  }

  /** One item of a request that could not be decided, although the request as a whole is answered with 200. */
  undecided(): void {
    this.counts.undecided++
  }

  /** A whole request that was answered with this status. */
  ended(status: number): void {
    if (status >= 500) this.counts.undecided++
    else if (status >= 400) this.counts.refused++
  }

  /** Counts what the deciding routes of `app` refuse. */
  watch(app: FastifyInstance): void {
    app.addHook('onResponse', (request, reply, done) => {
      if (request.routeOptions.config.decides) this.ended(reply.statusCode)
      done()
    })
  }
}
