// Organizations, projects, environments (reading) and API keys. A key sees its own organization, and of projects and environments
// those it reaches.
import type { FastifyInstance } from 'fastify'
import { ZerohopError } from '../../model/errors.ts'
import { parseId } from '../../model/keys.ts'
import type { Environment, Organization, Project } from '../../model/objects.ts'
import { reachesEnvironment, reachesProject } from '../../pap/access.ts'
import type { View } from '../../store/view.ts'
import type { Caller } from '../auth.ts'
import { type Page, type Query, readPage, readText } from '../page.ts'
import type { Management } from './context.ts'
import { everyObject, indexed, paged } from './listing.ts'
import { apiKeyRead, environmentReadWithEmail, organizationRead, projectRead } from './render.ts'

export function generalRoutes(app: FastifyInstance, management: Management): void {
  apiKeyRoutes(app, management)
  organizationRoutes(app, management)
  projectRoutes(app, management)
}

function apiKeyRoutes(app: FastifyInstance, { store, gate }: Management): void {
  app.get('/v2/api-key/scope', { config: { operation: 'scope.read' } }, ({ caller: { key } }) => ({
    organization_id: key.organization_id,
    project_id: key.project_id,
    environment_id: key.environment_id,
  }))
  app.get('/v2/api-key/:p/:e', { config: { operation: 'secret.read' } }, ({ caller, scope }) => {
    const view = gate.control(caller)
    const [config] = view.by('pdp_configs_of_environment', scope.environment.id, { limit: 1 })
    const key = config && view.find('api_key', config.api_key_id)
    if (key === undefined)
      throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'API key of environment', ref: scope.environment.environment })
    return apiKeyRead(scope, key, store.readSecret(key.id) ?? null)
  })
}

function organizationRoutes(app: FastifyInstance, { gate }: Management): void {
  const own = (caller: Caller): Organization => gate.control(caller).require('organization', caller.organization)
  const config = { operation: 'organization.read' } as const
  app.get<{ Querystring: Query }>('/v2/orgs', { config }, ({ caller, query }) => {
    const page = readPage(query)
    const search = readText(query, 'search')
    const organization = own(caller)
    const wanted = search === undefined || isNamed(organization, search)
    return wanted && page.number === 1 ? [organizationRead(organization)] : []
  })
  app.get('/v2/orgs/active/org', { config }, ({ caller }) => organizationRead(own(caller)))
  app.get<{ Params: { org: string } }>('/v2/orgs/:org', { config }, ({ caller, params }) => {
    const organization = own(caller)
    if (!isNamed(organization, params.org))
      throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'organization', ref: params.org })
    return organizationRead(organization)
  })
}

function projectRoutes(app: FastifyInstance, { gate }: Management): void {
  app.get<{ Querystring: Query }>('/v2/projects', { config: { operation: 'project.read' } }, ({ caller, query }) =>
    projectsOf(gate.control(caller), caller, readPage(query)).map((project) =>
      projectRead(caller.organization, project),
    ),
  )
  app.get<{ Params: { p: string } }>(
    '/v2/projects/:p',
    { config: { operation: 'project.read' } },
    ({ caller, params }) => projectRead(caller.organization, gate.project(caller, params.p)),
  )
  app.get<{ Params: { p: string }; Querystring: Query }>(
    '/v2/projects/:p/envs',
    { config: { operation: 'environment.read' } },
    ({ caller, params, query }) => {
      const project = gate.project(caller, params.p)
      const environments = environmentsOf(gate.control(caller), caller, project, readPage(query))
      return environments.map((environment) => {
        return environmentReadWithEmail({ organization: caller.organization, project, environment })
      })
    },
  )
  app.get('/v2/projects/:p/envs/:e', { config: { operation: 'environment.read' } }, ({ scope }) =>
    environmentReadWithEmail(scope),
  )
}

function isNamed({ id, key }: Organization, ref: string): boolean {
  return parseId(ref) === id || key === ref
}

function projectsOf(view: View, caller: Caller, page: Page): readonly Project[] {
  const source = everyObject(() => view, 'project')
  if (caller.key.level === 'org') return paged(source, page).rows
  const own = source
    .open(0)(Number.MAX_SAFE_INTEGER)
    .filter((project) => reachesProject(caller.key, project))
  return own.slice(page.offset, page.offset + page.rows)
}

function environmentsOf(view: View, caller: Caller, project: Project, page: Page): readonly Environment[] {
  const source = indexed(() => view, 'environments_of_project', project.key)
  if (caller.key.level !== 'env') return paged(source, page).rows
  const own = source
    .open(0)(Number.MAX_SAFE_INTEGER)
    .filter((environment) => reachesEnvironment(caller.key, project, environment))
  return own.slice(page.offset, page.offset + page.rows)
}
