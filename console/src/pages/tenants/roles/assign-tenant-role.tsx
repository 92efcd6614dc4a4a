// Gives a role of the tenant to one of its members, or to another user.
import { useState } from 'react'
import { ApiError } from '../../../api/api-error.ts'
import { api } from '../../../api/client.ts'
import { useWrite } from '../../../api/write.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { TimeField, toInstant } from '../../../components/grant-times.tsx'
import { KeyField } from '../../../components/key-field.tsx'
import { roleName } from './tenant-role-form.ts'
import { suggestMembers, type TenantPath, type TenantRole } from './tenant-role-queries.ts'

interface AssignTenantRoleProps {
  readonly path: TenantPath
  readonly role: TenantRole
  readonly onClose: () => void
}

export function AssignTenantRole({ path, role, onClose }: AssignTenantRoleProps) {
  const [user, setUser] = useState('')
  const [until, setUntil] = useState('')
  const [wasSent, setSent] = useState(false)
  const name = user.trim()
  const assign = useWrite({
    send: () => {
      const end = toInstant(until)
      const body = { user: name, role: role.key, ...(end === null ? {} : { valid_until: end }) }
      return api.POST('/v2/facts/{p}/{e}/tenants/{ref}/role_assignments', { params: { path }, body })
    },
    done: () => `Role ${roleName(role)} assigned to ${name}`,
    onDone: onClose,
  })
  const isThere = assign.error instanceof ApiError && assign.error.status === 409
  return (
    <Dialog
      title={`Assign role ${roleName(role)}`}
      action="Assign role"
      isBusy={assign.isPending}
      error={isThere ? new Error('The user already has this role.') : assign.error}
      onSubmit={() => {
        setSent(true)
        if (name !== '') assign.mutate(undefined)
      }}
      onClose={onClose}
    >
      <KeyField
        label="User"
        value={user}
        onChange={setUser}
        error={wasSent && name === '' ? 'The user is required' : undefined}
        suggest={(text) => suggestMembers(path, text)}
      />
      <TimeField label="Ends" value={until} onChange={setUntil} />
    </Dialog>
  )
}
