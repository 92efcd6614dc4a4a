// The users of the environment: searched, by role and by tenant, in pages.
import '@mantine/core/styles/Anchor.layer.css'
import { Anchor, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useEnvironmentPath } from '../../api/environments.ts'
import { suggestRoles, suggestTenants } from '../../api/suggestions.ts'
import { useMay } from '../../api/use-session.ts'
import type { Column } from '../../components/data-table.tsx'
import { FilterField } from '../../components/filter-field.tsx'
import { TagTimes } from '../../components/grant-times.tsx'
import { Icon } from '../../components/icon.tsx'
import { UseFilter } from '../../components/last-use.tsx'
import bar from '../../components/list-bar.module.css'
import { NamedRow } from '../../components/named-row.tsx'
import { Page } from '../../components/page.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { Sources } from '../../components/sources.tsx'
import { EmptyState } from '../../components/states.tsx'
import { SuspensionLine } from '../../components/suspension.tsx'
import { Tag, Tags } from '../../components/tag.tsx'
import { NewUserDialog } from './new-user-dialog.tsx'
import { UnusedRoles } from './unused-roles.tsx'
import { findFullName, type User, usersQuery } from './user-queries.ts'
import classes from './users.module.css'
import type { UsersSearch } from './users-search.ts'

const FROM = '/$project/$environment/users'
/** Roles of a user that a row of the list names. */
const ROLES_SHOWN = 3

export function UsersPage() {
  const path = useEnvironmentPath()
  const asked = useSearch({ from: FROM })
  const { search = '', role = '', tenant = '', page = 1, unused } = asked
  const navigate = useNavigate({ from: FROM })
  const canWrite = useMay('write')
  const [isNew, setNew] = useState(false)
  const users = useQuery({ ...usersQuery(path, asked), enabled: unused === undefined })
  const narrow = (change: { readonly [N in keyof UsersSearch]?: UsersSearch[N] | undefined }) =>
    void navigate({
      search: ({ page: _page, after: _after, ...before }) => withoutEmpty({ ...before, ...change }),
      replace: true,
    })
  const create = canWrite && (
    <Button leftSection={<Icon name="plus" size={14} />} onClick={() => setNew(true)}>
      New user
    </Button>
  )
  const isFiltered = search !== '' || role !== '' || tenant !== ''

  return (
    <Page title="Users" description="People and programs, with their roles and attributes." actions={create} isWide>
      <div className={bar.bar}>
        {unused === undefined && (
          <SearchField label="Search users" value={search} onChange={(text) => narrow({ search: text })} />
        )}
        <FilterField
          label="Role"
          value={role}
          suggest={(text) => suggestRoles(path, text)}
          onChange={(key) => narrow({ role: key })}
        />
        <FilterField
          label="Tenant"
          value={tenant}
          suggest={(text) => suggestTenants(path, text)}
          onChange={(key) => narrow({ tenant: key })}
        />
        <UseFilter value={unused} onChange={(each) => narrow({ search: '', unused: each })} />
      </div>
      {unused === undefined ? (
        <PagedList
          label="Users"
          query={users}
          columns={COLUMNS}
          page={page}
          kind="user"
          found="part of the key, name or email address"
          isFiltered={isFiltered}
          empty={<NoUsers action={create || undefined} />}
        />
      ) : (
        <UnusedRoles search={asked} unused={unused} />
      )}
      {isNew && <NewUserDialog tenant={tenant} onClose={() => setNew(false)} />}
    </Page>
  )
}

const COLUMNS: readonly Column<User>[] = [
  {
    header: 'User',
    width: '40%',
    cell: (user) => (
      <NamedRow name={findFullName(user)} note={<SuspensionLine suspension={user.suspension} />}>
        <Anchor component={Link} to="./$user" params={{ user: user.key } as never} from={FROM} size="sm">
          {user.key}
        </Anchor>
        <Sources claims={user.claims} />
      </NamedRow>
    ),
  },
  { header: 'Email', cell: ({ email, key }) => (email === key ? '' : email), width: '20%', isMinor: true },
  { header: 'Roles', cell: ({ roles }) => <RolesShort roles={roles} /> },
  {
    header: 'Tenants',
    cell: ({ associated_tenants: tenants }) => tenants.length,
    align: 'right',
    width: '80px',
    isMinor: true,
  },
]

function RolesShort({ roles }: { readonly roles: User['roles'] }) {
  if (roles.length === 0) return <span className={classes.name}>None</span>
  return (
    <Tags>
      {roles.slice(0, ROLES_SHOWN).map(({ role, tenant, ...times }) => (
        <Tag key={`${role}/${tenant}`}>
          {role} <span className={classes.name}>in {tenant}</span>
          <TagTimes {...times} />
        </Tag>
      ))}
      {roles.length > ROLES_SHOWN && <span className={classes.more}>and {roles.length - ROLES_SHOWN} more</span>}
    </Tags>
  )
}

const NoUsers = ({ action }: { readonly action: ReactNode }) => (
  <EmptyState
    icon="users"
    title="No users yet"
    text="Your app creates users through the API or a PDP, for example when they sign in. You can also add one here."
    action={action}
  />
)

/** Fields that say nothing are left out of the address. */
function withoutEmpty(search: { readonly [N in keyof UsersSearch]?: UsersSearch[N] | undefined }): UsersSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== '' && value !== undefined))
}
