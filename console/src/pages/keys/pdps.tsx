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
              No PDP follows this environment now. One appears here when it is started with a key of the environment;
              the one inside of <code>zerohop serve</code> is never behind, and not listed.
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
