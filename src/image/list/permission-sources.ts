// All sources of a permission on a resource over relations (D5: roles derived over relations, D14: relations sent with
// a question): every pair of an instance and a role on it from which the permission follows. The search goes from the
// requested resource upwards like a check, but finds all pairs instead of the first that a user has.
import type { Kernel } from '../../kernel/kernel.ts'
import { readSubjects } from '../../kernel/question-area.ts'
import type { Relate } from '../decide/evaluator.ts'
import { instanceTenant, instanceType } from '../records/instance.ts'
import { permissionResource } from '../records/permission.ts'
import { eachRoleOfType, roleType } from '../records/role.ts'
import { eachRuleToRole, ruleRelation, ruleSkipsDirect, ruleSource } from '../records/rule.ts'
import { eachTupleToObject, tupleObject, tupleRelation, tupleSubject } from '../records/tuple.ts'

export interface Sources {
  /** without duplicates; the role is assigned on the instance itself */
  readonly pairs: readonly (readonly [instance: number, role: number])[]
  /**
   * true when some rule does not apply to users with direct roles: the pairs are then only valid for the user of
   * `hasDirect`
   */
  readonly personal: boolean
  /** tuples and rules of the limit that are left */
  readonly left: number
}

/** The resource whose sources are searched. */
export interface AskedSources {
  readonly tenant: number
  readonly permission: number
  /** 0 when it is not stored */
  readonly instance: number
  /** the relations that were sent */
  readonly relate: Relate | undefined
  /** the resource type where the permission is that of a role that stands for a user set (D17) */
  readonly ofType?: number | undefined
  /** a tuple that counts too, although it is not in force (D15) */
  readonly beside?: number | undefined
}

/** Told of each source when it is first found: its place among those found, and the source and rule that led to it. */
export type OnSource = (
  pair: readonly [instance: number, role: number],
  from: number | undefined,
  rule: number | undefined,
) => void

/**
 * All sources of the permission, none when the instance is in another tenant (D2: the tenant of a check); undefined
 * when finding them takes more than `limit` tuples and rules.
 */
export function findSources(
  kernel: Kernel,
  { tenant, permission, instance, relate, beside, ofType }: AskedSources,
  hasDirect: (instance: number) => boolean,
  limit: number,
  onSource?: OnSource,
): Sources | undefined {
  const bytes = relate?.() ?? 0
  const isElsewhere = instance !== 0 && instanceTenant(kernel, instance) !== tenant
  if (isElsewhere || (instance === 0 && bytes === 0)) return { pairs: [], personal: false, left: limit }
  const pairs: [number, number][] = []
  const seen = new Map<number, number[]>()
  let personal = false
  let left = limit
  const add = (at: number, role: number, from?: number, rule?: number): void => {
    const known = seen.get(at)
    if (known === undefined) seen.set(at, [role])
    else if (known.includes(role)) return
    else known.push(role)
    pairs.push([at, role])
    onSource?.([at, role], from, rule)
  }
  const type = ofType ?? permissionResource(kernel, kernel.calls.permissionRecord(permission))
  for (const role of eachRoleOfType(kernel, type)) {
    if (kernel.calls.holds(role, permission) === 1) add(instance, role)
  }
  const asked = pairs.length
  for (let index = 0; index < pairs.length; index++) {
    const [at, role] = pairs[index]!
    const direct = at !== 0 && hasDirect(at)
    for (const rule of eachRuleToRole(kernel, role)) {
      if (ruleSkipsDirect(kernel, rule, role)) {
        personal = true
        if (direct) continue
      }
      const source = ruleSource(kernel, rule)
      for (const subject of eachSubject(kernel, at, rule, source, beside)) {
        if (--left < 0) return undefined
        add(subject, source, index, rule)
      }
      if (index >= asked) continue
      for (const subject of readSubjects(kernel, bytes, ruleRelation(kernel, rule))) {
        if (--left < 0) return undefined
        const counts = instanceType(kernel, subject) === roleType(kernel, source)
        if (counts && instanceTenant(kernel, subject) === tenant) add(subject, source, index, rule)
      }
    }
  }
  return { pairs: pairs.filter(([at]) => at !== 0), personal, left }
}

/** The instances of the source's type that are related to the instance by the rule's relation. */
function* eachSubject(
  kernel: Kernel,
  instance: number,
  rule: number,
  source: number,
  beside: number | undefined,
): Iterable<number> {
  if (instance === 0) return
  const relation = ruleRelation(kernel, rule)
  const type = roleType(kernel, source)
  for (const at of tuplesTo(kernel, instance, beside)) {
    if (tupleRelation(kernel, at) !== relation) continue
    const subject = tupleSubject(kernel, at)
    if (instanceType(kernel, subject) === type) yield subject
  }
}

function* tuplesTo(kernel: Kernel, instance: number, beside: number | undefined): Iterable<number> {
  yield* eachTupleToObject(kernel, instance)
  if (beside !== undefined && tupleObject(kernel, beside) === instance) yield beside
}
