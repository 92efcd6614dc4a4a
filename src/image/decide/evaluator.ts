// Evaluates many checks, by ids, with one set of request attributes: listings are built on it. Each answer is that of a
// check (D12: listings agree with checks); an undecided check ends the listing with an error that names it (D13:
// undecided is not a deny).
import { ASK_SETS, Source, Verdict } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { ZerohopError } from '../../model/errors.ts'
import { EVERYBODY } from '../../model/keys.ts'
import { LISTING_WHOLE_WORK_MAX } from '../../model/limits.ts'
import { everybodyAsked } from '../records/everybody.ts'
import { instanceTenant, keyOfInstance, readInstanceKey } from '../records/instance.ts'
import { permissionKey } from '../records/permission.ts'
import { principalKey } from '../records/principal.ts'
import { atInstant } from '../records/times.ts'
import type { RequiredAttributes, Sent } from './required-attributes.ts'

/** Writes the relations that were sent to where the kernel reads them; returns their bytes. */
export type Relate = () => number

/** What a check asks about; an id of 0 is unknown, or no instance. */
interface AskedIds {
  readonly tenant: number
  readonly permission: number
  readonly instance: number
}

/** The cost of one check in addition to its steps over relations and conditions, which take about 20 ns each. */
const QUESTION_WORK = 16

export class Evaluator {
  readonly kernel: Kernel
  readonly #required: RequiredAttributes
  readonly #sent: Sent | undefined
  readonly #relate: Relate | undefined
  /**
   * the permission for which the request attributes are encoded, and where they end; 0 when there is nothing to reuse
   */
  #encoded = 0
  #end = 0

  /** the remaining work of the listing, for checks, records and steps; below 0 the limit is exceeded */
  left: number

  constructor(kernel: Kernel, required: RequiredAttributes, sent: Sent | undefined, work: number, relate?: Relate) {
    this.kernel = kernel
    this.#relate = relate
    this.#required = required
    this.#sent = sent
    this.left = work
    this.goOn(work)
  }

  /** Goes on with so much work, after other checks were answered in between. */
  goOn(work: number): void {
    this.left = work
    this.#encoded = 0
    this.kernel.calls.takeWork() // discards the work of earlier checks
  }

  /**
   * A check; an id of 0 is an unknown key, or no instance. `unstored` is the key of an instance that is not stored.
   * @throws UNDECIDED
   */
  allows(user: number, tenant: number, permission: number, instance: number, unstored?: string): boolean {
    const { calls } = this.kernel
    let verdict =
      this.#relate === undefined
        ? atInstant(calls.decideOn(user, tenant, permission, instance))
        : atInstant(calls.decideOnRelated(user, tenant, permission, instance, this.#related()))
    if ((verdict & ASK_SETS) !== 0) {
      const byRelations = verdict - ASK_SETS
      const end = this.#encode(permission, instance, unstored)
      verdict = atInstant(calls.decideSets(user, tenant, permission, instance, this.#related(), end))
      if (verdict === Verdict.Deny) verdict = byRelations // D13
    }
    this.left -= QUESTION_WORK + calls.takeWork()
    if (verdict === Verdict.Undecided) throw this.#undecided(user, tenant, permission, instance, unstored)
    return verdict === Verdict.Allow
  }

  /** Whether what everybody holds allows it (D16), or that cannot be decided: it then may be allowed to any user. */
  mayEverybody({ tenant, permission, instance }: AskedIds): boolean {
    const { calls } = this.kernel
    if (/* canary: users-by-everybody */ everybodyAsked(this.kernel) === 0) return false
    const verdict = atInstant(calls.decideOnRelated(0, tenant, permission, instance, this.#related()))
    this.left -= QUESTION_WORK + calls.takeWork()
    return verdict !== Verdict.Deny
  }

  /** A check on a stored instance in its own tenant (D2: the tenant of a check). */
  allowsOn(user: number, permission: number, instance: number): boolean {
    return this.allows(user, instanceTenant(this.kernel, instance), permission, instance)
  }

  /**
   * What set rules alone say of a check on a stored instance in its own tenant, on which the user has no role.
   * @throws UNDECIDED
   */
  allowsBySets(user: number, permission: number, instance: number): boolean {
    const tenant = instanceTenant(this.kernel, instance)
    const end = this.#encode(permission, instance, undefined)
    const verdict: Verdict = atInstant(this.kernel.calls.decideSets(user, tenant, permission, instance, 0, end))
    this.left -= QUESTION_WORK + this.kernel.calls.takeWork()
    if (verdict === Verdict.Undecided) throw this.#undecided(user, tenant, permission, instance)
    return verdict === Verdict.Allow
  }

  /** Whether the user has a role on a stored instance, found from the instance upwards. @throws UNDECIDED */
  hasRoleOn(user: number, instance: number): boolean {
    const { calls } = this.kernel
    const verdict: Verdict = atInstant(
      calls.decideRelated(user, instanceTenant(this.kernel, instance), 0, instance, 0, 0),
    )
    this.left -= QUESTION_WORK + calls.takeWork()
    if (verdict === Verdict.Undecided) throw this.undecidedRoles(user, instance)
    return verdict === Verdict.Allow
  }

  /** The error when the roles of a user on an instance cannot be found. */
  undecidedRoles(user: number, instance: number): ZerohopError {
    const what = `the roles of ${userName(this.kernel, user)} on ${readInstanceKey(this.kernel, instance)}`
    return new ZerohopError('UNDECIDED', { what })
  }

  /** Whether one side of a set rule is true (D6: set rules). On an instance of another tenant it never is (D2). */
  evaluateSide(
    side: number,
    user: number,
    tenant: number,
    permission: number,
    instance: number,
    unstored?: string,
  ): Verdict {
    const end = this.#encode(permission, instance, unstored)
    const { calls } = this.kernel
    const verdict: Verdict = atInstant(calls.decideSide(user, tenant, permission, instance, this.#related(), end, side))
    this.left -= QUESTION_WORK + calls.takeWork()
    return verdict
  }

  /** Writes the relations that were sent; after attributes were read, which may run code of the caller. */
  #related(): number {
    return this.#relate === undefined ? 0 : this.#relate()
  }

  /** What the set rules of a permission read: bits as in src/image/decide/required-attributes.ts. */
  reads(permission: number): number {
    return this.#required.reads(permission)
  }

  /** The key of a stored instance, without its type. */
  keyOf(instance: number): string {
    return keyOfInstance(this.kernel, instance)
  }

  /**
   * Encodes the request attributes; the result is reused for all checks of a permission, unless its rules read the key
   * of the instance.
   */
  #encode(permission: number, instance: number, unstored: string | undefined): number {
    if (permission === this.#encoded) return this.#end
    const needsKey = (this.#required.reads(permission) & (1 << Source.ResourceKey)) !== 0
    const key = !needsKey ? undefined : instance === 0 ? unstored : this.keyOf(instance)
    this.#encoded = 0
    const end = this.#required.encode(permission, key, this.#sent)
    if (!needsKey) this.#encoded = permission
    this.#end = end
    return end
  }

  #undecided(user: number, tenant: number, permission: number, instance: number, unstored?: string): ZerohopError {
    const { kernel } = this
    const name = permissionKey(kernel, kernel.calls.permissionRecord(permission))
    const [type, action] = name.split(':')
    const key = instance === 0 ? unstored : this.keyOf(instance)
    const resource = key === undefined ? type : `${type}:${key}`
    const what = `${userName(kernel, user)} ${action} ${resource} in ${principalKey(kernel, tenant)}`
    return new ZerohopError('UNDECIDED', { what })
  }
}

/** Who is not stored has what everybody has. */
const userName = (kernel: Kernel, user: number): string => (user === 0 ? EVERYBODY : principalKey(kernel, user))

/** The error for a listing without pages that would take too much work. */
export function tooLarge(what: string, limit = `${LISTING_WHOLE_WORK_MAX} steps`): ZerohopError {
  return new ZerohopError('LISTING_TOO_LARGE', { what, limit })
}
