// The bulk calls on facts in the API: what is sent and what is answered at /v2/facts/{p}/{e}/bulk/… and …/bulk.
// Assignments come as a bare array, the others as operations or idents.
import { closed, described, enumOf, listOf, named, open, optional, type Static, Text } from '../../model/json-schema.ts'
import {
  BULK_ASSIGNMENTS_MAX,
  BULK_INSTANCES_MAX,
  BULK_TENANTS_MAX,
  BULK_TUPLES_MAX,
  BULK_USERS_MAX,
} from '../../model/limits.ts'
import { InstanceCreate } from './instances.ts'
import { query } from './query-parameters.ts'
import { RoleAssignmentCreate } from './role-assignments.ts'
import { Count } from './schema-parts.ts'
import { TenantCreate } from './tenants.ts'
import { TupleCreate, TupleDelete } from './tuples.ts'
import { UserCreate } from './users.ts'

const identsOf = (limit: number) => closed({ idents: described(listOf(Text, limit), 'keys or ids') })

export const UserBulk = named('UserBulk', closed({ operations: listOf(UserCreate, BULK_USERS_MAX) }))
export type UserBulk = Static<typeof UserBulk>
export const UserIdents = named('UserIdents', identsOf(BULK_USERS_MAX))

export const TenantBulk = named('TenantBulk', closed({ operations: listOf(TenantCreate, BULK_TENANTS_MAX) }))
export type TenantBulk = Static<typeof TenantBulk>
export const TenantIdents = named('TenantIdents', identsOf(BULK_TENANTS_MAX))

export const InstanceBulk = named(
  'ResourceInstanceBulk',
  closed({ operations: listOf(InstanceCreate, BULK_INSTANCES_MAX) }),
)
export type InstanceBulk = Static<typeof InstanceBulk>
export const InstanceIdents = named('ResourceInstanceIdents', identsOf(BULK_INSTANCES_MAX))

export type Idents = Static<typeof UserIdents>

export const TupleBulk = named('RelationshipTupleBulk', closed({ operations: listOf(TupleCreate, BULK_TUPLES_MAX) }))
export type TupleBulk = Static<typeof TupleBulk>
export const TupleIdents = named('RelationshipTupleIdents', closed({ idents: listOf(TupleDelete, BULK_TUPLES_MAX) }))
export type TupleIdents = Static<typeof TupleIdents>

export const RoleAssignmentBulk = named('RoleAssignmentBulk', listOf(RoleAssignmentCreate, BULK_ASSIGNMENTS_MAX))
export type RoleAssignmentBulk = Static<typeof RoleAssignmentBulk>

/** The answer of a bulk call that has nothing to say. */
export const Nothing = named('Nothing', open({}))
export type Nothing = Static<typeof Nothing>
export const AssignmentsCreated = named('AssignmentsCreated', open({ assignments_created: Count }))
export type AssignmentsCreated = Static<typeof AssignmentsCreated>
export const AssignmentsRemoved = named('AssignmentsRemoved', open({ assignments_removed: Count }))
export type AssignmentsRemoved = Static<typeof AssignmentsRemoved>

const MissingUserPolicy = enumOf('fail', 'ignore', 'create')
export type MissingUserPolicy = Static<typeof MissingUserPolicy>

export const RoleAssignmentBulkQuery = query({
  missing_user_policy: optional(
    described({ ...MissingUserPolicy, default: 'fail' }, 'what to do with an assignment to a user who does not exist'),
  ),
})
