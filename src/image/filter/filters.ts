// Makes filters: for which rows of an application's own a check is allowed (docs/filters.md). The kernel decides all
// that does not depend on the row; what is left of the conditions, and the keys of instances on which the user holds a
// role, are the filter. One object for each state of an image: what it keeps is derived from the policy alone, but for
// the roles of the last user on instances, which are kept until the first of them may be another (D15).
import { Source, Table, Verdict } from '../../../assembly/limits.ts'
import { textAt } from '../../kernel/decode.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type Condition, parseConditions } from '../../model/condition.ts'
import { ZerohopError } from '../../model/errors.ts'
import { FILTER_FORMAT, type Filter, type FilterNode, type Reads } from '../../model/filter.ts'
import { FILTER_INSTANCES_MAX, FILTER_KEYS_MAX, FILTER_NODES_MAX, LISTING_WHOLE_WORK_MAX } from '../../model/limits.ts'
import { compareText } from '../../model/text-order.ts'
import { Evaluator } from '../decide/evaluator.ts'
import { READS_INSTANCE, type RequiredAttributes, readsOfSide, type Sent } from '../decide/required-attributes.ts'
import { listSideRules, type SideRule } from '../list/user-sides.ts'
import { sideKey } from '../read-records.ts'
import { conditionSetJson, conditionSetResource, eachSetUpwards } from '../records/condition-set.ts'
import { everybodyAsked } from '../records/everybody.ts'
import { nextChangeFor } from '../records/grant.ts'
import { instancesOfType, instanceTenant, keyOfInstance } from '../records/instance.ts'
import { permissionResource } from '../records/permission.ts'
import { resourceKey } from '../records/resource.ts'
import { permissionOfRole } from '../records/role.ts'
import { isResourceRole, permissionsOfRoleSides } from '../records/set-rule.ts'
import { isSuspended } from '../records/suspension.ts'
import { symbolTable } from '../records/symbol.ts'
import { atInstant } from '../records/times.ts'
import { type Count, MORE, RowConditions, tooLarge } from './conditions.ts'
import { type AskedFilter, Constants } from './constants.ts'
import { HeldKeys, keyIn, partsOfRoles, type RowRoles, readRowRoles } from './roles-on-rows.ts'
import { all, any, eachLeaf, not, type Part } from './simplify.ts'

/** The question of a filter. */
export interface FilterQuestion {
  readonly user: string
  readonly action: string
  readonly type: string
  readonly tenant: string
  readonly sent?: Sent | undefined
  /**
   * Default true: rows are asked about as marked ones, which are never an instance of another tenant (D2).
   * False: they are asked about by their key, so those that are stored in other tenants are excluded by name.
   */
  readonly isTenantColumnAuthoritative?: boolean | undefined
  /**
   * the answer is kept by someone else: the time of asking stays open, and what was not sent of the context is
   * refused, as is a list of keys on which the user holds no role
   */
  readonly isKept?: boolean
}

/** An answer that is kept. Allowed are the rows with one of the keys, and those for which `where` is true. */
export interface KeptFilter {
  readonly keys: readonly string[]
  readonly where: Part
  /** what of the row `where` looks at */
  readonly reads: Reads
  /** keys of the type are stored in other tenants (D2): `where` does not say whether the key of the row is one */
  readonly isKeyOpen: boolean
  /** the earliest instant at which it may be another (D15), in ms since 1970; infinite when it stays */
  readonly until: number
}

/** The ids of the question; 0 is unknown. */
export interface FilterIds {
  readonly user: number
  readonly tenant: number
  readonly permission: number
}

/** What exceeds a limit in a filter: how many there are, and how many there may be. */
interface TooMuch {
  readonly count: Count
  readonly what: string
  readonly limit: number
}

const WAY_OUT =
  ' (none are named where the tenant column of your rows decides: `tenantColumnIsAuthoritative`, over HTTP the header `x-tenant-column-is-authoritative: true`)'

const CONTEXT = (1 << Source.Context) | (1 << Source.Now)

export class Filters {
  readonly #kernel: Kernel
  readonly #required: RequiredAttributes
  readonly #revision: number
  readonly #conditions = new Map<number, Condition>()
  readonly #rules = new Map<number, readonly SideRule[]>()
  readonly #rowRoles = new Map<number, RowRoles>()
  #held: HeldKeys | undefined
  #ownHeld: HeldKeys | undefined
  /** keys of a type that are stored in other tenants, by `type/tenant`; what there is too much of, when it is */
  readonly #elsewhere = new Map<string, readonly string[] | TooMuch>()
  /** whether there is such a key, by `type/tenant` */
  readonly #someElsewhere = new Map<string, boolean>()

  constructor(kernel: Kernel, required: RequiredAttributes, revision: number) {
    this.#kernel = kernel
    this.#required = required
    this.#revision = revision
  }

  /**
   * The rows of the type in the tenant for which a check is allowed.
   * @throws FILTER_REFUSED where a condition cannot be expressed for a row, LISTING_TOO_LARGE, UNDECIDED
   */
  filter(question: FilterQuestion, ids: FilterIds): Filter {
    const { type, tenant, isTenantColumnAuthoritative = true } = question
    const ofRows = isTenantColumnAuthoritative ? ({ tenantColumnIsAuthoritative: true } as const) : {}
    const { part, until } = this.#part(question, ids)
    const end = until === Number.POSITIVE_INFINITY ? {} : { validUntil: until }
    const about = { format: FILTER_FORMAT, revision: this.#revision, type, tenant, ...ofRows, ...end } as const
    if (typeof part === 'boolean') return { ...about, kind: part ? 'always' : 'never' }
    return { ...about, kind: 'when', where: part, reads: collectReads(part) }
  }

  #part(question: FilterQuestion, ids: FilterIds): { readonly part: Part; readonly until: number } {
    const { byKey, byRow, type, until } = this.#parts(question, ids)
    if (byRow === false || question.isTenantColumnAuthoritative !== false)
      return { part: any([keyIn(byKey), byRow]), until }
    const elsewhere = type === 0 ? [] : this.#keysElsewhere(type, ids.tenant)
    return { part: any([keyIn(byKey), all([byRow, not(keyIn(elsewhere))])]), until }
  }

  /**
   * The same as an answer that is kept, without the keys that are stored in other tenants.
   * @throws as `filter`
   */
  kept(question: FilterQuestion, ids: FilterIds): KeptFilter {
    const { byKey, byRow, type, until } = this.#parts({ ...question, isKept: true }, ids)
    const isSettled = byRow === false || type === 0 || question.isTenantColumnAuthoritative !== false
    const reads = typeof byRow === 'boolean' ? NOTHING : collectReads(byRow)
    const isKeyOpen = !isSettled && this.#isSomeElsewhere(type, ids.tenant)
    return { keys: byKey, where: byRow, reads, isKeyOpen, until }
  }

  /** `type` is 0 when neither keys nor tenants of rows matter. */
  #parts(question: FilterQuestion, { user, tenant, permission }: FilterIds) {
    const kernel = this.#kernel
    const isNobody = /* canary: filters-of-who-is-not-stored */ user === 0 && everybodyAsked(kernel) === 0
    if (isNobody || tenant === 0 || permission === 0)
      return { byKey: [], byRow: false, type: 0, until: Number.POSITIVE_INFINITY } as const // D1
    const ofUser = nextChangeFor(kernel, user)
    if (/* canary: filters-of-the-suspended */ isSuspended(kernel, user))
      return { byKey: [], byRow: false, type: 0, until: ofUser } as const // D16
    if (atInstant(kernel.calls.decide(user, tenant, permission)) === Verdict.Allow)
      return { byKey: [], byRow: true, type: 0, until: ofUser } as const // D4
    const type = permissionResource(kernel, kernel.calls.permissionRecord(permission))
    const held = this.#heldBy(user)
    const row = this.#rolesOfRows(permission, type)
    const { byKey, byRelation } = partsOfRoles(kernel, held, { user, tenant, type }, row)
    const rolesOfSide = (role: number): Part => {
      const asSide = this.#rolesOfRows(permissionOfRole(kernel, role), type)
      const own = /* canary: role-sides-of-everybody */ everybodyAsked(kernel) === 0 ? held : this.#ownHeldBy(user)
      const { byKey: keys, byRelation: related } = partsOfRoles(kernel, own, { user, tenant, type }, asSide)
      return any([keyIn(keys), related])
    }
    const isByRoles = row.roles.length > 0 || permissionsOfRoleSides(kernel, permission).length > 0
    const until = isByRoles ? held.until : ofUser
    const asked = { user, tenant, permission, sent: question.sent }
    const bySets = user === 0 ? false : this.#bySets(question, asked, rolesOfSide)
    return { byKey, byRow: any([byRelation, bySets]), type, until }
  }

  /** Of the last user, because one user is asked about again and again. */
  #heldBy(user: number): HeldKeys {
    if (/* canary: roles-held-over-an-end */ this.#held?.covers(user, this.#kernel.now) !== true)
      this.#held = new HeldKeys(this.#kernel, user, /* canary: keys-of-everybody */ true)
    return this.#held
  }

  /** What the user holds alone: that makes a user set true (D17), what everybody holds does not. */
  #ownHeldBy(user: number): HeldKeys {
    if (this.#ownHeld?.covers(user, this.#kernel.now) !== true) this.#ownHeld = new HeldKeys(this.#kernel, user)
    return this.#ownHeld
  }

  #rolesOfRows(permission: number, type: number): RowRoles {
    let roles = this.#rowRoles.get(permission)
    if (roles === undefined) {
      roles = readRowRoles(this.#kernel, permission, type)
      this.#rowRoles.set(permission, roles)
    }
    return roles
  }

  /** D6: some rule whose two sides are true. */
  #bySets(question: FilterQuestion, asked: AskedFilter, rolesOfSide: (role: number) => Part): Part {
    const rules = this.#listSideRules(asked.permission)
    if (rules.length === 0) return false
    const sides = new Sides(this.#kernel, this.#required, asked, question, {
      readCondition: (set) => this.#readCondition(set),
      rolesOfSide,
    })
    return any(rules.map(({ users, resources }) => sides.both(users, resources)))
  }

  /** The rules of a permission by the keys of their sides: equal policies make equal filters, however they came about. */
  #listSideRules(permission: number): readonly SideRule[] {
    let rules = this.#rules.get(permission)
    if (rules === undefined) {
      const named = listSideRules(this.#kernel, permission).map((rule) => {
        return { rule, name: `${sideKey(this.#kernel, rule.users)}/${sideKey(this.#kernel, rule.resources)}` }
      })
      rules = named.sort((left, right) => compareText(left.name, right.name)).map(({ rule }) => rule)
      this.#rules.set(permission, rules)
    }
    return rules
  }

  #readCondition(set: number): Condition {
    let condition = this.#conditions.get(set)
    if (condition === undefined) {
      const json = JSON.parse(textAt(this.#kernel, conditionSetJson(this.#kernel, set)))
      try {
        condition = parseConditions(json)
      } catch (cause) {
        throw new ZerohopError('IMAGE_DAMAGED', { reason: 'it has malformed conditions' }, { cause }) // valid when stored
      }
      this.#conditions.set(set, condition)
    }
    return condition
  }

  /**
   * D2: what is stored in another tenant is allowed by roles in the tenant of the question only.
   * @throws LISTING_TOO_LARGE when too many instances of the type are stored in other tenants
   */
  #keysElsewhere(type: number, tenant: number): readonly string[] {
    const name = `${type}/${tenant}`
    let found = this.#elsewhere.get(name)
    if (found === undefined) {
      found = this.#findElsewhere(type, tenant)
      this.#elsewhere.set(name, found)
    }
    if (!('what' in found)) return found
    throw tooLarge(found.count, found.what, found.limit, WAY_OUT)
  }

  #findElsewhere(type: number, tenant: number): readonly string[] | TooMuch {
    const kernel = this.#kernel
    const name = resourceKey(kernel, type)
    const keys: string[] = []
    let looked = 0
    let count = 0
    for (const instance of instancesOfType(kernel, type)) {
      if (++looked > FILTER_INSTANCES_MAX)
        return { count: MORE, what: `instances of \`${name}\` to look at`, limit: FILTER_INSTANCES_MAX }
      if (instanceTenant(kernel, instance) === tenant) continue
      if (++count <= FILTER_KEYS_MAX) keys.push(keyOfInstance(kernel, instance))
    }
    if (count <= FILTER_KEYS_MAX) return keys
    return { count, what: `keys of \`${name}\` stored in other tenants`, limit: FILTER_KEYS_MAX }
  }

  /** True also when finding out would take too long. */
  #isSomeElsewhere(type: number, tenant: number): boolean {
    const name = `${type}/${tenant}`
    let found = this.#someElsewhere.get(name)
    if (found === undefined) {
      found = this.#findSomeElsewhere(type, tenant)
      this.#someElsewhere.set(name, found)
    }
    return found
  }

  #findSomeElsewhere(type: number, tenant: number): boolean {
    const kernel = this.#kernel
    let looked = 0
    for (const instance of instancesOfType(kernel, type)) {
      if (++looked > FILTER_INSTANCES_MAX) return true
      if (instanceTenant(kernel, instance) !== tenant) return true
    }
    return false
  }
}

interface PartsOfSides {
  readonly readCondition: (set: number) => Condition
  /** the rows on which the user holds a role on instances, or one that extends it (D17) */
  readonly rolesOfSide: (role: number) => Part
}

/** The sides of set rules for one question, each decided once. */
class Sides {
  readonly #kernel: Kernel
  readonly #evaluator: Evaluator
  readonly #asked: AskedFilter
  readonly #rows: RowConditions
  readonly #isKept: boolean
  readonly #of: PartsOfSides
  readonly #parts = new Map<number, Part>()

  constructor(
    kernel: Kernel,
    required: RequiredAttributes,
    asked: AskedFilter,
    { type, isKept = false }: FilterQuestion,
    of: PartsOfSides,
  ) {
    this.#kernel = kernel
    this.#evaluator = new Evaluator(kernel, required, asked.sent, LISTING_WHOLE_WORK_MAX)
    this.#asked = asked
    this.#rows = new RowConditions(new Constants(kernel, required, asked), type, isKept)
    this.#isKept = isKept
    this.#of = of
  }

  /** The resource side is not looked at when the user side is false. */
  both(users: number, resources: number): Part {
    const user = this.#side(users)
    return user === false ? false : all([user, this.#side(resources)])
  }

  #side(side: number): Part {
    let part = this.#parts.get(side)
    if (part === undefined) {
      part = this.#find(side)
      this.#parts.set(side, part)
    }
    return part
  }

  #find(side: number): Part {
    const kernel = this.#kernel
    const { user, tenant, permission } = this.#asked
    /* canary: rows-of-role-sides */ if (isResourceRole(kernel, side)) return this.#of.rolesOfSide(side)
    const open = this.#isKept ? READS_INSTANCE | CONTEXT : READS_INSTANCE
    if (symbolTable(kernel, side) !== Table.Sets || (readsOfSide(kernel, side) & open) === 0) {
      const verdict = this.#evaluator.evaluateSide(side, user, tenant, permission, 0)
      if (verdict === Verdict.Undecided || this.#evaluator.left < 0)
        throw new ZerohopError('UNDECIDED', { what: `the set ${sideKey(kernel, side)}` })
      return verdict === Verdict.Allow
    }
    const type = permissionResource(kernel, kernel.calls.permissionRecord(permission))
    const parts: Part[] = []
    for (const set of eachSetUpwards(kernel, side)) {
      const of = conditionSetResource(kernel, set)
      if (of !== 0 && of !== type) return false // D6: false of another type
      parts.push(this.#rows.toPart(this.#of.readCondition(set)))
    }
    return all(parts)
  }
}

const NOTHING: Reads = { attributes: [], relations: [], key: false }

/** @throws LISTING_TOO_LARGE when there are too many comparisons */
function collectReads(node: FilterNode): Reads {
  const attributes = new Set<string>()
  const relations = new Set<string>()
  let key = false
  let count = 0
  for (const leaf of eachLeaf(node)) {
    count++
    if ('related' in leaf) relations.add(leaf.related)
    else if ('key' in leaf) key = true
    else {
      for (const term of 'op' in leaf ? [leaf.left, leaf.right] : [leaf.left]) {
        if ('path' in term) attributes.add(term.path[0]!)
        else if ('key' in term) key = true
      }
    }
  }
  if (count > FILTER_NODES_MAX) throw tooLarge(count, 'comparisons', FILTER_NODES_MAX)
  return { attributes: [...attributes].sort(), relations: [...relations].sort(), key }
}
