// One question after the other, by ids, about one set of attributes sent along: what listings are made of. Each answer is that of a check
// (D12), and one that could not be decided ends the listing and names its question (D13).
import { ASK_SETS, Instance, Party, Permission, Verdict } from '../../assembly/abi.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { ZerohopError } from '../model/errors.ts'
import type { Needs, Sent } from './needs.ts'

export class Asker {
  readonly kernel: Kernel
  readonly #needs: Needs
  readonly #sent: Sent | undefined

  constructor(kernel: Kernel, needs: Needs, sent: Sent | undefined) {
    this.kernel = kernel
    this.#needs = needs
    this.#sent = sent
  }

  /** A check; 0 is unknown, or no instance. `key` is that of the instance, stored or not. @throws UNDECIDED with the question */
  allows(user: number, tenant: number, permission: number, instance: number, key: string | undefined): boolean {
    const { calls } = this.kernel
    let verdict = calls.decideOn(user, tenant, permission, instance)
    if (verdict === Verdict.Allow) return true
    if ((verdict & ASK_SETS) !== 0) {
      const related = verdict - ASK_SETS
      const end = this.#needs.encode(permission, key, this.#sent)
      verdict = calls.decideSets(user, tenant, permission, instance, end)
      if (verdict === Verdict.Deny) verdict = related // D13
    }
    if (verdict === Verdict.Undecided) throw this.#undecided(user, tenant, permission, key)
    return verdict === Verdict.Allow
  }

  /** A check on a stored instance in its own tenant (D2). */
  allowsOn(user: number, permission: number, instance: number, key: string): boolean {
    return this.allows(user, this.kernel.word(instance + Instance.Tenant), permission, instance, key)
  }

  /** Is one side of a set rule true (D6)? On an instance of another tenant none is (D2). One that could not be decided does not count. */
  holds(
    user: number,
    tenant: number,
    permission: number,
    instance: number,
    key: string | undefined,
    side: number,
  ): boolean {
    const end = this.#needs.encode(permission, key, this.#sent)
    return this.kernel.calls.decideSide(user, tenant, permission, instance, end, side) === Verdict.Allow
  }

  #undecided(user: number, tenant: number, permission: number, key: string | undefined): ZerohopError {
    const { kernel } = this
    const name = kernel.key(kernel.calls.permissionRecord(permission), Permission.Key)
    const [type, action] = name.split(':')
    const resource = key === undefined ? type : `${type}:${key}`
    const what = `${kernel.key(user, Party.Key)} ${action} ${resource} in ${kernel.key(tenant, Party.Key)}`
    return new ZerohopError('UNDECIDED', { what })
  }
}
