// Takes a role from a user, in a tenant or on an instance.
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { useWrite } from '../../api/write.ts'
import { notifyFailure } from '../../components/notify.ts'
import type { RoleAssignment } from './user-queries.ts'

export function useTakeRole() {
  const path = useEnvironmentPath()
  return useWrite({
    send: ({ user, role, tenant, resource_instance }: RoleAssignment) => {
      const where = resource_instance === null ? { tenant } : { resource_instance }
      return api.DELETE('/v2/facts/{p}/{e}/role_assignments', { params: { path }, body: { user, role, ...where } })
    },
    done: ({ user, role }) => `Role ${role} taken from ${user}`,
    onFail: (error) => notifyFailure('The role was not taken', error),
  })
}
