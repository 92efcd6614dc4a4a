// Plans: /v2/projects/{p}/envs/{e}/validate reads policy files, …/plan says what a policy file or a list of changes
// would do, and …/apply does it.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { applyInto } from '../../../management/plan/apply.ts'
import { readPlanRequest } from '../../../management/plan/plan-request.ts'
import type { MadePlan } from '../../../management/plan/plan-task.ts'
import type { Planner } from '../../../management/plan/planner.ts'
import { planRead } from '../../../management/plan/render-plan.ts'
import type { ApplyInput } from '../../../management/plan/use-cases.ts'
import { actorId } from '../../../management/rules/actor.ts'
import { ApplyRequest, CheckedPolicy, Plan, PlanRequest, PolicyTexts } from '../../../management/schemas/plan.ts'
import { BULK_BODY_BYTES_MAX } from '../../../model/limits.ts'
import { describe } from '../../description.ts'
import { answerOnRecord, askedWith, type RouteContext, requestActor } from '../route-context.ts'
import { addWarnings } from '../warning-header.ts'

const ENVIRONMENT = '/v2/projects/:p/envs/:e'
const planning = { operation: 'schema.read', tag: 'environments' } as const

export function planRoutes(app: FastifyInstance, management: RouteContext, planner: Planner): void {
  const { store, gate } = management
  const now = () => Date.now()
  const read = (request: FastifyRequest, plan: MadePlan): Plan => {
    const control = gate.control(request.caller)
    return planRead(plan, (id) => control.find('api_key', id)?.name ?? null)
  }

  app.post<{ Body: PolicyTexts }>(
    `${ENVIRONMENT}/validate`,
    {
      ...describe(planning, 'Check policy files for errors', { body: PolicyTexts, response: { 200: CheckedPolicy } }),
      bodyLimit: BULK_BODY_BYTES_MAX,
    },
    async ({ scope, body }): Promise<CheckedPolicy> =>
      planner.check({ environment: scope.environment.id, now: now(), ...body }),
  )
  app.post<{ Body: PlanRequest }>(
    `${ENVIRONMENT}/plan`,
    {
      ...describe(planning, 'Plan a policy or changes', { body: PlanRequest, response: { 200: Plan } }),
      bodyLimit: BULK_BODY_BYTES_MAX,
    },
    async (request) => {
      const environment = request.scope.environment.id
      const at = now()
      return read(request, await planner.plan({ environment, now: at, ...readPlanRequest(request.body, at) }))
    },
  )
  app.post<{ Body: ApplyRequest }>(
    `${ENVIRONMENT}/apply`,
    {
      ...describe({ operation: 'schema.write', tag: 'environments' }, 'Apply a policy or changes', {
        body: ApplyRequest,
        response: { 200: Plan },
      }),
      bodyLimit: BULK_BODY_BYTES_MAX,
    },
    async (request, reply) => {
      const environment = request.scope.environment.id
      const by = requestActor(request, 'applyPlan')
      const asking = askedWith(management, request)
      const commit = async (input: ApplyInput) => {
        const committed = await store.commit(environment, 'applyPlan', input, by, asking)
        addWarnings(reply, committed.warnings)
        return committed
      }
      const repeated = async (): Promise<MadePlan | undefined> => {
        // it is the same request, so the use case `applyPlan` gave the answer
        const known = await answerOnRecord<MadePlan | null>(management, environment, by, asking)
        addWarnings(reply, known?.warnings)
        return known?.result ? { ...known.result, revision: known.revision } : undefined
      }
      const into = { planner, environment, by: actorId(by), now, commit, ...(asking.once && { repeated }) }
      const applied = await applyInto(into, request.body)
      reply.header('x-revision', String(applied.revision))
      return read(request, applied)
    },
  )
}
