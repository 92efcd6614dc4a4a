// A server that answers some requests before Fastify sees them. Fastify takes it through its option `serverFactory`,
// and then sets neither timeouts nor limits itself: all that it would set is set here, from the options that it passes
// on. test/http/early-server.test.ts compares the two.
import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions as TlsServerOptions } from 'node:https'
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import type { FastifyServerFactory } from 'fastify'
import { contained } from '../model/contained.ts'

/** Answers the request, now or later, and returns true; or returns false and has not touched it. */
export type EarlyAnswer = (request: IncomingMessage, response: ServerResponse) => boolean

/** What Fastify tells the maker of its server, with its defaults. */
interface Passed {
  readonly http?: ServerOptions
  readonly https?: TlsServerOptions
  readonly keepAliveTimeout: number
  readonly requestTimeout: number
  readonly connectionTimeout: number
  readonly maxRequestsPerSocket: number
}

/** The option `serverFactory` of an app whose requests `answer` sees first. */
export function earlyServer(answer: EarlyAnswer): FastifyServerFactory {
  return (handler, options) => {
    const passed = options as unknown as Passed
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      if (!answer(request, response)) handler(request, response)
    }
    const server = passed.https ? createTlsServer(passed.https, listener) : createServer(passed.http ?? {}, listener)
    server.keepAliveTimeout = passed.keepAliveTimeout
    server.requestTimeout = passed.requestTimeout
    server.setTimeout(passed.connectionTimeout)
    if (passed.maxRequestsPerSocket > 0) server.maxRequestsPerSocket = passed.maxRequestsPerSocket
    return server
  }
}

/**
 * Lets a server that listens take connections on one more address too, with a limit of the same size, until it closes.
 * Fastify does so for each address of `localhost`, but only with servers that it made. An address that cannot be had is
 * left out, as Fastify does.
 */
export async function listenBeside(server: TcpServer, host: string, port: number): Promise<void> {
  const beside = createTcpServer((socket) => server.emit('connection', socket))
  beside.maxConnections = server.maxConnections
  beside.on(
    'drop',
    contained('a refused connection', (dropped) => server.emit('drop', dropped)),
  )
  await new Promise<void>((resolve) => {
    beside.on('error', () => resolve()) // later ones too, such as no descriptor for one more connection
    beside.listen({ host, port }, resolve)
  })
  server.once('close', () => beside.close())
}
