// Roles that are given for a time: what ends first, first; what starts later, and what has ended. Filters and page are in
// the address.
import { Button, NativeSelect } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { api, read } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import type { PageOf } from '../../api/page-of.ts'
import { suggestHolders, suggestRoles, suggestTenants } from '../../api/suggestions.ts'
import { useMay } from '../../api/use-session.ts'
import { CommittedField } from '../../components/committed-field.tsx'
import type { Column } from '../../components/data-table.tsx'
import { FilterField } from '../../components/filter-field.tsx'
import { GRANT_BUTTONS_WIDTH, GrantButtons } from '../../components/grant-buttons.tsx'
import { GrantTimes, type RoleAssignment } from '../../components/grant-times.tsx'
import { Holder } from '../../components/holder.tsx'
import { holderName } from '../../components/holder-words.ts'
import bar from '../../components/list-bar.module.css'
import { Page } from '../../components/page.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import { Sources } from '../../components/sources.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import {
  type EndingSearch,
  findDays,
  isNarrowed,
  isOfAll,
  STATES,
  toEndingQuery,
  USUAL,
  WITHIN,
} from './ending-search.ts'
import { UpcomingAccess } from './upcoming-access.tsx'

const FROM = '/$project/$environment/time-limited'

export function EndingPage() {
  const path = useEnvironmentPath()
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const canWrite = useMay('write')
  const ending = useQuery({
    queryKey: ['assignments', path.p, path.e, 'ending', search],
    queryFn: async ({ signal }) => {
      const query = toEndingQuery(search, Date.now())
      const answer = await read(api.GET('/v2/facts/{p}/{e}/role_assignments', { params: { path, query }, signal }))
      // with the total, and without `detailed`
      return answer as PageOf<RoleAssignment>
    },
    placeholderData: keepPreviousData,
  })
  const set = (name: keyof EndingSearch, value: string) => {
    const { page: _, [name]: __, ...others } = search
    const next = value === '' || (name === 'within' && value === USUAL) ? others : { ...others, [name]: value }
    void navigate({ search: next as EndingSearch, replace: true, resetScroll: false })
  }
  return (
    <Page
      title="Time-limited access"
      description="Roles and suspensions that start or end at a set time. What ends first is listed first."
    >
      <search className={bar.bar}>
        <NativeSelect
          size="xs"
          aria-label="State"
          value={search.state ?? ''}
          onChange={({ currentTarget }) => set('state', currentTarget.value)}
          data={STATES}
        />
        {search.state !== 'ended' && search.state !== 'scheduled' && (
          <NativeSelect
            size="xs"
            aria-label="Ends"
            value={findDays(search)}
            onChange={({ currentTarget }) => set('within', currentTarget.value)}
            data={WITHIN}
          />
        )}
        <FilterField
          label="User"
          value={search.user ?? ''}
          suggest={(text) => suggestHolders(path, text)}
          onChange={(value) => set('user', value)}
        />
        <FilterField
          label="Role"
          value={search.role ?? ''}
          suggest={(text) => suggestRoles(path, text)}
          onChange={(value) => set('role', value)}
        />
        <FilterField
          label="Tenant"
          value={search.tenant ?? ''}
          suggest={(text) => suggestTenants(path, text)}
          onChange={(value) => set('tenant', value)}
        />
        <CommittedField
          aria-label="Ticket"
          placeholder="Ticket"
          value={search.ticket ?? ''}
          onChange={(value) => set('ticket', value)}
        />
        {isNarrowed(search) && (
          <Button variant="subtle" onClick={() => void navigate({ search: {}, replace: true })}>
            Clear filters
          </Button>
        )}
      </search>
      <PagedList
        label="Time-limited roles"
        query={ending}
        columns={canWrite ? [...COLUMNS, BUTTONS] : COLUMNS}
        page={search.page ?? 1}
        kind="role"
        found="the filters above"
        isFiltered={isNarrowed(search)}
        empty={NOTHING}
      />
      {isOfAll(search) && <UpcomingAccess days={Number(findDays(search))} />}
    </Page>
  )
}

const NOTHING = (
  <EmptyState
    icon="clock"
    title="No roles end in the next 30 days"
    text="To give a role for a time, set its end when you assign it to a user."
  />
)

const whereOf = ({ resource_instance: instance, tenant }: RoleAssignment): string =>
  instance === null ? `in ${tenant}` : `on ${instance}`

const COLUMNS: readonly Column<RoleAssignment>[] = [
  { header: 'User', cell: ({ user }) => <Holder user={user} /> },
  {
    header: 'Role',
    cell: ({ role, claims }) => (
      <>
        <Tag>{role}</Tag>
        <Sources claims={claims} />
      </>
    ),
  },
  { header: 'Where', cell: whereOf, isMinor: true },
  { header: 'Ends', cell: (row) => <GrantTimes {...row} /> },
  { header: 'Ticket', cell: ({ ticket, reason }) => <span title={reason}>{ticket ?? ''}</span>, isMinor: true },
]

const BUTTONS: Column<RoleAssignment> = {
  header: 'Change',
  isHeaderHidden: true,
  align: 'right',
  width: GRANT_BUTTONS_WIDTH,
  cell: (row) => <GrantButtons grant={row} name={`${row.role} of ${holderName(row.user)} ${whereOf(row)}`} canEnd />,
}
