// GET /.well-known/authzen-configuration: where the endpoints are. The addresses come from configuration or from the socket that the server
// listens on, never from the Host header, which the caller chooses (rule 10).
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type { AuthzenDeps } from './app.ts'

export function discoveryRoute(app: FastifyInstance, { publicUrl }: AuthzenDeps): void {
  app.get('/.well-known/authzen-configuration', (_request, reply) => {
    const base = publicUrl === undefined ? listeningUrl(app) : publicUrl.replace(/\/+$/, '')
    const endpoint = (path: string): string => `${base}/access/v1/${path}`
    reply.header('cache-control', 'no-cache').send({
      policy_decision_point: base,
      access_evaluation_endpoint: endpoint('evaluation'),
      access_evaluations_endpoint: endpoint('evaluations'),
      search_subject_endpoint: endpoint('search/subject'),
      search_resource_endpoint: endpoint('search/resource'),
      search_action_endpoint: endpoint('search/action'),
      capabilities: [],
    })
  })
}

function listeningUrl(app: FastifyInstance): string {
  const scheme = app.server instanceof TlsServer ? 'https' : 'http'
  const address = app.server.address()
  if (address === null || typeof address === 'string') return `${scheme}://localhost`
  const { address: ip, family, port } = address
  const host = ['0.0.0.0', '::'].includes(ip) ? 'localhost' : family === 'IPv6' ? `[${ip}]` : ip
  return `${scheme}://${host}:${port}`
}
