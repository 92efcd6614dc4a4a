// Which permissions set rules may give a user on instances (D6: set rules), found without reading instances: a rule
// whose user side is false in a tenant gives nothing on the instances there (D2: the tenant of a check). The result is
// an upper bound; checks decide.
import { Table, Verdict } from '../../../assembly/limits.ts'
import type { Evaluator } from '../decide/evaluator.ts'
import { READS_INSTANCE, READS_TENANT, readsOfSide } from '../decide/required-attributes.ts'
import { grantRoles } from '../records/grant.ts'
import { symbolTable } from '../records/symbol.ts'
import { listSideRules, type SideRule, typeOfPermission } from './user-sides.ts'

const NONE: ReadonlySet<number> = new Set()

export class RuledInstances {
  readonly #evaluator: Evaluator
  readonly #user: number
  /** ids of the permissions whose rules depend on the instance, by their type, with the rules */
  readonly #byType = new Map<number, Map<number, readonly SideRule[]>>()
  readonly #found = new Map<number, Map<number, ReadonlySet<number>>>()
  /** results of user sides that are the same in every tenant, by permission, because a set may read the type */
  readonly #everywhere = new Map<string, boolean>()

  /** `ruled` are ids of the permissions with set rules. */
  constructor(evaluator: Evaluator, user: number, ruled: readonly number[]) {
    this.#evaluator = evaluator
    this.#user = user
    for (const id of ruled) {
      if ((evaluator.reads(id) & READS_INSTANCE) === 0) continue
      const type = typeOfPermission(evaluator.kernel, id)
      const rules = this.#byType.get(type) ?? new Map<number, readonly SideRule[]>()
      this.#byType.set(type, rules.set(id, listSideRules(evaluator.kernel, id)))
    }
  }

  /** The types of these permissions. */
  get types(): Iterable<number> {
    return this.#byType.keys()
  }

  /** Ids of the permissions that set rules may give on instances of the type in the tenant. */
  permissions(type: number, tenant: number): ReadonlySet<number> {
    const ofType = this.#byType.get(type)
    if (ofType === undefined) return NONE
    const byTenant = this.#found.get(type) ?? new Map<number, ReadonlySet<number>>()
    this.#found.set(type, byTenant)
    let found = byTenant.get(tenant)
    if (found === undefined) {
      const roles = this.#rolesIn(tenant)
      const given = [...ofType].filter(([id, rules]) =>
        rules.some(({ users }) => roles.includes(users) || this.#mayHold(users, tenant, id)),
      )
      found = new Set(given.map(([id]) => id))
      byTenant.set(tenant, found)
    }
    return found
  }

  #rolesIn(tenant: number): readonly number[] {
    const { kernel } = this.#evaluator
    const grant = kernel.calls.grantOf(this.#user, tenant)
    return grantRoles(kernel, grant)
  }

  #mayHold(side: number, tenant: number, permission: number): boolean {
    if (symbolTable(this.#evaluator.kernel, side) === Table.Roles) return false // a role that the user does not have
    const name = `${permission}/${side}`
    const known = this.#everywhere.get(name)
    if (known !== undefined) return known
    const reads = readsOfSide(this.#evaluator.kernel, side)
    const looks = (reads & READS_INSTANCE) !== 0
    const holds = looks || this.#evaluator.evaluateSide(side, this.#user, tenant, permission, 0) !== Verdict.Deny
    if (looks || (reads & READS_TENANT) === 0) this.#everywhere.set(name, holds)
    return holds
  }
}
