// The roles on an instance, as they were assigned. What follows from related instances is on "Who may".
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEnvironmentPath } from '../../api/environments.ts'
import { PAGE_ROWS } from '../../api/page-of.ts'
import { AssignRole } from '../../components/assign-role.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { GRANT_BUTTONS_WIDTH, GrantButtons } from '../../components/grant-buttons.tsx'
import { GrantTimes } from '../../components/grant-times.tsx'
import { Holder } from '../../components/holder.tsx'
import { holderName } from '../../components/holder-words.ts'
import { Instant } from '../../components/instant.tsx'
import { Pager } from '../../components/pager.tsx'
import { Sources } from '../../components/sources.tsx'
import { EmptyState, QueryState } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { assignmentsQuery, type RoleAssignment } from '../users/user-queries.ts'

const FROM = '/$project/$environment/instances/$instance'

export function InstanceRoles({ instance, canWrite }: { readonly instance: string; readonly canWrite: boolean }) {
  const path = useEnvironmentPath()
  const { page = 1 } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const roles = useQuery(assignmentsQuery(path, { resource_instance: instance }, page))
  return (
    <>
      {canWrite && <AssignRole instance={instance} />}
      <QueryState query={roles}>
        {({ data, total_count }) =>
          data.length === 0 ? (
            <EmptyState
              icon="keyRound"
              title="No roles on this instance"
              text="Users may still have access through roles in its tenant, related instances or conditions. See Who has access."
            />
          ) : (
            <>
              <DataTable
                label={`Roles on ${instance}`}
                columns={canWrite ? [...COLUMNS, BUTTONS] : COLUMNS}
                rows={data}
                rowKey={({ id }) => id}
                isOld={roles.isPlaceholderData}
              />
              <Pager
                page={page}
                size={PAGE_ROWS}
                total={total_count}
                onChange={(next) => void navigate({ search: (before) => ({ ...before, page: next }) })}
              />
            </>
          )
        }
      </QueryState>
    </>
  )
}

const COLUMNS: readonly Column<RoleAssignment>[] = [
  {
    header: 'User',
    width: '30%',
    cell: ({ user }) => <Holder user={user} />,
  },
  {
    header: 'Role',
    cell: ({ role, claims }) => (
      <>
        <Tag>{role}</Tag>
        <Sources claims={claims} />
      </>
    ),
  },
  { header: 'Since', cell: ({ created_at }) => <Instant value={created_at} />, isMinor: true, width: '180px' },
  { header: 'Ends', cell: (row) => <GrantTimes {...row} /> },
]

const BUTTONS: Column<RoleAssignment> = {
  header: 'Change',
  isHeaderHidden: true,
  align: 'right',
  width: GRANT_BUTTONS_WIDTH,
  cell: (row) => <GrantButtons grant={row} name={`${row.role} from ${holderName(row.user)}`} />,
}
