// What allows a user, in few words. The page Why has the whole explanation.
import type { AuthorizedUser } from './instance-queries.ts'

export function wayInWords(way: AuthorizedUser['because'][number]): string {
  const { source, role, tenant, resource_instance: instance } = way
  if (source === 'rbac') return `${role} in ${tenant}`
  if (source === 'rebac') return `${role} on ${instance ?? tenant}`
  return `user set ${role}`
}
