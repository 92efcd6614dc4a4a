// What starts or ends between two instants: the stored grants (D15) and suspensions (D16) that are in force at only one of
// them. An access diff of two instants compares what these grants reach, beside what changes.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { PolicyChange } from '../../log/delta.ts'
import { assignmentKey, tupleKey } from '../../model/objects.ts'
import { compareText } from '../../model/text-order.ts'
import type { Image } from '../image.ts'
import { everybodyStored } from '../records/everybody.ts'
import { eachGrantOfUserStored, grantRolesStored, grantScope } from '../records/grant.ts'
import { hasTimes } from '../records/header.ts'
import { instanceTenant, readInstanceKey } from '../records/instance.ts'
import { principalKey } from '../records/principal.ts'
import { relationKey } from '../records/relation.ts'
import { roleKey } from '../records/role.ts'
import { nextChangeOfSuspension, suspensionStored } from '../records/suspension.ts'
import { symbolTable } from '../records/symbol.ts'
import { records } from '../records/tables.ts'
import { nextChange, type RecordTimes, timesOfRecord } from '../records/times.ts'
import { eachTupleToObjectStored, tupleRelation, tupleSubject, tupleTimesStored } from '../records/tuple.ts'

/** A grant, or the suspension of a user, that starts or ends between two instants. */
export interface Turn {
  readonly is: 'starts' | 'ends'
  /** ms since 1970 */
  readonly at: number
  readonly kind: 'role_assignment' | 'relationship_tuple' | 'suspension'
  /** of the grant, or of the user */
  readonly key: string
  /** the grant as it is stored; who is suspended an access diff finds itself */
  readonly grant?: StoredGrant
}

type StoredGrant = PolicyChange & { readonly op: 'put'; readonly kind: 'role_assignment' | 'relationship_tuple' }

export interface Turns {
  /** in the order of their instants */
  readonly first: readonly Turn[]
  /** of all, also of those that are not among the first */
  readonly count: number
}

/**
 * The grants and suspensions of an image that are in force at one of two instants only.
 * @param from ms since 1970; the other one is later
 * @param limit of those that are returned: what turns first
 */
export function listTurns(image: Image, from: number, to: number, limit: number): Turns {
  return image.inside(({ kernel }) => {
    const found: Turn[] = []
    let count = 0
    const keep = (): void => {
      found.sort(compareTurns)
      found.length = Math.min(found.length, limit)
    }
    for (const turn of hasTimes(kernel) ? eachTurn(kernel, from, to) : []) {
      count++
      if (found.push(turn) > 2 * limit) keep()
    }
    keep()
    return { first: found, count }
  }, undefined)
}

/**
 * The first instant after another one at which a grant or a suspension of the image starts or ends; infinite when none
 * does.
 * @param from ms since 1970
 */
export function findNextTurn(image: Image, from: number): number {
  return image.inside(({ kernel }) => {
    let next = Number.POSITIVE_INFINITY
    const note = (times: RecordTimes): void => {
      next = Math.min(next, nextChange(kernel, times))
    }
    if (!hasTimes(kernel)) return next
    for (const user of [everybodyStored(kernel), ...records(kernel, Table.Users)]) {
      next = Math.min(next, nextChangeOfSuspension(kernel, user))
      for (const grant of eachGrantOfUserStored(kernel, user))
        for (const role of grantRolesStored(kernel, grant)) note(role)
    }
    for (const object of records(kernel, Table.Instances))
      for (const tuple of eachTupleToObjectStored(kernel, object)) note(tupleTimesStored(kernel, tuple))
    return next
  }, from)
}

const compareTurns = (left: Turn, right: Turn): number =>
  left.at - right.at || compareText(left.kind, right.kind) || compareText(left.key, right.key)

function* eachTurn(kernel: Kernel, from: number, to: number): Iterable<Turn> {
  for (const user of [everybodyStored(kernel), ...records(kernel, Table.Users)]) {
    const suspension = suspensionStored(kernel, user)
    const turn = suspension && findTurn(suspension, from, to)
    if (turn !== undefined) yield { ...turn, kind: 'suspension', key: principalKey(kernel, user) }
    for (const grant of eachGrantOfUserStored(kernel, user)) {
      for (const { role, ...times } of grantRolesStored(kernel, grant)) {
        const turn = findTurn(times, from, to)
        if (turn !== undefined)
          yield ofGrant(turn, readAssignment(kernel, user, grantScope(kernel, grant), role, times))
      }
    }
  }
  for (const object of records(kernel, Table.Instances)) {
    for (const tuple of eachTupleToObjectStored(kernel, object)) {
      const times = tupleTimesStored(kernel, tuple)
      const turn = findTurn(times, from, to)
      if (turn !== undefined) yield ofGrant(turn, readTuple(kernel, tuple, object, times))
    }
  }
}

const ofGrant = (turn: Pick<Turn, 'is' | 'at'>, grant: StoredGrant): Turn => ({
  ...turn,
  kind: grant.kind,
  key: grant.key,
  grant,
})

function findTurn(
  { from: start, until: end }: RecordTimes,
  from: number,
  to: number,
): Pick<Turn, 'is' | 'at'> | undefined {
  const [was, is] = [from, to].map((now) => start <= now && now < end)
  if (was === is) return undefined
  return is === true ? { is: 'starts', at: start } : { is: 'ends', at: end }
}

function readAssignment(
  kernel: Kernel,
  principal: number,
  scope: number,
  record: number,
  times: RecordTimes,
): StoredGrant {
  const user = principalKey(kernel, principal)
  const whole = roleKey(kernel, record)
  const isTenant = symbolTable(kernel, scope) === Table.Tenants
  const tenant = principalKey(kernel, isTenant ? scope : instanceTenant(kernel, scope))
  const instance = isTenant ? undefined : readInstanceKey(kernel, scope)
  const role = isTenant ? whole : whole.slice(whole.indexOf('/') + 1)
  const on = instance === undefined ? {} : { resource_instance: instance }
  const value = { user, role, tenant, ...on, ...timesOfRecord(times) }
  return { op: 'put', kind: 'role_assignment', key: assignmentKey(user, role, tenant, instance), value }
}

function readTuple(kernel: Kernel, tuple: number, record: number, times: RecordTimes): StoredGrant {
  const object = readInstanceKey(kernel, record)
  const subject = readInstanceKey(kernel, tupleSubject(kernel, tuple))
  const whole = relationKey(kernel, tupleRelation(kernel, tuple))
  const relation = whole.slice(whole.indexOf('/') + 1)
  const value = { subject, relation, object, ...timesOfRecord(times) }
  return { op: 'put', kind: 'relationship_tuple', key: tupleKey(subject, relation, object), value }
}
