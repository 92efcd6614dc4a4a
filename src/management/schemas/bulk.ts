// The bulk calls on facts in the API: what is sent and what is answered at /v2/facts/{p}/{e}/bulk/… and …/bulk.
// Assignments come as a bare array, the others as operations or idents.
import * as t from '../../model/json-schema.ts'
import {
  BULK_ASSIGNMENTS_MAX,
  BULK_INSTANCES_MAX,
  BULK_TENANTS_MAX,
  BULK_TUPLES_MAX,
  BULK_USERS_MAX,
} from '../../model/limits.ts'
import { ReportItems, SETTLED } from './fact-writes.ts'
import { InstanceCreate } from './instances.ts'
import { PLAIN_SCHEMAS } from './plain-kinds.ts'
import { query } from './query-parameters.ts'
import { RoleAssignmentCreate } from './role-assignments.ts'
import { Count } from './schema-parts.ts'
import { TupleCreate, TupleDelete } from './tuples.ts'
import { UserCreate } from './users.ts'

const makeIdents = (limit: number) => t.closed({ idents: t.described(t.listOf(t.Text, limit), 'keys or ids') })

export const UserBulk = t.named('UserBulk', t.closed({ operations: t.listOf(UserCreate, BULK_USERS_MAX) }))
export type UserBulk = t.Static<typeof UserBulk>
export const UserIdents = t.named('UserIdents', makeIdents(BULK_USERS_MAX))

export const TenantBulk = t.named(
  'TenantBulk',
  t.closed({ operations: t.listOf(PLAIN_SCHEMAS.tenant.create, BULK_TENANTS_MAX) }),
)
export type TenantBulk = t.Static<typeof TenantBulk>
export const TenantIdents = t.named('TenantIdents', makeIdents(BULK_TENANTS_MAX))

export const InstanceBulk = t.named(
  'ResourceInstanceBulk',
  t.closed({ operations: t.listOf(InstanceCreate, BULK_INSTANCES_MAX) }),
)
export type InstanceBulk = t.Static<typeof InstanceBulk>
export const InstanceIdents = t.named('ResourceInstanceIdents', makeIdents(BULK_INSTANCES_MAX))

export type Idents = t.Static<typeof UserIdents>

export const TupleBulk = t.named(
  'RelationshipTupleBulk',
  t.closed({ operations: t.listOf(TupleCreate, BULK_TUPLES_MAX) }),
)
export type TupleBulk = t.Static<typeof TupleBulk>
export const TupleIdents = t.named(
  'RelationshipTupleIdents',
  t.closed({ idents: t.listOf(TupleDelete, BULK_TUPLES_MAX) }),
)
export type TupleIdents = t.Static<typeof TupleIdents>

export const RoleAssignmentBulk = t.named('RoleAssignmentBulk', t.listOf(RoleAssignmentCreate, BULK_ASSIGNMENTS_MAX))
export type RoleAssignmentBulk = t.Static<typeof RoleAssignmentBulk>

export const AssignmentsCreated = t.named(
  'AssignmentsCreated',
  t.open({ assignments_created: Count, items: t.optional(ReportItems) }),
)
export type AssignmentsCreated = t.Static<typeof AssignmentsCreated>
export const AssignmentsRemoved = t.named(
  'AssignmentsRemoved',
  t.open({ assignments_removed: Count, items: t.optional(ReportItems) }),
)
export type AssignmentsRemoved = t.Static<typeof AssignmentsRemoved>

const MissingUserPolicy = t.enumOf('fail', 'ignore', 'create')
export type MissingUserPolicy = t.Static<typeof MissingUserPolicy>

export const RoleAssignmentBulkQuery = query({
  ...SETTLED.POST,
  missing_user_policy: t.optional(
    t.described(
      { ...MissingUserPolicy, default: 'fail' },
      'what to do with an assignment to a user who does not exist',
    ),
  ),
})
