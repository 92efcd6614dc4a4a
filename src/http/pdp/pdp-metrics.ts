// GET /metrics of a PDP. An operator's token shows everything, and so does the API key of `zerohop pdp`, which serves
// one environment. Where a process serves several, a key sees the series of its own environment.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerMetrics, type Metrics, type OperatorCheck } from '../metrics.ts'
import type { Authenticate } from './authenticate.ts'
import type { PdpDirectory } from './pdp-keys.ts'
import type { WorkerPeers } from './worker-peers.ts'

export interface PdpMetricsOptions {
  readonly directory: PdpDirectory
  readonly authenticate: Authenticate
  readonly isOperator: OperatorCheck
  /** shows everything without authentication */
  readonly open: boolean
  /** the other processes on the same port, whose metrics are merged */
  readonly peers: WorkerPeers | undefined
}

export function metricsRoute(app: FastifyInstance, metrics: Metrics, options: PdpMetricsOptions): void {
  const { directory, authenticate, isOperator, open, peers } = options
  const environments = new WeakMap<FastifyRequest, string>()
  const onRequest: Authenticate = (request, reply, done) => {
    const { authorization } = request.headers
    if (open || isOperator(authorization)) return done()
    if (directory.scopeOf === undefined) return authenticate(request, reply, done)
    try {
      environments.set(request, directory.scopeOf(authorization).environment)
      done()
    } catch (error) {
      done(error as Error)
    }
  }
  app.get(
    '/metrics',
    { config: { alwaysAnswers: true }, onRequest },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const environment = environments.get(request)
      if (environment === undefined) return answerMetrics(metrics, reply, peers)
      reply.header('content-type', metrics.contentType)
      return metrics.environments.text([environment])
    },
  )
}
