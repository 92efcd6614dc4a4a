// The roles of one user in tenants, read from the table of keys alone: `user/role/tenant` has all that is needed, and
// reading ten thousand assignments as objects takes several times as long. Keys are not compared with their objects
// here, so this is for display only, never for a decision or a write; a scrub compares them all.
import { nameKey, textOfNameKey } from './table-keys.ts'
import type { Tables } from './tables.ts'
import type { TenantRole } from './view.ts'

/** After this many roles on instances in a row the scan jumps over the rest of the same role and tenant. */
const LINEAR_SCAN_MAX = 16
const SLASH = '/'
/** The character after the slash: the end of a range over everything that begins with the slash. */
const BEHIND_SLASH = '0'

/** The roles of a user in tenants, in creation order. `number` is that of the log. */
export function listTenantRoles(tables: Tables, number: number, user: string): readonly TenantRole[] {
  const found: (TenantRole & { readonly place: number })[] = []
  const prefix = user + SLASH
  const end = nameKey(number, 'role_assignment', user + BEHIND_SLASH)
  let start: Buffer | undefined = nameKey(number, 'role_assignment', prefix)
  while (start !== undefined) start = scan(start)
  return found.sort((one, other) => one.place - other.place)

  /** Continues from a key; returns the key to continue from next, or undefined at the end. */
  function scan(from: Buffer): Buffer | undefined {
    let skipped = 0
    for (const { key, place } of tables.keys.rows({ start: from, end })) {
      const rest = textOfNameKey(key, prefix.length)
      const slash = rest.indexOf(SLASH)
      const next = rest.indexOf(SLASH, slash + 1)
      if (next === -1) found.push({ role: rest.slice(0, slash), tenant: rest.slice(slash + 1), place })
      else if (++skipped > LINEAR_SCAN_MAX)
        return nameKey(number, 'role_assignment', prefix + rest.slice(0, next) + BEHIND_SLASH)
    }
    return undefined
  }
}
