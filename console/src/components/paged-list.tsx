// One page of a list: its rows with the pages before and after, or why there are none. What is searched and which page
// is open are in the address.
import type { UseQueryResult } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PAGE_ROWS } from '../api/page-of.ts'
import { type Column, DataTable } from './data-table.tsx'
import { NoRows } from './no-rows.tsx'
import { Pager } from './pager.tsx'
import { QueryState } from './states.tsx'

interface Answer<T> {
  readonly data: readonly T[]
  readonly total_count: number
}

interface PagedListProps<T> {
  /** what it lists, for screen readers */
  readonly label: string
  readonly query: UseQueryResult<Answer<T>>
  readonly columns: readonly Column<T>[]
  /** which page is open, from 1 */
  readonly page: number
  /** one of what is listed, in the singular */
  readonly kind: string
  /** what the search looks at */
  readonly found: string
  readonly isFiltered: boolean
  /** what stays in the address when everything is shown */
  readonly keep?: Readonly<Record<string, string>>
  /** on a narrow screen a row is a block */
  readonly isStacked?: boolean
  /** in the place of a list that has nothing at all */
  readonly empty: ReactNode
}

export function PagedList<T extends { readonly id: string }>({ query, page, empty, ...list }: PagedListProps<T>) {
  const { label, columns, kind, found, isFiltered, keep, isStacked } = list
  const navigate = useNavigate()
  const open = (next: number) => void navigate({ to: '.', search: (before) => ({ ...before, page: next }) as never })
  return (
    <QueryState query={query}>
      {({ data, total_count }) => {
        if (data.length === 0 && !isFiltered && page === 1) return empty
        if (data.length === 0) return <NoRows kind={kind} isBeyond={page > 1} found={found} keep={keep} />
        return (
          <>
            <DataTable
              label={label}
              columns={columns}
              rows={data}
              rowKey={({ id }) => id}
              isOld={query.isPlaceholderData}
              isStacked={isStacked}
            />
            <Pager page={page} size={PAGE_ROWS} total={total_count} onChange={open} />
          </>
        )
      }}
    </QueryState>
  )
}
