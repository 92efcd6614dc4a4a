// The users who may do something, with the ways by which each is allowed: roles in the tenant, roles on instances from
// which one on the requested instance is derived, set rules. A user is listed exactly when a check allows (D12:
// listings agree with checks).
import { Table, Verdict } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { EVERYBODY } from '../../model/keys.ts'
import { LISTING_WALK_MAX } from '../../model/limits.ts'
import { compareText } from '../../model/text-order.ts'
import { type Evaluator, tooLarge } from '../decide/evaluator.ts'
import { sideKey } from '../read-records.ts'
import { everybodyAsked, ownAlone } from '../records/everybody.ts'
import { findGrant, grantRoles, hasDirectRole } from '../records/grant.ts'
import { readInstanceKey } from '../records/instance.ts'
import { principalKey } from '../records/principal.ts'
import { roleKey } from '../records/role.ts'
import { records } from '../records/tables.ts'
import { type AskedUsers, usersWithRoles } from './list-keys.ts'
import { findSources, type Sources } from './permission-sources.ts'
import { listSideRules, type SideRule } from './user-sides.ts'

/** One way by which a user is allowed. */
export interface UserEntry {
  readonly user: string
  readonly tenant: string
  /**
   * where the role is assigned: `__tenant:<key>` or `type:key`; for a set rule the requested resource: `type:*` or
   * `type:key`
   */
  readonly resource: string
  /** a role in the tenant, `type#role` on an instance, or the user set of a set rule */
  readonly role: string
}

export interface AskedWays extends AskedUsers {
  readonly type: string
}

/**
 * By user, in key order: those who are allowed by what they hold themselves. What everybody holds (D16) is said once, under the
 * key of everybody.
 * @throws UNDECIDED with the check; LISTING_TOO_LARGE when it would take too much work
 */
export function usersWithWays(evaluator: Evaluator, asked: AskedWays): Map<string, UserEntry[]> {
  const { kernel } = evaluator
  const shared = /* canary: line-of-everybody */ everybodyAsked(kernel)
  const users = /* canary: users-with-own-ways */ ownAlone(kernel, () => usersWithOwnWays(evaluator, asked))
  if (shared === 0 || !evaluator.allows(shared, asked.tenant, asked.permission, asked.instance, asked.key)) return users
  const ways = new Ways(kernel, asked)
  return new Map([[EVERYBODY, [...ways.byRoles(shared), ...ways.byRelations(shared)]], ...users])
}

function usersWithOwnWays(evaluator: Evaluator, asked: AskedWays): Map<string, UserEntry[]> {
  const { kernel } = evaluator
  const ways = new Ways(kernel, asked)
  const rules = listSideRules(kernel, asked.permission)
  const found: [string, UserEntry[]][] = []
  for (const user of usersWithRoles(evaluator, asked) ?? records(kernel, Table.Users)) {
    if (evaluator.left < 0) throw tooLarge(`the users of \`${asked.type}:${asked.key ?? '*'}\``)
    if (!evaluator.allows(user, asked.tenant, asked.permission, asked.instance, asked.key)) continue
    const entries = [...ways.byRoles(user), ...ways.byRelations(user), ...ways.byRules(user, evaluator, rules)]
    found.push([principalKey(kernel, user), entries])
  }
  return new Map(found.sort(([left], [right]) => compareText(left, right)))
}

class Ways {
  readonly #kernel: Kernel
  readonly #asked: AskedWays
  readonly #tenant: string
  /** for users without direct roles, and thus every possible source */
  readonly #sources: Sources

  constructor(kernel: Kernel, asked: AskedWays) {
    this.#kernel = kernel
    this.#asked = asked
    this.#tenant = principalKey(kernel, asked.tenant)
    this.#sources = this.#sourcesFor(() => false)
  }

  /** Sources of roles on the resource (D5: roles derived over relations). */
  #sourcesFor(hasDirect: (instance: number) => boolean): Sources {
    const sources = findSources(this.#kernel, this.#asked, hasDirect, LISTING_WALK_MAX)
    if (sources === undefined) throw tooLarge(`the users of \`${this.#asked.type}:${this.#asked.key ?? '*'}\``)
    return sources
  }

  /** Roles in the tenant (D4). */
  byRoles(user: number): UserEntry[] {
    const { tenant, permission } = this.#asked
    const roles = this.#rolesIn(user, tenant).filter((role) => this.#kernel.calls.holds(role, permission) === 1)
    const names = roles.map((role) => roleKey(this.#kernel, role)).sort()
    return names.map((role) => this.#entry(user, `__tenant:${this.#tenant}`, role))
  }

  /** Assigned roles from which one on the requested instance is derived (D5). */
  byRelations(user: number): UserEntry[] {
    let { pairs, personal } = this.#sources
    if (personal) pairs = this.#sourcesFor((at) => hasDirectRole(this.#kernel, user, at)).pairs
    const roles = pairs.filter(([instance, role]) => this.#rolesIn(user, instance).includes(role))
    const names = roles.map(([instance, role]) => {
      const name = roleKey(this.#kernel, role).replace('/', '#')
      return [readInstanceKey(this.#kernel, instance), name] as const
    })
    names.sort(([a, b], [c, d]) => compareText(a, c) || compareText(b, d))
    return names.map(([instance, role]) => this.#entry(user, instance, role))
  }

  /** The user sets of the rules that match (D6: set rules). */
  byRules(user: number, evaluator: Evaluator, rules: readonly SideRule[]): UserEntry[] {
    const { tenant, permission, instance, key, type } = this.#asked
    const holds = (side: number) =>
      evaluator.evaluateSide(side, user, tenant, permission, instance, key) === Verdict.Allow
    const sets = rules.filter(({ users, resources }) => holds(users) && holds(resources))
    const names = new Set(sets.map(({ users }) => sideKey(this.#kernel, users)))
    return [...names].sort(compareText).map((set) => this.#entry(user, `${type}:${key ?? '*'}`, set))
  }

  #rolesIn(user: number, scope: number): number[] {
    const grant = findGrant(this.#kernel, user, scope)
    return grantRoles(this.#kernel, grant)
  }

  #entry(user: number, resource: string, role: string): UserEntry {
    return { user: principalKey(this.#kernel, user), tenant: this.#tenant, resource, role }
  }
}
