// The roles of a user on instances (D5: roles derived over relations): from the assigned roles downwards over
// relations, until no new role is found. A check searches in the other direction, from the instance upwards; both find
// the same roles. Reads only, and stops at a limit of work.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import {
  eachGrantFor,
  eachGrantOfUser,
  findGrant,
  findSharedGrant,
  grantRoles,
  grantRoleUntil,
  grantScope,
  grantUser,
  hasDirectRole,
  nextChangeFor,
  nextChangeOfUser,
} from '../records/grant.ts'
import { instanceType } from '../records/instance.ts'
import { eachRoleOfType, roleType } from '../records/role.ts'
import {
  eachRuleFromRole,
  eachRuleToRole,
  ruleRelation,
  ruleSkipsDirect,
  ruleSource,
  ruleTarget,
} from '../records/rule.ts'
import { symbolTable } from '../records/symbol.ts'
import {
  eachTupleFromSubjectStored,
  eachTupleToObject,
  isTupleInForce,
  nextChangeOfTuple,
  tupleObject,
  tupleRelation,
  tupleSubject,
  tupleUntil,
} from '../records/tuple.ts'

/** Records of the roles that a user holds on instances, by the record of the instance. */
export type InstanceRoles = ReadonlyMap<number, readonly number[]>

/**
 * The user's roles on instances, assigned or derived; undefined when finding them takes more than `limit` tuples and
 * roles.
 */
export function findInstanceRoles(
  kernel: Kernel,
  user: number,
  limit: number,
  of: HolderOptions = {},
): InstanceRoles | undefined {
  return walkInstanceRoles(kernel, user, limit, of)?.rolesByInstance
}

/** Whose roles count: those of the user; where it is said, also those of everybody (D16), on the instances that are wanted. */
export interface HolderOptions {
  readonly withEverybody?: boolean
  readonly isWanted?: (instance: number) => boolean
}

/** What a walk over relations found. */
export interface InstanceRolesFound {
  readonly rolesByInstance: InstanceRoles
  /** the tuples and roles of the limit that are left */
  readonly left: number
  /** the earliest instant after that of the question at which it may find something else; infinite when it never will */
  readonly until: number
}

/** `findInstanceRoles`, with what it took, and until when it is so. */
export function walkInstanceRoles(
  kernel: Kernel,
  user: number,
  limit: number,
  { withEverybody = false, isWanted = () => true }: HolderOptions = {},
): InstanceRolesFound | undefined {
  const walk = new Walk(kernel, user)
  for (const grant of (withEverybody ? eachGrantFor : eachGrantOfUser)(kernel, user)) {
    const scope = grantScope(kernel, grant)
    if (symbolTable(kernel, scope) !== Table.Instances) continue
    if (withEverybody && grantUser(kernel, grant) !== user && /* canary: shared-in-other-tenants */ !isWanted(scope))
      continue
    for (const role of grantRoles(kernel, grant)) walk.add(scope, role)
    if (walk.rolesByInstance.size > limit) return undefined
  }
  const left = walk.run(limit)
  if (left < 0) return undefined
  const ofGrants = (withEverybody ? nextChangeFor : nextChangeOfUser)(kernel, user)
  return { rolesByInstance: walk.rolesByInstance, left, until: Math.min(walk.until, ofGrants) }
}

/**
 * The user's roles on some instance, without where that is: no more is looked at than until each was found once.
 * Undefined as above, with `steps`, which counts the tuples and roles.
 * @param reach all roles that can follow from those that are assigned
 */
export function findRolesSomewhere(
  kernel: Kernel,
  user: number,
  reach: ReadonlySet<number>,
  limit: number,
): { readonly roles: ReadonlySet<number> | undefined; readonly steps: number } {
  const walk = new Walk(kernel, user, reach)
  for (const grant of eachGrantOfUser(kernel, user)) {
    const scope = grantScope(kernel, grant)
    if (symbolTable(kernel, scope) !== Table.Instances) continue
    for (const role of grantRoles(kernel, grant)) walk.add(scope, role)
    if (walk.rolesByInstance.size > limit) return { roles: undefined, steps: limit }
  }
  const left = walk.run(limit)
  return { roles: left < 0 ? undefined : walk.roles, steps: limit - left }
}

/** The roles that can follow over relations from these, and themselves. */
export function reachOfRoles(kernel: Kernel, roles: Iterable<number>): ReadonlySet<number> {
  const reach = new Set(roles)
  for (const role of reach) for (const rule of eachRuleFromRole(kernel, role)) reach.add(ruleTarget(kernel, rule))
  return reach
}

/**
 * The user's roles on one instance, assigned or derived, found from the instance upwards; undefined when finding them
 * takes more than `limit` tuples and rules.
 */
export function findRolesOn(
  kernel: Kernel,
  user: number,
  instance: number,
  limit: number,
  { withEverybody = false }: HolderOptions = {},
): number[] | undefined {
  const roles: number[] = []
  let left = limit
  for (const role of eachRoleOfType(kernel, instanceType(kernel, instance))) {
    if (!kernel.isLive(role)) continue
    const search = new Search(kernel, user, left, { withEverybody })
    const isHeld = search.holds(instance, role)
    left = search.left
    if (left < 0) return undefined
    if (isHeld) roles.push(role)
  }
  return roles
}

/**
 * When a role on an instance ends (D15) that the user, or the party of everybody, holds itself: of all ways to it the one that
 * ends last, and of a way what ends first. Infinite when it does not end. With what is left of the limit of tuples and rules;
 * below 0 when that ended the search early.
 */
export function findEndOfRole(
  kernel: Kernel,
  user: number,
  [instance, role]: readonly [instance: number, role: number],
  limit: number,
): { readonly until: number; readonly left: number } {
  let [until, left] = [Number.NEGATIVE_INFINITY, limit]
  while (until !== Number.POSITIVE_INFINITY) {
    // a way that ends later than the one before, as long as there is one
    const search = new Search(kernel, user, left, { endingAfter: until })
    const isHeld = search.holds(instance, role)
    left = search.left
    if (left < 0 || !isHeld) break
    until = search.until
  }
  return { until, left }
}

interface SearchOptions {
  /** what everybody holds counts as what the user holds */
  readonly withEverybody?: boolean
  /** only what ends later counts */
  readonly endingAfter?: number
}

/** From one role on one instance upwards to what it can be derived from. */
class Search {
  left: number
  /** when the first of what was found ends */
  until = Number.POSITIVE_INFINITY
  readonly #kernel: Kernel
  readonly #user: number
  readonly #withEverybody: boolean
  readonly #endingAfter: number
  /** each with the end of the way from it to the first */
  readonly #goals: [instance: number, role: number, until: number][] = []
  readonly #seen = new Map<number, number[]>()

  constructor(kernel: Kernel, user: number, limit: number, options: SearchOptions) {
    this.#kernel = kernel
    this.#user = user
    this.#withEverybody = options.withEverybody ?? false
    this.#endingAfter = options.endingAfter ?? Number.NEGATIVE_INFINITY
    this.left = limit
  }

  /** Meaningless when nothing is left of the limit. */
  holds(instance: number, role: number): boolean {
    const kernel = this.#kernel
    this.#add(instance, role, Number.POSITIVE_INFINITY)
    for (let at = 0; at < this.#goals.length; at++) {
      const [on, wanted, until] = this.#goals[at]!
      const own = this.#user === 0 ? 0 : findGrant(kernel, this.#user, on)
      if (this.#gives(own, wanted, until)) return true
      if (this.#withEverybody && this.#gives(findSharedGrant(kernel, on), wanted, until)) return true
      const isDirect = hasDirectRole(kernel, this.#user, on)
      for (const rule of eachRuleToRole(kernel, wanted)) {
        if (--this.left < 0) return false
        if (isDirect && ruleSkipsDirect(kernel, rule, wanted)) continue
        this.#addSources(on, rule, until)
      }
    }
    return false
  }

  /** Whether a grant has the role, at the end of a way that ends then. */
  #gives(grant: number, role: number, until: number): boolean {
    if (!grantRoles(this.#kernel, grant).includes(role)) return false
    const end = grantRoleUntil(this.#kernel, grant, role)
    if (end <= this.#endingAfter) return false
    this.until = Math.min(until, end)
    return true
  }

  /** What gives the role of a rule on the instance. */
  #addSources(instance: number, rule: number, until: number): void {
    const kernel = this.#kernel
    const source = ruleSource(kernel, rule)
    const [relation, type] = [ruleRelation(kernel, rule), roleType(kernel, source)]
    for (const tuple of eachTupleToObject(kernel, instance)) {
      if (--this.left < 0) return
      const subject = tupleSubject(kernel, tuple)
      if (tupleRelation(kernel, tuple) !== relation || instanceType(kernel, subject) !== type) continue
      const end = tupleUntil(kernel, tuple)
      if (end > this.#endingAfter) this.#add(subject, source, Math.min(until, end))
    }
  }

  #add(instance: number, role: number, until: number): void {
    const known = this.#seen.get(instance)
    if (known?.includes(role)) return
    if (known === undefined) this.#seen.set(instance, [role])
    else known.push(role)
    this.#goals.push([instance, role, until])
  }
}

class Walk {
  readonly rolesByInstance = new Map<number, number[]>()
  /** those that were found, where it ends with them */
  readonly roles = new Set<number>()
  /** when a tuple that was met, in force or not, starts or ends next */
  until = Number.POSITIVE_INFINITY
  readonly #kernel: Kernel
  readonly #user: number
  readonly #reach: ReadonlySet<number> | undefined
  readonly #instances: number[] = []
  readonly #roles: number[] = []

  /** @param reach the walk ends when each of these roles was found somewhere */
  constructor(kernel: Kernel, user: number, reach?: ReadonlySet<number>) {
    this.#kernel = kernel
    this.#user = user
    this.#reach = reach
  }

  get #isDone(): boolean {
    return this.roles.size === this.#reach?.size
  }

  add(instance: number, role: number): void {
    const known = this.rolesByInstance.get(instance)
    if (known === undefined) this.rolesByInstance.set(instance, [role])
    else if (known.includes(role)) return
    else known.push(role)
    if (this.#reach !== undefined) this.roles.add(role)
    this.#instances.push(instance)
    this.#roles.push(role)
  }

  /** What is left of the limit; below 0 when it ended the walk early. */
  run(limit: number): number {
    const kernel = this.#kernel
    let left = limit
    for (let at = 0; at < this.#instances.length && !this.#isDone; at++) {
      const instance = this.#instances[at]!
      if (--left < 0) return left
      for (const rule of eachRuleFromRole(kernel, this.#roles[at]!)) {
        left = this.#follow(rule, instance, left)
        if (left < 0 || this.#isDone) return left
      }
    }
    return left
  }

  /** Adds the role that one rule derives on every related instance; returns the work that is left. */
  #follow(rule: number, instance: number, limit: number): number {
    const kernel = this.#kernel
    const target = ruleTarget(kernel, rule)
    const relation = ruleRelation(kernel, rule)
    const noDirect = ruleSkipsDirect(kernel, rule, target)
    const type = roleType(kernel, target)
    let left = limit
    for (const tuple of eachTupleFromSubjectStored(kernel, instance)) {
      if (--left < 0) return left
      const object = tupleObject(kernel, tuple)
      if (tupleRelation(kernel, tuple) !== relation || instanceType(kernel, object) !== type) continue
      this.until = Math.min(this.until, nextChangeOfTuple(kernel, tuple))
      if (
        /* canary: followed-tuples */ !isTupleInForce(kernel, tuple) ||
        (noDirect && hasDirectRole(kernel, this.#user, object))
      )
        continue
      this.add(object, target)
      if (this.#isDone) return left
    }
    return left
  }
}
