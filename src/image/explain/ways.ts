// What an explanation for people adds to the codes: over which relations a role came about, and for a deny what
// would allow: the nearest names, the roles that have the permission, what is wrong with the relations that were sent.
// Data only; why-tree.ts makes sentences of it. Every list is cut at EXPLAIN_NAMES_MAX. Never part of a check.

import type { Kernel } from '../../kernel/kernel.ts'
import type { SentRelations } from '../decide/sent-relations.ts'
import { instanceAsked } from '../decide/tenant-of-check.ts'
import { instanceTenant } from '../records/instance.ts'
import { principalKey } from '../records/principal.ts'
import { type Question, resolveIds } from './explain.ts'
import type { Because, Explanation } from './explanation.ts'
import { type Hop, listHops } from './hops.ts'
import { nearestNames, type UnknownName } from './near-names.ts'
import { type NearRoles, nearRoles } from './near-roles.ts'
import { missesOfSentRelations, type SentMiss } from './sent-misses.ts'

export interface Ways {
  /** the steps of the way over relations that allows, from the assigned role; none without one */
  readonly hops: readonly Hop[]
  /** the same to each role on instances that stands for the user set of a rule that allows (D17), by the user set */
  readonly hopsToRoles?: ReadonlyMap<string, readonly Hop[]>
  /** of a deny: the name that the policy does not have */
  readonly unknown?: UnknownName
  /** of a deny: the tenant of the instance when the question is about another one (D2: which tenant) */
  readonly instance_tenant?: string
  /** of a deny: the roles that would allow, and those that the user has elsewhere */
  readonly near?: NearRoles
  /** of a deny: what became of each relation that was sent (D14) */
  readonly sent_relations: readonly SentMiss[]
}

/** A question with all that explains its answer. */
export interface Explained {
  readonly question: Question
  readonly explanation: Explanation
  readonly ways: Ways
}

/** @throws nothing that the explanation did not throw */
export function findWays(kernel: Kernel, related: SentRelations, question: Question, explained: Explanation): Ways {
  const relations = { type: question.type, relations: question.relations }
  const relate = () => related.write(relations.type, relations.relations)
  if (explained.allow) {
    const { user } = resolveIds(kernel, question, explained.tenant)
    const findHops = (way: Because) => listHops(kernel, user, way, relate)
    const byRelations = explained.because.find(({ source }) => source === 'rebac')
    const byRoles = explained.because.filter(({ source, path }) => source === 'abac' && path.length > 0)
    const hopsToRoles = new Map(byRoles.map((way) => [way.role, findHops(way)]))
    return { hops: byRelations === undefined ? [] : findHops(byRelations), hopsToRoles, sent_relations: [] }
  }
  const unknown = nearestNames(kernel, question, explained)
  if (unknown !== undefined) return { hops: [], unknown, sent_relations: [] }
  if (explained.suspension !== undefined) return { hops: [], sent_relations: [] } // nothing would allow
  const instance = instanceAsked(kernel, question)
  const asked = { ...resolveIds(kernel, question, explained.tenant), instance, relate }
  const stored = instance === 0 ? 0 : instanceTenant(kernel, instance)
  const permission = `${question.type}:${question.action}`
  const isElsewhere = stored !== 0 && stored !== asked.tenant // D2
  return {
    hops: [],
    ...(isElsewhere ? { instance_tenant: principalKey(kernel, stored) } : {}),
    near: nearRoles(kernel, asked, { ...question, permission }, isElsewhere),
    sent_relations: isElsewhere ? [] : missesOfSentRelations(kernel, asked, question),
  }
}
