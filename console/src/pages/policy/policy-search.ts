// What of the matrix is looked at, as the address has it.
import { type Unused, unusedIn } from '../../components/unused-times.ts'

export interface PolicySearch {
  /** in keys or names of roles */
  readonly roles?: string
  /** in keys or names of resource types and actions */
  readonly actions?: string
  /** only what the draft changes */
  readonly changed?: true
  /** the role that the keyboard begins at */
  readonly role?: string
  /** cells of permissions that no one used for this time are shaded */
  readonly unused?: Unused
  /** the revision that was just saved */
  readonly saved?: number
}

/** Reads the search of the policy from an address; anything else is left out. */
export function parsePolicySearch(search: Record<string, unknown>): PolicySearch {
  const { saved, changed } = search
  const texts = (['roles', 'actions', 'role'] as const).flatMap((name) => {
    const value = search[name]
    return value === undefined || value === '' || typeof value === 'object' ? [] : [[name, String(value)]]
  })
  return {
    ...Object.fromEntries(texts),
    ...(changed === true ? { changed: true as const } : {}),
    ...unusedIn(search),
    ...(typeof saved === 'number' ? { saved } : {}),
  }
}
