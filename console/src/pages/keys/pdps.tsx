// The PDPs that follow the environment.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useEnvironmentPath } from '../../api/environments.ts'
import { PAGE_ROWS } from '../../api/page-of.ts'
import { pdpsQuery } from '../../api/pdps.ts'
import { Pager } from '../../components/pager.tsx'
import { PdpTable } from '../../components/pdp-table.tsx'
import { QueryState } from '../../components/states.tsx'
import classes from './keys.module.css'

export function Pdps() {
  const path = useEnvironmentPath()
  const [page, setPage] = useState(1)
  const pdps = useQuery(pdpsQuery(path, page))
  return (
    <section aria-label="PDPs of this environment" className={classes.pdps}>
      <h2>PDPs</h2>
      <QueryState query={pdps}>
        {({ data, total_count }) =>
          total_count === 0 ? (
            <p>
              No PDPs are connected. Start one with a key of this environment and it appears here. In{' '}
              <code>zerohop serve</code>, the built-in PDP is always current and isn't listed.
            </p>
          ) : (
            <>
              <PdpTable pdps={data} />
              {(total_count > PAGE_ROWS || page > 1) && (
                <Pager page={page} size={PAGE_ROWS} total={total_count} onChange={setPage} />
              )}
            </>
          )
        }
      </QueryState>
    </section>
  )
}
