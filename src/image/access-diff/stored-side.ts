// One image as the residuals of an access diff read it: the parsed rules of permissions, and what is stored of users,
// tenants and instances. What it keeps is derived from the image, and lives as long as one access diff.
import { Table, Verdict } from '../../../assembly/limits.ts'
import { objectAt, textAt } from '../../kernel/decode.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type Condition, parseConditions } from '../../model/condition.ts'
import type { AttributeType, JsonObject } from '../../model/objects.ts'
import { declaredOn } from '../explain/explain-conditions.ts'
import { all, any } from '../filter/simplify.ts'
import { listSideRules } from '../list/user-sides.ts'
import { findInstance, findSymbol } from '../look-up.ts'
import { sideKey } from '../read-records.ts'
import { conditionSetJson, conditionSetResource, eachSetUpwards } from '../records/condition-set.ts'
import { eachGrantOfUser, grantRoleSet, grantScope, roleSetRoles } from '../records/grant.ts'
import { tenantOfScope } from '../records/instance.ts'
import { eachMembershipOfUser, memberTenant } from '../records/member.ts'
import { permissionResource } from '../records/permission.ts'
import { principalAttributes, principalKey } from '../records/principal.ts'
import { resourceKey } from '../records/resource.ts'
import { roleKey } from '../records/role.ts'
import { isResourceRole } from '../records/set-rule.ts'
import { symbolTable } from '../records/symbol.ts'
import { atInstant } from '../records/times.ts'
import { normalForm } from './normal-form.ts'
import type { Residual } from './open-conditions.ts'
import type { Seen, Stored, UserConditions } from './user-conditions.ts'

/**
 * A side of a rule: the conditions of a set and of its parents, a role in tenants, one that is held on the resource (D17), or
 * what is true or false of the type.
 */
type RuleSide = { readonly conditions: readonly Condition[] } | { readonly role: string } | HeldSide | boolean
interface HeldSide {
  /** `type/role` */
  readonly held: string
}

export interface ParsedRule {
  readonly user_set: string
  readonly resource_set: string
  readonly users: RuleSide
  readonly resources: Exclude<RuleSide, HeldSide>
}

const NONE: JsonObject = {}

/** The image that this one was copied from, and the users who are stored alike in both: these are read once. */
export interface CopiedSide {
  readonly of: StoredSide
  /** @param user id of a user, the same in both */
  isSame(user: number): boolean
}

/**
 * A stored user in a tenant, 0 outside of all. Most rules read little of it, so each part is read when it is asked for.
 */
class SeenUser implements Seen {
  readonly #side: StoredSide
  readonly #user: number
  readonly #isTied: boolean
  readonly #tenant: number

  constructor(side: StoredSide, user: number, isTied: boolean, tenant: number) {
    this.#side = side
    this.#user = user
    this.#isTied = isTied
    this.#tenant = tenant
  }

  get user(): string {
    return principalKey(this.#side.kernel, this.#user)
  }

  get attributes(): JsonObject {
    return this.#side.readUserAttributes(this.#user)
  }

  get roles(): readonly string[] {
    return this.#isTied ? this.#side.rolesIn(this.#user, this.#tenant) : []
  }

  get tenants(): readonly string[] {
    const { kernel } = this.#side
    return [...this.#side.findTies(this.#user)].map((tenant) => principalKey(kernel, tenant)).sort()
  }

  get tenant(): string {
    return this.#tenant === 0 ? '' : principalKey(this.#side.kernel, this.#tenant)
  }

  get tenantAttributes(): JsonObject {
    return this.#isTied ? this.#side.readTenantAttributes(this.#tenant) : NONE
  }
}

interface StoredSideOptions extends Pick<Stored, 'storedAs' | 'now'> {
  readonly copied?: CopiedSide | undefined
}

export class StoredSide implements Stored {
  readonly kernel: Kernel
  readonly storedAs: Stored['storedAs']
  readonly now: number | undefined
  readonly #rules = new Map<number, readonly ParsedRule[]>()
  readonly #types = new Map<string, Readonly<Record<string, AttributeType>>>()
  readonly #conditions = new Map<number, Condition>()
  readonly #instances = new Map<string, JsonObject | undefined>()
  readonly #tenants = new Map<number, JsonObject>()
  /** keys of roles, by the record of their list */
  readonly #roles = new Map<number, readonly string[]>()
  /** whether a role list gives a permission, by the permission and the record of the list */
  readonly #given = new Map<number, Map<number, boolean>>()
  readonly #copied: CopiedSide | undefined
  /** of the last user */
  #user = -1
  #attributes: JsonObject | undefined
  #ties: ReadonlySet<number> = new Set()
  /** records of the grants in tenants, by tenant */
  #grants: ReadonlyMap<number, number> = new Map()

  constructor(kernel: Kernel, { storedAs, now, copied }: StoredSideOptions) {
    this.kernel = kernel
    this.storedAs = storedAs
    this.now = now
    this.#copied = copied
  }

  readonly declared = (type: string): Readonly<Record<string, AttributeType>> => {
    let types = this.#types.get(type)
    if (types === undefined) {
      types = declaredOn(this.kernel, findSymbol(this.kernel, 'resource', type))
      this.#types.set(type, types)
    }
    return types
  }

  instance(type: string, key: string): JsonObject | undefined {
    const name = `${type}:${key}`
    if (this.#instances.has(name)) return this.#instances.get(name)
    const id = findInstance(this.kernel, type, key)
    const found = id === 0 ? undefined : this.#readAttributes(id)
    this.#instances.set(name, found)
    return found
  }

  #readAttributes(record: number): JsonObject {
    return objectAt(this.kernel, principalAttributes(this.kernel, record)) ?? NONE
  }

  /**
   * Records of the tenants that the user belongs to (D6): by an assignment there, on an instance there, or as a member.
   */
  findTies(user: number): ReadonlySet<number> {
    this.#load(user)
    return this.#ties
  }

  #load(user: number): void {
    if (this.#user === user) return
    this.#user = user
    this.#attributes = undefined
    const original = this.#original(user)
    if (original === undefined) this.#read(user)
    else {
      original.#load(user)
      this.#ties = original.#ties
      this.#grants = original.#grants
    }
  }

  #original(user: number): StoredSide | undefined {
    return this.#copied?.isSame(user) ? this.#copied.of : undefined
  }

  #read(user: number): void {
    const { kernel } = this
    const [ties, grants] = [new Set<number>(), new Map<number, number>()]
    for (const at of eachGrantOfUser(kernel, user)) {
      const scope = grantScope(kernel, at)
      const tenant = tenantOfScope(kernel, scope)
      if (tenant === scope) grants.set(tenant, at)
      ties.add(tenant)
    }
    for (const at of eachMembershipOfUser(kernel, user)) ties.add(memberTenant(kernel, at))
    this.#ties = ties
    this.#grants = grants
  }

  /** What conditions read of a user in a tenant; both are stored. */
  seen(user: number, tenant: number): Seen {
    this.#load(user)
    return new SeenUser(this, user, this.#ties.has(tenant), tenant)
  }

  /** The same in a tenant that the user does not belong to, whatever its key. */
  seenOutside(user: number): Seen {
    return new SeenUser(this, user, false, 0)
  }

  readUserAttributes(user: number): JsonObject {
    this.#load(user)
    this.#attributes ??= this.#original(user)?.readUserAttributes(user) ?? this.#readAttributes(user)
    return this.#attributes
  }

  /** Keys of the roles of a user in a tenant, sorted. Users with the same roles share the list. */
  rolesIn(user: number, tenant: number): readonly string[] {
    const { kernel } = this
    const list = this.#listIn(user, tenant)
    if (list === 0) return []
    let roles = this.#roles.get(list)
    if (roles === undefined) {
      roles = roleSetRoles(kernel, list)
        .map((role) => roleKey(kernel, role))
        .sort()
      this.#roles.set(list, roles)
    }
    return roles
  }

  readTenantAttributes(tenant: number): JsonObject {
    let attributes = this.#tenants.get(tenant)
    if (attributes === undefined) {
      attributes = this.#readAttributes(tenant)
      this.#tenants.set(tenant, attributes)
    }
    return attributes
  }

  /** Record of the list of roles of a user in a tenant, 0 without roles. */
  #listIn(user: number, tenant: number): number {
    this.#load(user)
    const grant = this.#grants.get(tenant)
    return grant === undefined ? 0 : grantRoleSet(this.kernel, grant)
  }

  /** D4: whether roles in the tenant allow; 0 is unknown. The same for all who have the same roles. */
  allowsByRoles(user: number, tenant: number, permission: number): boolean {
    if (user === 0 || tenant === 0 || permission === 0) return false // D1
    const list = this.#listIn(user, tenant)
    if (list === 0) return false
    let given = this.#given.get(permission)
    if (given === undefined) {
      given = new Map()
      this.#given.set(permission, given)
    }
    let allows = given.get(list)
    if (allows === undefined) {
      allows = atInstant(this.kernel.calls.decide(user, tenant, permission)) === Verdict.Allow
      given.set(list, allows)
    }
    return allows
  }

  /** The set rules of a permission; 0 is unknown. */
  listRules(permission: number): readonly ParsedRule[] {
    let rules = this.#rules.get(permission)
    if (rules === undefined) {
      const { kernel } = this
      const type = permission === 0 ? 0 : permissionResource(kernel, kernel.calls.permissionRecord(permission))
      rules = (permission === 0 ? [] : listSideRules(kernel, permission)).map(({ users, resources }) => ({
        user_set: sideKey(kernel, users),
        resource_set: sideKey(kernel, resources),
        users: isResourceRole(kernel, users) ? { held: roleKey(kernel, users) } : this.#side(users, type),
        resources: this.#side(resources, type),
      }))
      this.#rules.set(permission, rules)
    }
    return rules
  }

  #side(side: number, type: number): Exclude<RuleSide, HeldSide> {
    const { kernel } = this
    if (symbolTable(kernel, side) === Table.Roles) return { role: roleKey(kernel, side) }
    if (symbolTable(kernel, side) === Table.Resources) return resourceKey(kernel, side) === resourceKey(kernel, type)
    const conditions: Condition[] = []
    for (const set of eachSetUpwards(kernel, side)) {
      const of = conditionSetResource(kernel, set)
      if (of !== 0 && of !== type) return false // D6: of another type
      conditions.push(this.#readCondition(set))
    }
    return { conditions }
  }

  #readCondition(set: number): Condition {
    let condition = this.#conditions.get(set)
    if (condition === undefined) {
      condition = parseConditions(JSON.parse(textAt(this.kernel, conditionSetJson(this.kernel, set))))
      this.#conditions.set(set, condition)
    }
    return condition
  }
}

/** What says on which resources the user holds a role; `isAlone` where nothing but that is left of the rule. */
export type HeldResidual = (role: string, isAlone: boolean) => Residual

/** What is left of the rules of a permission: D6, some rule whose two sides are true. */
export function reduceRules(
  rules: readonly ParsedRule[],
  conditions: UserConditions,
  seen: Seen,
  held: HeldResidual,
): Residual {
  const side = (of: Exclude<RuleSide, HeldSide>): Residual => {
    if (typeof of === 'boolean') return of
    return 'role' in of ? seen.roles.includes(of.role) : all(of.conditions.map((each) => conditions.toPart(each)))
  }
  const both = ({ users, resources }: ParsedRule): Residual => {
    if (typeof users === 'object' && 'held' in users) {
      const rest = side(resources)
      return rest === false ? false : all([held(users.held, rest === true), rest])
    }
    const user = side(users)
    return user === false ? false : all([user, side(resources)])
  }
  return normalForm(any(rules.map(both)))
}
