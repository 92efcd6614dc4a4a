// Traces: with the standard variables, both servers send a span for each request to a collector, continued from the
// caller's trace; without them, nothing is sent and nothing is loaded.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server as HttpServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { endServers, freePort, readKeys, Server, url } from '../support/server.ts'
import { ROOT } from '../tidy/source.ts'

interface Span {
  readonly name: string
  readonly traceId: string
  readonly parentSpanId?: string
  readonly kind: number
  readonly status: { readonly code: number }
  readonly attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

/** A collector that keeps what it gets. */
class Collector {
  readonly spans: (Span & { readonly service: string; readonly place: string })[] = []
  bodies = ''
  readonly #server: HttpServer

  constructor() {
    this.#server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      this.bodies += body
      if (request.url === '/v1/traces')
        for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans)
          for (const span of scopeSpans.flatMap((scope: { spans: Span[] }) => scope.spans))
            this.spans.push({
              ...span,
              service: formatAttribute(resource.attributes, 'service.name'),
              place: formatAttribute(resource.attributes, 'place'),
            })
      response.setHeader('content-type', 'application/json').end('{}')
    })
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

const formatAttribute = (attributes: Span['attributes'], name: string) => {
  const value = attributes.find(({ key }) => key === name)?.value
  return String(value?.stringValue ?? value?.intValue)
}

describe('zerohop serve with a collector', () => {
  const collector = new Collector()
  const data = temporaryFolder('tracing')
  let ports: { api: number; pdp: number }
  beforeAll(async () => {
    const endpoint = await collector.listen()
    ports = { api: await freePort(), pdp: await freePort() }
    const server = new Server('serve', {
      ZEROHOP_DATA: data,
      ZEROHOP_API_PORT: String(ports.api),
      PDP_PORT: String(ports.pdp),
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_SERVICE_NAME: 'doorkeeper',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=another,place=Graz%2C Austria',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    })
    await server.until(async () => (await fetch(`${url(ports.pdp)}/ready`)).ok)
  })
  afterAll(async () => {
    await endServers()
    collector.close()
  })

  it('sends a span of each server, in the trace of the caller, that names routes and no keys', async () => {
    const key = readKeys(data).environments.development
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      traceparent: `00-${trace}-00f067aa0ba902b7-01`,
    }
    const body = JSON.stringify({ user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } })
    expect((await fetch(`${url(ports.pdp)}/allowed`, { method: 'POST', headers, body })).status).toBe(200)
    expect((await fetch(`${url(ports.api)}/v2/facts/default/development/users/ana`, { headers })).status).toBe(200)
    expect((await fetch(`${url(ports.api)}/v2/projects`)).status).toBe(401)
    const inTrace = () => collector.spans.filter(({ traceId }) => traceId === trace)
    await eventually(() => inTrace().length, 2)
    for (const { service, place, parentSpanId, kind } of inTrace())
      expect([service, place, parentSpanId, kind]).toEqual(['doorkeeper', 'Graz, Austria', '00f067aa0ba902b7', 2])
    expect(
      inTrace()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['GET /v2/facts/:p/:e/users/:ref', 'POST /allowed'])
    for (const { attributes } of inTrace()) expect(formatAttribute(attributes, 'http.response.status_code')).toBe('200')
    const own = () => collector.spans.find(({ name }) => name === 'GET /v2/projects')
    await eventually(() => own() !== undefined, true)
    expect(own()?.parentSpanId).toBeUndefined()
    expect(collector.bodies).not.toContain(key)
    expect(collector.bodies).not.toContain('"ana"')
  })

  it('says in the words of the standard that a request failed, and that it meant no route', async () => {
    const trace = 'a'.repeat(32)
    const headers = {
      authorization: `Bearer ${readKeys(data).environments.development}`,
      'content-type': 'application/json',
      traceparent: `00-${trace}-00f067aa0ba902b7-01`,
      'x-min-revision': '1000000',
      'x-min-revision-timeout': '1',
    }
    const body = JSON.stringify({ user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } })
    expect((await fetch(`${url(ports.pdp)}/allowed`, { method: 'POST', headers, body })).status).toBe(503)
    expect((await fetch(`${url(ports.pdp)}/no/such/place`, { headers })).status).toBe(404)
    const spans = () =>
      collector.spans
        .filter(({ traceId }) => traceId === trace)
        .map(({ name, status, attributes }) => [
          name,
          status.code,
          ...['http.request.method', 'http.route', 'http.response.status_code', 'error.type'].map((each) =>
            formatAttribute(attributes, each),
          ),
        ])
        .sort()
    await eventually(spans, [
      ['GET', 0, 'GET', 'undefined', '404', 'undefined'],
      ['POST /allowed', 2, 'POST', '/allowed', '503', '503'],
    ])
  })
})

describe('zerohop api without the optional packages', () => {
  afterAll(endServers)
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const packages = Object.entries(devDependencies as Record<string, string>)
    .filter(([name]) => name.startsWith('@opentelemetry/'))
    .map(([name, version]) => `${name}@${version}`)
    .join(' ')

  it('says once what to install for traces, and serves', async () => {
    const hooks = `export const resolve = (name, context, next) => {
      if (name.startsWith('@opentelemetry/')) throw new Error('cannot find package ' + name)
      return next(name, context)
    }`
    const url = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`
    const register = `import { register } from 'node:module'; register(${JSON.stringify(url(hooks))})`
    const server = new Server('api', {
      ZEROHOP_DATA: temporaryFolder('no-tracing'),
      ZEROHOP_API_PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      NODE_OPTIONS: `--import=${url(register)}`,
    })
    await eventually(() => /listening/i.test(server.output), true)
    const lines = server.output.split('\n').filter((line) => line.includes('OTEL_'))
    expect(lines.length).toBe(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 40,
      msg: `OTEL_* turns traces on, but the packages for them are not installed, so none are sent: npm install ${packages}`,
      reason: expect.stringContaining('cannot find package'),
    })
  })
})
