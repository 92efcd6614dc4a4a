// SCIM 2.0 (RFC 7643, RFC 7644) at /scim/v2, for the environment of the key (docs/scim.md). It is a Fastify scope of its
// own because it differs: bodies and answers of type application/scim+json, and errors in the form of SCIM, also for
// unknown paths.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Objects } from '../../../kinds/index.ts'
import { requireDirectoryGroup } from '../../../management/objects/directory-groups.ts'
import { requireDirectoryUser } from '../../../management/objects/directory-users.ts'
import { NoBody } from '../../../management/schemas/schema-parts.ts'
import { ScimBody, ScimListQuery, ScimQuery, ScimResource } from '../../../management/schemas/scim.ts'
import { BULK_BODY_BYTES_MAX } from '../../../model/limits.ts'
import type { View } from '../../../store/view.ts'
import { addJsonParser, requirePlain } from '../../app.ts'
import { describe } from '../../description.ts'
import type { Query } from '../../page.ts'
import { noRouteFor, RouteMethods } from '../../route-methods.ts'
import { sendEtag, type Tagged } from '../preconditions.ts'
import { type RouteContext, requestView, write } from '../route-context.ts'
import { findById, listResourceTypes, listSchemas, serviceProviderConfig } from './discovery.ts'
import {
  findNeeds,
  listResources,
  readBase,
  readSelection,
  type Shown,
  selected,
  shownGroups,
  shownUsers,
} from './resources.ts'
import { SCIM_TYPE, scimError, scimErrorBody } from './scim-errors.ts'
import { readSearch, searchAll } from './search.ts'

const read = { operation: 'directory.read', tag: 'SCIM' } as const
const change = { operation: 'directory.write', tag: 'SCIM' } as const
interface Named {
  Params: { id: string }
}

export function scimRoutes(parent: FastifyInstance, management: RouteContext): void {
  parent.register(async (app) => scope(app, management), { prefix: '/scim/v2' })
}

function scope(app: FastifyInstance, management: RouteContext): void {
  addJsonParser(app, 'refuse', ({ headers }) => requirePlain(headers['content-encoding']), SCIM_TYPE)
  app.setErrorHandler((error, request, reply) => answerError(app, error, request, reply))
  const methods = new RouteMethods(app.noted)
  app.setNotFoundHandler((request, reply) => {
    const others = methods.others(request.method, request.url.split('?', 1)[0]!)
    if (others.length > 0) reply.header('allow', others.join(', '))
    const { status, message } = noRouteFor(request.method, others)
    return reply.code(status).type(SCIM_TYPE).send(scimErrorBody(status, message).body)
  })
  discoveryRoutes(app)
  searchRoute(app, management)
  resourceRoutes(app, management, {
    shown: shownUsers,
    noun: 'user',
    require: requireDirectoryUser,
    create: (body, { caller }) =>
      ['createDirectoryUser', { body, userKey: caller.key.user_key ?? 'user_name' }] as const,
    update: 'updateDirectoryUser',
    replace: 'replaceDirectoryUser',
    remove: 'deleteDirectoryUser',
  })
  resourceRoutes(app, management, {
    shown: shownGroups,
    noun: 'group',
    require: requireDirectoryGroup,
    create: (body) => ['createDirectoryGroup', { body }] as const,
    update: 'updateDirectoryGroup',
    replace: 'replaceDirectoryGroup',
    remove: 'deleteDirectoryGroup',
  })
}

interface Resources<K extends 'directory_user' | 'directory_group'> {
  readonly shown: Shown<K>
  readonly noun: string
  readonly require: (view: View, ref: string) => Objects[K]
  readonly create: (
    body: unknown,
    request: FastifyRequest,
  ) => readonly ['createDirectoryUser' | 'createDirectoryGroup', object]
  readonly update: 'updateDirectoryUser' | 'updateDirectoryGroup'
  readonly replace: 'replaceDirectoryUser' | 'replaceDirectoryGroup'
  readonly remove: 'deleteDirectoryUser' | 'deleteDirectoryGroup'
}

function resourceRoutes<K extends 'directory_user' | 'directory_group'>(
  app: FastifyInstance,
  management: RouteContext,
  { shown, noun, require, ...names }: Resources<K>,
): void {
  const { kind, type } = shown
  const one = `${type.path}/:id`
  // a group may have very many members
  const bodyLimit = kind === 'directory_group' ? { bodyLimit: BULK_BODY_BYTES_MAX } : {}
  const answer = (request: FastifyRequest, reply: FastifyReply, object: Objects[K]): FastifyReply => {
    const selection = readSelection(request.query as Query)
    const base = readBase(request)
    const printed = shown.print(requestView(management, request), object, base, findNeeds(type, selection))
    sendEtag(reply, object)
    return send(reply, selected(type, printed, selection))
  }
  const tagged = (request: FastifyRequest): Tagged => ({
    kind,
    object: require(requestView(management, request), (request.params as Named['Params']).id),
    show: () => null, // a refusal of SCIM has its own form
  })
  app.get(
    type.path,
    describe(read, `List ${noun}s of the directory`, { querystring: ScimListQuery, response: { 200: ScimResource } }),
    async (request, reply) => {
      const view = () => requestView(management, request)
      return send(reply, await listResources(shown, view, request.query as Query, readBase(request)))
    },
  )
  app.post(
    `${type.path}/.search`,
    describe(read, `Search ${noun}s of the directory`, { body: ScimBody, response: { 200: ScimResource } }),
    async (request, reply) => {
      const view = () => requestView(management, request)
      return send(reply, await listResources(shown, view, readSearch(request.body), readBase(request)))
    },
  )
  app.post(
    type.path,
    {
      ...describe(change, `Create a ${noun} of the directory`, { body: ScimBody, response: { 201: ScimResource } }),
      ...bodyLimit,
    },
    async (request, reply) => {
      const [name, input] = names.create(request.body, request)
      const made = (await write(management, request, reply, name, input as never)) as Objects[K]
      reply.code(201).header('location', `${readBase(request)}${type.path}/${made.id}`)
      return answer(request, reply, made)
    },
  )
  app.get<Named>(
    one,
    describe(read, `Read a ${noun} of the directory`, { querystring: ScimQuery, response: { 200: ScimResource } }),
    async (request, reply) => answer(request, reply, require(requestView(management, request), request.params.id)),
  )
  for (const [method, verb, name] of [
    ['PUT', 'Replace', names.replace],
    ['PATCH', 'Change', names.update],
  ] as const) {
    app.route<Named>({
      method,
      url: one,
      ...describe({ ...change, tagged }, `${verb} a ${noun} of the directory`, {
        body: ScimBody,
        response: { 200: ScimResource },
      }),
      ...bodyLimit,
      handler: async (request, reply) => {
        const input = { ref: request.params.id, body: request.body }
        const changed = await write(management, request, reply, name, input)
        return answer(request, reply, changed as Objects[K])
      },
    })
  }
  app.delete<Named>(
    one,
    describe({ ...change, tagged }, `Delete a ${noun} of the directory`, { response: { 204: NoBody } }),
    async (request, reply) => {
      await write(management, request, reply, names.remove, { ref: request.params.id })
      return reply.code(204).send()
    },
  )
}

function discoveryRoutes(app: FastifyInstance): void {
  const described = (summary: string) => describe(read, summary, { response: { 200: ScimResource } })
  app.get('/ServiceProviderConfig', described('Read what SCIM can do here'), (request, reply) =>
    send(reply, serviceProviderConfig(readBase(request))),
  )
  for (const [path, kind, list] of [
    ['/ResourceTypes', 'resource type', listResourceTypes],
    ['/Schemas', 'schema', listSchemas],
  ] as const) {
    app.get(path, described(`List the ${kind}s of SCIM`), (request, reply) => {
      const all = list(readBase(request))
      const schemas = ['urn:ietf:params:scim:api:messages:2.0:ListResponse']
      const counts = { totalResults: all.length, startIndex: 1, itemsPerPage: all.length }
      return send(reply, { schemas, ...counts, Resources: all })
    })
    app.get<Named>(`${path}/:id`, described(`Read a ${kind} of SCIM`), (request, reply) =>
      send(reply, findById<{ readonly id: string }>(kind, list(readBase(request)), request.params.id)),
    )
  }
}

/** Searches over users and groups together. */
function searchRoute(app: FastifyInstance, management: RouteContext): void {
  app.post(
    '/.search',
    describe(read, 'Search users and groups of the directory', { body: ScimBody, response: { 200: ScimResource } }),
    async (request, reply) => {
      const view = () => requestView(management, request)
      return send(reply, await searchAll(view, readSearch(request.body), readBase(request)))
    },
  )
}

const send = (reply: FastifyReply, body: object): FastifyReply => reply.type(SCIM_TYPE).send(body)

function answerError(app: FastifyInstance, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const { status, body, problem } = scimError(error)
  app.problems.log(error, problem, request.id)
  if (status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', '1')
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  return reply.code(status).type(SCIM_TYPE).send(body)
}
