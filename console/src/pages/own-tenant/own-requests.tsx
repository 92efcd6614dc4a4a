// The access requests of the tenant: those that wait for a decision, or all.
import { NativeSelect } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listRequests, type RequestPlace, type RequestState } from '../../api/requests.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Pager } from '../../components/pager.tsx'
import { useRequestList } from '../../components/request-list.tsx'
import { EmptyState, QueryState } from '../../components/states.tsx'
import classes from './own-tenant-page.module.css'

const ROWS = 20
const STATES = [
  { value: 'pending', label: 'Pending' },
  { value: 'approved', label: 'Approved' },
  { value: 'all', label: 'All' },
]

export function Requests({ path }: { readonly path: RequestPlace }) {
  const [state, setState] = useState('pending')
  const [page, setPage] = useState(1)
  const [id, show] = useState<string>()
  const { columns, dialogs } = useRequestList(path, { id, show })
  const requests = useQuery({
    queryKey: ['own-tenant', 'requests', path, state, page],
    queryFn: ({ signal }) => {
      const of = state === 'all' ? {} : { state: [state as RequestState] }
      return listRequests(path, { ...of, page, per_page: ROWS }, signal)
    },
    placeholderData: keepPreviousData,
  })
  return (
    <section className={classes.part}>
      <h2>Requests</h2>
      <div className={classes.form}>
        <NativeSelect
          size="xs"
          aria-label="State of requests"
          value={state}
          data={STATES}
          onChange={({ currentTarget }) => {
            setState(currentTarget.value)
            setPage(1)
          }}
        />
      </div>
      <QueryState query={requests}>
        {({ data, total_count }) =>
          data.length === 0 ? (
            <EmptyState
              title={state === 'pending' ? 'No pending requests' : 'No requests'}
              text="Members request roles for a time. What they request is decided here."
            />
          ) : (
            <>
              <DataTable label="Requests" columns={columns} rows={data} rowKey={({ id: key }) => key} isStacked />
              <Pager page={page} total={total_count} size={ROWS} onChange={setPage} />
            </>
          )
        }
      </QueryState>
      {dialogs}
    </section>
  )
}
