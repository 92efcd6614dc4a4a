// Writes what connects users, tenants and instances into a kernel, from the puts themselves: used by the canonical build
// and by deltas, so that a field of an assignment, a membership or a tuple is written in one place.

import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isTimed } from '../../kinds/times.ts'
import { EVERYBODY } from '../../model/keys.ts'
import { partKey } from '../../model/objects.ts'
import {
  type AssignmentContent,
  assignedRole,
  assignedScope,
  invalid,
  isOnInstance,
  type MembershipContent,
  type TupleContent,
  typeInInstanceKey,
} from '../contents.ts'
import { findHolder, findRelation, findSymbol, findWritten } from '../look-up.ts'
import { type StoredRole, writeTimedRoles } from '../records/grant.ts'
import { recordTimes } from '../records/times.ts'

/** Ids by key, of objects that were just built. */
export interface BuiltIds {
  readonly roles: ReadonlyMap<string, number>
  readonly tenants: ReadonlyMap<string, number>
  readonly instances: ReadonlyMap<string, number>
}

/** Gives a user who has no role yet its roles. @param assignments sorted: those of one scope follow each other */
export function putGrants(
  kernel: Kernel,
  user: number,
  assignments: readonly AssignmentContent[],
  ids: BuiltIds,
): void {
  for (let at = 0; at < assignments.length; ) {
    const first = assignments[at]!
    const scope = (isOnInstance(first) ? ids.instances : ids.tenants).get(assignedScope(first))!
    const held: number[] = []
    const timed: StoredRole[] = []
    let last = 0
    for (; at < assignments.length && isSameScope(assignments[at]!, first); at++) {
      const assignment = assignments[at]!
      const role = ids.roles.get(assignedRole(assignment))!
      if (role === last) (role === held.at(-1) ? held : timed).pop() // assigned twice: the later one counts
      last = role
      if (isTimed(assignment)) timed.push({ role, ...recordTimes(assignment) })
      else held.push(role)
    }
    const count = kernel.writeList(held)
    writeTimedRoles(kernel, count, timed)
    kernel.calls.putGrant(user, scope, count, timed.length)
  }
}

const isSameScope = (left: AssignmentContent, right: AssignmentContent): boolean =>
  isOnInstance(left) === isOnInstance(right) && assignedScope(left) === assignedScope(right)

/** Puts a user into tenants. */
export function putMemberships(kernel: Kernel, user: number, of: readonly MembershipContent[], ids: BuiltIds): void {
  for (const { tenant } of of) kernel.calls.joinTenant(user, ids.tenants.get(tenant)!)
}

/** Relates two instances. @throws STATE_INVALID when the relation cannot be a key */
export function putTuple(kernel: Kernel, tuple: TupleContent, subject: number, object: number): void {
  const { relation } = tuple
  const length = kernel.writeWhole(partKey(typeInInstanceKey(tuple.object), relation))
  if (length <= 0) throw invalid(`\`${relation.slice(0, 64)}\` cannot be a key`)
  const { from, until } = recordTimes(tuple)
  kernel.calls.relate(kernel.calls.put(Table.Relations, length), subject, object, from, until)
}

/** Assigns a role, or gives one that is assigned other times. Everything that the assignment names is there. */
export function putAssignment(kernel: Kernel, assignment: AssignmentContent): void {
  const { from, until } = recordTimes(assignment)
  if (assignment.user === EVERYBODY) kernel.calls.putEverybody()
  kernel.calls.assign(...findAssigned(kernel, assignment), from, until)
}

export function removeAssignment(kernel: Kernel, assignment: AssignmentContent): void {
  kernel.calls.unassign(...findAssigned(kernel, assignment))
}

function findAssigned(kernel: Kernel, of: AssignmentContent): [user: number, scope: number, role: number] {
  const scope = findSymbol(kernel, isOnInstance(of) ? 'resource_instance' : 'tenant', assignedScope(of))
  const role = findWritten(kernel, Table.Roles, kernel.writeWhole(assignedRole(of)))
  return [findHolder(kernel, of.user), scope, role]
}

export function removeTuple(kernel: Kernel, { subject, relation, object }: TupleContent): void {
  const name = findRelation(kernel, typeInInstanceKey(object), relation)
  const [from, to] = [subject, object].map((key) => findSymbol(kernel, 'resource_instance', key))
  kernel.calls.unrelate(name, from!, to!)
}
