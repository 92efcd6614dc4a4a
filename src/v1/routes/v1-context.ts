// The environment of a call of the first API version: with the key of an environment that environment; with the key of
// the organization the environment of the global objects of v1, which the first write creates. The key of a project is
// refused.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { beforeSending } from '../../http/hooks.ts'
import type { Scope } from '../../http/management/auth.ts'
import { requireRequired } from '../../http/management/requirements.ts'
import { type RouteContext, write, writeControl } from '../../http/management/route-context.ts'
import { ZerohopError } from '../../model/errors.ts'
import { EmptyView } from '../../store/empty.ts'
import type { InputOf, ResultOf } from '../../store/view.ts'
import { findGlobal, V1_ENVIRONMENT, V1_PROJECT } from '../use-cases/global-environment.ts'
import type { V1Name, v1Writes } from '../use-cases/v1-writes.ts'
import type { Place } from './v1-render.ts'

/** Since when v1 is deprecated (RFC 9745: seconds since 1970), and the address of the migration guide. */
const DEPRECATION = `@${Date.UTC(2023, 0, 1) / 1000}`
const GUIDE = '</docs/migration>; rel="deprecation"; type="text/markdown"'

declare module 'fastify' {
  interface FastifyRequest {
    /** the environment of a v1 call; undefined while the one of the global objects does not exist */
    v1: Scope | undefined
  }
}

/** Adds the deprecation headers to every answer, and the environment to every request. */
export function asV1(app: FastifyInstance, { gate }: RouteContext): void {
  app.decorateRequest('v1', undefined)
  app.addHook('onRequest', (request, _reply, done) => {
    try {
      request.v1 = findScope(gate, request)
      const { operation } = request.routeOptions.config
      if (request.v1 && operation) requireRequired(request, request.v1.environment, operation)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
  beforeSending(app, (_request, reply) => {
    reply.header('deprecation', DEPRECATION).header('link', GUIDE)
  })
}

function findScope(gate: RouteContext['gate'], { caller }: FastifyRequest): Scope | undefined {
  const { level, project_id, environment_id } = caller.key
  if (level === 'env') return gate.scope(caller, project_id ?? '', environment_id ?? '')
  if (level === 'project')
    throw new ZerohopError('KEY_TOO_NARROW', {
      what: 'use /v1: take the key of an environment, or that of the organization for objects outside of environments',
    })
  return findGlobal(gate.control(caller)) && gate.scope(caller, V1_PROJECT, V1_ENVIRONMENT)
}

/** The objects of the call's environment in this turn. */
export function resolvePlace({ store }: RouteContext, { v1, caller }: FastifyRequest): Place {
  const view = v1 === undefined ? new EmptyView(caller.organization) : store.view(v1.environment.id)
  return { view, organization: caller.organization }
}

type Writes = typeof v1Writes

/** Commits a write of v1. The first write of a global object creates their environment in the same commit. */
export async function v1Write<N extends V1Name>(
  management: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  name: N,
  input: InputOf<Writes[N]>,
): Promise<ResultOf<Writes[N]>> {
  const { gate } = management
  if (request.v1 === undefined) {
    const first = await writeControl(management, request, 'v1FirstWrite', { name, input })
    request.v1 = gate.scope(request.caller, V1_PROJECT, V1_ENVIRONMENT)
    if (first !== null) {
      reply.header('x-revision', '1')
      return first.result as ResultOf<Writes[N]>
    }
  }
  request.scope = request.v1
  return write(management, request, reply, name, input as never) as Promise<ResultOf<Writes[N]>>
}
