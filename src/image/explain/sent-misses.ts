// Of a deny: why each relation that was sent with the question (D14) gave nothing.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { EXPLAIN_ITEMS_MAX, EXPLAIN_NAMES_MAX, EXPLAIN_WALK_MAX, NEAREST_NAMES_MAX } from '../../model/limits.ts'
import { findInstanceRoles } from '../decide/effective-roles.ts'
import { findRelation, findSymbol } from '../look-up.ts'
import { instanceTenant, instanceType } from '../records/instance.ts'
import { permissionResource } from '../records/permission.ts'
import { principalKey } from '../records/principal.ts'
import { relationKey } from '../records/relation.ts'
import { bareRole, eachRoleOfType, roleType } from '../records/role.ts'
import { eachRuleToRole, ruleRelation, ruleSource, ruleTarget } from '../records/rule.ts'
import { records } from '../records/tables.ts'
import type { Question } from './explain.ts'
import { nearestInstance, type UnknownName, unknown } from './near-names.ts'
import type { Asked } from './near-roles.ts'

/** What became of one relation to one subject. */
export interface SentMiss {
  readonly relation: string
  /** `type:key` */
  readonly subject: string
  readonly reason:
    | 'unknown_relation'
    | 'unknown_subject'
    | 'other_tenant'
    | 'no_derivation'
    | 'role_not_held'
    | 'direct_role'
    | 'no_permission'
  readonly unknown?: UnknownName
  /** the tenant of the subject, when it is another one */
  readonly tenant?: string
  /** roles on the subject from which a role with the permission is derived, each `role → role on the resource` */
  readonly needed?: readonly { readonly role: string; readonly gives: string }[]
  /** what the user holds on the subject, assigned or derived */
  readonly held?: readonly string[]
}

/** One entry for each subject that was sent, at most EXPLAIN_ITEMS_MAX. */
export function missesOfSentRelations(kernel: Kernel, asked: Asked, question: Question): SentMiss[] {
  const pairs = (question.relations ?? []).flatMap(({ relation, subjects }) =>
    subjects.map((subject) => ({ relation, subject })),
  )
  return pairs
    .slice(0, EXPLAIN_ITEMS_MAX)
    .map((pair) => ({ ...pair, ...determineReason(kernel, asked, question, pair) }))
}

type Reason = Omit<SentMiss, 'relation' | 'subject'>

function determineReason(
  kernel: Kernel,
  { user, tenant, permission }: Asked,
  { type }: Question,
  { relation, subject }: { readonly relation: string; readonly subject: string },
): Reason {
  const relationId = findRelation(kernel, type, relation)
  if (relationId === 0)
    return { reason: 'unknown_relation', unknown: unknown('relation', relation, listRelations(kernel, type)) }
  const colon = subject.indexOf(':')
  const [subjectType, key] = [subject.slice(0, colon), subject.slice(colon + 1)]
  const instance = findSymbol(kernel, 'resource_instance', subject)
  if (instance === 0) return { reason: 'unknown_subject', unknown: nearestInstance(kernel, subjectType, key) }
  const of = instanceTenant(kernel, instance)
  if (of !== tenant) return { reason: 'other_tenant', tenant: principalKey(kernel, of) }
  const rules = rulesOver(kernel, permission, relationId, instanceType(kernel, instance))
  if (rules.length === 0) return { reason: 'no_derivation' }
  const gives = rules.filter((rule) => kernel.calls.holds(ruleTarget(kernel, rule), permission) === 1)
  const held = (findInstanceRoles(kernel, user, EXPLAIN_WALK_MAX)?.get(instance) ?? [])
    .map((role) => bareRole(kernel, role))
    .sort()
  if (gives.length === 0) return { reason: 'no_permission', held: held.slice(0, EXPLAIN_NAMES_MAX) }
  const needed = gives.slice(0, EXPLAIN_NAMES_MAX).map((rule) => ({
    role: bareRole(kernel, ruleSource(kernel, rule)),
    gives: bareRole(kernel, ruleTarget(kernel, rule)),
  }))
  const isHeld = gives.some((rule) => held.includes(bareRole(kernel, ruleSource(kernel, rule))))
  return { reason: isHeld ? 'direct_role' : 'role_not_held', needed, held: held.slice(0, EXPLAIN_NAMES_MAX) }
}

/** The rules of the resource type that derive a role over the relation from instances of the type. */
function rulesOver(kernel: Kernel, permission: number, relation: number, subjectType: number): number[] {
  const type = permissionResource(kernel, kernel.calls.permissionRecord(permission))
  const found: number[] = []
  for (const role of eachRoleOfType(kernel, type)) {
    if (!kernel.isLive(role)) continue
    for (const rule of eachRuleToRole(kernel, role)) {
      const from = roleType(kernel, ruleSource(kernel, rule))
      if (ruleRelation(kernel, rule) === relation && from === subjectType) found.push(rule)
    }
  }
  return found
}

function listRelations(kernel: Kernel, type: string): string[] {
  const names: string[] = []
  for (const record of records(kernel, Table.Relations)) {
    const key = relationKey(kernel, record)
    if (key.startsWith(`${type}/`)) names.push(key.slice(type.length + 1))
    if (names.length >= NEAREST_NAMES_MAX) break
  }
  return names
}
