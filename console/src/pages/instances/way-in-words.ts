// What allows a user, in few words. The page Why has the whole explanation.
import type { AuthorizedUser } from './instance-queries.ts'

export function wayInWords(way: AuthorizedUser['because'][number]): string {
  const { source, role, tenant, resource_instance: instance, everybody } = way
  const who = everybody ? 'everyone: ' : ''
  if (source === 'rbac') return `${who}${role} in ${tenant}`
  if (source === 'rebac') return `${who}${role} on ${instance ?? tenant}`
  return `user set ${role}`
}
