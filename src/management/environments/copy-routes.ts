// Copying an environment: /v2/projects/{p}/envs/{e}/copy, at once or as a task whose result is asked for. Tasks live in
// this process; a copy is one commit, so a task is done when the writer is.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { managementError, problemOf } from '../../http/errors.ts'
import { type Query, readText } from '../../http/page.ts'
import { ZerohopError } from '../../model/errors.ts'
import { COPY_TASKS_MAX, COPY_WAIT_MS } from '../../model/limits.ts'
import type { JsonObject } from '../../model/objects.ts'
import { environmentRead } from '../http/render.ts'
import { type RouteContext, writeControl } from '../http/route-context.ts'
import { CopyQuery, EnvironmentCopy, EnvironmentRead, EnvironmentTask } from './schema.ts'

const COPY = '/v2/projects/:p/envs/:e/copy'
type Copying = { Body: EnvironmentCopy; Querystring: Query }

interface Task {
  /** id of the environment that is copied: who reaches it may ask */
  readonly environment: string
  readonly done: Promise<unknown>
  outcome: { readonly result: EnvironmentRead } | { readonly error: JsonObject } | undefined
}

export function copyRoutes(app: FastifyInstance, management: RouteContext): void {
  const tasks = new Map<string, Task>()
  const config = { operation: 'environment.copy' } as const

  app.post<Copying>(
    COPY,
    { config, schema: { body: EnvironmentCopy, response: { 201: EnvironmentRead } } },
    async (request, reply) => {
      const copied = await copy(management, request)
      return reply.code(201).send(copied)
    },
  )
  app.post<Copying>(
    `${COPY}/async`,
    { config, schema: { querystring: CopyQuery, body: EnvironmentCopy, response: { 202: EnvironmentTask } } },
    async (request, reply) => {
      const wait = readWait(request.query)
      const id = randomBytes(16).toString('hex')
      const done = copy(management, request).then(
        (result) => {
          task.outcome = { result }
        },
        (error: unknown) => {
          task.outcome = { error: managementError(problemOf(error)).body as JsonObject }
        },
      )
      const task: Task = { environment: request.scope.environment.id, done, outcome: undefined }
      for (const oldest of tasks.keys()) {
        if (tasks.size < COPY_TASKS_MAX) break
        tasks.delete(oldest)
      }
      tasks.set(id, task)
      return reply.code(202).send(await answer(id, task, wait))
    },
  )
  app.get<{ Params: { task: string }; Querystring: Query }>(
    `${COPY}/async/:task/result`,
    { config, schema: { querystring: CopyQuery, response: { 200: EnvironmentTask } } },
    async (request) => {
      const { task: id } = request.params
      const wait = readWait(request.query)
      const task = tasks.get(id)
      if (task?.environment !== request.scope.environment.id)
        throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'task', ref: id })
      return answer(id, task, wait)
    },
  )
}

async function copy(management: RouteContext, request: FastifyRequest<Copying>): Promise<EnvironmentRead> {
  const { scope, body } = request
  const environment = await writeControl(management, request, 'copyEnvironment', {
    source: scope.environment.id,
    existing: body.target_env.existing ?? null,
    fresh: body.target_env.new ?? null,
    overwrite: body.conflict_strategy === 'overwrite',
    scope: body.scope ?? null,
  })
  return environmentRead({ ...scope, environment })
}

async function answer(task_id: string, task: Task, wait: number): Promise<EnvironmentTask> {
  if (wait > 0) {
    const timer = new AbortController()
    await Promise.race([task.done, sleep(wait, undefined, { signal: timer.signal }).catch(() => undefined)])
    timer.abort()
  }
  const { outcome } = task
  if (outcome === undefined) return { task_id, status: 'processing', result: null, error: null }
  return 'result' in outcome
    ? { task_id, status: 'success', result: outcome.result, error: null }
    : { task_id, status: 'failure', result: null, error: outcome.error }
}

/** `wait` in seconds, as milliseconds. */
function readWait(query: Query): number {
  const text = readText(query, 'wait') ?? '0'
  const ms = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) * 1000 : Number.NaN
  if (ms <= COPY_WAIT_MS) return ms
  const reason = `ensure this value is a number from 0 to ${COPY_WAIT_MS / 1000}`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: ['query', 'wait'] })
}
