// What is looked for to say when the access of a line of an access review was last used: its permission.

import type { Use } from '../../decision-log/last-uses.ts'
import type { AccessLine } from '../../model/access-line.ts'

/** Undefined for a line about no permission, which says that there is more. */
export function useOfLine({
  user,
  tenant,
  resource,
  resource_instance: instance,
  action,
}: Pick<AccessLine, 'user' | 'tenant' | 'resource' | 'resource_instance' | 'action'>): Use | undefined {
  if (resource === null || action === null) return undefined
  // what is about an instance may have been asked in any tenant
  const where = tenant === null || instance !== null ? {} : { tenant }
  return { user, permission: `${resource}:${action}`, ...where }
}
