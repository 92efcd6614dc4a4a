// The steps of a way over relations (D5: roles derived over relations, D14: relations sent with a question): from an
// assigned role to one on the resource, each with the relation that derives it.
import type { Kernel } from '../../kernel/kernel.ts'
import { readSubjects } from '../../kernel/question-area.ts'
import { EXPLAIN_WALK_MAX } from '../../model/limits.ts'
import { findSymbol } from '../look-up.ts'
import { everybodyAsked } from '../records/everybody.ts'
import { findGrant, grantRoleUntil } from '../records/grant.ts'
import { relationKey } from '../records/relation.ts'
import { eachRuleToRole, ruleRelation, ruleSource } from '../records/rule.ts'
import { findTupleToObject, tupleRelation, tupleSubject, tupleUntil } from '../records/tuple.ts'
import { type Because, endsAt } from './explanation.ts'

/** A role on an instance, and how it comes from the one before. */
export interface Hop {
  /** the assigned role is assigned to everybody (D16), and not to the user */
  readonly everybody?: true
  /** `type:key`; `type:*` for a resource without a key */
  readonly on: string
  readonly role: string
  /** absent for the assigned role, and for a role that the one before extends */
  readonly relation?: string
  /** when the assigned role, or the relation, ends (D15), in ms since 1970; absent when it does not */
  readonly valid_until?: number
}

/** The steps of a way over relations that an explanation has found. */
export function listHops(kernel: Kernel, user: number, { path, everybody }: Because, relate: () => number): Hop[] {
  const hops: Hop[] = []
  const holder = everybody === undefined ? user : everybodyAsked(kernel)
  for (const step of path) {
    const at = step.lastIndexOf('#')
    const hop = { on: step.slice(0, at), role: step.slice(at + 1) }
    const before = hops.at(-1)
    if (before === undefined) {
      const [on, role] = resolveHop(kernel, hop)
      const whose = everybody === undefined ? {} : { everybody }
      hops.push({ ...whose, ...hop, ...endsAt(grantRoleUntil(kernel, findGrant(kernel, holder, on), role)) })
    } else if (before.on === hop.on) hops.push(hop)
    else {
      const step = findRelationBetween(kernel, resolveHop(kernel, before), resolveHop(kernel, hop), relate)
      const by = step && { relation: relationName(kernel, step.relation), ...endsAt(step.until) }
      hops.push({ ...hop, ...by })
    }
  }
  return hops
}

/** A role on an instance, 0 when that is not stored. */
export type RoleOn = readonly [instance: number, role: number]

function resolveHop(kernel: Kernel, { on, role }: Hop): RoleOn {
  const type = on.slice(0, on.indexOf(':'))
  return [findSymbol(kernel, 'resource_instance', on), findSymbol(kernel, 'resource_role', `${type}/${role}`)]
}

/**
 * The relation by which the role on the object is derived from the one on the subject, and when it ends: of several the
 * one that ends last.
 */
export function findRelationBetween(
  kernel: Kernel,
  [subject, source]: RoleOn,
  [object, target]: RoleOn,
  relate: () => number,
): { readonly relation: number; readonly until: number } | undefined {
  const bytes = relate()
  let found: { readonly relation: number; readonly until: number } | undefined
  for (const rule of eachRuleToRole(kernel, target)) {
    if (ruleSource(kernel, rule) !== source) continue
    const relation = ruleRelation(kernel, rule)
    const isSent = readSubjects(kernel, bytes, relation).includes(subject)
    const until = isSent ? Number.POSITIVE_INFINITY : endOfRelation(kernel, subject, relation, object)
    if (until !== undefined && (found === undefined || until > found.until)) found = { relation, until }
  }
  return found
}

/** When a stored relationship ends; undefined without one. Not looked for beyond the limit of an explanation. */
function endOfRelation(kernel: Kernel, subject: number, relation: number, object: number): number | undefined {
  if (object === 0) return undefined
  const isBetween = (at: number) => tupleRelation(kernel, at) === relation && tupleSubject(kernel, at) === subject
  const tuple = findTupleToObject(kernel, object, EXPLAIN_WALK_MAX, isBetween)
  return tuple === 0 ? undefined : tupleUntil(kernel, tuple)
}

/** A relation without its type. */
export function relationName(kernel: Kernel, relation: number): string {
  const key = relationKey(kernel, relation)
  return key.slice(key.indexOf('/') + 1)
}
