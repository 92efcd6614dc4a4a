// The bulk calls on facts: /v2/facts/{p}/{e}/bulk/…, role_assignments/bulk and relationship_tuples/bulk. Each is one
// revision, all or nothing. Assignments come as a bare array, the others as operations or idents.
import type { FastifyInstance } from 'fastify'
import {
  AssignmentsCreated,
  AssignmentsRemoved,
  type Idents,
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
import type { TSchema } from '../../../model/json-schema.ts'
import { BULK_BODY_BYTES_MAX } from '../../../model/limits.ts'
import { type Query, readText } from '../../page.ts'
import { type RouteContext, write } from '../route-context.ts'

const F = '/v2/facts/:p/:e'

const taking = (body: TSchema, answer: TSchema = Nothing, querystring?: TSchema) => ({
  config: { operation: 'facts.write' } as const,
  bodyLimit: BULK_BODY_BYTES_MAX,
  schema: { ...(querystring ? { querystring } : {}), body, response: { 200: answer } },
})

export function bulkRoutes(app: FastifyInstance, management: RouteContext): void {
  app.post<{ Body: UserBulk }>(`${F}/bulk/users`, taking(UserBulk), async (request, reply) => {
    await write(management, request, reply, 'createUsers', request.body)
    return {}
  })
  app.put<{ Body: UserBulk }>(`${F}/bulk/users`, taking(UserBulk), async (request, reply) => {
    await write(management, request, reply, 'replaceUsers', request.body)
    return {}
  })
  app.delete<{ Body: Idents }>(`${F}/bulk/users`, taking(UserIdents), async (request, reply) => {
    await write(management, request, reply, 'deleteUsers', request.body)
    return {}
  })
  app.post<{ Body: TenantBulk }>(`${F}/bulk/tenants`, taking(TenantBulk), async (request, reply) => {
    await write(management, request, reply, 'createTenants', request.body)
    return {}
  })
  app.delete<{ Body: Idents }>(`${F}/bulk/tenants`, taking(TenantIdents), async (request, reply) => {
    await write(management, request, reply, 'deleteTenants', request.body)
    return {}
  })
  const instances = `${F}/bulk/resource_instances`
  app.put<{ Body: InstanceBulk }>(instances, taking(InstanceBulk), async (request, reply) => {
    await write(management, request, reply, 'putInstances', request.body)
    return {}
  })
  app.delete<{ Body: Idents }>(instances, taking(InstanceIdents), async (request, reply) => {
    await write(management, request, reply, 'deleteInstances', request.body)
    return {}
  })
  const tuples = `${F}/relationship_tuples/bulk`
  app.post<{ Body: TupleBulk }>(tuples, taking(TupleBulk), async (request, reply) => {
    await write(management, request, reply, 'createTuples', request.body)
    return {}
  })
  app.delete<{ Body: TupleIdents }>(tuples, taking(TupleIdents), async (request, reply) => {
    await write(management, request, reply, 'deleteTuples', request.body)
    return {}
  })
  assignmentBulkRoutes(app, management)
}

function assignmentBulkRoutes(app: FastifyInstance, management: RouteContext): void {
  type Bulk = { Body: RoleAssignmentBulk; Querystring: Query }
  const path = `${F}/role_assignments/bulk`
  const created = taking(RoleAssignmentBulk, AssignmentsCreated, RoleAssignmentBulkQuery)
  app.post<Bulk>(path, created, (request, reply) => {
    const input = { assignments: request.body, missing_user_policy: readPolicy(request.query) }
    return write(management, request, reply, 'assignMany', input)
  })
  app.delete<Bulk>(path, taking(RoleAssignmentBulk, AssignmentsRemoved), (request, reply) =>
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
