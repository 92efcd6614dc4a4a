// Where set rules may allow one user something (D6: set rules), found without reading tenants or instances: a rule whose
// user side is false in a tenant gives nothing there (D2: the tenant of a check). In all tenants to which the user does
// not belong, a rule says the same, unless it reads the key of the tenant. The results are upper bounds; checks decide.
import { Source, Table, Verdict } from '../../../assembly/limits.ts'
import type { Evaluator } from '../decide/evaluator.ts'
import { READS_INSTANCE, READS_TENANT, readsOfSide } from '../decide/required-attributes.ts'
import { findGrant, grantRoles } from '../records/grant.ts'
import { symbolTable } from '../records/symbol.ts'
import { records } from '../records/tables.ts'
import { listSideRules, namesRoles, type SideRule, typeOfPermission } from './user-sides.ts'

const NONE: ReadonlySet<number> = new Set()
const READS_TENANT_KEY = (1 << Source.ResourceTenant) | (1 << Source.TenantKey)

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
  readonly #own: ReadonlySet<number>
  readonly #byType = new Map<number, InstanceRules>()
  readonly #reads = new Map<number, number>()
  /** results of user sides that are the same in every tenant, by permission, because a set may read the type */
  readonly #everywhere = new Map<string, boolean>()
  /** results of the rules of a permission that are the same in every tenant */
  readonly #inAnyTenant = new Map<number, boolean>()
  #other: number | undefined
  #elsewhere: Elsewhere | undefined

  /** `ruled` are ids of the permissions with set rules, `own` the tenants to which the user belongs. */
  constructor(evaluator: Evaluator, user: number, ruled: readonly number[], own: ReadonlySet<number>) {
    this.#evaluator = evaluator
    this.#user = user
    this.#ruled = ruled
    this.#own = own
    for (const id of ruled) if ((evaluator.reads(id) & READS_INSTANCE) !== 0) this.#addRules(id)
  }

  #addRules(id: number): void {
    const { kernel } = this.#evaluator
    const rules = listSideRules(kernel, id).filter((rule) => (this.#readsOf(rule) & READS_INSTANCE) !== 0)
    if (rules.length === 0) return
    const type = typeOfPermission(kernel, id)
    const known = this.#byType.get(type) ?? { rules: new Map(), dependsOnTenantKey: false, inTenant: new Map() }
    known.rules.set(id, rules)
    known.dependsOnTenantKey ||= rules.some(({ users }) => this.#readsTenantKey(users))
    this.#byType.set(type, known)
  }

  /** The permissions that rules may give, without an instance, where the user does not belong. */
  get elsewhere(): Elsewhere {
    this.#elsewhere ??= this.#findElsewhere()
    return this.#elsewhere
  }

  #findElsewhere(): Elsewhere {
    const evaluator = this.#evaluator
    const other = this.#someOther()
    const alike: number[] = []
    const byTenant: number[] = []
    for (const id of other === 0 ? [] : this.#ruled) {
      const rules = listSideRules(evaluator.kernel, id).filter(
        ({ users }) => this.#readsTenantKey(users) || this.#mayHold(users, other, id),
      )
      if (rules.some(({ users, resources }) => this.#readsTenantKey(users) || this.#readsTenantKey(resources)))
        byTenant.push(id)
      else if (rules.length > 0 && this.allowsIn(other, id)) alike.push(id)
    }
    return { alike, byTenant }
  }

  /** What a check in the tenant without an instance says where roles do not allow. @throws UNDECIDED */
  allowsIn(tenant: number, permission: number): boolean {
    const known = this.#inAnyTenant.get(permission)
    if (known !== undefined) return known
    const evaluator = this.#evaluator
    const allowed = evaluator.allows(this.#user, tenant, permission, 0)
    const isSame = (evaluator.reads(permission) & READS_TENANT) === 0 && !namesRoles(evaluator.kernel, permission)
    if (isSame) this.#inAnyTenant.set(permission, allowed)
    return allowed
  }

  /** The types on whose instances rules may say different things about the user. */
  listTypes(): number[] {
    return [...this.#byType].filter(([, of]) => this.#isSomewhere(of)).map(([type]) => type)
  }

  #isSomewhere(of: InstanceRules): boolean {
    const other = this.#someOther()
    if (other !== 0 && (of.dependsOnTenantKey || this.#findIn(of, other).size > 0)) return true
    for (const tenant of this.#own) if (this.#findIn(of, tenant).size > 0) return true
    return false
  }

  /** Ids of the permissions that rules may give on some instances of the type in the tenant and not on others. */
  onInstances(type: number, tenant: number): ReadonlySet<number> {
    const of = this.#byType.get(type)
    return of === undefined ? NONE : this.#findIn(of, tenant)
  }

  #findIn(of: InstanceRules, tenant: number): ReadonlySet<number> {
    if (!this.#own.has(tenant) && !of.dependsOnTenantKey) {
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
    const given = [...rules].filter(([id, each]) => each.some(({ users }) => this.#mayHold(users, tenant, id)))
    return new Set(given.map(([id]) => id))
  }

  /** Whether the user side may be true in the tenant. */
  #mayHold(side: number, tenant: number, permission: number): boolean {
    const evaluator = this.#evaluator
    const { kernel } = evaluator
    if (symbolTable(kernel, side) === Table.Roles) {
      return this.#own.has(tenant) && grantRoles(kernel, findGrant(kernel, this.#user, tenant)).includes(side)
    }
    const name = `${permission}/${side}`
    const known = this.#everywhere.get(name)
    if (known !== undefined) return known
    const reads = this.#readsOfSide(side)
    const looks = (reads & READS_INSTANCE) !== 0
    const holds = looks || evaluator.evaluateSide(side, this.#user, tenant, permission, 0) !== Verdict.Deny
    if (looks || (reads & READS_TENANT) === 0) this.#everywhere.set(name, holds)
    return holds
  }

  #readsTenantKey(side: number): boolean {
    return (this.#readsOfSide(side) & READS_TENANT_KEY) !== 0
  }

  #readsOf({ users, resources }: SideRule): number {
    return this.#readsOfSide(users) | this.#readsOfSide(resources)
  }

  #readsOfSide(side: number): number {
    let reads = this.#reads.get(side)
    if (reads === undefined) {
      reads = readsOfSide(this.#evaluator.kernel, side)
      this.#reads.set(side, reads)
    }
    return reads
  }

  /** Some tenant to which the user does not belong, or 0. */
  #someOther(): number {
    if (this.#other === undefined) {
      this.#other = 0
      for (const tenant of records(this.#evaluator.kernel, Table.Tenants)) {
        if (this.#own.has(tenant)) continue
        this.#other = tenant
        break
      }
    }
    return this.#other
  }
}
