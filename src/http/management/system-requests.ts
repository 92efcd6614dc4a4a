// Requests of the operator's commands to the management API without HTTP and without an API key: in the server that has
// locked the data folder, or in the command that has opened the folder itself. The system is on record as their cause.
import type { FastifyInstance } from 'fastify'
import type { AnswerSystem } from '../../management/host/admin-places.ts'
import { reasonHeaders } from '../../model/reason-headers.ts'
import type { Gate } from './auth.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly answerSystem: AnswerSystem
  }
}

/** Adds `answerSystem` to the app of these routes. */
export function answerSystem(app: FastifyInstance, gate: Gate): void {
  app.decorate('answerSystem', async (organization, { method, path, body, reason, ticket }) => {
    const headers = {
      authorization: `Bearer ${gate.systemTicket(organization)}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...reasonHeaders({ reason, ticket }),
    }
    const reply = await app.inject({ method, url: path, headers, ...(body === undefined ? {} : { payload: body }) })
    const { warning, link } = reply.headers
    return {
      status: reply.statusCode,
      ...(warning && { warning: [warning].flat().join(', ') }),
      ...(link && { link: [link].flat().join(', ') }),
      body: reply.payload,
    }
  })
}
