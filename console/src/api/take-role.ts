// Takes a role from a user, in a tenant or on an instance, or ends it, so that lists still show it for a while.
import { holderName } from '../components/holder-words.ts'
import { notifyFailure } from '../components/notify.ts'
import { type Claims, isFromOthers } from './claims.ts'
import { api } from './client.ts'
import { useEnvironmentPath } from './environments.ts'
import { useWrite } from './write.ts'

export interface HeldRole {
  readonly user: string
  readonly role: string
  readonly tenant: string
  /** `type:key`; null for a role in the tenant */
  readonly resource_instance: string | null
  readonly claims?: Claims
}

/** What was done, where others claim it too: it is still there. */
const removed = ({ user, role, claims }: HeldRole): string =>
  isFromOthers(claims)
    ? `Role ${role} of ${holderName(user)} is no longer added by hand`
    : `Role ${role} removed from ${holderName(user)}`

export function useTakeRole() {
  const path = useEnvironmentPath()
  return useWrite({
    send: ({ user, role, tenant, resource_instance }: HeldRole) => {
      const where = resource_instance === null ? { tenant } : { resource_instance }
      return api.DELETE('/v2/facts/{p}/{e}/role_assignments', { params: { path }, body: { user, role, ...where } })
    },
    done: removed,
    onFail: (error) => notifyFailure("Couldn't remove the role", error),
  })
}

export function useEndRole() {
  const path = useEnvironmentPath()
  return useWrite({
    send: ({ user, role, tenant, resource_instance }: HeldRole) => {
      const where = resource_instance === null ? { tenant } : { resource_instance }
      const body = { user, role, ...where, valid_until: Date.now() }
      return api.PUT('/v2/facts/{p}/{e}/role_assignments', { params: { path }, body })
    },
    done: ({ user, role }) => `Role ${role} of ${holderName(user)} ended`,
    onFail: (error) => notifyFailure("Couldn't end the role", error),
  })
}
