// All sources of a permission on a resource over relations (D5: roles derived over relations, D14: relations sent with
// a question): every pair of an instance and a role on it from which the permission follows. The search goes from the
// requested resource upwards like a check, but finds all pairs instead of the first that a user has.
import { Instance, Permission, Resource, Role, RULE_NO_DIRECT, Rule, Tuple } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Relate } from '../decide/evaluator.ts'
import { relatedBy } from '../decide/sent-relations.ts'

export interface Sources {
  /** without duplicates; the role is assigned on the instance itself */
  readonly pairs: readonly (readonly [instance: number, role: number])[]
  /**
   * true when some rule does not apply to users with direct roles: the pairs are then only valid for the user of
   * `hasDirect`
   */
  readonly personal: boolean
}

/** The resource whose sources are searched. */
export interface AskedSources {
  readonly tenant: number
  readonly permission: number
  /** 0 when it is not stored */
  readonly instance: number
  /** the relations that were sent */
  readonly relate: Relate | undefined
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
export function sourcesOf(
  kernel: Kernel,
  { tenant, permission, instance, relate }: AskedSources,
  hasDirect: (instance: number) => boolean,
  limit: number,
  onSource?: OnSource,
): Sources | undefined {
  const bytes = relate?.() ?? 0
  const isElsewhere = instance !== 0 && kernel.word(instance + Instance.Tenant) !== tenant
  if (isElsewhere || (instance === 0 && bytes === 0)) return { pairs: [], personal: false }
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
  const type = kernel.word(kernel.calls.permissionRecord(permission) + Permission.Resource)
  for (const role of kernel.chain(kernel.word(type + Resource.Roles), Role.NextOfType)) {
    if (kernel.calls.holds(role, permission) === 1) add(instance, role)
  }
  const asked = pairs.length
  for (let index = 0; index < pairs.length; index++) {
    const [at, role] = pairs[index]!
    const direct = at !== 0 && hasDirect(at)
    for (const rule of kernel.chain(kernel.word(role + Role.Rules), Rule.NextOfTarget)) {
      if (((kernel.word(rule + Rule.Flags) | kernel.word(role + Role.Flags)) & RULE_NO_DIRECT) !== 0) {
        personal = true
        if (direct) continue
      }
      const source = kernel.word(rule + Rule.Source)
      for (const subject of subjectsOf(kernel, at, rule, source)) {
        if (--left < 0) return undefined
        add(subject, source, index, rule)
      }
      if (index >= asked) continue
      for (const subject of relatedBy(kernel, bytes, kernel.word(rule + Rule.Relation))) {
        if (--left < 0) return undefined
        const counts = kernel.word(subject + Instance.Type) === kernel.word(source + Role.Type)
        if (counts && kernel.word(subject + Instance.Tenant) === tenant) add(subject, source, index, rule)
      }
    }
  }
  return { pairs: pairs.filter(([at]) => at !== 0), personal }
}

/** The instances of the source's type that are related to the instance by the rule's relation. */
function* subjectsOf(kernel: Kernel, instance: number, rule: number, source: number): Iterable<number> {
  if (instance === 0) return
  const relation = kernel.word(rule + Rule.Relation)
  const type = kernel.word(source + Role.Type)
  for (const at of kernel.chain(kernel.word(instance + Instance.Objects), Tuple.NextOfObject)) {
    if (kernel.word(at + Tuple.Relation) !== relation) continue
    const subject = kernel.word(at + Tuple.Subject)
    if (kernel.word(subject + Instance.Type) === type) yield subject
  }
}
