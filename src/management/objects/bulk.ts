// The bulk calls on facts: each is the single call for every item, in order, as one revision; all or nothing.

import { counted, plural } from '../../model/counted.ts'
import { isZerohopError } from '../../model/errors.ts'
import { EVERYBODY, requireKey } from '../../model/keys.ts'
import {
  BULK_ASSIGNMENTS_MAX,
  BULK_INSTANCES_MAX,
  BULK_TENANTS_MAX,
  BULK_TUPLES_MAX,
  BULK_USERS_MAX,
} from '../../model/limits.ts'
import type { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { BODY } from '../rules/fields.ts'
import type {
  AssignmentsCreated,
  AssignmentsRemoved,
  Idents,
  InstanceBulk,
  MissingUserPolicy,
  RoleAssignmentBulk,
  TenantBulk,
  TupleBulk,
  TupleIdents,
  UserBulk,
} from '../schemas/bulk.ts'
import { stageEach } from './bulk-items.ts'
import { deleteInstance, putInstance } from './instances.ts'
import { unassign, writeAssignment } from './role-assignments.ts'
import { createTenant, deleteTenant } from './tenants.ts'
import { deleteTuple, writeTuple } from './tuples.ts'
import { createUser, deleteUser, replaceUser } from './users.ts'

const OPERATIONS = [...BODY, 'operations']
const IDENTS = [...BODY, 'idents']
export const USERS = { what: 'users', limit: BULK_USERS_MAX }
export const TENANTS = { what: 'tenants', limit: BULK_TENANTS_MAX }
export const INSTANCES = { what: 'resource instances', limit: BULK_INSTANCES_MAX }
export const TUPLES = { what: 'relationship tuples', limit: BULK_TUPLES_MAX }
export const ASSIGNMENTS = { what: 'role assignments', limit: BULK_ASSIGNMENTS_MAX }

const done = (draft: Draft): Decided<null> => ({ changes: draft.changes(), result: null })

/** Creates all of the users, or none. */
export const createUsers = (view: View, { operations }: UserBulk, mint: Mint) =>
  done(
    stageEach(view, { items: operations, path: OPERATIONS, ...USERS }, (draft, user) => createUser(draft, user, mint)),
  )

/** Creates those users that are missing and replaces the others. A key in a body is never read as an id. */
export const replaceUsers = (view: View, { operations }: UserBulk, mint: Mint) =>
  done(
    stageEach(view, { items: operations, path: OPERATIONS, ...USERS }, (draft, user) => {
      const { key, ...fields } = user
      if (draft.get('user', key) === undefined) return createUser(draft, user, mint)
      return replaceUser(draft, { ref: key, fields }, mint)
    }),
  )

export const deleteUsers = (view: View, { idents }: Idents, mint: Mint) =>
  done(
    stageEach(
      view,
      { items: idents, path: IDENTS, ...USERS },
      once((draft, ref) => deleteUser(draft, { ref }, mint)),
    ),
  )

/** Creates all of the tenants, or none. */
export const createTenants = (view: View, { operations }: TenantBulk, mint: Mint) =>
  done(
    stageEach(view, { items: operations, path: OPERATIONS, ...TENANTS }, (draft, tenant) =>
      createTenant(draft, tenant, mint),
    ),
  )

export const deleteTenants = (view: View, { idents }: Idents, mint: Mint) =>
  done(
    stageEach(
      view,
      { items: idents, path: IDENTS, ...TENANTS },
      once((draft, ref) => deleteTenant(draft, { ref }, mint)),
    ),
  )

/** Creates those instances that are missing and sets the attributes of the others. */
export const putInstances = (view: View, { operations }: InstanceBulk, mint: Mint) =>
  done(
    stageEach(view, { items: operations, path: OPERATIONS, ...INSTANCES }, (draft, instance) =>
      putInstance(draft, instance, mint),
    ),
  )

export const deleteInstances = (view: View, { idents }: Idents, mint: Mint) =>
  done(
    stageEach(
      view,
      { items: idents, path: IDENTS, ...INSTANCES },
      once((draft, ref) => deleteInstance(draft, { ref }, mint)),
    ),
  )

/** Creates all of the tuples, or none; those that are there get the times that are sent. */
export const createTuples = (view: View, { operations }: TupleBulk, mint: Mint) =>
  done(
    stageEach(view, { items: operations, path: OPERATIONS, ...TUPLES }, (draft, tuple) =>
      writeTuple(draft, tuple, mint, 'create many'),
    ),
  )

export const deleteTuples = (view: View, { idents }: TupleIdents, mint: Mint) =>
  done(stageEach(view, { items: idents, path: IDENTS, ...TUPLES }, (draft, tuple) => deleteTuple(draft, tuple, mint)))

export interface NewAssignments {
  readonly assignments: RoleAssignmentBulk
  readonly missing_user_policy: MissingUserPolicy
}

/** Assigns all of the roles, or none; those that are there get the times that are sent. */
export function assignMany(
  view: View,
  { assignments: items, missing_user_policy: policy }: NewAssignments,
  mint: Mint,
): Decided<AssignmentsCreated> {
  let assignments_created = 0
  const draft = stageEach(view, { items, path: BODY, ...ASSIGNMENTS }, (into, item) => {
    if (!hasHolder(into, item.user, policy, mint)) return { changes: [], result: null }
    const made = writeAssignment(into, item, mint, 'create many')
    if (made.result.created) assignments_created++
    return made
  })
  return { changes: draft.changes(), result: { assignments_created } }
}

/**
 * Whether there is whom a role is assigned to; who is missing is created where the policy says so.
 * @throws KEY_INVALID
 */
export function hasHolder(into: Draft, user: string, policy: MissingUserPolicy, mint: Mint): boolean {
  const missing = policy !== 'fail' && user !== EVERYBODY && into.find('user', user) === undefined
  if (missing && policy === 'create')
    into.take(createUser(into, { key: requireKey('user', user, [...BODY, 'user']) }, mint))
  return !(missing && policy === 'ignore')
}

/** Removes those of the roles that were assigned by hand; the others are skipped, and what others claim is still there. */
export function unassignMany(
  view: View,
  { assignments: items }: { readonly assignments: RoleAssignmentBulk },
  mint: Mint,
): Decided<AssignmentsRemoved> {
  let assignments_removed = 0
  const left: string[] = []
  const draft = stageEach(view, { items, path: BODY, ...ASSIGNMENTS }, (from, item) => {
    try {
      const gone = unassign(from, item, mint)
      left.push(...(gone.warnings ?? []))
      assignments_removed++
      return gone
    } catch (error) {
      if (isZerohopError(error, 'CLAIMED_BY_OTHERS')) left.push(error.message)
      else if (!isZerohopError(error, 'OBJECT_NOT_FOUND')) throw error
      return { changes: [], result: null }
    }
  })
  return { changes: draft.changes(), ...warnOfFirst(left), result: { assignments_removed } }
}

/** The first warning, and how many more there would be. */
function warnOfFirst([first, ...others]: readonly string[]): Pick<Decided<null>, 'warnings'> {
  if (first === undefined) return {}
  const more = `${counted(others.length, 'more role')} ${plural(others.length, 'is', 'are')} still there, too`
  return { warnings: others.length === 0 ? [first] : [first, more] }
}

type Deletion = (draft: Draft, ref: string) => Decided<unknown>

/** Runs once for each name, because a second deletion would not find the object. */
function once(run: Deletion): Deletion {
  const seen = new Set<string>()
  return (draft, ref) => {
    if (seen.has(ref)) return { changes: [], result: null }
    seen.add(ref)
    return run(draft, ref)
  }
}
