// One question after the other, by ids, about one set of attributes sent along: what listings are made of. Each answer is that of a check
// (D12), and one that could not be decided ends the listing and names its question (D13).
import { ASK_SETS, Instance, Permission, Principal, Source, Verdict } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { ZerohopError } from '../../model/errors.ts'
import { LISTING_WHOLE_WORK_MAX } from '../../model/limits.ts'
import type { Needs, Sent } from './required-attributes.ts'

/** What one question costs, beside its steps over relations and conditions, of which each is some 20 ns. */
const QUESTION_WORK = 16

export class Evaluator {
  readonly kernel: Kernel
  readonly #needs: Needs
  readonly #sent: Sent | undefined
  /** the permission for which what was sent lies encoded, and where it ends; 0 when none does that may be used again */
  #encoded = 0
  #end = 0

  /** what the listing may still cost: a question, a look at a record, a step; below 0 it has cost enough */
  left: number

  constructor(kernel: Kernel, needs: Needs, sent: Sent | undefined, work: number) {
    this.kernel = kernel
    this.#needs = needs
    this.#sent = sent
    this.left = work
    kernel.calls.takeWork() // that of questions before
  }

  /** A check; an id of 0 is unknown, or no instance. `unstored` is the key of an instance that is not stored. @throws UNDECIDED */
  allows(user: number, tenant: number, permission: number, instance: number, unstored?: string): boolean {
    const { calls } = this.kernel
    let verdict = calls.decideOn(user, tenant, permission, instance)
    if ((verdict & ASK_SETS) !== 0) {
      const related = verdict - ASK_SETS
      const end = this.#encode(permission, instance, unstored)
      verdict = calls.decideSets(user, tenant, permission, instance, end)
      if (verdict === Verdict.Deny) verdict = related // D13
    }
    this.left -= QUESTION_WORK + calls.takeWork()
    if (verdict === Verdict.Undecided) throw this.#undecided(user, tenant, permission, instance, unstored)
    return verdict === Verdict.Allow
  }

  /** A check on a stored instance in its own tenant (D2). */
  allowsOn(user: number, permission: number, instance: number): boolean {
    return this.allows(user, this.kernel.word(instance + Instance.Tenant), permission, instance)
  }

  /** Is one side of a set rule true (D6)? On an instance of another tenant none is (D2). */
  truthOf(
    side: number,
    user: number,
    tenant: number,
    permission: number,
    instance: number,
    unstored?: string,
  ): Verdict {
    const end = this.#encode(permission, instance, unstored)
    const verdict: Verdict = this.kernel.calls.decideSide(user, tenant, permission, instance, end, side)
    this.left -= QUESTION_WORK + this.kernel.calls.takeWork()
    return verdict
  }

  /** What the set rules of a permission read: bits of src/image/decide/required-attributes.ts. */
  reads(permission: number): number {
    return this.#needs.reads(permission)
  }

  /** The key of a stored instance, without its type. */
  keyOf(instance: number): string {
    const key = this.kernel.key(instance, Instance.Key)
    return key.slice(key.indexOf(':') + 1)
  }

  /** What was sent is the same for all questions about a permission, unless its rules read the key of the instance. */
  #encode(permission: number, instance: number, unstored: string | undefined): number {
    if (permission === this.#encoded) return this.#end
    const needsKey = (this.#needs.reads(permission) & (1 << Source.ResourceKey)) !== 0
    const key = !needsKey ? undefined : instance === 0 ? unstored : this.keyOf(instance)
    this.#encoded = 0
    const end = this.#needs.encode(permission, key, this.#sent)
    if (!needsKey) this.#encoded = permission
    this.#end = end
    return end
  }

  #undecided(user: number, tenant: number, permission: number, instance: number, unstored?: string): ZerohopError {
    const { kernel } = this
    const name = kernel.key(kernel.calls.permissionRecord(permission), Permission.Key)
    const [type, action] = name.split(':')
    const key = instance === 0 ? unstored : this.keyOf(instance)
    const resource = key === undefined ? type : `${type}:${key}`
    const what = `${kernel.key(user, Principal.Key)} ${action} ${resource} in ${kernel.key(tenant, Principal.Key)}`
    return new ZerohopError('UNDECIDED', { what })
  }
}

/** A listing without pages that would take too much. */
export function tooLarge(what: string): ZerohopError {
  return new ZerohopError('LISTING_TOO_LARGE', { what, limit: LISTING_WHOLE_WORK_MAX })
}
