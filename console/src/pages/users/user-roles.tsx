// The roles of a user, in tenants and on instances, as they were assigned; and the tenants that the user belongs to.
import '@mantine/core/styles/Anchor.layer.css'
import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEnvironmentPath } from '../../api/environments.ts'
import { type LastUsedRole, lastUsedOfUserQuery } from '../../api/last-used.ts'
import { PAGE_ROWS } from '../../api/page-of.ts'
import { useMay } from '../../api/use-session.ts'
import { AssignRole } from '../../components/assign-role.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { GRANT_BUTTONS_WIDTH, GrantButtons } from '../../components/grant-buttons.tsx'
import { GrantTimes } from '../../components/grant-times.tsx'
import { Instant } from '../../components/instant.tsx'
import { KnownUses, LastUse } from '../../components/last-use.tsx'
import { Pager } from '../../components/pager.tsx'
import { Sources } from '../../components/sources.tsx'
import { EmptyState, QueryState } from '../../components/states.tsx'
import { Tag, tagLink } from '../../components/tag.tsx'
import { RemoveEverything } from './remove-everything.tsx'
import { assignmentsQuery, type RoleAssignment, type User } from './user-queries.ts'
import classes from './users.module.css'

const FROM = '/$project/$environment/users/$user'

export function UserRoles({ user }: { readonly user: User }) {
  const path = useEnvironmentPath()
  const { page = 1 } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const canWrite = useMay('write')
  const roles = useQuery(assignmentsQuery(path, { user: user.key }, page))
  const used = useQuery(lastUsedOfUserQuery(path, user.key)).data
  const uses = new Map((used?.rows ?? []).map((each) => [formatGrant(each), each.last_used]))
  const withoutRole = user.associated_tenants.filter(({ roles: held }) => held.length === 0)
  const columns: readonly Column<RoleAssignment>[] = [
    {
      header: 'Role',
      cell: ({ role, claims }) => (
        <>
          <Tag>{role}</Tag>
          <Sources claims={claims} />
        </>
      ),
    },
    { header: 'Where', cell: (row) => <Where {...row} /> },
    { header: 'Since', cell: ({ created_at }) => <Instant value={created_at} />, isNamed: true, width: '180px' },
    { header: 'Ends', cell: (row) => <GrantTimes {...row} />, isNamed: true },
    {
      header: 'Last used',
      // of a role that is not in force it is not asked
      cell: (row) => uses.has(formatGrant(row)) && <LastUse at={uses.get(formatGrant(row))} unknown={null} />,
      width: '170px',
      isNamed: true,
    },
    ...(canWrite
      ? [
          {
            header: 'Change',
            isHeaderHidden: true,
            align: 'right' as const,
            width: GRANT_BUTTONS_WIDTH,
            cell: (row: RoleAssignment) => <GrantButtons grant={row} name={`${row.role} ${whereOf(row)}`} />,
          },
        ]
      : []),
  ]
  return (
    <>
      {canWrite && <AssignRole user={user.key} usualTenant={findUsualTenant(user)} />}
      <QueryState query={roles}>
        {({ data, total_count }) =>
          data.length === 0 ? (
            <EmptyState
              icon="keyRound"
              title="No roles"
              text="Without roles, the user only has access through conditions, groups or attributes sent with a check."
            />
          ) : (
            <>
              {used && <KnownUses uses={used.uses} />}
              <DataTable
                label={`Roles of ${user.key}`}
                columns={columns}
                rows={data}
                rowKey={({ id }) => id}
                isOld={roles.isPlaceholderData}
                isStacked
              />
              <Pager
                page={page}
                size={PAGE_ROWS}
                total={total_count}
                onChange={(next) => void navigate({ search: (before) => ({ ...before, page: next }) })}
              />
              {canWrite && <RemoveEverything user={user} />}
            </>
          )
        }
      </QueryState>
      {withoutRole.length > 0 && (
        <p className={classes.belongs}>
          Member without a role:{' '}
          {withoutRole.map(({ tenant }) => (
            <Link
              key={tenant}
              to={'/$project/$environment/tenants/$tenant' as never}
              from={FROM as never}
              params={{ tenant } as never}
              className={tagLink}
            >
              {tenant}
            </Link>
          ))}
        </p>
      )}
    </>
  )
}

const formatGrant = ({ role, tenant, resource_instance: on }: Omit<LastUsedRole, 'user'> | RoleAssignment): string =>
  JSON.stringify([role, tenant, on])

/** Of who belongs to one tenant only, that one. */
function findUsualTenant({ associated_tenants: [first, ...more] }: User): string | undefined {
  return more.length === 0 ? first?.tenant : undefined
}

const whereOf = ({ resource_instance, tenant }: RoleAssignment): string =>
  resource_instance === null ? `in ${tenant}` : `on ${resource_instance}`

function Where({ resource_instance: instance, tenant }: RoleAssignment) {
  return (
    <>
      {instance !== null && (
        <>
          <Anchor
            component={Link}
            to={'/$project/$environment/instances/$instance' as never}
            from={FROM}
            params={{ instance } as never}
            size="sm"
            underline="always"
          >
            {instance}
          </Anchor>{' '}
        </>
      )}
      <span className={instance === null ? undefined : classes.name}>
        {instance === null ? '' : 'in '}
        <Anchor
          component={Link}
          to={'/$project/$environment/users' as never}
          search={{ tenant } as never}
          size="sm"
          underline="always"
        >
          {tenant}
        </Anchor>
      </span>
    </>
  )
}
