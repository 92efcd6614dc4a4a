// Taking a revision back: what that would change, who gains and who loses, what stands in its way; then it is done, as a
// revision like others (docs/past-decisions.md).
import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { components } from 'zerohop/client'
import { api, read } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { useMay } from '../../api/use-session.ts'
import { AccessDiff } from '../../components/access-diff.tsx'
import { Page } from '../../components/page.tsx'
import { EmptyState, ErrorState, QueryState } from '../../components/states.tsx'
import { Cascade, PlanChanges } from './plan-changes.tsx'
import classes from './policy-page.module.css'

type RevertPlan = components['schemas']['RevertPlan']

const FROM = '/$project/$environment/policy/revert/$revision'

export function RevertPage() {
  const { revision } = useParams({ from: FROM })
  const path = { ...useEnvironmentPath(), revision }
  const plan = useQuery({
    queryKey: ['revert-plan', path.p, path.e, revision],
    queryFn: ({ signal }) =>
      read(
        api.POST('/v2/projects/{p}/envs/{e}/revisions/{revision}/revert/plan', { params: { path }, body: {}, signal }),
      ),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  return (
    <Page
      title={`Revert revision ${revision}`}
      help="Policy"
      description="What it changed becomes what it was before; what was written since stays. It can be reverted, too."
    >
      <QueryState query={plan}>{(data) => <Reverting plan={data} />}</QueryState>
    </Page>
  )
}

function Reverting({ plan }: { readonly plan: RevertPlan }) {
  const path = { ...useEnvironmentPath(), revision: String(plan.reverts) }
  const navigate = useNavigate({ from: FROM })
  const canWrite = useMay('write')
  const revert = useMutation({
    mutationFn: () => {
      const body = { fingerprints: plan.fingerprints, expected: { policy: plan.policy, access: plan.access } }
      return read(api.POST('/v2/projects/{p}/envs/{e}/revisions/{revision}/revert', { params: { path }, body }))
    },
    onSuccess: ({ revision }) => void navigate({ to: '/$project/$environment/policy', search: { saved: revision } }),
  })
  const back = (
    <Button component={Link} from={FROM} to="/$project/$environment/policy" variant="default">
      Back to the matrix
    </Button>
  )
  if (plan.conflicts.length > 0) return <Conflicts conflicts={plan.conflicts} back={back} />
  if (plan.changes.length === 0 && !revert.isSuccess)
    return (
      <EmptyState
        icon="history"
        title="Nothing to revert"
        text="Everything that this revision changed is as it was before it."
        action={back}
      />
    )
  return (
    <div className={classes.review}>
      <section aria-label="Changes">
        <h2>Changes</h2>
        <PlanChanges changes={plan.changes} more={plan.more} />
        {plan.lost.length > 0 && (
          <ul className={classes.difference}>
            {plan.lost.map(({ kind, key, what }) => (
              <li key={`${kind}:${key}`}>
                Does not come back: {kind.replaceAll('_', ' ')} {key}: {what}
              </li>
            ))}
          </ul>
        )}
      </section>
      <section aria-label="Effect">
        <h2>Who gains, who loses</h2>
        <AccessDiff policy={plan.policy} access={plan.access} />
        <Cascade counts={plan.cascade} />
      </section>
      {revert.isError && <ErrorState error={revert.error} />}
      <div className={classes.saveBar}>
        {back}
        {canWrite && (
          <Button onClick={() => revert.mutate()} loading={revert.isPending}>
            Revert
          </Button>
        )}
      </div>
    </div>
  )
}

interface ConflictsProps {
  readonly conflicts: RevertPlan['conflicts']
  readonly back: React.ReactNode
}

function Conflicts({ conflicts, back }: ConflictsProps) {
  return (
    <div className={classes.review}>
      <section role="alert" aria-label="Conflicts" className={classes.conflicts}>
        <h2>It cannot be reverted as a whole</h2>
        <ul className={classes.difference}>
          {conflicts.map(({ kind, key, what }) => (
            <li key={`${kind}:${key}`}>
              {kind.replaceAll('_', ' ')} {key} {what}
            </li>
          ))}
        </ul>
      </section>
      <div className={classes.saveBar}>{back}</div>
    </div>
  )
}
