// Roles on instances from the user's side (D5): from what was assigned, downwards over relations, until nothing new comes. A check looks the
// other way, from the instance upwards; the two find the same roles. Reads only, and no more than it is told to.
import { Grant, Instance, Role, RULE_NO_DIRECT, Rule, Table, Tuple } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { grantsOfUser, rolesOf, tableOf } from '../read-records.ts'

/** Records of the roles that a user holds on instances, by the record of the instance. */
export type Held = ReadonlyMap<number, readonly number[]>

/** What the user holds on instances, assigned or derived; undefined when it is more than `most` tuples and roles to look at. */
export function heldBy(kernel: Kernel, user: number, most: number): Held | undefined {
  const walk = new Walk(kernel, user)
  for (const grant of grantsOfUser(kernel, user)) {
    const scope = kernel.word(grant + Grant.Scope)
    if (tableOf(kernel, scope) !== Table.Instances) continue
    for (const role of rolesOf(kernel, kernel.word(grant + Grant.Roles))) walk.add(scope, role)
  }
  return walk.run(most) ? walk.held : undefined
}

class Walk {
  readonly held = new Map<number, number[]>()
  readonly #kernel: Kernel
  readonly #user: number
  readonly #instances: number[] = []
  readonly #roles: number[] = []

  constructor(kernel: Kernel, user: number) {
    this.#kernel = kernel
    this.#user = user
  }

  add(instance: number, role: number): void {
    const known = this.held.get(instance)
    if (known === undefined) this.held.set(instance, [role])
    else if (known.includes(role)) return
    else known.push(role)
    this.#instances.push(instance)
    this.#roles.push(role)
  }

  /** False: there is more. */
  run(most: number): boolean {
    const kernel = this.#kernel
    let left = most
    for (let at = 0; at < this.#instances.length; at++) {
      const instance = this.#instances[at]!
      if (--left < 0) return false
      for (let rule = kernel.word(this.#roles[at]! + Role.Sources); rule !== 0; ) {
        left = this.#follow(rule, instance, left)
        if (left < 0) return false
        rule = kernel.word(rule + Rule.NextOfSource)
      }
    }
    return true
  }

  /** Adds what one rule gives on all that the instance is related to; returns what is left to look at. */
  #follow(rule: number, instance: number, most: number): number {
    const kernel = this.#kernel
    const target = kernel.word(rule + Rule.Target)
    const relation = kernel.word(rule + Rule.Relation)
    const noDirect = ((kernel.word(rule + Rule.Flags) | kernel.word(target + Role.Flags)) & RULE_NO_DIRECT) !== 0
    const type = kernel.word(target + Role.Type)
    let left = most
    for (let tuple = kernel.word(instance + Instance.Subjects); tuple !== 0; ) {
      if (--left < 0) return left
      const object = kernel.word(tuple + Tuple.Object)
      const related = kernel.word(tuple + Tuple.Relation) === relation && kernel.word(object + Instance.Type) === type
      if (related && !(noDirect && kernel.calls.grantOf(this.#user, object) !== 0)) this.add(object, target)
      tuple = kernel.word(tuple + Tuple.NextOfSubject)
    }
    return left
  }
}
