// One span for each request, continued from the caller's `traceparent` (W3C Trace Context). The process that runs the
// servers passes the tracer (src/cli/process/start-tracing.ts); without one it costs nothing. A span has routes and
// statuses, never keys of the policy.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { contained } from '../model/contained.ts'
import { whenAnswered } from './hooks.ts'

/** A started span. */
export interface RequestSpan {
  /** `route` is undefined when no route matched */
  end(answer: { readonly route: string | undefined; readonly status: number }): void
}

/** Starts spans. */
export interface RequestTracer {
  begin(request: {
    readonly method: string
    readonly traceparent: string | undefined
    readonly tracestate: string | undefined
  }): RequestSpan
}

declare module 'fastify' {
  interface FastifyRequest {
    span: RequestSpan | undefined
  }
}

/** Traces every request of the app. */
export function traceRequests(app: FastifyInstance, tracer: RequestTracer): void {
  app.decorateRequest('span', undefined)
  const begin = contained('the beginning of a span', (request: FastifyRequest) => {
    const { traceparent, tracestate } = request.headers
    request.span = tracer.begin({
      method: request.method,
      traceparent: findText(traceparent),
      tracestate: findText(tracestate),
    })
  })
  app.addHook('onRequest', (request, _reply, done) => {
    begin(request)
    done()
  })
  whenAnswered(app, (request, reply) => {
    request.span?.end({ route: request.routeOptions.url, status: reply.statusCode })
  })
}

const findText = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : undefined
