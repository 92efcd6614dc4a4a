// The bulk calls on facts: /v2/facts/{p}/{e}/bulk/…, role_assignments/bulk and relationship_tuples/bulk. Each is one
// revision, all or nothing. Assignments come as a bare array, the others as operations or idents.
import type { FastifyInstance, FastifySchema } from 'fastify'
import {
  AssignmentsCreated,
  AssignmentsRemoved,
  InstanceBulk,
  InstanceIdents,
  type MissingUserPolicy,
  Nothing,
  RoleAssignmentBulk,
  RoleAssignmentBulkQuery,
  TenantBulk,
  TenantIdents,
  TupleBulk,
  TupleIdents,
  UserBulk,
  UserIdents,
} from '../../../management/schemas/bulk.ts'
import { ZerohopError } from '../../../model/errors.ts'
import type { Static, TSchema } from '../../../model/json-schema.ts'
import { BULK_BODY_BYTES_MAX } from '../../../model/limits.ts'
import { describe, type Tag } from '../../description.ts'
import { type Query, readText } from '../../page.ts'
import type { UseCaseFor } from '../collection-routes.ts'
import { type RouteContext, write } from '../route-context.ts'

const F = '/v2/facts/:p/:e'

const taking = (tag: Tag, summary: string, schema: FastifySchema) => ({
  ...describe({ operation: 'facts.write', tag }, summary, schema),
  bodyLimit: BULK_BODY_BYTES_MAX,
})

export function bulkRoutes(app: FastifyInstance, management: RouteContext): void {
  const bulk = <Body extends TSchema>(
    method: 'POST' | 'PUT' | 'DELETE',
    area: 'bulk' | 'relationship_tuples',
    path: string,
    summary: string,
    body: Body,
    useCase: UseCaseFor<Static<Body>, unknown>,
  ) =>
    app.route({
      method,
      url: `${F}/${area}/${path}`,
      ...taking(area, summary, { body, response: { 200: Nothing } }),
      handler: async (request, reply) => {
        await write(management, request, reply, useCase, request.body as never) // the schema was checked
        return {}
      },
    })
  bulk('POST', 'bulk', 'users', 'Create many users', UserBulk, 'createUsers')
  bulk('PUT', 'bulk', 'users', 'Create or replace many users', UserBulk, 'replaceUsers')
  bulk('DELETE', 'bulk', 'users', 'Delete many users', UserIdents, 'deleteUsers')
  bulk('POST', 'bulk', 'tenants', 'Create many tenants', TenantBulk, 'createTenants')
  bulk('DELETE', 'bulk', 'tenants', 'Delete many tenants', TenantIdents, 'deleteTenants')
  const instances = 'resource_instances'
  bulk('PUT', 'bulk', instances, 'Create or replace many resource instances', InstanceBulk, 'putInstances')
  bulk('DELETE', 'bulk', instances, 'Delete many resource instances', InstanceIdents, 'deleteInstances')
  const tuples = 'relationship_tuples'
  bulk('POST', tuples, 'bulk', 'Create many relationship tuples', TupleBulk, 'createTuples')
  bulk('DELETE', tuples, 'bulk', 'Delete many relationship tuples', TupleIdents, 'deleteTuples')
  assignmentBulkRoutes(app, management)
}

function assignmentBulkRoutes(app: FastifyInstance, management: RouteContext): void {
  type Bulk = { Body: RoleAssignmentBulk; Querystring: Query }
  const path = `${F}/role_assignments/bulk`
  const created = taking('role_assignments', 'Create many role assignments', {
    querystring: RoleAssignmentBulkQuery,
    body: RoleAssignmentBulk,
    response: { 200: AssignmentsCreated },
  })
  app.post<Bulk>(path, created, (request, reply) => {
    const input = { assignments: request.body, missing_user_policy: readPolicy(request.query) }
    return write(management, request, reply, 'assignMany', input)
  })
  const response = { 200: AssignmentsRemoved }
  const removed = taking('role_assignments', 'Delete many role assignments', { body: RoleAssignmentBulk, response })
  app.delete<Bulk>(path, removed, (request, reply) =>
    write(management, request, reply, 'unassignMany', { assignments: request.body }),
  )
}

const POLICIES: readonly MissingUserPolicy[] = ['fail', 'ignore', 'create']

function readPolicy(query: Query): MissingUserPolicy {
  const text = readText(query, 'missing_user_policy') ?? 'fail'
  const policy = POLICIES.find((one) => one === text)
  if (policy) return policy
  const reason = `permitted: ${POLICIES.join(', ')}`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: ['query', 'missing_user_policy'] })
}
