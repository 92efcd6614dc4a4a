// The organization of the key: /v2/orgs. A key sees no other one.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Organization } from '../../../kinds/organization.ts'
import {
  OrganizationQuery,
  OrganizationRead,
  OrganizationReplace,
  OrganizationStats,
  OrganizationUpdate,
} from '../../../management/schemas/organizations.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { listOf } from '../../../model/json-schema.ts'
import { parseId } from '../../../model/keys.ts'
import { describe } from '../../description.ts'
import { type Query, readText } from '../../page.ts'
import type { Caller } from '../auth.ts'
import { askedPage } from '../cursors.ts'
import { sendEtag, type Tagged } from '../preconditions.ts'
import { organizationRead, organizationStats } from '../render/control.ts'
import { type RouteContext, writeControl } from '../route-context.ts'

const ORGANIZATION = '/v2/orgs/:org'
const config = { operation: 'organization.read', tag: 'organizations' } as const
interface Named {
  Params: { org: string }
}

export function organizationRoutes(app: FastifyInstance, management: RouteContext): void {
  const { gate, store } = management
  const own = (caller: Caller): Organization => gate.control(caller).require('organization', caller.organization)
  const named = (caller: Caller, ref: string): Organization => {
    const organization = own(caller)
    if (isNamed(organization, ref)) return organization
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'organization', ref })
  }
  const tagged = ({ caller }: FastifyRequest): Tagged => {
    const object = own(caller)
    return { kind: 'organization', object, show: () => organizationRead(object) }
  }
  const change = { operation: 'organization.write', tag: 'organizations', tagged } as const
  app.get<{ Querystring: Query }>(
    '/v2/orgs',
    describe(config, 'List organizations', {
      querystring: OrganizationQuery,
      response: { 200: listOf(OrganizationRead) },
    }),
    (request) => {
      const { caller, query } = request
      const page = askedPage(store, request)
      const search = readText(query, 'search')
      const organization = own(caller)
      const wanted = search === undefined || isNamed(organization, search)
      return wanted && page.number === 1 ? [organizationRead(organization)] : []
    },
  )
  app.get(
    '/v2/orgs/active/org',
    describe(config, 'Read the organization of the API key', { response: { 200: OrganizationRead } }),
    ({ caller }) => organizationRead(own(caller)),
  )
  app.get<Named>(
    ORGANIZATION,
    describe(config, 'Read an organization', { response: { 200: OrganizationRead } }),
    ({ caller, params }, reply) => {
      const organization = named(caller, params.org)
      sendEtag(reply, organization)
      return organizationRead(organization)
    },
  )
  app.patch<Named & { Body: OrganizationUpdate }>(
    ORGANIZATION,
    describe(change, 'Change an organization', { body: OrganizationUpdate, response: { 200: OrganizationRead } }),
    async (request, reply) => {
      named(request.caller, request.params.org)
      const organization = await writeControl(management, request, 'updateOrganization', request.body)
      sendEtag(reply, organization)
      return organizationRead(organization)
    },
  )
  app.put<Named & { Body: OrganizationReplace }>(
    ORGANIZATION,
    describe(change, 'Replace an organization', { body: OrganizationReplace, response: { 200: OrganizationRead } }),
    async (request, reply) => {
      named(request.caller, request.params.org)
      const organization = await writeControl(management, request, 'replaceOrganization', request.body)
      sendEtag(reply, organization)
      return organizationRead(organization)
    },
  )
  app.get<Named>(
    `${ORGANIZATION}/stats`,
    describe({ operation: 'organization.stats', tag: 'organizations' }, 'Read an organization with its counts', {
      response: { 200: OrganizationStats },
    }),
    ({ caller, params }) => {
      const organization = named(caller, params.org)
      const view = gate.control(caller)
      let users = 0
      for (const { id } of view.list('environment')) users += store.view(id).count('user')
      const counts = { projects: view.count('project'), environments: view.count('environment'), users }
      return organizationStats(organization, counts, new Date())
    },
  )
}

function isNamed({ id, key }: Organization, ref: string): boolean {
  return parseId(ref) === id || key === ref
}
