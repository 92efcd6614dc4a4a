// A new environment that is stored nowhere: what policy files are judged on when there is no server.
import { DEFAULT_TENANT } from '../../model/keys.ts'
import { Draft } from '../../store/draft.ts'
import { EmptyView } from '../../store/empty.ts'
import type { Mint, View } from '../../store/view.ts'
import { builtIns } from '../objects/resource-parts.ts'
import { defaultTenant } from '../objects/tenants.ts'

/** A source of ids that counts, without a clock: the same policy gives the same objects at any time. */
export function countingMint(now: number = 0): Mint {
  let next = 0
  return {
    now,
    isTimeless: true,
    id: () => (++next).toString(16).padStart(32, '0'),
    secret: (bytes) => '0'.repeat(bytes),
  }
}

/** What a new environment holds: the tenant `default`, and what declares attributes of users and tenants. */
export function emptyEnvironment(mint: Mint, below: View = new EmptyView('0'.repeat(32))): Draft {
  return new Draft(below).stage([...builtIns(mint), defaultTenant(DEFAULT_TENANT, mint)])
}
