// Everything a user may do, with what is stored: by tenant and resource, and on single instances. Each action is a link
// that asks why.
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { counted } from 'zerohop/change-words'
import { useEnvironmentPath } from '../../api/environments.ts'
import { suggestTenants } from '../../api/suggestions.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { FilterField } from '../../components/filter-field.tsx'
import bar from '../../components/list-bar.module.css'
import { SearchField } from '../../components/search-field.tsx'
import { EmptyState, QueryState } from '../../components/states.tsx'
import { Tag, Tags, tagLink } from '../../components/tag.tsx'
import { listInstances, listTenants, type PermissionRow, type TenantPermissions } from './permission-rows.ts'
import { permissionsQuery } from './user-queries.ts'
import classes from './users.module.css'

const FROM = '/$project/$environment/users/$user'
/** Instances, and tenants, that are shown at once; there is a button for more. */
const SHOWN = 100

export function UserPermissionsPanel({ user }: { readonly user: string }) {
  const path = useEnvironmentPath()
  const { tenant = '', search = '' } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const permissions = useInfiniteQuery(permissionsQuery(path, user, tenant === '' ? undefined : tenant))
  const narrow = (change: { readonly tenant?: string; readonly search?: string }) =>
    void navigate({
      search: (before) =>
        Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, text]) => text !== '')),
      replace: true,
      resetScroll: false,
    })
  return (
    <>
      <div className={bar.bar}>
        <SearchField
          label="Search resources and actions"
          value={search}
          onChange={(text) => narrow({ search: text })}
        />
        <FilterField
          label="Tenant"
          value={tenant}
          suggest={(text) => suggestTenants(path, text)}
          onChange={(key) => narrow({ tenant: key })}
        />
      </div>
      <QueryState query={permissions}>
        {(data) => (
          <Found
            user={user}
            tenants={listTenants(data, search)}
            instances={listInstances(data, search)}
            revision={data.revision}
            isNarrowed={search !== '' || tenant !== ''}
            more={
              permissions.hasNextPage
                ? {
                    read: data.tenants.length + data.instances.length,
                    isLoading: permissions.isFetchingNextPage,
                    load: () => void permissions.fetchNextPage(),
                  }
                : undefined
            }
          />
        )}
      </QueryState>
    </>
  )
}

interface FoundProps {
  readonly user: string
  readonly tenants: readonly TenantPermissions[]
  readonly instances: readonly PermissionRow[]
  readonly revision: number
  readonly isNarrowed: boolean
  /** what the server has yet to send; undefined when it has sent all */
  readonly more: MoreProps | undefined
}

interface MoreProps {
  /** tenants and instances that were read */
  readonly read: number
  readonly isLoading: boolean
  readonly load: () => void
}

function Found({ user, tenants, instances, revision, isNarrowed, more }: FoundProps) {
  const [shown, setShown] = useState(SHOWN)
  if (tenants.length + instances.length === 0 && more === undefined) {
    const text = isNarrowed
      ? 'No permissions match your search.'
      : 'Nothing is allowed based on stored data. Assign a role, or ask why with the attributes that your application sends.'
    return <EmptyState icon="shieldCheck" title={`${user} has no permissions here`} text={text} />
  }
  const rest = Math.max(tenants.length, instances.length) - shown
  return (
    <div className={classes.permissions}>
      {tenants.slice(0, shown).map(({ tenant, roles, rows }) => (
        <section key={tenant} aria-label={`In ${tenant}`}>
          <header className={classes.tenant}>
            <h2>In {tenant}</h2>
            <Tags>
              {roles.map((role) => (
                <Tag key={role}>{role}</Tag>
              ))}
            </Tags>
          </header>
          {rows.length === 0 ? (
            <p className={classes.belongs}>These roles allow nothing.</p>
          ) : (
            <DataTable
              label={`Allowed in ${tenant}`}
              columns={ofTypes(user)}
              rows={rows}
              rowKey={({ resource }) => resource}
            />
          )}
        </section>
      ))}
      {instances.length > 0 && (
        <section aria-label="On individual instances">
          <header className={classes.tenant}>
            <h2>On individual instances</h2>
          </header>
          <DataTable
            label="Allowed on individual instances"
            columns={ofInstances(user)}
            rows={instances.slice(0, shown)}
            rowKey={({ resource }) => resource}
          />
        </section>
      )}
      {rest > 0 && (
        <Button variant="default" className={classes.next} onClick={() => setShown((before) => before + SHOWN)}>
          Show {Math.min(rest, SHOWN)} more
        </Button>
      )}
      {rest <= 0 && more !== undefined && <More {...more} isNarrowed={isNarrowed} />}
      <p className={classes.belongs}>
        As of revision {revision}, based on stored data. Attributes your app sends with a check can allow more or less.
      </p>
    </div>
  )
}

function More({ read, isLoading, load, isNarrowed }: MoreProps & { readonly isNarrowed: boolean }) {
  return (
    <>
      {isNarrowed && (
        <p className={classes.belongs}>
          Searched {counted(read, 'tenant or instance', 'tenants and instances')} so far.
        </p>
      )}
      <Button variant="default" className={classes.next} loading={isLoading} onClick={load}>
        Load more
      </Button>
    </>
  )
}

const actionsOf =
  (user: string) =>
  ({ tenant, resource, actions }: PermissionRow) => (
    <Tags>
      {actions.map((action) => (
        <Link
          key={action}
          to={'/$project/$environment/why' as never}
          from={FROM as never}
          search={{ user, action, resource, tenant } as never}
          className={tagLink}
          aria-label={`Why can ${user} ${action} ${resource} in ${tenant}?`}
        >
          {action}
        </Link>
      ))}
    </Tags>
  )

const ofTypes = (user: string): readonly Column<PermissionRow>[] => [
  { header: 'Resource', cell: ({ resource }) => resource, width: '200px' },
  { header: 'Allowed actions', cell: actionsOf(user) },
]

const ofInstances = (user: string): readonly Column<PermissionRow>[] => [
  { header: 'Instance', cell: ({ resource }) => resource, width: '200px' },
  { header: 'Tenant', cell: ({ tenant }) => tenant, isMinor: true },
  {
    header: 'Roles there',
    cell: ({ roles }) => (
      <Tags>
        {roles.map((role) => (
          <Tag key={role}>{role}</Tag>
        ))}
      </Tags>
    ),
    isMinor: true,
  },
  { header: 'Allowed actions', cell: actionsOf(user) },
]
