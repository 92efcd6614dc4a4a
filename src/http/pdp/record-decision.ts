// Every deciding route reports its decisions here: the call counts the decision and, when the decision log is on,
// writes its record. An answer is sent only after the operating system has its records (docs/decision-log.md). Nothing
// is decided here.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { DecisionRecord } from '../../client/decision-record.ts'
import type { Batch } from '../../decision-log/recorder.ts'
import { METRIC_ENVIRONMENTS_MAX } from '../../model/limits.ts'
import type { Explanation, Pdp } from '../../pdp/pdp.ts'
import { recordedAttributes, recordedQuestion } from '../../pdp/recorded-question.ts'
import { type Check, toQuestion } from '../../pdp/request.ts'
import { holdSending, whenAnswered } from '../hooks.ts'
import type { Metrics } from '../metrics.ts'
import { acceptedInstant, pdpAt, withNow } from './now.ts'
import { findVouched } from './vouched.ts'

/** The outcome of a check: `undecided` is 503, `refused` any answer for an invalid or unauthorized request. */
export type Outcome = 'allow' | 'deny' | 'undecided' | 'refused'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** true for a route that answers checks: its refused and undecided requests are counted */
    decides?: true
  }
  interface FastifyRequest {
    /** arrival time from `performance.now`; set while decisions are recorded */
    begun: number
    /** records that must be written before the answer is sent */
    recorded: Batch[] | undefined
    /** true when the answer is a decision, whatever its status: a gateway gets a deny as 403 */
    decided: boolean
  }
}

/** The destination of records, and their detail. */
export interface DecisionLogging {
  readonly recorder: { add(record: DecisionRecord): Batch; flush(): void }
  /** each record has the reason of its decision; costs an explanation per decision */
  readonly reasons?: boolean
  /** each record has the request's attributes and context; with `read` those that rules of the permission read */
  readonly attributes?: boolean | 'read'
}

/** The caller for records: the id of the API key of a request. */
export type KeyNames = (request: IncomingMessage) => string

/** Called by the routes for each decision, before the answer is sent. */
export class Decisions {
  readonly #counts = noCounts()
  /** the same for each environment */
  readonly #byEnvironment = new Map<string, Record<Outcome, number>>()
  readonly #logging: DecisionLogging | undefined
  readonly #nameOf: KeyNames
  readonly #acceptNow: boolean

  constructor(metrics: Metrics, nameOf: KeyNames, logging?: DecisionLogging, acceptNow = false) {
    this.#acceptNow = acceptNow
    this.#nameOf = nameOf
    this.#logging = logging
    metrics.counterBy('zerohop_checks_total', () => this.#counts)
    metrics.environments.counterBy(
      'zerohop_environment_checks_total',
      (environment) => this.#byEnvironment.get(environment) ?? noCounts(),
    )
  }

  /** Counts a check, also for its environment when that is known. */
  count(outcome: Outcome, environment: string | undefined): void {
    this.#counts[outcome]++
    if (environment === undefined) return
    let counts = this.#byEnvironment.get(environment)
    if (counts === undefined) {
      if (this.#byEnvironment.size >= METRIC_ENVIRONMENTS_MAX) this.#byEnvironment.clear()
      counts = noCounts()
      this.#byEnvironment.set(environment, counts)
    }
    counts[outcome]++
  }

  /** True when records are written: a route that answers by itself must wait for them. */
  get areRecorded(): boolean {
    return this.#logging !== undefined
  }

  /** Whether a time that is sent counts: `timed` has put one into every check that is recorded. */
  get acceptNow(): boolean {
    return this.#acceptNow || this.areRecorded
  }

  /** The check with its time (D8), when it will be recorded: the record has the very time that decided. */
  timed(pdp: Pdp, check: Check): Check {
    return this.areRecorded ? { ...check, context: withNow(pdp, check.context, this.#acceptNow) } : check
  }

  /**
   * Counts and records one decision of a request; a bulk route calls it for each item. `reason` is the short code when
   * the route knows it already.
   */
  record(request: FastifyRequest, check: Check, allow: boolean, reason?: string, isMapped = false): void {
    request.decided = true
    const environment = request.pdp?.environment
    if (this.#logging === undefined) {
      this.count(allow ? 'allow' : 'deny', environment)
      return
    }
    const batch = this.write(request.pdp!, request.raw, request.id, request.begun, check, allow, reason, isMapped)
    batch.settled((error) => {
      if (error === undefined) this.count(allow ? 'allow' : 'deny', environment)
    })
    if (request.recorded === undefined) request.recorded = [batch]
    else if (request.recorded.at(-1) !== batch) request.recorded.push(batch)
  }

  /** Writes the record of a decision; call only while decisions are recorded. `begun` is the arrival of the request. */
  write(
    pdp: Pdp,
    message: IncomingMessage,
    request: string | null,
    begun: number,
    check: Check,
    allow: boolean,
    reason?: string,
    isMapped = false,
  ): Batch {
    const { recorder, reasons = false, attributes } = this.#logging!
    const { user, action, resource, context } = check
    const question = toQuestion(user, action, resource, context)
    const { user: userKey, action: actionKey, type, key, tenant } = question
    const { revision, environment } = pdp.take()
    const mode = recordedAttributes(attributes)
    const asked = recordedQuestion(question, mode, () => pdp.attributesRead(type, actionKey), isMapped)
    // The members are listed one by one: a spread costs more than the rest.
    return recorder.add({
      at: Date.now(),
      request,
      environment,
      revision,
      apiKey: this.#nameOf(message),
      person: findVouched(message)?.person,
      user: userKey,
      tenant: pdp.tenantOf(type, tenant, key),
      action: actionKey,
      resourceType: type,
      resourceKey: key ?? null,
      allow,
      reason: reason ?? (reasons ? explainedReason(pdp, check, allow, this.acceptNow) : undefined),
      micros: Math.round((performance.now() - begun) * 1000),
      now: asked.now,
      instant: acceptedInstant(context, this.acceptNow),
      isTenantSent: asked.isTenantSent,
      sent: asked.sent,
      omitted: asked.omitted,
    })
  }

  /** Writes what is recorded and waits for the end of this turn of the event loop: a route calls it that is at its end. */
  flush(): void {
    this.#logging?.recorder.flush()
  }

  /** Counts one item that was not decided, although the request as a whole is answered with 200. */
  item(request: FastifyRequest, outcome: 'undecided' | 'refused'): void {
    this.count(outcome, request.pdp?.environment)
  }

  /** Counts a whole request that was answered with this status. */
  ended(status: number, pdp: Pdp | undefined): void {
    if (status >= 400) this.count(status >= 500 ? 'undecided' : 'refused', pdp?.environment)
  }

  /**
   * Counts the refused requests of the deciding routes of `app`, and delays its answers until their records are
   * written.
   */
  watch(app: FastifyInstance): void {
    app.decorateRequest('begun', 0)
    app.decorateRequest('recorded', undefined)
    app.decorateRequest('decided', false)
    whenAnswered(app, (request, { statusCode }) => {
      const isDecision = statusCode < 400 || (request.decided && statusCode === 403)
      if (!isDecision && request.routeOptions.config.decides) this.ended(statusCode, request.pdp)
    })
    if (this.#logging === undefined) return
    app.addHook('onRequest', (request, _reply, done) => {
      request.begun = performance.now()
      done()
    })
    holdSending(app, (request, done) => {
      const batches = request.recorded
      if (batches === undefined) return done()
      request.recorded = undefined // the error answer passes through this hook again
      settle(batches, done)
    })
  }
}

const noCounts = (): Record<Outcome, number> => ({ allow: 0, deny: 0, undecided: 0, refused: 0 })

/** Calls back when all batches are written, with the first error. */
function settle(batches: readonly Batch[], done: (error?: Error) => void): void {
  let open = batches.length
  let first: Error | undefined
  for (const batch of batches)
    batch.settled((error) => {
      first ??= error
      if (--open === 0) done(first)
    })
}

/** The reason of a decision, from a second evaluation with explanation. */
function explainedReason(
  pdp: Pdp,
  { user, action, resource, context }: Check,
  allow: boolean,
  acceptNow: boolean,
): string | undefined {
  const at = pdpAt(pdp, context, acceptNow)
  const explanation = at.explain(user, action, resource, withNow(at, context, acceptNow))
  // conditions on the time may have changed in between
  return explanation.allow === allow ? shortReason(explanation) : undefined
}

/** The model that allowed (`rbac`, `rebac` or `abac`), or why none did. */
export function shortReason({
  allow,
  code,
  rebac,
  abac,
}: Pick<Explanation, 'allow' | 'code' | 'rebac' | 'abac'>): string {
  if (!allow) return code
  if (code === 'allow') return 'rbac'
  return rebac === 'allow' ? 'rebac' : abac === 'allow' ? 'abac' : 'allow'
}
