// The roles of users that were not used for a time: one in a row, with the day of its last use. What cannot be known is
// listed, too, and says why.
import { useQuery } from '@tanstack/react-query'
import { useEnvironmentPath } from '../../api/environments.ts'
import { type LastUsedRole, lastUsedRolesQuery } from '../../api/last-used.ts'
import { PAGE_ROWS } from '../../api/page-of.ts'
import { CursorPages } from '../../components/cursor-pages.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Holder } from '../../components/holder.tsx'
import { Instant } from '../../components/instant.tsx'
import { KnownUses, LastUse } from '../../components/last-use.tsx'
import { EmptyState, QueryState } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { type Unused, unusedText } from '../../components/unused-times.ts'
import classes from './users.module.css'
import type { UsersSearch } from './users-search.ts'

interface UnusedRolesProps {
  readonly search: UsersSearch
  readonly unused: Unused
}

export function UnusedRoles({ search: { role, tenant, after }, unused }: UnusedRolesProps) {
  const roles = useQuery(lastUsedRolesQuery(useEnvironmentPath(), { role, tenant, unused, after }, PAGE_ROWS))
  return (
    <QueryState query={roles}>
      {({ data, next, ...uses }) => (
        <>
          <KnownUses uses={uses} />
          {data.length === 0 && next === null ? (
            <EmptyState
              icon="search"
              title={`No roles ${unusedText(unused).toLowerCase()}`}
              text="Roles that were assigned within this time aren't listed."
            />
          ) : (
            <DataTable
              label="Unused roles"
              columns={COLUMNS}
              rows={data}
              rowKey={keyOf}
              isOld={roles.isPlaceholderData}
              isStacked
            />
          )}
          <CursorPages after={after} next={next} />
        </>
      )}
    </QueryState>
  )
}

const keyOf = ({ user, role, tenant, resource_instance: on }: LastUsedRole) => JSON.stringify([user, role, tenant, on])

const COLUMNS: readonly Column<LastUsedRole>[] = [
  { header: 'User', width: '30%', cell: ({ user }) => <Holder user={user} /> },
  {
    header: 'Role',
    cell: ({ role, tenant, resource_instance: on }) => (
      <Tag>
        {role} <span className={classes.name}>{on === null ? `in ${tenant}` : `on ${on}`}</span>
      </Tag>
    ),
  },
  { header: 'Assigned', width: '180px', cell: ({ given_at }) => <Instant value={given_at} />, isNamed: true },
  {
    header: 'Last used',
    width: '220px',
    isNamed: true,
    cell: ({ last_used, unknown }) => <LastUse at={last_used} unknown={unknown} />,
  },
]
