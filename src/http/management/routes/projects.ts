// Projects and environments: /v2/projects. They are written in the control log of the organization; a key sees those
// that it reaches.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Environment } from '../../../kinds/environment.ts'
import type { Project } from '../../../kinds/project.ts'
import { changesRequired } from '../../../management/objects/projects.ts'
import { reachesEnvironment, reachesProject, requireAccess } from '../../../management/rules/access.ts'
import {
  EnvironmentCreate,
  EnvironmentRead,
  EnvironmentReplace,
  EnvironmentStats,
  EnvironmentUpdate,
  EnvironmentWithEmail,
} from '../../../management/schemas/environments.ts'
import { ProjectCreate, ProjectRead, ProjectReplace, ProjectUpdate } from '../../../management/schemas/projects.ts'
import { PageQuery } from '../../../management/schemas/query-parameters.ts'
import { NoBody } from '../../../management/schemas/schema-parts.ts'
import type { StoredView } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import type { Page } from '../../page.ts'
import type { Caller, Scope } from '../auth.ts'
import { everyObject, indexed, paged, type Rows, searched } from '../collection-pages.ts'
import { collectionRoutes, listRoute } from '../collection-routes.ts'
import { readExpectedObject, sendEtag, type Tagged } from '../preconditions.ts'
import { environmentRead, environmentReadWithEmail, environmentStatistics, projectRead } from '../render/control.ts'
import { requireReason } from '../requirements.ts'
import { type RouteContext, requestView, writeControl, writeNamed } from '../route-context.ts'
import { printConfigs } from './api-keys.ts'

const PROJECT = '/v2/projects/:p'
const ENVIRONMENTS = `${PROJECT}/envs`
const ENVIRONMENT = `${ENVIRONMENTS}/:e`
interface InProject {
  Params: { p: string }
}
interface Named {
  Params: { p: string; e: string }
}

export function projectRoutes(app: FastifyInstance, management: RouteContext): void {
  const { gate } = management
  collectionRoutes(app, management, {
    path: PROJECT,
    tag: 'projects',
    noun: 'project',
    operations: {
      read: 'project.read',
      create: 'project.create',
      change: 'project.write',
      remove: 'project.delete',
    },
    reachedId: ({ request, ref }) => gate.project(request.caller, ref).id,
    tagged: 'project',
    find: ({ request, ref }) => gate.project(request.caller, ref),
    answer: ProjectRead,
    print: ({ request }, projects) => projects.map((project) => projectRead(request.caller.organization, project)),
    list: {
      query: PageQuery,
      form: 'array',
      rows: ({ request: { caller } }, page) => listProjects(() => gate.control(caller), caller, page),
    },
    create: { body: ProjectCreate, useCase: 'createProject' },
    update: { body: ProjectUpdate, useCase: 'updateProject' },
    replace: { body: ProjectReplace, useCase: 'replaceProject' },
    remove: 'deleteProject',
  })
  environmentRoutes(app, management)
}

function environmentRoutes(app: FastifyInstance, management: RouteContext): void {
  const { gate } = management
  const read = { operation: 'environment.read', tag: 'environments' } as const
  const tagged = ({ caller, params }: FastifyRequest): Tagged => {
    const { p, e } = params as Named['Params']
    const scope = gate.scope(caller, p, e)
    return { kind: 'environment', object: scope.environment, show: () => environmentReadWithEmail(scope) }
  }
  const change = { operation: 'environment.write', tag: 'environments', tagged } as const
  listRoute(app, management, {
    path: ENVIRONMENTS,
    refName: 'p',
    tag: 'environments',
    summary: 'List environments',
    operation: 'environment.read',
    query: PageQuery,
    form: 'array',
    rows: ({ request: { caller }, ref }, page) =>
      listEnvironments(() => gate.control(caller), caller, gate.project(caller, ref), page),
    answer: EnvironmentWithEmail,
    print: ({ request: { caller }, ref }, environments) => {
      const project = gate.project(caller, ref)
      return environments.map((environment) =>
        environmentReadWithEmail({ organization: caller.organization, project, environment }),
      )
    },
  })
  app.post<InProject & { Body: EnvironmentCreate }>(
    ENVIRONMENTS,
    describe({ operation: 'environment.create', tag: 'environments' }, 'Create an environment', {
      body: EnvironmentCreate,
      response: { 200: EnvironmentRead },
    }),
    async (request) => {
      const { caller } = request
      const project = gate.project(caller, request.params.p)
      const input = { project: project.id, environment: request.body }
      const environment = await writeControl(management, request, 'createEnvironment', input)
      return environmentRead({ organization: caller.organization, project, environment })
    },
  )
  app.get(
    ENVIRONMENT,
    describe(read, 'Read an environment', { response: { 200: EnvironmentWithEmail } }),
    (request, reply) => {
      reply.header('x-revision', String(requestView(management, request).position.revision))
      sendEtag(reply, request.scope.environment)
      return environmentReadWithEmail(request.scope)
    },
  )
  app.patch<{ Body: EnvironmentUpdate }>(
    ENVIRONMENT,
    describe(change, 'Change an environment', { body: EnvironmentUpdate, response: { 200: EnvironmentRead } }),
    async (request, reply) => {
      requireMayRequire(request, false)
      const input = { ref: request.scope.environment.id, fields: request.body }
      const environment = await writeControl(management, request, 'updateEnvironment', input)
      sendEtag(reply, environment)
      return changed(request.scope, environment)
    },
  )
  app.put<{ Body: EnvironmentReplace }>(
    ENVIRONMENT,
    describe(change, 'Replace an environment', { body: EnvironmentReplace, response: { 200: EnvironmentRead } }),
    async (request, reply) => {
      requireMayRequire(request, true)
      const input = { ref: request.scope.environment.id, fields: request.body }
      const environment = await writeControl(management, request, 'replaceEnvironment', input)
      sendEtag(reply, environment)
      return changed(request.scope, environment)
    },
  )
  app.delete<Named>(
    ENVIRONMENT,
    describe(
      { operation: 'environment.delete', mayBeGone: true, tag: 'environments', tagged },
      'Delete an environment',
      {
        response: { 204: NoBody },
      },
    ),
    async (request, reply) => {
      const { caller, params } = request
      const revision = expectedRevision(request.headers['if-match'])
      const find = () => {
        const { environment } = gate.scope(caller, params.p, params.e)
        requireReason(request, environment)
        return { ref: environment.id, expected: revision }
      }
      await writeNamed(
        management,
        request,
        'deleteEnvironment',
        find,
        revision === undefined ? readExpectedObject : NO_OBJECT,
      )
      return reply.code(204).send()
    },
  )
  app.get(
    `${ENVIRONMENT}/stats`,
    describe(read, 'Read an environment with its counts', { response: { 200: EnvironmentStats } }),
    async (request) => {
      const pdp_configs = await printConfigs(management, request)
      const hasRecords = (await management.audit.count(request.scope.environment.id)) > 0
      const stats = environmentStatistics(requestView(management, request), hasRecords)
      return { ...environmentRead(request.scope), pdp_configs, stats }
    },
  )
}

/** @throws KEY_TOO_NARROW when the body changes what the environment requires of writes, and the key may not */
function requireMayRequire(
  { scope, caller, body }: FastifyRequest<{ Body: EnvironmentUpdate }>,
  isReplaced: boolean,
): void {
  if (changesRequired(scope.environment, body, isReplaced)) requireAccess(caller.key, 'environment.require')
}

const NO_OBJECT = () => undefined

/** The revision that `if-match` names, in quotes as an entity tag or bare; else it is an etag. */
function expectedRevision(header: string | undefined): number | undefined {
  const [, revision] = /^\s*"?(\d{1,15})"?\s*$/.exec(header ?? '') ?? []
  return revision === undefined ? undefined : Number(revision)
}

function changed(scope: Scope, environment: Environment) {
  return environmentRead({ ...scope, environment })
}

async function listProjects(view: () => StoredView, caller: Caller, page: Page): Promise<Rows<Project>> {
  const source = everyObject(view, 'project')
  if (caller.key.level === 'org') return paged(source, page)
  return searched(source, page, (project) => (reachesProject(caller.key, project) ? project : undefined), false)
}

async function listEnvironments(
  view: () => StoredView,
  caller: Caller,
  project: Project,
  page: Page,
): Promise<Rows<Environment>> {
  const source = indexed(view, 'environments_of_project', project.key)
  if (caller.key.level !== 'env') return paged(source, page)
  const own = (one: Environment) => (reachesEnvironment(caller.key, project, one) ? one : undefined)
  return searched(source, page, own, false)
}
