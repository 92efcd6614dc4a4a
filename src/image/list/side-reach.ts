// In which tenants the user sides of set rules may be true for one user (D6: set rules), found without reading instances;
// roles on instances (D17) are not among them.
// In all tenants to which the user does not belong, a side says the same, unless it reads the key of the tenant. The
// results are upper bounds; checks decide.
import { Source, Table, Verdict } from '../../../assembly/limits.ts'
import { LISTING_TENANTS_MAX } from '../../model/limits.ts'
import type { Evaluator } from '../decide/evaluator.ts'
import { READS_INSTANCE, READS_TENANT, readsOfSide } from '../decide/required-attributes.ts'
import { findGrant, grantRoles } from '../records/grant.ts'
import { tenantsOfUser } from '../records/member.ts'
import { symbolTable } from '../records/symbol.ts'
import { records } from '../records/tables.ts'
import { listSideRulesOfAll } from './user-sides.ts'

const READS_TENANT_KEY = (1 << Source.ResourceTenant) | (1 << Source.TenantKey)

/** Records lie below it. */
const ADDRESSES = 2 ** 32

export class SideReach {
  /** the tenants to which the user belongs (D6) */
  readonly own: ReadonlySet<number>
  readonly #evaluator: Evaluator
  readonly #user: number
  readonly #reads = new Map<number, number>()
  /** results of user sides that are the same in every tenant, by side and permission: a set may read the type */
  readonly #everywhere = new Map<number, boolean>()
  #other: number | undefined

  constructor(evaluator: Evaluator, user: number) {
    this.#evaluator = evaluator
    this.#user = user
    this.own = tenantsOfUser(evaluator.kernel, user)
  }

  /** Whether the user side of a rule of the permission may be true in the tenant. */
  mayHold(side: number, tenant: number, permission: number): boolean {
    if (this.#differs(side, permission)) return this.#holds(side, tenant, permission)
    const of = permission * ADDRESSES + side
    let known = this.#everywhere.get(of)
    if (known === undefined) {
      known = this.#holds(side, tenant, permission)
      this.#everywhere.set(of, known)
    }
    return known
  }

  /** Whether some rule of the permission may allow the user something in the tenant. */
  mayAllowIn(tenant: number, permission: number): boolean {
    const rules = listSideRulesOfAll(this.#evaluator.kernel, permission)
    return rules.some(({ users }) => this.#holds(users, tenant, permission))
  }

  /** The tenants in which rules of the permission may allow the user something; undefined as in `findTenants`. */
  tenantsOf(permission: number): ReadonlySet<number> | undefined {
    const differing = new Set<number>()
    const tenant = this.#someTenant()
    for (const { users } of listSideRulesOfAll(this.#evaluator.kernel, permission)) {
      if (this.#differs(users, permission)) differing.add(users)
      else if (tenant !== 0 && this.#holds(users, tenant, permission)) return undefined
    }
    const sides = [...differing]
    const readsKey = sides.some((side) => this.readsTenantKey(side))
    return this.findTenants(readsKey, (at) => sides.some((side) => this.#holds(side, at, permission)))
  }

  /** Whether a side may say something else in another tenant. */
  #differs(side: number, permission: number): boolean {
    if (symbolTable(this.#evaluator.kernel, side) === Table.Roles) return true
    return this.#mayRead(side, permission, READS_TENANT) && !this.#mayRead(side, permission, READS_INSTANCE)
  }

  #holds(side: number, tenant: number, permission: number): boolean {
    const evaluator = this.#evaluator
    const { kernel } = evaluator
    if (symbolTable(kernel, side) === Table.Roles) {
      return this.own.has(tenant) && grantRoles(kernel, findGrant(kernel, this.#user, tenant)).includes(side)
    }
    // It may be true on some instance.
    if (this.#mayRead(side, permission, READS_INSTANCE)) return true
    return evaluator.evaluateSide(side, this.#user, tenant, permission, 0) !== Verdict.Deny
  }

  /** What the rules of the permission read together is known, so few sides have to be looked through. */
  #mayRead(side: number, permission: number, sources: number): boolean {
    return (this.#evaluator.reads(permission) & sources) !== 0 && (this.readsOf(side) & sources) !== 0
  }

  /**
   * The tenants in which something holds that is the same in all tenants to which the user does not belong, unless it
   * reads the key of the tenant. Undefined when it holds there, or when too many tenants would have to be asked about.
   */
  findTenants(readsKey: boolean, holds: (tenant: number) => boolean): ReadonlySet<number> | undefined {
    const other = this.someOther()
    if (!readsKey && other !== 0 && holds(other)) return undefined
    const found = new Set<number>()
    let left = LISTING_TENANTS_MAX
    for (const tenant of readsKey ? records(this.#evaluator.kernel, Table.Tenants) : this.own) {
      if (--left < 0) return undefined
      if (holds(tenant)) found.add(tenant)
    }
    return found
  }

  readsTenantKey(side: number): boolean {
    return (this.readsOf(side) & READS_TENANT_KEY) !== 0
  }

  /** What a side of a rule reads, as a set of bits. */
  readsOf(side: number): number {
    let reads = this.#reads.get(side)
    if (reads === undefined) {
      reads = readsOfSide(this.#evaluator.kernel, side)
      this.#reads.set(side, reads)
    }
    return reads
  }

  /** Some tenant to which the user does not belong, or 0. */
  someOther(): number {
    this.#other ??= this.#findTenant((tenant) => !this.own.has(tenant))
    return this.#other
  }

  /** Some tenant, or 0. */
  #someTenant(): number {
    return this.#findTenant(() => true)
  }

  #findTenant(isSuch: (tenant: number) => boolean): number {
    for (const tenant of records(this.#evaluator.kernel, Table.Tenants)) if (isSuch(tenant)) return tenant
    return 0
  }
}
