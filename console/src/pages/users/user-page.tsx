// One user: roles, everything the user may do, and the stored fields.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { counted } from 'zerohop/change-words'
import { deletedText } from '../../api/claims.ts'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { lastUsedUserQuery } from '../../api/last-used.ts'
import type { Edit, Precondition } from '../../api/precondition.ts'
import { useMay } from '../../api/use-session.ts'
import { useWrite } from '../../api/write.ts'
import { Icon } from '../../components/icon.tsx'
import { Instant } from '../../components/instant.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { ObjectPage } from '../../components/object-page.tsx'
import { Sources } from '../../components/sources.tsx'
import { findSuspensionState } from '../../components/suspension.tsx'
import { SuspendDialog } from './suspend-dialog.tsx'
import { SuspensionNotice } from './suspension-notice.tsx'
import { USER_FIELDS } from './user-fields.ts'
import { UserPermissionsPanel } from './user-permissions-panel.tsx'
import { findFullName, type User, userQuery } from './user-queries.ts'
import { UserRoles } from './user-roles.tsx'
import { USER_TABS } from './users-search.ts'

const FROM = '/$project/$environment/users/$user'
const LIST = '/$project/$environment/users'

export function UserPage() {
  const path = useEnvironmentPath()
  const { user: key } = useParams({ from: FROM })
  const { tab = 'roles' } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const user = useQuery(userQuery(path, key))
  const params = { path: { ...path, ref: key } }
  const save = useWrite({
    send: ({ body, headers }: Edit) => api.PATCH('/v2/facts/{p}/{e}/users/{ref}', { params, body, headers }),
    done: () => `User ${key} saved`,
  })
  const remove = useWrite({
    send: ({ headers }: Precondition) => api.DELETE('/v2/facts/{p}/{e}/users/{ref}', { params, headers }),
    done: () => deletedText(`User ${key}`, user.data?.claims),
    onDone: () => void navigate({ to: LIST, replace: true }),
  })

  const canWrite = useMay('write')
  const [isSuspending, setSuspending] = useState(false)
  const suspension = user.data?.suspension
  const isSuspended = suspension !== undefined && findSuspensionState(suspension) !== 'ended'
  const actions = (
    <>
      <ButtonLink
        to="/$project/$environment/why"
        from={FROM}
        search={{ user: key }}
        leftSection={<Icon name="searchCheck" size={14} />}
      >
        Ask why
      </ButtonLink>
      {canWrite && !isSuspended && (
        <Button variant="default" onClick={() => setSuspending(true)}>
          Suspend
        </Button>
      )}
      {isSuspending && user.data && <SuspendDialog user={user.data} onClose={() => setSuspending(false)} />}
    </>
  )
  return (
    <ObjectPage
      name={key}
      kind="user"
      list={{ to: LIST, label: 'Users' }}
      query={user}
      description={user.data && <About user={user.data} />}
      actions={actions}
      notice={(found) => <SuspensionNotice user={found} />}
      tabs={USER_TABS}
      open={tab}
      fields={USER_FIELDS}
      save={save}
      remove={remove}
      removal="The user loses all roles and tenant memberships. Your app can create the user again."
    >
      {(found) => (tab === 'roles' ? <UserRoles user={found} /> : <UserPermissionsPanel user={key} />)}
    </ObjectPage>
  )
}

function About({ user }: { readonly user: User }) {
  const used = useQuery(lastUsedUserQuery(useEnvironmentPath(), user.key)).data
  const at = used?.data[0]?.last_used ?? null
  const tenants = user.associated_tenants.length
  const belongs = tenants === 0 ? 'in no tenant' : `in ${counted(tenants, 'tenant')}`
  const words = [findFullName(user), user.email === user.key ? undefined : user.email, belongs]
  return (
    <>
      {words.filter(Boolean).join(' · ')}
      <Sources claims={user.claims} />
      {at !== null && (
        <>
          {' · last used '}
          <Instant value={at} />
        </>
      )}
    </>
  )
}
