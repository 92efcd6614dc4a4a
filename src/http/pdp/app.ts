// The PDP over HTTP: the routes of contract §5 over the very same `Pdp` that applications hold. A request is answered from one image at one
// revision, which the header x-revision names. Nothing here decides.
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ZerohopError } from '../../model/errors.ts'
import { AT_LEAST_DEFAULT_MS } from '../../model/limits.ts'
import type { Pdp } from '../../pdp/pdp.ts'
import { httpApp, requestIds } from '../app.ts'
import { type ErrorForm, pdpError } from '../errors.ts'
import { answerMetrics, countRequests, Metrics } from '../metrics.ts'
import { allowedRoutes } from './allowed.ts'
import type { PdpDirectory } from './auth.ts'
import { type AuthzenSettings, authzenRoutes } from './authzen/app.ts'
import { type DecisionLogging, Decisions } from './decisions.ts'
import { answerDirectly } from './direct.ts'
import { type Health, healthRoutes } from './health.ts'
import { permissionRoutes } from './permissions.ts'
import { urlRoutes } from './urls.ts'

export interface PdpAppOptions {
  /** who answers a request */
  readonly directory: PdpDirectory
  /** what the health routes say */
  readonly health: () => Health
  /** decisions carry the path to their answer (PDP_DEBUG) */
  readonly debug?: boolean
  readonly logger?: FastifyBaseLogger
  /** what else is shown at /metrics, besides requests */
  readonly metrics?: Metrics
  /** writes a record of each decision */
  readonly decisionLog?: DecisionLogging
  /** what AuthZEN answers name: the address that clients use, and the types of a subject that mean a user */
  readonly authzen?: AuthzenSettings
  /** shows /metrics to who has no key (PDP_ALLOW_METRICS_UNAUTHENTICATED) */
  readonly openMetrics?: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** the PDP that answers; set by `authenticate` */
    pdp: Pdp | undefined
  }
}

/** What the routes need. */
export interface PdpRouteDeps {
  readonly authenticate: (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void
  readonly debug: boolean
  /** told of every decision that a route answers */
  readonly decisions: Decisions
}

/** The app of a PDP, not listening yet. */
export function pdpApp(options: PdpAppOptions): FastifyInstance {
  const { logger } = options
  const app = httpApp({ errorForm: pdpForm, duplicates: 'last-wins', ...(logger ? { logger } : {}) })
  app.decorateRequest('pdp', undefined)
  const metrics = options.metrics ?? new Metrics()
  const { directory, debug = false, decisionLog } = options
  const decisions = new Decisions(metrics, (authorization) => directory.keyIdOf(authorization), decisionLog)
  decisions.watch(app)
  const deps: PdpRouteDeps = { authenticate: authenticator(directory), debug, decisions }
  allowedRoutes(app, deps)
  permissionRoutes(app, deps)
  urlRoutes(app, deps)
  authzenRoutes(app, { ...deps, ...options.authzen })
  healthRoutes(app, options.health)
  countRequests(app, metrics)
  app.get('/metrics', options.openMetrics ? {} : { onRequest: deps.authenticate }, (_request, reply) =>
    answerMetrics(metrics, reply),
  )
  if (!debug) {
    const count = (status: number, seconds: number) => metrics.request('POST', '/allowed', status, seconds)
    answerDirectly(app, { directory, errorForm: pdpForm, requestId: requestIds(), count, decisions })
  }
  return app
}

/** An outdated client is told to upgrade (contract §5.3); too many checks are too large a body; a deleted environment is "could not decide" for whoever asks. */
const pdpForm: ErrorForm = (problem) => {
  if (problem.code === 'TOO_MANY_CHECKS') return { status: 413, body: { detail: problem.message } }
  if (problem.code === 'CLIENT_OUTDATED') return { status: 421, body: { detail: problem.message } }
  if (problem.code === 'ENVIRONMENT_DELETED') return { status: 503, body: { detail: problem.message } }
  return pdpError(problem)
}

function authenticator(directory: PdpDirectory): PdpRouteDeps['authenticate'] {
  return (request, _reply, done) => {
    try {
      const pdp = directory.find(request.headers.authorization)
      const wanted = request.headers['x-min-revision']
      if (wanted === undefined && !(pdp instanceof Promise)) {
        request.pdp = pdp
        done()
      } else {
        wait(request, pdp, wanted).then(() => done(), done)
      }
    } catch (error) {
      done(error as Error)
    }
  }
}

async function wait(
  request: FastifyRequest,
  found: Pdp | Promise<Pdp>,
  wanted: string | string[] | undefined,
): Promise<void> {
  request.pdp = await found
  if (wanted === undefined) return
  const revision = Number(wanted)
  if (!Number.isSafeInteger(revision) || revision < 0) {
    throw new ZerohopError(
      'INPUT_INVALID',
      { reason: 'value is not a revision' },
      { path: ['header', 'x-min-revision'] },
    )
  }
  await request.pdp.atLeast(revision, { timeoutMs: AT_LEAST_DEFAULT_MS })
}
