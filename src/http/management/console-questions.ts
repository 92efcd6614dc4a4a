// Questions of the console to the PDP of the same process: what `POST /allowed` and the listings answer, with the
// cookie in the place of a key. The request is authenticated here and then given to the app of the PDP as it came, so
// the answer, its record in the decision log and its limits are those of every other question. Where no PDP runs beside
// the management API there is nothing below these paths, and the console asks `…/explain`.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ZerohopError } from '../../model/errors.ts'
import { CONSOLE_API, isConsole } from '../console/console-request.ts'
import { type Query, readText } from '../page.ts'
import { vouchFor } from '../pdp/vouched.ts'
import type { Gate, Scope } from './auth.ts'

/** What is asked; nothing that writes, and nothing about the process. */
const QUESTIONS = ['/allowed', '/allowed/bulk', '/user-permissions', '/user-tenants', '/authorized_users'] as const

/**
 * The routes, behind the gate.
 * @param pdp the app that answers, once there is one
 */
export function questionRoutes(app: FastifyInstance, gate: Gate, pdp: () => FastifyInstance | undefined): void {
  const config = { operation: 'decision.explain' } as const
  for (const path of QUESTIONS) {
    const onRequest = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
      const answering = isConsole(request.raw) ? pdp() : undefined
      if (answering === undefined) {
        reply.callNotFound()
        return
      }
      try {
        handOver(request, reply, answering, path, resolveScope(gate, request))
      } catch (error) {
        done(error as Error)
      }
    }
    app.post(`${CONSOLE_API}${path}`, { config, onRequest }, (_request, reply) => reply.callNotFound())
  }
}

/** The environment that the query names, or that of the key. @throws INPUT_INVALID, OBJECT_NOT_FOUND */
function resolveScope(gate: Gate, { caller, query }: FastifyRequest): Scope {
  const { project_id, environment_id } = caller.key
  const project = readText(query as Query, 'project') ?? project_id
  const environment = readText(query as Query, 'environment') ?? environment_id
  if (project !== null && environment !== null) return gate.scope(caller, project, environment)
  const reason = 'the key reaches several environments: name one with `project` and `environment`'
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: ['query', 'environment'] })
}

function handOver(
  { raw, caller }: FastifyRequest,
  reply: FastifyReply,
  pdp: FastifyInstance,
  path: string,
  { organization, environment }: Scope,
): void {
  const { key, user } = caller
  const person = user === undefined ? {} : { person: user.name ?? user.subject }
  vouchFor(raw, { environment: environment.id, organization, keyId: key.id, ...person })
  raw.url = path
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value)
  reply.hijack()
  pdp.routing(raw, reply.raw)
}
