// Where set rules may allow one user something (D6: set rules), found without reading tenants or instances: a rule whose
// user side is false in a tenant gives nothing there (D2: the tenant of a check). The results are upper bounds; checks
// decide.
import type { Evaluator } from '../decide/evaluator.ts'
import { READS_INSTANCE, READS_TENANT } from '../decide/required-attributes.ts'
import { ownAlone } from '../records/everybody.ts'
import { SideReach } from './side-reach.ts'
import { listSideRulesOfAll, namesRoles, type SideRule, typeOfPermission } from './user-sides.ts'

const NONE: ReadonlySet<number> = new Set()

/** The permissions that rules may give in the tenants to which the user does not belong. */
interface Elsewhere {
  /** the same in each of them */
  readonly alike: readonly number[]
  /** to be asked about in each */
  readonly byTenant: readonly number[]
}

/** The rules of the permissions of one type that say different things about different instances. */
interface InstanceRules {
  /** by the id of the permission */
  readonly rules: Map<number, readonly SideRule[]>
  /** whether for some user side it counts which tenant it is */
  dependsOnTenantKey: boolean
  /** ids of the permissions that they may give in a tenant */
  readonly inTenant: Map<number, ReadonlySet<number>>
  /** the same in any tenant to which the user does not belong, unless it counts which it is */
  elsewhere?: ReadonlySet<number>
}

export class RuleReach {
  readonly #evaluator: Evaluator
  readonly #user: number
  readonly #ruled: readonly number[]
  readonly #sides: SideReach
  readonly #byType = new Map<number, InstanceRules>()
  /** results of the rules of a permission that are the same in every tenant */
  readonly #inAnyTenant = new Map<number, boolean>()
  #elsewhere: Elsewhere | undefined

  /** `ruled` are ids of the permissions with set rules. */
  constructor(evaluator: Evaluator, user: number, ruled: readonly number[]) {
    this.#evaluator = evaluator
    this.#user = user
    this.#ruled = ruled
    this.#sides = new SideReach(evaluator, user)
    for (const id of ruled) if ((evaluator.reads(id) & READS_INSTANCE) !== 0) this.#addRules(id)
  }

  #addRules(id: number): void {
    const { kernel } = this.#evaluator
    const sides = this.#sides
    const rules = listSideRulesOfAll(kernel, id).filter(
      ({ users, resources }) => ((sides.readsOf(users) | sides.readsOf(resources)) & READS_INSTANCE) !== 0,
    )
    if (rules.length === 0) return
    const type = typeOfPermission(kernel, id)
    const known = this.#byType.get(type) ?? { rules: new Map(), dependsOnTenantKey: false, inTenant: new Map() }
    known.rules.set(id, rules)
    known.dependsOnTenantKey ||= rules.some(({ users }) => sides.readsTenantKey(users))
    this.#byType.set(type, known)
  }

  /** The tenants to which the user belongs (D6). */
  get own(): ReadonlySet<number> {
    return this.#sides.own
  }

  /** The permissions that rules may give, without an instance, where the user does not belong. */
  get elsewhere(): Elsewhere {
    this.#elsewhere ??= this.#findElsewhere()
    return this.#elsewhere
  }

  #findElsewhere(): Elsewhere {
    const sides = this.#sides
    const other = sides.someOther()
    const alike: number[] = []
    const byTenant: number[] = []
    for (const id of other === 0 ? [] : this.#ruled) {
      const rules = listSideRulesOfAll(this.#evaluator.kernel, id).filter(
        ({ users }) => sides.readsTenantKey(users) || sides.mayHold(users, other, id),
      )
      if (rules.some(({ users, resources }) => sides.readsTenantKey(users) || sides.readsTenantKey(resources)))
        byTenant.push(id)
      else if (rules.length > 0 && this.allowsIn(other, id)) alike.push(id)
    }
    return { alike, byTenant }
  }

  /** What a check in the tenant without an instance says where roles do not allow, but for what everybody has. @throws UNDECIDED */
  allowsIn(tenant: number, permission: number): boolean {
    const known = this.#inAnyTenant.get(permission)
    if (known !== undefined) return known
    const evaluator = this.#evaluator
    const allowed = ownAlone(evaluator.kernel, () => evaluator.allows(this.#user, tenant, permission, 0))
    const isSame = (evaluator.reads(permission) & READS_TENANT) === 0 && !namesRoles(evaluator.kernel, permission)
    if (isSame) this.#inAnyTenant.set(permission, allowed)
    return allowed
  }

  /**
   * The types on whose instances rules may say different things about the user, with the tenants of these instances;
   * undefined as in `findTenants`.
   */
  findTypes(): ReadonlyMap<number, ReadonlySet<number> | undefined> {
    const found = new Map<number, ReadonlySet<number> | undefined>()
    for (const [type, of] of this.#byType) {
      const tenants = this.#sides.findTenants(of.dependsOnTenantKey, (tenant) => this.#findIn(of, tenant).size > 0)
      if (tenants?.size !== 0) found.set(type, tenants)
    }
    return found
  }

  /** Ids of the permissions that rules may give on some instances of the type in the tenant and not on others. */
  onInstances(type: number, tenant: number): ReadonlySet<number> {
    const of = this.#byType.get(type)
    return of === undefined ? NONE : this.#findIn(of, tenant)
  }

  #findIn(of: InstanceRules, tenant: number): ReadonlySet<number> {
    if (!this.own.has(tenant) && !of.dependsOnTenantKey) {
      of.elsewhere ??= this.#find(of, tenant)
      return of.elsewhere
    }
    let found = of.inTenant.get(tenant)
    if (found === undefined) {
      found = this.#find(of, tenant)
      of.inTenant.set(tenant, found)
    }
    return found
  }

  #find({ rules }: InstanceRules, tenant: number): ReadonlySet<number> {
    const given = [...rules].filter(([id, each]) => each.some(({ users }) => this.#sides.mayHold(users, tenant, id)))
    return new Set(given.map(([id]) => id))
  }
}
