// Of a deny: the grants that would allow, were they in force (D15): role assignments of the user, and relations on the way
// from what the user holds, by roles or by a set rule for a role on instances (D17). Each of them, with what is in force, allows. Bounded by EXPLAIN_WALK_MAX: beyond, some are
// missing, but none is wrong.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { EXPLAIN_MISSES_MAX, EXPLAIN_WALK_MAX } from '../../model/limits.ts'
import { assignmentKey, tupleKey } from '../../model/objects.ts'
import { compareText } from '../../model/text-order.ts'
import { type AskedSources, findSources } from '../list/permission-sources.ts'
import { everybodyAsked, ownAlone } from '../records/everybody.ts'
import {
  eachGrantOfUserStored,
  findGrant,
  findSharedGrant,
  grantRoles,
  grantRolesStored,
  grantScope,
  hasDirectRole,
} from '../records/grant.ts'
import { hasTimes } from '../records/header.ts'
import { instanceType, readInstanceKey, tenantOfScope } from '../records/instance.ts'
import { principalKey } from '../records/principal.ts'
import { bareRole, permissionOfRole, roleType } from '../records/role.ts'
import { eachRuleToRole, ruleRelation, ruleSkipsDirect, ruleSource } from '../records/rule.ts'
import { symbolTable } from '../records/symbol.ts'
import { isInForce, type RecordTimes, timesOfRecord } from '../records/times.ts'
import {
  eachTupleToObjectStored,
  isTupleInForce,
  tupleObject,
  tupleRelation,
  tupleSubject,
  tupleTimesStored,
} from '../records/tuple.ts'
import type { NotInForce } from './explanation.ts'
import { relationName } from './hops.ts'

interface Asked extends AskedSources {
  readonly user: number
}

/** A grant, and its key in contents. */
interface Described {
  readonly name: string
  readonly grant: object
}

/** What may be missing, before it is known that it alone is. */
interface Candidate {
  readonly times: RecordTimes
  /** whether relations allow when this counts too; undefined where roles in the tenant do */
  readonly allows?: () => boolean
  readonly describe: () => Described
}

/**
 * Those nearest in time first, at most EXPLAIN_MISSES_MAX.
 * @param needed roles on instances: with one of them, a set rule would allow
 */
export function listNotInForce(kernel: Kernel, asked: Asked, needed: readonly number[]): NotInForce[] {
  if (!hasTimes(kernel)) return []
  const { now } = kernel
  const distance = ({ from, until }: RecordTimes): number => (until <= now ? now - until : from - now)
  const candidates = [
    ...new Search(kernel, asked).candidates(),
    ...needed.flatMap((role) => listForRole(kernel, asked, role)),
  ]
  candidates.sort((a, b) => distance(a.times) - distance(b.times) || compareText(a.describe().name, b.describe().name))
  const found: NotInForce[] = []
  const names = new Set<string>()
  for (const { times, allows, describe } of candidates) {
    if (found.length >= EXPLAIN_MISSES_MAX) break
    const { name, grant } = describe()
    if (names.has(name) || allows?.() === false) continue
    names.add(name)
    const state = times.until <= now ? 'ended' : 'scheduled'
    found.push({ ...grant, ...timesOfRecord(times), state } as NotInForce)
  }
  return found
}

/** What may be missing for a role on the resource, which the user has to hold: what everybody does is not enough (D16). */
function listForRole(kernel: Kernel, asked: Asked, role: number): Candidate[] {
  const ofRole = { ...asked, permission: permissionOfRole(kernel, role), ofType: roleType(kernel, role) }
  const candidates = ownAlone(kernel, () => [...new Search(kernel, ofRole).candidates()])
  return candidates.map(({ allows, ...candidate }) => ({
    ...candidate,
    ...(allows && { allows: () => ownAlone(kernel, allows) }),
  }))
}

class Search {
  readonly #kernel: Kernel
  readonly #asked: Asked
  /** steps that are left to try candidates */
  #left = EXPLAIN_WALK_MAX

  constructor(kernel: Kernel, asked: Asked) {
    this.#kernel = kernel
    this.#asked = asked
  }

  *candidates(): Iterable<Candidate> {
    const kernel = this.#kernel
    const { pairs, isPersonal } = this.#sources()
    const rolesAt = new Map<number, Set<number>>()
    for (const [at, role] of pairs) {
      const known = rolesAt.get(at)
      if (known === undefined) rolesAt.set(at, new Set([role]))
      else known.add(role)
    }
    yield* this.#assignments(this.#asked.user, rolesAt, isPersonal)
    yield* this.#assignments(everybodyAsked(kernel), rolesAt, false)
    const tried = new Set<number>()
    let left = EXPLAIN_WALK_MAX
    for (const [at, role] of pairs) {
      for (const rule of eachRuleToRole(kernel, role)) {
        if (ruleSkipsDirect(kernel, rule, role) && this.#hasDirect(at)) continue
        for (const tuple of eachTupleToObjectStored(kernel, at)) {
          if (--left < 0) return
          if (tried.has(tuple) || isTupleInForce(kernel, tuple) || !this.#isOfRule(tuple, rule)) continue
          tried.add(tuple)
          yield this.#tuple(tuple)
        }
      }
    }
  }

  #isOfRule(tuple: number, rule: number): boolean {
    const kernel = this.#kernel
    if (tupleRelation(kernel, tuple) !== ruleRelation(kernel, rule)) return false
    return instanceType(kernel, tupleSubject(kernel, tuple)) === roleType(kernel, ruleSource(kernel, rule))
  }

  /** Pairs of an instance and a role on it from which the permission follows, as far as they were found. */
  #sources(): { pairs: readonly (readonly [number, number])[]; isPersonal: boolean } {
    const pairs: (readonly [number, number])[] = []
    const direct = (at: number) => this.#hasDirect(at)
    const found = findSources(this.#kernel, this.#asked, direct, EXPLAIN_WALK_MAX, (pair) => {
      if (pair[0] !== 0) pairs.push(pair)
    })
    return { pairs, isPersonal: found?.personal !== false }
  }

  #hasDirect(at: number): boolean {
    return hasDirectRole(this.#kernel, this.#asked.user, at)
  }

  /** @param holder the user, or everybody */
  *#assignments(
    holder: number,
    rolesAt: ReadonlyMap<number, ReadonlySet<number>>,
    isPersonal: boolean,
  ): Iterable<Candidate> {
    const kernel = this.#kernel
    const { tenant, permission } = this.#asked
    let left = EXPLAIN_WALK_MAX
    for (const grant of eachGrantOfUserStored(kernel, holder)) {
      const scope = grantScope(kernel, grant)
      if (--left < 0) return
      const wanted = rolesAt.get(scope)
      if (wanted === undefined && scope !== tenant) continue
      for (const { role, ...times } of grantRolesStored(kernel, grant)) {
        if (isInForce(kernel, times.from, times.until)) continue
        const describe = () => this.#describeAssignment(holder, scope, role)
        if (scope === tenant) {
          if (kernel.calls.holds(role, permission) === 1) yield { times, describe }
        } else if (wanted!.has(role)) {
          // with it the user has a role of their own there, by which rules may no longer apply
          const isCertain = !isPersonal || this.#hasDirect(scope)
          yield { times, describe, ...(isCertain ? {} : { allows: () => this.#allowsFrom(scope, role) }) }
        }
      }
    }
  }

  #allowsFrom(scope: number, role: number): boolean {
    return this.#find(
      (at) => at === scope || this.#hasDirect(at),
      undefined,
      (at, source) => at === scope && source === role,
    )
  }

  #tuple(tuple: number): Candidate {
    const kernel = this.#kernel
    const { user } = this.#asked
    return {
      times: tupleTimesStored(kernel, tuple),
      describe: () => describeTuple(kernel, tuple),
      allows: () =>
        this.#find(
          (at) => this.#hasDirect(at),
          tuple,
          (at, role) =>
            (user !== 0 && grantRoles(kernel, findGrant(kernel, user, at)).includes(role)) ||
            grantRoles(kernel, findSharedGrant(kernel, at)).includes(role),
        ),
    }
  }

  /** Whether one of the sources passes; false also where looking would take too long. */
  #find(
    hasDirect: (at: number) => boolean,
    beside: number | undefined,
    passes: (at: number, role: number) => boolean,
  ): boolean {
    if (this.#left <= 0) return false
    const found = findSources(this.#kernel, { ...this.#asked, beside }, hasDirect, this.#left)
    this.#left = found?.left ?? 0
    return found?.pairs.some(([at, role]) => passes(at, role)) === true
  }

  #describeAssignment(holder: number, scope: number, of: number) {
    const kernel = this.#kernel
    const user = principalKey(kernel, holder)
    const tenant = principalKey(kernel, tenantOfScope(kernel, scope))
    const role = bareRole(kernel, of)
    if (symbolTable(kernel, scope) === Table.Tenants)
      return { name: assignmentKey(user, role, tenant), grant: { user, role, tenant } }
    const resource_instance = readInstanceKey(kernel, scope)
    const name = assignmentKey(user, role, tenant, resource_instance)
    return { name, grant: { user, role, tenant, resource_instance } }
  }
}

function describeTuple(kernel: Kernel, tuple: number) {
  const [subject, object] = [tupleSubject(kernel, tuple), tupleObject(kernel, tuple)].map((at) =>
    readInstanceKey(kernel, at),
  ) as [string, string]
  const relation = relationName(kernel, tupleRelation(kernel, tuple))
  return { name: tupleKey(subject, relation, object), grant: { subject, relation, object } }
}
