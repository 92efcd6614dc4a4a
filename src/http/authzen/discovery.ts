// GET /.well-known/authzen-configuration: where the endpoints are. The addresses come from configuration or from the
// request's socket, never from the Host header, which the caller chooses (rule 10).
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuthzenDeps } from './deps.ts'
import { readPublicUrl } from './public-url.ts'

const WELL_KNOWN = '/.well-known/authzen-configuration'

/** @throws CONFIG_INVALID on a public URL that cannot be published */
export function discoveryRoute(app: FastifyInstance, { publicUrl }: AuthzenDeps): void {
  const configured = publicUrl === undefined ? undefined : readPublicUrl(publicUrl)
  const answer = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.header('cache-control', 'no-cache').send(makeMetadata(configured ?? listeningUrl(app, request)))
  }
  const config = { alwaysAnswers: true } as const
  app.get(WELL_KNOWN, { config }, answer)
  // For an identifier with a path, that path follows the well-known part.
  const path = configured === undefined ? '' : new URL(configured).pathname.replace(/\/+$/, '')
  if (path === '') return
  app.get(`${WELL_KNOWN}/*`, { config }, (request, reply) => {
    if (request.url.split('?', 1)[0] === WELL_KNOWN + path) answer(request, reply)
    else reply.callNotFound()
  })
}

/** Members without a value are left out: there are no capabilities. */
function makeMetadata(base: string): Readonly<Record<string, string>> {
  const endpoint = (path: string): string => `${base}/access/v1/${path}`
  return {
    policy_decision_point: base,
    access_evaluation_endpoint: endpoint('evaluation'),
    access_evaluations_endpoint: endpoint('evaluations'),
    search_subject_endpoint: endpoint('search/subject'),
    search_resource_endpoint: endpoint('search/resource'),
    search_action_endpoint: endpoint('search/action'),
  }
}

/** The address that the server listens on; when it listens on all addresses, the one at which this request arrived. */
function listeningUrl(app: FastifyInstance, request: FastifyRequest): string {
  const scheme = app.server instanceof TlsServer ? 'https' : 'http'
  const address = app.server.address()
  if (address === null || typeof address === 'string') return `${scheme}://localhost`
  const everywhere = ['0.0.0.0', '::'].includes(address.address)
  const ip = (everywhere ? request.socket.localAddress : address.address)?.replace(/^::ffff:(?=\d+\.)/, '')
  const host = ip === undefined ? 'localhost' : ip.includes(':') ? `[${ip}]` : ip
  return `${scheme}://${host}:${address.port}`
}
