// Makes a user, with a first role where one is wanted.
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { suggestRoles, suggestTenants } from '../../api/suggestions.ts'
import { KeyField } from '../../components/key-field.tsx'
import { NewObjectDialog } from '../../components/new-object-dialog.tsx'
import { USER_FIELDS, USER_KEY } from './user-fields.ts'

const FIELDS = [USER_KEY, ...USER_FIELDS]

interface NewUserDialogProps {
  /** where the first role counts, unless another one is chosen */
  readonly tenant: string
  readonly onClose: () => void
}

export function NewUserDialog({ tenant: given, onClose }: NewUserDialogProps) {
  const path = useEnvironmentPath()
  const navigate = useNavigate({ from: '/$project/$environment/users' })
  const [role, setRole] = useState('')
  const [tenant, setTenant] = useState(given)
  const [wasTried, setTried] = useState(false)
  const first = { role: role.trim(), tenant: tenant.trim() }
  const isIncomplete = first.role !== '' && first.tenant === ''
  return (
    <NewObjectDialog
      kind="user"
      fields={FIELDS}
      isIncomplete={isIncomplete}
      onTry={() => setTried(true)}
      more={first.role === '' ? {} : { role_assignments: [first] }}
      send={(body) => api.POST('/v2/facts/{p}/{e}/users', { params: { path }, body })}
      onDone={({ key }) => void navigate({ to: './$user', params: { user: key } as never })}
      onClose={onClose}
      below={
        <>
          <KeyField
            label="First role"
            placeholder="None"
            value={role}
            onChange={setRole}
            suggest={(text) => suggestRoles(path, text)}
          />
          {first.role !== '' && (
            <KeyField
              label="In tenant"
              error={wasTried && isIncomplete ? 'The tenant is missing' : undefined}
              value={tenant}
              onChange={setTenant}
              suggest={(text) => suggestTenants(path, text)}
            />
          )}
        </>
      }
    />
  )
}
