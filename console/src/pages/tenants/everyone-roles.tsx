// The roles that everyone has in a tenant (D16), and on its instances: whoever they are given to is no member.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useEnvironmentPath } from '../../api/environments.ts'
import { PAGE_ROWS } from '../../api/page-of.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { GRANT_BUTTONS_WIDTH, GrantButtons } from '../../components/grant-buttons.tsx'
import { GrantTimes } from '../../components/grant-times.tsx'
import { EVERYBODY, EVERYBODY_WARNING } from '../../components/holder-words.ts'
import { TextLink } from '../../components/links.tsx'
import { Pager } from '../../components/pager.tsx'
import { Tag } from '../../components/tag.tsx'
import { assignmentsQuery, type RoleAssignment } from '../users/user-queries.ts'
import classes from './everyone-roles.module.css'

interface EveryoneRolesProps {
  readonly tenant: string
  readonly canWrite: boolean
}

/** Nothing where everyone has no role. */
export function EveryoneRoles({ tenant, canWrite }: EveryoneRolesProps) {
  const path = useEnvironmentPath()
  const [page, setPage] = useState(1)
  const roles = useQuery(assignmentsQuery(path, { user: EVERYBODY, tenant }, page))
  if (roles.data === undefined || roles.data.total_count === 0) return null
  const { data, total_count: total } = roles.data
  return (
    <section className={classes.everyone}>
      <h2>Everyone</h2>
      <p>{EVERYBODY_WARNING}</p>
      <DataTable
        label={`Roles of everyone in ${tenant}`}
        columns={canWrite ? [...COLUMNS, BUTTONS] : COLUMNS}
        rows={data}
        rowKey={({ id }) => id}
        isOld={roles.isPlaceholderData}
      />
      {total > PAGE_ROWS && <Pager page={page} size={PAGE_ROWS} total={total} onChange={setPage} />}
    </section>
  )
}

const COLUMNS: readonly Column<RoleAssignment>[] = [
  { header: 'Role', cell: ({ role }) => <Tag>{role}</Tag>, width: '30%' },
  { header: 'Where', cell: (row) => <Where {...row} /> },
  { header: 'Ends', cell: (row) => <GrantTimes {...row} /> },
]

const BUTTONS: Column<RoleAssignment> = {
  header: 'Change',
  isHeaderHidden: true,
  align: 'right',
  width: GRANT_BUTTONS_WIDTH,
  cell: (row) => <GrantButtons grant={row} name={`${row.role} of everyone ${whereOf(row)}`} />,
}

const whereOf = ({ resource_instance: instance, tenant }: RoleAssignment): string =>
  instance === null ? `in ${tenant}` : `on ${instance}`

function Where(row: RoleAssignment) {
  const { p, e } = useEnvironmentPath()
  const { resource_instance: instance } = row
  if (instance === null) return whereOf(row)
  return (
    <TextLink
      to="/$project/$environment/instances/$instance"
      params={{ project: p, environment: e, instance }}
      search={{ tab: 'roles' } as never}
    >
      {instance}
    </TextLink>
  )
}
