// The steps of a way over relations (D5: roles derived over relations, D14: relations sent with a question): from an
// assigned role to one on the resource, each with the relation that derives it.
import type { Kernel } from '../../kernel/kernel.ts'
import { readSubjects } from '../../kernel/question-area.ts'
import { EXPLAIN_WALK_MAX } from '../../model/limits.ts'
import { findSymbol } from '../look-up.ts'
import { relationKey } from '../records/relation.ts'
import { eachRuleToRole, ruleRelation, ruleSource } from '../records/rule.ts'
import { findTupleToObject, tupleRelation, tupleSubject } from '../records/tuple.ts'
import type { Because } from './explanation.ts'

/** A role on an instance, and how it comes from the one before. */
export interface Hop {
  /** `type:key`; `type:*` for a resource without a key */
  readonly on: string
  readonly role: string
  /** absent for the assigned role, and for a role that the one before extends */
  readonly relation?: string
}

/** The way over relations that an explanation has found. */
export function listHops(kernel: Kernel, because: readonly Because[], relate: () => number): Hop[] {
  const way = because.find(({ source }) => source === 'rebac')
  if (way === undefined) return []
  const hops: Hop[] = []
  for (const step of way.path) {
    const at = step.lastIndexOf('#')
    const hop = { on: step.slice(0, at), role: step.slice(at + 1) }
    const before = hops.at(-1)
    const relation =
      before === undefined || before.on === hop.on ? undefined : findRelationBetween(kernel, before, hop, relate)
    hops.push(relation === undefined ? hop : { ...hop, relation })
  }
  return hops
}

/** The relation by which the role on the object is derived from the one on the subject. */
function findRelationBetween(kernel: Kernel, from: Hop, to: Hop, relate: () => number): string | undefined {
  const [subject, object] = [from, to].map(({ on }) => findSymbol(kernel, 'resource_instance', on)) as [number, number]
  const roleOn = ({ on, role }: Hop) => findSymbol(kernel, 'resource_role', `${on.slice(0, on.indexOf(':'))}/${role}`)
  const source = roleOn(from)
  const bytes = relate()
  for (const rule of eachRuleToRole(kernel, roleOn(to))) {
    if (ruleSource(kernel, rule) !== source) continue
    const relation = ruleRelation(kernel, rule)
    if (isRelated(kernel, subject, relation, object) || readSubjects(kernel, bytes, relation).includes(subject))
      return relationName(kernel, relation)
  }
  return undefined
}

/** Whether a stored relationship says so; not looked for beyond the limit of an explanation. */
function isRelated(kernel: Kernel, subject: number, relation: number, object: number): boolean {
  if (object === 0) return false
  const isBetween = (at: number) => tupleRelation(kernel, at) === relation && tupleSubject(kernel, at) === subject
  return findTupleToObject(kernel, object, EXPLAIN_WALK_MAX, isBetween) !== 0
}

/** A relation without its type. */
export function relationName(kernel: Kernel, relation: number): string {
  const key = relationKey(kernel, relation)
  return key.slice(key.indexOf('/') + 1)
}
