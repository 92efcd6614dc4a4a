// A server whose requests are seen before Fastify sees them has every timeout and limit that Fastify would have set,
// and Node keeps to them.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Server as HttpServer } from 'node:http'
import { Server as TlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { type HttpAppOptions, httpApp } from '../../src/http/app.ts'
import { type EarlyAnswer, earlyServer, listenBeside } from '../../src/http/early-server.ts'
import { pdpError } from '../../src/http/errors.ts'

const pem = (name: string) => readFileSync(new URL(`../support/tls/${name}.pem`, import.meta.url))

/** Answers what asks for /early, and leaves the rest. */
const early: EarlyAnswer = ({ url }, response) => {
  if (url !== '/early') return false
  response.end('early')
  return true
}

const open: FastifyInstance[] = []
afterEach(async () => {
  for (const app of open.splice(0)) await app.close()
})

function appWith(options: Partial<HttpAppOptions>): FastifyInstance {
  const app = httpApp({ errorForm: pdpError, duplicates: 'last-wins', ...options })
  app.get('/late', (_request, reply) => reply.send('late'))
  open.push(app)
  return app
}

/** Every setting of a server of Node that bounds time, connections, requests or headers. */
function serverBounds({ server }: FastifyInstance): object {
  const { keepAliveTimeout, requestTimeout, headersTimeout, timeout } = server
  const { maxConnections, maxRequestsPerSocket, maxHeadersCount } = server
  const { connectionsCheckingInterval } = server as unknown as { connectionsCheckingInterval: number }
  const bounds = { keepAliveTimeout, requestTimeout, headersTimeout, timeout, connectionsCheckingInterval }
  return { ...bounds, maxConnections, maxRequestsPerSocket, maxHeadersCount }
}

const events = ({ server }: FastifyInstance): object =>
  Object.fromEntries(server.eventNames().map((name) => [String(name), server.listenerCount(name)]))

describe('a server that answers some requests early', () => {
  it.each<[string, Partial<HttpAppOptions>]>([
    ['the defaults', {}],
    ['bounds of its own', { intake: { maxConnections: 7, requestTimeoutMs: 1_234 } }],
    ['TLS', { tls: { cert: pem('one.cert'), key: pem('one.key') } }],
  ])('has the bounds and the listeners of the server that Fastify makes, with %s', (_, options) => {
    const [ours, theirs] = [appWith({ ...options, early }), appWith(options)]
    expect(serverBounds(ours)).toEqual(serverBounds(theirs))
    const number = expect.any(Number)
    expect(serverBounds(ours)).toMatchObject({ keepAliveTimeout: number, connectionsCheckingInterval: number })
    expect(events(ours)).toEqual(events(theirs))
    expect(ours.server).toBeInstanceOf(options.tls ? TlsServer : HttpServer)
  })

  it('takes the settings of Fastify that this project leaves at their defaults', () => {
    const settings = { keepAliveTimeout: 11, connectionTimeout: 12, maxRequestsPerSocket: 13, requestTimeout: 14 }
    const [ours, theirs] = [Fastify({ ...settings, serverFactory: earlyServer(early) }), Fastify(settings)]
    open.push(ours, theirs)
    expect(serverBounds(ours)).toEqual(serverBounds(theirs))
    const { connectionTimeout: timeout, ...same } = settings
    expect(serverBounds(ours)).toMatchObject({ ...same, timeout })
  })

  it('answers early, leaves the rest to the app, and closes with it', async () => {
    const app = appWith({ early })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const text = async (path: string) => (await fetch(url + path)).text()
    expect([await text('/early'), await text('/late'), await text('/early')]).toEqual(['early', 'late', 'early'])
    const idle = await asked(app, '/early')
    await Promise.all([once(idle, 'close'), app.close()])
    await expect(fetch(`${url}/early`)).rejects.toThrow()
  })

  it('takes connections on one more address, within the same bounds, until it closes', async () => {
    const app = appWith({ early, intake: { maxConnections: 1 } })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    await listenBeside(app.server, '127.0.0.2', port)
    await listenBeside(app.server, '127.0.0.1', port) // in use: left out
    await listenBeside(app.server, '192.0.2.1', port) // of another machine: left out
    const first = await asked(app, '/late', '127.0.0.2')
    expect(String(await once(first, 'data'))).toMatch(/^HTTP\/1\.1 200/)
    const second = await asked(app, '/early', '127.0.0.2')
    await once(second, 'close')
    expect([app.intake.refused, first.closed]).toEqual([1, false])
    await Promise.all([once(first, 'close'), app.close()])
    await expect(fetch(`http://127.0.0.2:${port}/early`)).rejects.toThrow()
  })

  it.each<[string, object, string]>([
    ['is idle after an answer', { keepAliveTimeout: 20 }, '/early'],
    ['does not move', { connectionTimeout: 50 }, '/never'],
  ])('ends a connection that %s', async (_, settings, path) => {
    const never: EarlyAnswer = (request, response) => request.url === '/never' || early(request, response)
    const app = Fastify({ keepAliveTimeout: 60_000, ...settings, serverFactory: earlyServer(never) })
    open.push(app)
    await app.listen({ host: '127.0.0.1', port: 0 })
    const socket = await asked(app, path)
    await once(socket, 'close')
  })

  it('drops a connection beyond the most that may be open', async () => {
    const app = appWith({ early, intake: { maxConnections: 1 } })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const first = await asked(app, '/early')
    await once(first, 'data')
    const second = await asked(app, '/early')
    await once(second, 'close')
    expect([app.intake.refused, app.intake.sockets.size, first.closed]).toEqual([1, 1, false])
    first.destroy()
  })
})

/** A connection over which a request was sent; what comes back is read and dropped. */
async function asked(app: FastifyInstance, path: string, host = '127.0.0.1'): Promise<Socket> {
  const socket = connect((app.server.address() as AddressInfo).port, host)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.resume()
  socket.write(`GET ${path} HTTP/1.1\r\nhost: zerohop\r\n\r\n`)
  return socket
}
