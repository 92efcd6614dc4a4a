// How many requests one API key may make in a minute, when the operator sets a limit; off by default, and then nothing
// is counted. @fastify/rate-limit counts; this file determines the key and the error answer.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ZerohopError } from '../model/errors.ts'
import { AUTH_CACHE_MAX, RATE_WINDOW_MS } from '../model/limits.ts'

export interface RateLimits {
  /** requests of one key in a minute */
  readonly requests?: number
  /** limit of those that are not GET */
  readonly writes?: number
}

/** Refuses requests over the limits with 429 and `retry-after`. Call it after `guard`, which finds the key. */
export async function limitRates(app: FastifyInstance, { requests, writes }: RateLimits): Promise<void> {
  await app.register(import('@fastify/rate-limit'), {
    global: false,
    timeWindow: RATE_WINDOW_MS,
    cache: AUTH_CACHE_MAX,
    keyGenerator: (request) => request.caller.key.id,
  })
  const all = limiter(app, requests)
  const changing = limiter(app, writes)
  app.addHook('onRequest', async (request, reply) => {
    if (request.isOperator || request.caller.isSystem) return
    // reports of PDPs change nothing that anyone wrote
    const isRead = request.method === 'GET' || request.routeOptions.config.operation === 'feed.read'
    const seconds = Math.max(await all(request), isRead ? 0 : await changing(request))
    if (seconds === 0) return
    reply.header('retry-after', String(seconds))
    throw new ZerohopError('RATE_LIMITED', { seconds })
  })
}

/** Counts a request; returns the seconds that its key must wait, or 0. */
function limiter(app: FastifyInstance, max: number | undefined): (request: FastifyRequest) => Promise<number> {
  if (max === undefined) return async () => 0
  const take = app.createRateLimit({ max })
  return async (request) => {
    const taken = await take(request)
    return !taken.isAllowed && taken.isExceeded ? taken.ttlInSeconds : 0
  }
}
