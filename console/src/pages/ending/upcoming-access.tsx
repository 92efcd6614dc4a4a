// Who gains and who loses access by roles, relations and suspensions that start or end by themselves in the next days.
import { useQuery } from '@tanstack/react-query'
import { api, read } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { AccessDiff } from '../../components/access-diff.tsx'
import { LoadingState, QueryState } from '../../components/states.tsx'
import classes from './ending.module.css'
import { UpcomingTable } from './upcoming-table.tsx'
import { listTurns } from './upcoming-turns.ts'

const DAY_MS = 86_400_000

export function UpcomingAccess({ days }: { readonly days: number }) {
  const path = useEnvironmentPath()
  const upcoming = useQuery({
    queryKey: ['upcoming', path.p, path.e, days],
    queryFn: ({ signal }) => {
      const body = { at: new Date(Date.now() + days * DAY_MS).toISOString() }
      return read(api.POST('/v2/projects/{p}/envs/{e}/plan', { params: { path }, body, signal }))
    },
  })
  return (
    <QueryState query={upcoming} loading={<LoadingState rows={2} label="Comparing access now and then" />}>
      {({ policy, access, turns = [], more_turns: more = 0 }) => (
        <div className={classes.sections}>
          <UpcomingTable turns={listTurns(turns, access)} more={more} />
          <section>
            <h2>Who gains and loses access in the next {days} days</h2>
            <AccessDiff diff={{ policy, access }} nothing="No one gains or loses access by itself." />
          </section>
        </div>
      )}
    </QueryState>
  )
}
