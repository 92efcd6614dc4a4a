// What goes along when a part of the policy is deleted, and who loses access by it: said before it is done.
import { useQuery } from '@tanstack/react-query'
import { countsText } from 'zerohop/change-words'
import { useEnvironmentPath } from '../../api/environments.ts'
import { AccessDiff } from '../../components/access-diff.tsx'
import { ChangeList } from '../../components/change-list.tsx'
import { LoadingState, QueryState } from '../../components/states.tsx'
import { type RemovedKind, removalQuery } from './resource-queries.ts'
import classes from './resources.module.css'

interface RemovalProps {
  readonly kind: RemovedKind
  /** as a plan names it: `invoice`, `invoice/read` */
  readonly of: string
}

export function Removal({ kind, of }: RemovalProps) {
  const plan = useQuery(removalQuery(useEnvironmentPath(), kind, of))
  return (
    <QueryState query={plan} loading={<LoadingState rows={3} label="Checking what else will be deleted" />}>
      {({ changes, more, cascade, policy, access }) => {
        const others = changes.filter((change) => change.kind !== kind || change.key !== of)
        return (
          <div className={classes.removal}>
            {others.length === 0 && cascade.length === 0 && <p>Nothing else will be deleted.</p>}
            {cascade.length > 0 && <p>Also deleted: {countsText(cascade)}.</p>}
            <AccessDiff diff={{ policy, access }} nothing="No one loses access." />
            {others.length > 0 && (
              <>
                <h3>What else changes</h3>
                <ChangeList label="What else changes" changes={others} more={more} isPlan />
              </>
            )}
          </div>
        )
      }}
    </QueryState>
  )
}
