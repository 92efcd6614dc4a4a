// Which rows a user may act on by roles on instances (D5, D14): rows that are stored instances by their key, and rows
// that name an instance on which the user holds a role, by that relation. Roles held on the named instance come from
// stored facts alone, so a list of keys says all.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { FILTER_KEYS_MAX, LISTING_WALK_MAX } from '../../model/limits.ts'
import { compareText } from '../../model/text-order.ts'
import { walkInstanceRoles } from '../decide/effective-roles.ts'
import { grantScope, grantsOfUser } from '../records/grant.ts'
import { instanceTenant, instanceType, keyOfInstance } from '../records/instance.ts'
import { relationKey } from '../records/relation.ts'
import { resourceKey } from '../records/resource.ts'
import { eachRoleOfType, roleKey, roleType } from '../records/role.ts'
import { eachRuleToRole, ruleRelation, ruleSkipsDirect, ruleSource } from '../records/rule.ts'
import { symbolTable } from '../records/symbol.ts'
import { MORE, tooLarge } from './conditions.ts'
import { all, any, not, type Part } from './simplify.ts'

/** A rule that gives a role with the permission to whoever holds `source` on a related instance. */
export interface Derivation {
  readonly relation: string
  readonly source: number
  /** type of the related instance */
  readonly type: number
  readonly noDirect: boolean
}

/** The roles of a type with a permission, and how they are derived. Depends on the policy alone. */
export interface RowRoles {
  readonly roles: readonly number[]
  readonly derivations: readonly Derivation[]
}

/** The roles of the resource type that have the permission, own or by extension. */
export function readRowRoles(kernel: Kernel, permission: number, type: number): RowRoles {
  const roles: number[] = []
  const derivations: Derivation[] = []
  for (const role of eachRoleOfType(kernel, type)) {
    if (!kernel.isLive(role) || kernel.calls.holds(role, permission) !== 1) continue
    roles.push(role)
    for (const at of eachRuleToRole(kernel, role)) {
      const source = ruleSource(kernel, at)
      const whole = relationKey(kernel, ruleRelation(kernel, at))
      derivations.push({
        relation: whole.slice(whole.indexOf('/') + 1),
        source,
        type: roleType(kernel, source),
        noDirect: ruleSkipsDirect(kernel, at, role),
      })
    }
  }
  // Equal policies make equal filters, however they came about.
  derivations.sort((left, right) => compareText(toDerivationKey(kernel, left), toDerivationKey(kernel, right)))
  return { roles, derivations }
}

const toDerivationKey = (kernel: Kernel, { relation, source, noDirect }: Derivation): string =>
  `${relation}/${roleKey(kernel, source)}/${noDirect}`

interface AskedRows {
  readonly user: number
  readonly tenant: number
  /** resource type of the rows */
  readonly type: number
}

/**
 * The rows that roles on instances allow: by the key of the row, and by what it is related to.
 * @throws LISTING_TOO_LARGE when the user holds roles on too many instances
 */
export function partsOfRoles(
  kernel: Kernel,
  held: HeldKeys,
  asked: AskedRows,
  row: RowRoles,
): { byKey: readonly string[]; byRelation: Part } {
  if (row.roles.length === 0) return { byKey: [], byRelation: false }
  const byRelation = row.derivations.map(({ relation, source, type, noDirect }): Part => {
    const keys = held.keys(type, asked.tenant, (role) => role === source)
    if (keys.length === 0) return false
    const related = { related: relation, type: resourceKey(kernel, type), in: keys }
    return noDirect ? all([related, not(keyIn(directKeys(kernel, asked)))]) : related
  })
  const byKey = held.keys(asked.type, asked.tenant, (role) => row.roles.includes(role))
  return { byKey, byRelation: any(byRelation) }
}

/** Rows with one of the keys. */
export const keyIn = (keys: readonly string[]): Part => (keys.length === 0 ? false : { key: { in: keys } })

/**
 * The roles of one user on instances, found once for all types and tenants, as long as the image does not change, nor
 * what of it is in force.
 */
export class HeldKeys {
  readonly user: number
  /** the earliest instant after that of the question at which they may be others; infinite when none is known */
  readonly until: number
  readonly #since: number
  readonly #kernel: Kernel
  /** instances with the roles on them, by `type/tenant`; undefined when finding them takes too long */
  readonly #held: ReadonlyMap<string, readonly (readonly [instance: number, roles: readonly number[]])[]> | undefined

  /** @param withEverybody the roles of everybody count too (D16) */
  constructor(kernel: Kernel, user: number, withEverybody = false) {
    this.user = user
    this.#kernel = kernel
    this.#since = kernel.now
    const found = walkInstanceRoles(kernel, user, LISTING_WALK_MAX, { withEverybody })
    this.until = found?.until ?? this.#since
    const by = ([instance]: readonly [number, unknown]) =>
      `${instanceType(kernel, instance)}/${instanceTenant(kernel, instance)}`
    this.#held = found && groupBy(found.rolesByInstance, by)
  }

  /** Whether they are those of the user at an instant; NaN where nothing has times. */
  covers(user: number, now: number): boolean {
    return user === this.user && (Object.is(now, this.#since) || (this.#since <= now && now < this.until))
  }

  /** The keys of the instances of a type, in a tenant, on which the user holds such a role; sorted. */
  keys(type: number, tenant: number, isSuch: (role: number) => boolean): string[] {
    if (this.#held === undefined) throw tooLarge(MORE, 'roles and relations of the user', LISTING_WALK_MAX)
    const keys: string[] = []
    for (const [instance, roles] of this.#held.get(`${type}/${tenant}`) ?? [])
      if (roles.some(isSuch)) keys.push(keyOfInstance(this.#kernel, instance))
    if (keys.length > FILTER_KEYS_MAX) throw tooLarge(keys.length, 'keys of instances', FILTER_KEYS_MAX)
    return keys.sort()
  }
}

function groupBy<T>(items: Iterable<T>, by: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const name = by(item)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [item])
    else group.push(item)
  }
  return groups
}

/**
 * The instances of the type, in the tenant, on which a role is assigned to the user directly. A key that is stored in
 * another tenant is not the row (D2), so its key must not be revealed.
 */
export function directKeys(kernel: Kernel, { user, tenant, type }: AskedRows): string[] {
  const keys: string[] = []
  for (const grant of /* canary: direct-keys-of-everybody */ grantsOfUser(kernel, user)) {
    const scope = grantScope(kernel, grant)
    if (symbolTable(kernel, scope) !== Table.Instances || instanceType(kernel, scope) !== type) continue
    if (instanceTenant(kernel, scope) === tenant) keys.push(keyOfInstance(kernel, scope))
  }
  if (keys.length > FILTER_KEYS_MAX)
    throw tooLarge(keys.length, 'keys of instances with a role of the user', FILTER_KEYS_MAX)
  return keys.sort()
}
