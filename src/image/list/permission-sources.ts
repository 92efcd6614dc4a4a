// All sources of a permission on an instance over relations (D5: roles derived over relations): every pair of an
// instance and a role on it from which the permission follows. The search goes from the requested instance upwards like
// a check, but finds all pairs instead of the first that a user has.
import { Instance, Resource, Role, RULE_NO_DIRECT, Rule, Tuple } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

export interface Sources {
  /** without duplicates; the role is assigned on the instance itself */
  readonly pairs: readonly (readonly [instance: number, role: number])[]
  /**
   * true when some rule does not apply to users with direct roles: the pairs are then only valid for the user of
   * `hasDirect`
   */
  readonly personal: boolean
}

/** All sources of the permission; undefined when finding them takes more than `limit` tuples and rules. */
export function sourcesOf(
  kernel: Kernel,
  instance: number,
  permission: number,
  hasDirect: (instance: number) => boolean,
  limit: number,
): Sources | undefined {
  const pairs: [number, number][] = []
  const seen = new Map<number, number[]>()
  let personal = false
  let left = limit
  const add = (at: number, role: number): void => {
    const known = seen.get(at)
    if (known === undefined) seen.set(at, [role])
    else if (known.includes(role)) return
    else known.push(role)
    pairs.push([at, role])
  }
  const type = kernel.word(instance + Instance.Type)
  for (let role = kernel.word(type + Resource.Roles); role !== 0; role = kernel.word(role + Role.NextOfType)) {
    if (kernel.calls.holds(role, permission) === 1) add(instance, role)
  }
  for (let index = 0; index < pairs.length; index++) {
    const [at, role] = pairs[index]!
    const direct = hasDirect(at)
    for (let rule = kernel.word(role + Role.Rules); rule !== 0; rule = kernel.word(rule + Rule.NextOfTarget)) {
      if (((kernel.word(rule + Rule.Flags) | kernel.word(role + Role.Flags)) & RULE_NO_DIRECT) !== 0) {
        personal = true
        if (direct) continue
      }
      const source = kernel.word(rule + Rule.Source)
      for (const subject of subjectsOf(kernel, at, rule, source)) {
        if (--left < 0) return undefined
        add(subject, source)
      }
    }
  }
  return { pairs, personal }
}

/** The instances of the source's type that are related to the instance by the rule's relation. */
function* subjectsOf(kernel: Kernel, instance: number, rule: number, source: number): Iterable<number> {
  const relation = kernel.word(rule + Rule.Relation)
  const type = kernel.word(source + Role.Type)
  for (let at = kernel.word(instance + Instance.Objects); at !== 0; at = kernel.word(at + Tuple.NextOfObject)) {
    if (kernel.word(at + Tuple.Relation) !== relation) continue
    const subject = kernel.word(at + Tuple.Subject)
    if (kernel.word(subject + Instance.Type) === type) yield subject
  }
}
