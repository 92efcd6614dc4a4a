// A change of the policy before it is made: what changes, who gains and who loses access, and then all of it as one
// revision, exactly as it was shown. When something changed meanwhile, nothing is done and the plan is made again.
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { countsText } from 'zerohop/change-words'
import type { components } from 'zerohop/client'
import { ApiError } from '../api/api-error.ts'
import { api, read } from '../api/client.ts'
import { useEnvironmentPath } from '../api/environments.ts'
import { useWrite } from '../api/write.ts'
import { AccessDiff } from './access-diff.tsx'
import { ChangeList } from './change-list.tsx'
import { Dialog } from './dialog.tsx'
import { LoadingState, QueryState } from './states.tsx'

export type PlannedChange = components['schemas']['PlannedChange']
export type Plan = components['schemas']['Plan']

interface PlanDialogProps {
  readonly title: string
  /** on the button that does it */
  readonly action: string
  readonly isDanger?: boolean
  readonly changes: readonly PlannedChange[]
  /** false where the title says all that changes */
  readonly hasChanges?: boolean
  /** says what was done, in the past */
  readonly done: string
  readonly onDone: () => void
  readonly onClose: () => void
  readonly children?: ReactNode
}

/** What the changes would do, made again whenever they are others. */
export function usePlan(changes: readonly PlannedChange[]) {
  const path = useEnvironmentPath()
  return useQuery({
    queryKey: ['plan', path.p, path.e, changes],
    queryFn: ({ signal }) => {
      const body = { changes: [...changes] }
      return read(api.POST('/v2/projects/{p}/envs/{e}/plan', { params: { path }, body, signal }))
    },
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
}

export function PlanDialog({
  title,
  action,
  isDanger = false,
  changes,
  hasChanges = true,
  done,
  onDone,
  onClose,
  children,
}: PlanDialogProps) {
  const path = useEnvironmentPath()
  const plan = usePlan(changes)
  const save = useWrite({
    send: ({ fingerprints, policy, access }: Plan) => {
      const body = { changes: [...changes], fingerprints, expected: { policy, access } }
      return api.POST('/v2/projects/{p}/envs/{e}/apply', { params: { path }, body })
    },
    done: () => done,
    onDone,
    onFail: () => void plan.refetch(),
  })
  const isOutdated = save.error instanceof ApiError && save.error.status === 409
  return (
    <Dialog
      title={title}
      action={action}
      isDanger={isDanger}
      isWide
      isBusy={save.isPending || plan.isFetching}
      error={isOutdated ? undefined : save.error}
      onSubmit={() => plan.data !== undefined && save.mutate(plan.data)}
      onClose={onClose}
    >
      {children}
      <PlannedChanges {...{ plan, isOutdated, hasChanges }} />
    </Dialog>
  )
}

interface PlannedChangesProps {
  readonly plan: Pick<UseQueryResult<Plan>, 'data' | 'error' | 'isPending' | 'isFetching' | 'refetch'>
  /** it was to be written, and something had changed */
  readonly isOutdated: boolean
  readonly hasChanges?: boolean
}

/** What a plan would write, and who would gain and lose access by it. */
export function PlannedChanges({ plan, isOutdated, hasChanges = true }: PlannedChangesProps) {
  return (
    <>
      {isOutdated && (
        <p role="alert">
          Not saved: something changed since your review. The changes below are up to date. Please review them again.
        </p>
      )}
      {plan.isFetching ? (
        <LoadingState label="Checking who gains and loses access" rows={4} />
      ) : (
        <QueryState query={plan}>
          {({ changes: planned, more, policy, access, cascade }) => (
            <>
              {hasChanges && <ChangeList label="What changes" changes={planned} more={more} isPlan />}
              {cascade.length > 0 && <p>Also deleted: {countsText(cascade)}</p>}
              <AccessDiff diff={{ policy, access }} nothing="No one would gain or lose access." />
            </>
          )}
        </QueryState>
      )}
    </>
  )
}
