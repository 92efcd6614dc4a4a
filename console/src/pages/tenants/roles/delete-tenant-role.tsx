// Deletes a role of the tenant: says first who loses it, and which roles lose what it allows.
import { useQuery } from '@tanstack/react-query'
import { counted } from 'zerohop/change-words'
import { api } from '../../../api/client.ts'
import { useWrite } from '../../../api/write.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { roleName } from './tenant-role-form.ts'
import { holdersQuery, type TenantPath, type TenantRole, type TenantRoles } from './tenant-role-queries.ts'

interface DeleteTenantRoleProps {
  readonly path: TenantPath
  readonly role: TenantRole
  readonly roles: TenantRoles
  readonly onClose: () => void
}

export function DeleteTenantRole({ path, role, roles, onClose }: DeleteTenantRoleProps) {
  const holders = useQuery(holdersQuery(path, role.key))
  const children = roles.own.filter(({ extends: parents }) => parents.includes(role.key))
  const remove = useWrite({
    send: () => {
      const params = { path: { ...path, tenant_role: role.key } }
      return api.DELETE('/v2/facts/{p}/{e}/tenants/{ref}/roles/{tenant_role}', { params })
    },
    done: () => `Role ${roleName(role)} deleted`,
    isUndoable: () => false, // no revert makes it again
    onDone: onClose,
  })
  return (
    <Dialog
      title={`Delete role ${roleName(role)}?`}
      action="Delete role"
      isDanger
      isBusy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      <p>
        {holders.data === undefined
          ? 'Counting who has the role…'
          : holders.data === 0
            ? 'No one has this role.'
            : `${counted(holders.data, 'user')} will lose this role, and what it allows in this tenant.`}
      </p>
      <p>This can't be undone.</p>
      {children.length > 0 && (
        <p>No longer extended by {children.map(roleName).join(', ')}: what it allows is lost there, too.</p>
      )}
    </Dialog>
  )
}
