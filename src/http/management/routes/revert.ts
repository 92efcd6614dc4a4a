// Reverting a revision: …/revisions/{revision}/revert/plan says what it would do, and …/revert does it.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Revert } from '../../../management/differences/undone.ts'
import type { PastRevisions } from '../../../management/past/past-revisions.ts'
import { applyInto } from '../../../management/plan/apply.ts'
import type { MadePlan } from '../../../management/plan/plan-task.ts'
import type { Planner } from '../../../management/plan/planner.ts'
import type { ApplyInput } from '../../../management/plan/use-cases.ts'
import { actorId } from '../../../management/rules/actor.ts'
import { RevertPlan, RevertPlanRequest, RevertRequest } from '../../../management/schemas/revert.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { describe } from '../../description.ts'
import { revertRead } from '../render/revert.ts'
import { askedWith, type RouteContext, requestActor } from '../route-context.ts'
import { addWarnings } from '../warning-header.ts'

const REVERT = '/v2/projects/:p/envs/:e/revisions/:revision/revert'

interface Deps {
  readonly planner: Planner
  readonly past: PastRevisions
}
type Asked<B> = { Body: B; Params: { revision: string } }

export function revertRoutes(app: FastifyInstance, management: RouteContext, { planner, past }: Deps): void {
  const { store, gate } = management
  const read = (request: FastifyRequest, plan: MadePlan, { revision }: Revert): RevertPlan => {
    const control = gate.control(request.caller)
    return revertRead(plan, revision, (id) => control.find('api_key', id)?.name ?? null)
  }

  app.post<Asked<RevertPlanRequest>>(
    `${REVERT}/plan`,
    describe({ operation: 'schema.read', tag: 'environments' }, 'Plan the revert of a revision', {
      body: RevertPlanRequest,
      response: { 200: RevertPlan },
    }),
    async (request) => {
      const environment = request.scope.environment.id
      const revert = await askedRevert(past, request)
      const { page } = request.body
      return read(request, await planner.plan({ environment, now: Date.now(), revert, page }), revert)
    },
  )
  app.post<Asked<RevertRequest>>(
    REVERT,
    describe({ operation: 'schema.write', tag: 'environments' }, 'Revert a revision', {
      body: RevertRequest,
      response: { 200: RevertPlan },
    }),
    async (request, reply) => {
      const environment = request.scope.environment.id
      const { fingerprints, expected, force } = request.body
      const revert = await askedRevert(past, request)
      const by = requestActor(request, 'revertRevision')
      const asking = askedWith(management, request)
      const commit = async (input: ApplyInput) => {
        const committed = await store.commit(environment, 'applyPlan', input, by, asking)
        addWarnings(reply, committed.warnings)
        return committed
      }
      const into = { planner, environment, by: actorId(by), now: () => Date.now(), commit }
      const applied = await applyInto(into, { revert, fingerprints, expected, force })
      reply.header('x-revision', String(applied.revision))
      return read(request, applied, revert)
    },
  )
}

/** @throws OBJECT_NOT_FOUND, REVISION_UNKNOWN, REVISION_GONE, LIMIT_EXCEEDED */
async function askedRevert(
  past: PastRevisions,
  { scope, params, body }: FastifyRequest<Asked<Pick<RevertRequest, 'cascade' | 'only'>>>,
): Promise<Revert> {
  if (!/^\d{1,15}$/.test(params.revision))
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'revision', ref: params.revision })
  const environment = scope.environment.id
  const { revision } = past.find(environment, { revision: Number(params.revision) })
  const objects = await past.undone(environment, revision)
  return { revision, objects, cascade: body.cascade, only: body.only }
}
