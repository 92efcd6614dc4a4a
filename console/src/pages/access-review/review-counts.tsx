// How many users have each role, or may do each action: what one opens to see who.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { counted } from 'zerohop/change-words'
import { foldCase } from 'zerohop/fold-case'
import { useEnvironmentPath } from '../../api/environments.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EVERYBODY_WARNING } from '../../components/holder-words.ts'
import { Icon } from '../../components/icon.tsx'
import { TextLink } from '../../components/links.tsx'
import bar from '../../components/list-bar.module.css'
import { Pager } from '../../components/pager.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { EmptyState, QueryState } from '../../components/states.tsx'
import classes from './review.module.css'
import { type AccessCount, countsQuery } from './review-queries.ts'
import type { ReviewSearch } from './review-search.ts'

const ROWS = 50
const number = new Intl.NumberFormat()

const WORDS = {
  role: { label: 'Roles', none: 'No roles', text: 'Roles give permissions to users. Create them on the Policy page.' },
  resource: { label: 'Actions', none: 'No actions', text: 'Add resources and their actions on the Resources page.' },
} as const

interface ReviewCountsProps {
  readonly by: 'role' | 'resource'
  readonly search: ReviewSearch
}

export function ReviewCounts({ by, search }: ReviewCountsProps) {
  const counts = useQuery(countsQuery(useEnvironmentPath(), by, search))
  const [find, setFind] = useState('')
  const [page, setPage] = useState(1)
  const { label, none, text } = WORDS[by]
  const wanted = foldCase(find)
  return (
    <QueryState query={counts}>
      {({ counts: all, tenant_roles: ofTenants, complete, revision }) => {
        const rows = all.filter(({ key }) => foldCase(key).includes(wanted))
        return (
          <>
            <div className={bar.bar}>
              <SearchField
                label={`Find ${label.toLowerCase()}`}
                value={find}
                onChange={(next) => {
                  setFind(next)
                  setPage(1)
                }}
              />
              <span className={classes.dim}>
                {complete ? 'As' : 'Incomplete counts, as'} of revision {revision}
                {ofTenants && `, without ${counted(ofTenants.roles, 'role')} of tenants`}
              </span>
            </div>
            {rows.length === 0 ? (
              <EmptyState icon="search" title={`${none}${find === '' ? ' yet' : ' match'}`} text={text} />
            ) : (
              <>
                <DataTable
                  label={label}
                  columns={by === 'role' ? ROLE_COLUMNS : ACTION_COLUMNS}
                  rows={rows.slice((page - 1) * ROWS, page * ROWS)}
                  rowKey={({ key }) => key}
                />
                {rows.length > ROWS && <Pager page={page} size={ROWS} total={rows.length} onChange={setPage} />}
              </>
            )}
          </>
        )
      }}
    </QueryState>
  )
}

function CountLink({ of, to }: { readonly of: string; readonly to: ReviewSearch }) {
  return (
    <TextLink to="." search={((before: ReviewSearch) => ({ ...before, ...to })) as never}>
      {of}
    </TextLink>
  )
}

function ActionLink({ of }: { readonly of: string }) {
  const colon = of.indexOf(':')
  return <CountLink of={of} to={{ resource: of.slice(0, colon), action: of.slice(colon + 1) }} />
}

const right = { align: 'right', width: '120px' } as const

const ROLE_COLUMNS: readonly Column<AccessCount>[] = [
  { header: 'Role', cell: ({ key }) => <CountLink of={key} to={{ role: key }} /> },
  { header: 'Users', ...right, cell: (row) => <Users of={row} /> },
  { header: 'Permissions', ...right, cell: ({ permissions }) => number.format(permissions ?? 0) },
]

const ACTION_COLUMNS: readonly Column<AccessCount>[] = [
  { header: 'Action', cell: ({ key }) => <ActionLink of={key} /> },
  { header: 'Users', ...right, cell: (row) => <Users of={row} /> },
  {
    header: 'Conditional',
    ...right,
    cell: ({ conditional }) => (conditional === 0 ? '' : `+ ${number.format(conditional)}`),
  },
]

/** How many users, and whether everyone (D16): who holds it besides is then counted, too. */
function Users({ of: { users, everybody } }: { readonly of: AccessCount }) {
  if (!everybody) return users === 0 ? <Nobody /> : number.format(users)
  return (
    <>
      <strong title={EVERYBODY_WARNING}>Everyone</strong>
      {users > 0 && ` + ${number.format(users)}`}
    </>
  )
}

const Nobody = () => (
  <span className={classes.nobody}>
    <Icon name="triangleAlert" size={14} /> no one
  </span>
)
