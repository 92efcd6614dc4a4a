// The open proposals of the environment. One is opened to see what it would change now, and for whom.
import { Button } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, read } from '../../api/client.ts'
import { type EnvironmentPath, useEnvironmentPath } from '../../api/environments.ts'
import classes from './policy-page.module.css'
import { AboutProposal, ProposalDialog } from './proposal-dialog.tsx'

/** As many as an environment keeps. */
const ROWS = 100

const proposalsQuery = (path: EnvironmentPath) =>
  queryOptions({
    queryKey: ['proposals', path.p, path.e],
    queryFn: ({ signal }) => {
      const query = { state: ['proposed'], per_page: ROWS }
      return read(api.GET('/v2/projects/{p}/envs/{e}/proposals', { params: { path, query }, signal }))
    },
  })

/** Nothing where none is open. */
export function Proposals() {
  const query = useQuery(proposalsQuery(useEnvironmentPath()))
  const [shownId, setShown] = useState<string>()
  const open = query.data?.data ?? []
  if (open.length === 0) return null
  /** as it is now: it may have become outdated since it was opened */
  const shown = open.find(({ id }) => id === shownId)
  return (
    <section aria-label="Open proposals" className={classes.proposals}>
      <h2>Open proposals</h2>
      <ul className={classes.changes}>
        {open.map((proposal) => (
          <li key={proposal.id}>
            <div className={classes.changeHead}>
              <h3>{proposal.summary}</h3>
              <Button variant="default" size="compact-sm" onClick={() => setShown(proposal.id)}>
                {proposal.own ? 'Your proposal' : 'Review proposal'}
              </Button>
            </div>
            <AboutProposal proposal={proposal} />
          </li>
        ))}
      </ul>
      {shown !== undefined && <ProposalDialog proposal={shown} onClose={() => setShown(undefined)} />}
    </section>
  )
}
