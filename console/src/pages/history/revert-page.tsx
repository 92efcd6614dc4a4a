// Takes a revision back: what that would change now, who would gain and lose access, and what stands in its way. What
// is in the way may be left as it is. Nothing happens before the button, and then just what is shown.
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { countsText, formatChangeCounts, lostTexts, MADE_AGAIN, NOTHING_CHANGES } from 'zerohop/change-words'
import { useEnvironmentPath } from '../../api/environments.ts'
import { useMay } from '../../api/use-session.ts'
import { AccessDiff } from '../../components/access-diff.tsx'
import { ChangeList } from '../../components/change-list.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { NO_NOTES, NoteFields } from '../../components/note-fields.tsx'
import { notifyDone } from '../../components/notify.ts'
import { Page } from '../../components/page.tsx'
import { PlanOutcome } from '../../components/plan-outcome.tsx'
import { EmptyState, LoadingState, QueryState } from '../../components/states.tsx'
import classes from './history.module.css'
import { type RevertPlan, type Revision, revert, revertPlanQuery, revisionQuery } from './history-queries.ts'
import { RevertObjects } from './revert-objects.tsx'
import type { RevertSearch } from './revert-search.ts'

const FROM = '/$project/$environment/history/$revision/revert'

export function RevertPage() {
  const path = useEnvironmentPath()
  const { revision } = useParams({ from: FROM })
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const shown = useQuery(revisionQuery(path, revision, false))
  const plan = useQuery({
    ...revertPlanQuery(path, shown.data, search),
    enabled: shown.data !== undefined,
    placeholderData: keepPreviousData,
  })
  return (
    <Page title={`Revert revision ${revision}`} description="Undoes this revision. Later changes are kept.">
      <QueryState query={shown}>
        {(target) => (
          <div className={classes.sections}>
            <RevertObjects
              changes={target.changes}
              conflicts={plan.data?.conflicts ?? []}
              search={search}
              onChange={(next) => void navigate({ search: next, replace: true, resetScroll: false })}
            />
            <QueryState query={plan} loading={<LoadingState label="Planning the revert" />}>
              {(planned) => (
                <Plan
                  key={planned.revision}
                  {...{ target, planned, search }}
                  isOld={plan.isFetching}
                  onAgain={() => void plan.refetch()}
                />
              )}
            </QueryState>
          </div>
        )}
      </QueryState>
    </Page>
  )
}

interface PlanProps {
  readonly target: Revision
  readonly planned: RevertPlan
  readonly search: RevertSearch
  /** another plan is being made */
  readonly isOld: boolean
  readonly onAgain: () => void
}

function Plan({ target, planned, search, isOld, onAgain }: PlanProps) {
  const path = useEnvironmentPath()
  const navigate = useNavigate({ from: FROM })
  const mayWrite = useMay('write')
  const [notes, setNotes] = useState(NO_NOTES)
  const doIt = useMutation({
    mutationFn: () => revert(path, target, search, planned, notes),
    onSuccess: ({ revision }) => {
      notifyDone(`Revision ${target.revision} was reverted. To undo this, revert this revision.`)
      void navigate({ to: '/$project/$environment/history/$revision', params: { revision: String(revision) } })
    },
  })
  const back = (
    <ButtonLink
      to="/$project/$environment/history/$revision"
      params={{ project: path.p, environment: path.e, revision: String(target.revision) }}
    >
      {mayWrite ? 'Cancel' : 'Back'}
    </ButtonLink>
  )
  const isPossible = planned.conflicts.length === 0
  if (isPossible && planned.changes.length === 0)
    return (
      <EmptyState
        icon="circleCheck"
        title="Nothing to revert"
        text={`Everything is already as it was before. ${NOTHING_CHANGES}`}
        action={back}
      />
    )
  return (
    <>
      {isPossible && <WhatChanges planned={planned} isOld={isOld} />}
      {isPossible && mayWrite && (
        <NoteFields {...notes} onChange={(name) => (value) => setNotes({ ...notes, [name]: value })} />
      )}
      <PlanOutcome
        action="Revert"
        mutation={doIt}
        onAgain={onAgain}
        canWrite={mayWrite}
        isDisabled={!isPossible || isOld}
        beside={back}
      >
        {isPossible ? sentenceOf(planned) : 'Resolve the conflicts above first.'}
      </PlanOutcome>
    </>
  )
}

const sentenceOf = (planned: RevertPlan): string => `${formatChangeCounts(planned)}, in one revision.`

function WhatChanges({ planned, isOld }: { readonly planned: RevertPlan; readonly isOld: boolean }) {
  const { changes, more, cascade, policy, access, lost } = planned
  return (
    <>
      <section aria-busy={isOld}>
        <h2>What would change</h2>
        <ChangeList label="What would change" changes={changes} more={more} isPlan />
        {cascade.length > 0 && <p className={classes.note}>Also deleted: {countsText(cascade)}</p>}
        {changes.some(({ op }) => op === 'create') && <p className={classes.note}>{MADE_AGAIN}</p>}
        {lostTexts(lost).map((text) => (
          <p key={text} className={classes.note}>
            {text}
          </p>
        ))}
      </section>
      <section aria-busy={isOld}>
        <h2>Who would gain and lose access</h2>
        <AccessDiff diff={{ policy, access }} nothing="No one would gain or lose access." />
      </section>
    </>
  )
}
