// Makes a user, with a first role where one is wanted.
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { suggestRoles, suggestTenants } from '../../api/suggestions.ts'
import { useWrite } from '../../api/write.ts'
import { Dialog } from '../../components/dialog.tsx'
import { KeyField } from '../../components/key-field.tsx'
import { bodyOf, draftOf, problemsOf } from '../../components/object-draft.ts'
import { errorBeside, ObjectFields } from '../../components/object-fields.tsx'
import { USER_FIELDS, USER_KEY } from './user-fields.ts'

const FIELDS = [USER_KEY, ...USER_FIELDS]
const FROM = '/$project/$environment/users'

interface NewUserDialogProps {
  /** where the first role counts, unless another one is chosen */
  readonly tenant: string
  readonly onClose: () => void
}

export function NewUserDialog({ tenant: given, onClose }: NewUserDialogProps) {
  const path = useEnvironmentPath()
  const navigate = useNavigate({ from: FROM })
  const [draft, setDraft] = useState(() => draftOf(FIELDS))
  const [role, setRole] = useState('')
  const [tenant, setTenant] = useState(given)
  const [wasSent, setSent] = useState(false)
  const problems = problemsOf(FIELDS, draft)
  const user = draft.key?.trim() ?? ''
  const create = useWrite({
    send: (body: { readonly key: string }) => api.POST('/v2/facts/{p}/{e}/users', { params: { path }, body }),
    done: ({ key }) => `User ${key} created`,
    onDone: ({ key }) => void navigate({ to: './$user', params: { user: key } as never }),
  })
  const submit = () => {
    setSent(true)
    if (Object.keys(problems).length > 0) return
    const first = { role: role.trim(), ...(tenant.trim() === '' ? {} : { tenant: tenant.trim() }) }
    const roles = role.trim() === '' ? {} : { role_assignments: [first] }
    create.mutate({ ...bodyOf(FIELDS, draft), ...roles, key: user })
  }
  return (
    <Dialog
      title="New user"
      action="Create user"
      isBusy={create.isPending}
      error={errorBeside(create.error, FIELDS)}
      onSubmit={submit}
      onClose={onClose}
    >
      <ObjectFields
        fields={FIELDS}
        draft={draft}
        onChange={setDraft}
        problems={wasSent ? problems : {}}
        error={create.error}
        rows={3}
      />
      <KeyField
        label="First role"
        placeholder="None"
        value={role}
        onChange={setRole}
        suggest={(text) => suggestRoles(path, text)}
      />
      {role.trim() !== '' && (
        <KeyField
          label="In tenant"
          placeholder="default"
          value={tenant}
          onChange={setTenant}
          suggest={(text) => suggestTenants(path, text)}
        />
      )}
    </Dialog>
  )
}
