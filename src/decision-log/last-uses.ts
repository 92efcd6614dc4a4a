// When something was last used, by what is recorded of decisions: of each user, permission and tenant the newest decision
// that allowed it. It outlives the records. A record does not say which role allowed it: who asks about a role asks about
// the permissions that it gives. docs/last-used.md defines what counts as a use.
import type { AuditRecord } from './audit-tables.ts'
import { makeTerm } from './audit-terms.ts'

const ANY = '0'.repeat(16)

/** What was used; what is absent is any. */
export interface Use {
  readonly user?: string | undefined
  /** `resource:action` */
  readonly permission?: string | undefined
  /** only with a user and a permission */
  readonly tenant?: string | undefined
}

/** The name of a use: 48 hex digits, three hashes. */
export type UseName = string

export function nameUse({ user, permission, tenant }: Use): UseName {
  const hash = (kind: 'user' | 'action' | 'tenant', value: string | undefined): string =>
    value === undefined ? ANY : makeTerm(kind, value).hash
  return hash('user', user) + hash('action', permission) + hash('tenant', tenant)
}

type Used = Pick<AuditRecord, 'user' | 'tenant' | 'action' | 'resource_type' | 'decision' | 'person'>

/** The uses that a record shows. Neither what a person tries in the console nor what was denied is one. */
function listUses({ user, tenant, action, resource_type: type, decision, person }: Used): UseName[] {
  if (!decision || person !== undefined) return []
  const permission = `${type}:${action}`
  const [byUser, byAction, byTenant] = [{ user }, { permission }, { tenant }].map(nameUse) as [string, string, string]
  const [ofUser, ofAction, ofTenant] = [byUser.slice(0, 16), byAction.slice(16, 32), byTenant.slice(32)]
  return [byUser, byAction, ofUser + ofAction + ANY, ofUser + ofAction + ofTenant]
}

/** What is known of the uses of an environment. */
export interface KnownUses {
  /** uses from this instant on are known; undefined while records of an older version are looked at. ms since 1970 */
  readonly since: number | undefined
  /** the newest decision that was recorded */
  readonly until: number
  /** decisions that their PDP decided and could not record */
  readonly dropped: number
  /** the newest record that came after such decisions; undefined when there are none */
  readonly droppedAt: number | undefined
}

/** What one transaction adds to the uses of an environment. */
export interface NewUses {
  /** the newest instant of each */
  readonly uses: Map<UseName, number>
  oldest: number
  newest: number
  dropped: number
  droppedAt: number | undefined
}

/** The uses of the records of one transaction, by environment. */
export class UseSums {
  readonly #of = new Map<string, NewUses>()

  /** @param dropped how many decisions before it were not recorded */
  add(environment: string, record: Used & Pick<AuditRecord, 'at'>, dropped: number): void {
    const { at } = record
    const sum = this.#of.get(environment) ?? {
      uses: new Map<UseName, number>(),
      ...{ oldest: at, newest: at, dropped: 0, droppedAt: undefined },
    }
    this.#of.set(environment, sum)
    sum.oldest = Math.min(sum.oldest, at)
    sum.newest = Math.max(sum.newest, at)
    sum.dropped += dropped
    if (dropped > 0) sum.droppedAt = Math.max(sum.droppedAt ?? 0, at)
    for (const use of listUses(record)) if ((sum.uses.get(use) ?? -1) < at) sum.uses.set(use, at)
  }

  /** By environment, uses in order: everyone who locks rows does it in this order. */
  sums(): readonly (readonly [environment: string, NewUses])[] {
    return [...this.#of].sort(([one], [other]) => (one < other ? -1 : 1))
  }
}

export const sortedUses = ({ uses }: NewUses): [UseName, number][] =>
  [...uses].sort(([one], [other]) => (one < other ? -1 : 1))
