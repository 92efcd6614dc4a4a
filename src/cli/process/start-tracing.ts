// Traces with OpenTelemetry, enabled by the standard OTEL_* variables. The packages are optional peers, loaded only
// then; they read their other variables (headers, sampling, batches) themselves.
// https://opentelemetry.io/docs/specs/otel/configuration
import type { Context, Span, SpanContext } from '@opentelemetry/api'
import type { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import type { Logger } from 'pino'
import type { RequestTracer } from '../../http/tracing.ts'
import { TRACES_FLUSH_MS } from '../../model/limits.ts'
import type { Env } from '../configuration/env.ts'
import type { Closers } from './process.ts'

type Resource = NonNullable<NonNullable<ConstructorParameters<typeof NodeTracerProvider>[0]>['resource']>

/** The packages for traces, in the tested versions. */
const PACKAGES = [
  '@opentelemetry/api@1.9.0',
  '@opentelemetry/exporter-trace-otlp-http@0.208.0',
  '@opentelemetry/sdk-trace-node@2.2.0',
]

/** A tracer; undefined when traces are off, or when the packages are not installed, which is logged once. */
export async function startTracing(
  { tracing }: Env,
  name: string,
  log: Logger,
  closers: Closers,
): Promise<RequestTracer | undefined> {
  if (tracing.exporter === 'none') return undefined
  let packages: Awaited<ReturnType<typeof load>>
  try {
    packages = await load()
  } catch (error) {
    log.warn(
      { reason: String(error) },
      `OTEL_* turns traces on, but the packages for them are not installed, so none are sent: npm install ${PACKAGES.join(' ')}`,
    )
    return undefined
  }
  const { api, sdk, otlp } = packages
  const exporter = tracing.exporter === 'console' ? new sdk.ConsoleSpanExporter() : new otlp.OTLPTraceExporter()
  const provider = new sdk.NodeTracerProvider({
    resource: makeResource({
      'service.name': `zerohop-${name}`,
      ...tracing.resource,
      ...(tracing.serviceName === undefined ? {} : { 'service.name': tracing.serviceName }),
    }),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  })
  closers.add(() => Promise.race([provider.shutdown().catch(() => undefined), elapsed(TRACES_FLUSH_MS)]))
  const tracer = provider.getTracer('zerohop')
  return {
    begin({ method, traceparent, tracestate }) {
      const parent = findParent(api, traceparent, tracestate)
      const options = { kind: api.SpanKind.SERVER, attributes: { 'http.request.method': method } }
      const span: Span = tracer.startSpan(method, options, parent)
      return {
        end({ route, status }) {
          span.setAttribute('http.response.status_code', status)
          if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route)
          if (status >= 500)
            span.setStatus({ code: api.SpanStatusCode.ERROR }).setAttribute('error.type', String(status))
          span.end()
        },
      }
    },
  }
}

async function load() {
  const [api, sdk, otlp] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ])
  return { api, sdk, otlp }
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** The caller's span; an invalid header begins a new trace. */
function findParent(
  api: typeof import('@opentelemetry/api'),
  traceparent: string | undefined,
  tracestate: string | undefined,
): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? []
  if (traceId === undefined || spanId === undefined) return api.ROOT_CONTEXT
  const caller: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags ?? '0', 16) & api.TraceFlags.SAMPLED,
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: api.createTraceState(tracestate) }),
  }
  return api.trace.setSpanContext(api.ROOT_CONTEXT, caller)
}

/** The resource attributes of traces. */
function makeResource(attributes: Readonly<Record<string, string>>): Resource {
  const resource: Resource = {
    attributes,
    asyncAttributesPending: false,
    merge: () => resource,
    getRawAttributes: () => Object.entries(attributes),
  }
  return resource
}

const elapsed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref())
