// Copying an environment: /v2/projects/{p}/envs/{e}/copy, at once or as a task whose result is asked for, and
// …/copy/plan. A copy is one commit, so a task is done when the write is on record.
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Environment } from '../../../kinds/environment.ts'
import { type CopyTask, LocalTasks, SharedCopyTasks } from '../../../management/objects/copy-tasks.ts'
import type { CopyInput } from '../../../management/plan/copy.ts'
import { copyInput, copyPlanned, planCopy } from '../../../management/plan/planned-copy.ts'
import type { Planner } from '../../../management/plan/planner.ts'
import { planRead } from '../../../management/plan/render-plan.ts'
import { actorId } from '../../../management/rules/actor.ts'
import {
  CopyQuery,
  EnvironmentCopy,
  EnvironmentCopyPlan,
  EnvironmentRead,
  EnvironmentTask,
} from '../../../management/schemas/environments.ts'
import { Plan } from '../../../management/schemas/plan.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { BULK_BODY_BYTES_MAX, COPY_WAIT_MS } from '../../../model/limits.ts'
import { environmentKey, type JsonObject } from '../../../model/objects.ts'
import { describe } from '../../description.ts'
import { managementError, toProblem } from '../../errors.ts'
import { type Query, readText } from '../../page.ts'
import type { Scope } from '../auth.ts'
import { environmentRead } from '../render/control.ts'
import { requestReasons, requireRequired } from '../requirements.ts'
import { answerOnRecord, askedWith, type RouteContext, requestActor } from '../route-context.ts'
import { addWarnings } from '../warning-header.ts'

const COPY = '/v2/projects/:p/envs/:e/copy'
type Copying = { Body: EnvironmentCopy; Querystring: Query }

interface Deps {
  readonly management: RouteContext
  readonly planner: Planner
}

export function copyRoutes(app: FastifyInstance, management: RouteContext, planner: Planner): void {
  const deps = { management, planner }
  planRoute(app, deps)
  const { tasks: shared } = management.store
  const tasks = shared === undefined ? new LocalTasks() : new SharedCopyTasks(shared)
  const config = { operation: 'environment.copy', tag: 'environments' } as const
  const bodyLimit = BULK_BODY_BYTES_MAX // an access diff may come back

  app.post<Copying>(
    COPY,
    {
      ...describe(config, 'Copy an environment', { body: EnvironmentCopy, response: { 201: EnvironmentRead } }),
      bodyLimit,
    },
    async (request, reply) => {
      requireOfTarget(request, management)
      const environment = await copy(deps, request, { reply })
      return reply.code(201).send(environmentRead({ ...request.scope, environment }))
    },
  )
  app.post<Copying>(
    `${COPY}/async`,
    {
      ...describe(config, 'Copy an environment in the background', {
        querystring: CopyQuery,
        body: EnvironmentCopy,
        response: { 202: EnvironmentTask },
      }),
      bodyLimit,
    },
    async (request, reply) => {
      requireOfTarget(request, management)
      const wait = readWait(request.query)
      const id = randomBytes(16).toString('hex')
      await tasks.start(id, request.scope.environment.id)
      copy(deps, request, { task: id })
        .then((environment) => tasks.succeed(id, environment))
        .catch((error: unknown) => tasks.fail(id, managementError(toProblem(error)).body as JsonObject))
        .catch((error: unknown) => request.log.error({ err: error }, 'could not record the result of a copy'))
      return reply.code(202).send(taskRead(id, await tasks.find(id, wait), request.scope))
    },
  )
  app.get<{ Params: { task: string }; Querystring: Query }>(
    `${COPY}/async/:task/result`,
    describe(config, 'Read the result of a copy', { querystring: CopyQuery, response: { 200: EnvironmentTask } }),
    async (request) => {
      const { task: id } = request.params
      const wait = readWait(request.query)
      const task = await tasks.find(id, wait)
      if (task?.environment !== request.scope.environment.id)
        throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'task', ref: id })
      return taskRead(id, task, request.scope)
    },
  )
}

function planRoute(app: FastifyInstance, { management, planner }: Deps): void {
  app.post<{ Body: EnvironmentCopyPlan }>(
    `${COPY}/plan`,
    describe({ operation: 'environment.planCopy', tag: 'environments' }, 'Plan the copy of an environment', {
      body: EnvironmentCopyPlan,
      response: { 200: Plan },
    }),
    async ({ caller, scope, body }) => {
      const control = management.gate.control(caller)
      const options = { planner, control, now: () => Date.now() }
      const plan = await planCopy(options, copyInput(scope.environment.id, body), body.page)
      return planRead(plan, (id) => control.find('api_key', id)?.name ?? null)
    },
  )
}

/** What waits for the copy: its answer, or the id of the task that ends with it. */
interface Waiting {
  readonly reply?: FastifyReply
  readonly task?: string
}

async function copy(deps: Deps, request: FastifyRequest<Copying>, { reply, task }: Waiting): Promise<Environment> {
  const { management, planner } = deps
  const { scope, body } = request
  const { fingerprints, expected, force } = body
  const input = copyInput(scope.environment.id, body)
  const { organization } = request.caller
  const by = requestActor(request, 'copyEnvironment')
  const asking = { ...askedWith(management, request), ...(task === undefined ? {} : { task }) }
  const commit = async (of: CopyInput) => {
    const { result, warnings } = await management.store.commit(organization, 'copyEnvironment', of, by, asking)
    if (reply !== undefined) addWarnings(reply, warnings)
    return result
  }
  if (!fingerprints && !expected) return commit(input)
  const known = await answerOnRecord<Environment>(management, organization, by, asking)
  if (known !== undefined) {
    if (reply !== undefined) addWarnings(reply, known.warnings)
    return known.result
  }
  const options = { planner, control: management.gate.control(request.caller), now: () => Date.now() }
  const agreed = { fingerprints, expected, force }
  return (await copyPlanned({ ...options, by: actorId(by), commit }, input, agreed)).target
}

/** A copy writes into its target; one that cannot be is refused by the copy. @throws REASON_REQUIRED, APPROVAL_REQUIRED */
function requireOfTarget(request: FastifyRequest<Copying>, { gate }: RouteContext): void {
  const { caller, scope, body } = request
  requestReasons(request)
  const { existing } = copyInput(scope.environment.id, body)
  if (existing == null) return
  const control = gate.control(caller)
  const { project } = scope.environment
  const target = control.get('environment', environmentKey(project, existing)) ?? control.find('environment', existing)
  if (target?.project === project) requireRequired(request, target, 'schema.write')
}

function taskRead(task_id: string, task: CopyTask | undefined, scope: Scope): EnvironmentTask {
  const { outcome } = task ?? {}
  if (outcome === undefined) return { task_id, status: 'processing', result: null, error: null }
  if ('error' in outcome) return { task_id, status: 'failure', result: null, error: outcome.error }
  return { task_id, status: 'success', result: environmentRead({ ...scope, environment: outcome.result }), error: null }
}

/** `wait` in seconds, as milliseconds. */
function readWait(query: Query): number {
  const text = readText(query, 'wait') ?? '0'
  const ms = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) * 1000 : Number.NaN
  if (ms <= COPY_WAIT_MS) return ms
  const reason = `ensure this value is a number from 0 to ${COPY_WAIT_MS / 1000}`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: ['query', 'wait'] })
}
