// How many access requests wait for a decision, beside the page in the navigation; nothing while there are none.
import { VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { listRequests } from '../api/requests.ts'
import classes from './navigation.module.css'

/** How often it is asked whether others have asked or decided: what is written here is known at once. */
const WATCH_MS = 60_000
const SHOWN_MAX = 99

export function PendingRequests() {
  const { project = '', environment = '' } = useParams({ strict: false })
  const pending = useQuery({
    queryKey: ['access-requests', project, environment, 'pending'],
    queryFn: async ({ signal }) => {
      const query = { state: ['pending' as const], page: 1, per_page: 1 }
      return (await listRequests({ p: project, e: environment }, query, signal)).total_count
    },
    enabled: environment !== '',
    refetchInterval: WATCH_MS,
  })
  const count = pending.data ?? 0
  if (count === 0) return null
  return (
    <span className={classes.count}>
      {count > SHOWN_MAX ? `${SHOWN_MAX}+` : count}
      <VisuallyHidden> pending</VisuallyHidden>
    </span>
  )
}
