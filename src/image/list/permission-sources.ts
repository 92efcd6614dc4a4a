// Where a permission on an instance may come from over relations (D5): every pair of an instance and a role on it that gives it, found from the
// asked instance upwards as a check does, but all of them and not the first that a user holds.
import { Instance, Resource, Role, RULE_NO_DIRECT, Rule, Tuple } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

export interface Sources {
  /** each pair once; the role is held on the instance itself */
  readonly pairs: readonly (readonly [instance: number, role: number])[]
  /** some rule on the way is off for users with direct roles: then the pairs are those of the user that `hasDirect` speaks of */
  readonly personal: boolean
}

/** All sources of the permission; undefined when there are more than `most` tuples and rules to look at. */
export function sourcesOf(
  kernel: Kernel,
  instance: number,
  permission: number,
  hasDirect: (instance: number) => boolean,
  most: number,
): Sources | undefined {
  const pairs: [number, number][] = []
  const seen = new Map<number, number[]>()
  let personal = false
  let left = most
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

/** What is related to the instance by the relation of the rule, and is of the type of its source. */
function* subjectsOf(kernel: Kernel, instance: number, rule: number, source: number): Iterable<number> {
  const relation = kernel.word(rule + Rule.Relation)
  const type = kernel.word(source + Role.Type)
  for (let at = kernel.word(instance + Instance.Objects); at !== 0; at = kernel.word(at + Tuple.NextOfObject)) {
    if (kernel.word(at + Tuple.Relation) !== relation) continue
    const subject = kernel.word(at + Tuple.Subject)
    if (kernel.word(subject + Instance.Type) === type) yield subject
  }
}
