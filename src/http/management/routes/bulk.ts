// The bulk calls on facts: /v2/facts/{p}/{e}/bulk/…, role_assignments/bulk and relationship_tuples/bulk. Each is one
// revision, all or nothing. Assignments come as a bare array, the others as operations or idents.
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { FactName, FactWrite } from '../../../management/objects/fact-writes.ts'
import type { Operation } from '../../../management/rules/access.ts'
import {
  AssignmentsCreated,
  AssignmentsRemoved,
  InstanceBulk,
  InstanceIdents,
  type MissingUserPolicy,
  RoleAssignmentBulk,
  RoleAssignmentBulkQuery,
  TenantBulk,
  TenantIdents,
  TupleBulk,
  TupleIdents,
  UserBulk,
  UserIdents,
} from '../../../management/schemas/bulk.ts'
import {
  BulkReport,
  MembershipsPut,
  type Outcome,
  SETTLED_QUERY,
  SetRulesPut,
  WriteReport,
} from '../../../management/schemas/fact-writes.ts'
import { ZerohopError } from '../../../model/errors.ts'
import type { Static, TSchema } from '../../../model/json-schema.ts'
import { BULK_BODY_BYTES_MAX } from '../../../model/limits.ts'
import { describe, type Tag } from '../../description.ts'
import { type Query, readText } from '../../page.ts'
import type { UseCaseFor } from '../collection-routes.ts'
import { writeSettled } from '../fact-writes.ts'
import { type RouteContext, write } from '../route-context.ts'

const F = '/v2/facts/:p/:e'

/** A call of many items. */
export const taking = (tag: Tag, summary: string, schema: FastifySchema, operation: Operation = 'facts.write') => ({
  ...describe({ operation, tag }, summary, schema),
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
    fact: FactName,
  ) =>
    app.route({
      method,
      url: `${F}/${area}/${path}`,
      ...taking(area, summary, { querystring: SETTLED_QUERY[method], body, response: { 200: BulkReport } }),
      handler: async (request, reply) => {
        const report = await writeSettled(management, request, reply, useCase, listed(method, fact, request.body))
        if (report !== undefined) return report
        await write(management, request, reply, useCase, request.body as never) // the schema was checked
        return {}
      },
    })
  bulk('POST', 'bulk', 'users', 'Create many users', UserBulk, 'createUsers', 'users')
  bulk('PUT', 'bulk', 'users', 'Create or replace many users', UserBulk, 'replaceUsers', 'users')
  bulk('DELETE', 'bulk', 'users', 'Delete many users', UserIdents, 'deleteUsers', 'users')
  bulk('POST', 'bulk', 'tenants', 'Create many tenants', TenantBulk, 'createTenants', 'tenants')
  bulk('DELETE', 'bulk', 'tenants', 'Delete many tenants', TenantIdents, 'deleteTenants', 'tenants')
  const path = 'resource_instances'
  const putting = 'Create or replace many resource instances'
  bulk('PUT', 'bulk', path, putting, InstanceBulk, 'putInstances', 'instances')
  bulk('DELETE', 'bulk', path, 'Delete many resource instances', InstanceIdents, 'deleteInstances', 'instances')
  const area = 'relationship_tuples'
  bulk('POST', area, 'bulk', 'Create many relationship tuples', TupleBulk, 'createTuples', 'tuples')
  bulk('DELETE', area, 'bulk', 'Delete many relationship tuples', TupleIdents, 'deleteTuples', 'tuples')
  assignmentBulkRoutes(app, management)
  bulkPutRoutes(app, management)
}

/** The items of a body, for the use case of all facts; the schema of the body was checked. */
const listed = (method: FactWrite['method'], fact: FactName, body: unknown) => {
  const name = method === 'DELETE' ? 'idents' : 'operations'
  const items = Array.isArray(body) ? body : (body as Readonly<Record<string, unknown>>)[name]
  return { method, fact, items, list: Array.isArray(body) ? ['body'] : ['body', name] } as never
}

function assignmentBulkRoutes(app: FastifyInstance, management: RouteContext): void {
  type Bulk = { Body: RoleAssignmentBulk; Querystring: Query }
  const path = `${F}/role_assignments/bulk`
  const created = taking('role_assignments', 'Create many role assignments', {
    querystring: RoleAssignmentBulkQuery,
    body: RoleAssignmentBulk,
    response: { 200: AssignmentsCreated },
  })
  app.post<Bulk>(path, created, async (request, reply) => {
    const policy = { missing_user_policy: readPolicy(request.query) }
    const sent = { ...(listed('POST', 'assignments', request.body) as object), ...policy } as never
    const report = await writeSettled(management, request, reply, 'assignMany', sent)
    if (report !== undefined) return { assignments_created: countItems(report, 'created'), ...report }
    return write(management, request, reply, 'assignMany', { assignments: request.body, ...policy })
  })
  const removed = taking('role_assignments', 'Delete many role assignments', {
    querystring: SETTLED_QUERY.DELETE,
    body: RoleAssignmentBulk,
    response: { 200: AssignmentsRemoved },
  })
  app.delete<Bulk>(path, removed, async (request, reply) => {
    const sent = listed('DELETE', 'assignments', request.body)
    const report = await writeSettled(management, request, reply, 'unassignMany', sent)
    if (report !== undefined) return { assignments_removed: countItems(report, 'deleted'), ...report }
    return write(management, request, reply, 'unassignMany', { assignments: request.body })
  })
}

/** Of items that were sent twice, each place says what became of the one. */
function countItems({ items }: { readonly items: WriteReport['items'] }, outcome: Outcome): number {
  return new Set(items.filter((item) => item.outcome === outcome).map(({ key }) => key)).size
}

/** `PUT` of many facts that are named by what they connect: each is made, changed or found so. */
function bulkPutRoutes(app: FastifyInstance, management: RouteContext): void {
  const put = (path: string, tag: Tag, what: string, body: TSchema, operation: string, fact: FactName) => {
    const schema = { body, response: { 200: WriteReport } }
    const described = taking(
      tag,
      `Create or change many ${what}`,
      schema,
      fact === 'set_rules' ? 'rules.write' : undefined,
    )
    app.put(`${F}/${path}`, described, (request, reply) => {
      const call = { on: null, ...(listed('PUT', fact, request.body) as object) } as FactWrite
      return write(management, request, reply, 'writeFacts', call, { operation })
    })
  }
  const assignments = ['role assignments', RoleAssignmentBulk, 'putAssignments', 'assignments'] as const
  put('role_assignments/bulk', 'role_assignments', ...assignments)
  put('relationship_tuples/bulk', 'relationship_tuples', 'relationship tuples', TupleBulk, 'putTuples', 'tuples')
  put('set_rules/bulk', 'set_rules', 'set rules', SetRulesPut, 'putSetRules', 'set_rules')
  put('bulk/memberships', 'bulk', 'memberships of tenants', MembershipsPut, 'putMemberships', 'memberships')
}

const POLICIES: readonly MissingUserPolicy[] = ['fail', 'ignore', 'create']

function readPolicy(query: Query): MissingUserPolicy {
  const text = readText(query, 'missing_user_policy') ?? 'fail'
  const policy = POLICIES.find((one) => one === text)
  if (policy) return policy
  const reason = `permitted: ${POLICIES.join(', ')}`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: ['query', 'missing_user_policy'] })
}
