// One user: roles, everything the user may do, and the stored fields.
import '@mantine/core/styles/Anchor.layer.css'
import { Anchor, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { useMay } from '../../api/use-session.ts'
import { useWrite } from '../../api/write.ts'
import { DetailsForm } from '../../components/details-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { MissingObject } from '../../components/missing-object.tsx'
import { Page } from '../../components/page.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { USER_FIELDS } from './user-fields.ts'
import { UserPermissionsPanel } from './user-permissions-panel.tsx'
import { nameOf, type User, userQuery } from './user-queries.ts'
import { UserRoles } from './user-roles.tsx'
import { USER_TABS } from './users-search.ts'

const FROM = '/$project/$environment/users/$user'
const LIST = '/$project/$environment/users'

export function UserPage() {
  const path = useEnvironmentPath()
  const { user: key } = useParams({ from: FROM })
  const { tab = 'roles' } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const canWrite = useMay('write')
  const [isDeleting, setDeleting] = useState(false)
  const user = useQuery(userQuery(path, key))
  const params = { path: { ...path, ref: key } }
  const save = useWrite({
    send: (body: Readonly<Record<string, unknown>>) => api.PATCH('/v2/facts/{p}/{e}/users/{ref}', { params, body }),
    done: () => `User ${key} saved`,
  })
  const remove = useWrite({
    send: () => api.DELETE('/v2/facts/{p}/{e}/users/{ref}', { params }),
    done: () => `User ${key} deleted`,
    onDone: () => void navigate({ to: LIST, replace: true }),
  })

  return (
    <Page
      key={key}
      title={key}
      help="Users"
      parent={
        <Anchor component={Link} to={LIST} from={FROM} size="sm">
          Users
        </Anchor>
      }
      description={user.data && about(user.data)}
      actions={
        user.data !== undefined && (
          <>
            <Button
              variant="default"
              component={Link}
              to="/$project/$environment/why"
              from={FROM}
              search={{ user: key } as never}
              leftSection={<Icon name="searchCheck" size={14} />}
            >
              Ask why
            </Button>
            {canWrite && (
              <Button variant="default" onClick={() => setDeleting(true)}>
                Delete
              </Button>
            )}
          </>
        )
      }
      isWide
    >
      <MissingObject query={user} kind="user" name={key} list={{ to: LIST, label: 'All users' }}>
        {(found) => (
          <>
            <Tabs label={`About ${key}`} tabs={USER_TABS} open={tab} />
            {tab === 'roles' && <UserRoles user={found} />}
            {tab === 'permissions' && <UserPermissionsPanel user={key} />}
            {tab === 'details' && (
              <DetailsForm
                key={key}
                fields={USER_FIELDS}
                stored={found}
                readAgain={async () => (await user.refetch()).data?.updated_at}
                write={save}
                canWrite={canWrite}
              />
            )}
          </>
        )}
      </MissingObject>
      {isDeleting && (
        <Dialog
          title={`Delete ${key}?`}
          action="Delete user"
          isDanger
          isBusy={remove.isPending}
          error={remove.error}
          onSubmit={() => remove.mutate(undefined)}
          onClose={() => setDeleting(false)}
        >
          <p>The user loses all roles, and belongs to no tenant any more. Your application may create it again.</p>
        </Dialog>
      )}
    </Page>
  )
}

function about(user: User): string {
  const tenants = user.associated_tenants.length
  const belongs = tenants === 0 ? 'in no tenant' : `in ${tenants} ${tenants === 1 ? 'tenant' : 'tenants'}`
  return [nameOf(user), user.email === user.key ? undefined : user.email, belongs].filter(Boolean).join(' · ')
}
