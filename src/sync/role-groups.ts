// How many roles are given and taken, by role and tenant: what stands in place of the access diff where a run changes
// more than one compares.
import { SYNC_GROUPS_MAX, SYNC_GROUPS_SHOWN } from '../model/limits.ts'
import type { Difference } from './differences.ts'
import { splitIdentity } from './fact-lines.ts'

export interface RoleGroup {
  readonly role: string
  readonly tenant: string
  readonly gained: number
  readonly lost: number
}

export class RoleGroups {
  readonly #groups = new Map<string, { gained: number; lost: number }>()
  /** roles of groups that are not counted by themselves */
  others = 0

  /** @param difference of role assignments */
  add({ op, identity, ...put }: Difference): void {
    if (op === 'put' && !(put as { readonly isNew: boolean }).isNew) return // only its times change
    const [, role = '', tenant = ''] = splitIdentity(identity)
    const name = `${role} ${tenant}`
    const group = this.#groups.get(name) ?? { gained: 0, lost: 0 }
    if (!this.#groups.has(name)) {
      if (this.#groups.size >= SYNC_GROUPS_MAX) {
        this.others++
        return
      }
      this.#groups.set(name, group)
    }
    if (op === 'put') group.gained++
    else group.lost++
  }

  /** The largest ones. */
  largest(): RoleGroup[] {
    return [...this.#groups]
      .map(([name, counts]) => {
        const [role = '', tenant = ''] = name.split(' ')
        return { role, tenant, ...counts }
      })
      .sort((one, other) => other.gained + other.lost - one.gained - one.lost)
      .slice(0, SYNC_GROUPS_SHOWN)
  }

  get count(): number {
    return this.#groups.size
  }
}
