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
  /** the permission for which what was sent lies encoded, and where it ends; 0 when none does that may be used again */
  #encoded = 0
  #end = 0

  constructor(kernel: Kernel, needs: Needs, sent: Sent | undefined) {
    this.kernel = kernel
    this.#needs = needs
    this.#sent = sent
  }

  /** A check; an id of 0 is unknown, or no instance. `unstored` is the key of an instance that is not stored. @throws UNDECIDED */
  allows(user: number, tenant: number, permission: number, instance: number, unstored?: string): boolean {
    const { calls } = this.kernel
    let verdict = calls.decideOn(user, tenant, permission, instance)
    if (verdict === Verdict.Allow) return true
    if ((verdict & ASK_SETS) !== 0) {
      const related = verdict - ASK_SETS
      const end = this.#encode(permission, instance, unstored)
      verdict = calls.decideSets(user, tenant, permission, instance, end)
      if (verdict === Verdict.Deny) verdict = related // D13
    }
    if (verdict === Verdict.Undecided) throw this.#undecided(user, tenant, permission, instance, unstored)
    return verdict === Verdict.Allow
  }

  /** A check on a stored instance in its own tenant (D2). */
  allowsOn(user: number, permission: number, instance: number): boolean {
    return this.allows(user, this.kernel.word(instance + Instance.Tenant), permission, instance)
  }

  /** Is one side of a set rule true (D6)? On an instance of another tenant none is (D2). One that could not be decided does not count. */
  holds(
    user: number,
    tenant: number,
    permission: number,
    instance: number,
    side: number,
    unstored: string | undefined,
  ): boolean {
    const end = this.#encode(permission, instance, unstored)
    return this.kernel.calls.decideSide(user, tenant, permission, instance, end, side) === Verdict.Allow
  }

  /** The key of a stored instance, without its type. */
  keyOf(instance: number): string {
    const key = this.kernel.key(instance, Instance.Key)
    return key.slice(key.indexOf(':') + 1)
  }

  /** What was sent is the same for all questions about a permission, unless its rules read the key of the instance. */
  #encode(permission: number, instance: number, unstored: string | undefined): number {
    if (permission === this.#encoded) return this.#end
    const needsKey = this.#needs.readKey(permission)
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
    const what = `${kernel.key(user, Party.Key)} ${action} ${resource} in ${kernel.key(tenant, Party.Key)}`
    return new ZerohopError('UNDECIDED', { what })
  }
}
