// The review of the draft: what changes, who gains and who loses, and then all of it as one revision. It is saved only
// as it was reviewed: when roles or the effect changed meanwhile, the review begins again and says so.
import { Button, Group, Text } from '@mantine/core'
import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { counted, countsText } from 'zerohop/change-words'
import { reasonHeaders } from 'zerohop/client'
import { ApiError } from '../../api/api-error.ts'
import { api, read } from '../../api/client.ts'
import { useEnvironment, useEnvironmentPath } from '../../api/environments.ts'
import { useMay } from '../../api/use-session.ts'
import { AccessDiff } from '../../components/access-diff.tsx'
import { DiscardButton } from '../../components/discard-button.tsx'
import { NO_NOTES, NoteFields, type Notes } from '../../components/note-fields.tsx'
import { notifyDone } from '../../components/notify.ts'
import { Page } from '../../components/page.tsx'
import { PagePending } from '../../components/page-pending.tsx'
import { EmptyState, ErrorState, LoadingState, QueryState } from '../../components/states.tsx'
import { ConflictNotice } from './conflict-notice.tsx'
import { type Edits, listChanges, NO_EDITS } from './draft.ts'
import type { Policy } from './policy.ts'
import classes from './policy-page.module.css'
import { type Plan, planQuery, policyQuery } from './policy-query.ts'
import { Proposals } from './proposals.tsx'
import { RoleDifference } from './role-difference.tsx'
import { type PolicyDraft, usePolicy, usePolicyDraft } from './use-policy-draft.ts'

/** Changed roles that are listed. */
const SHOWN = 200
const FROM = '/$project/$environment/policy/review'

export function ReviewPage() {
  const environment = useEnvironment()
  return (
    <QueryState query={environment} loading={<PagePending />}>
      {({ id }) => <EnvironmentReview environment={id} />}
    </QueryState>
  )
}

function EnvironmentReview({ environment }: { readonly environment: string }) {
  const policy = usePolicy(useEnvironmentPath(), environment)
  return (
    <Page
      title="Review"
      help="Policy"
      description="What your draft changes, and who is affected. Nothing is saved yet."
    >
      <QueryState query={policy}>{(data) => <Review environment={environment} policy={data} />}</QueryState>
      <Proposals />
    </Page>
  )
}

interface ReviewProps {
  readonly environment: string
  readonly policy: Policy
}

function Review({ environment, policy }: ReviewProps) {
  const draft = usePolicyDraft(environment, policy)
  const { edits, conflicts, store } = draft
  const isBlocked = conflicts.length > 0
  const [notes, setNotes] = useState(NO_NOTES)
  const { plan, save } = useSaving(environment, policy, draft, notes)
  if (edits.size === 0)
    return save.isSuccess ? null : <NothingToReview onUndo={store.canUndo ? store.undo : undefined} />
  return (
    <div className={classes.review}>
      {isBlocked ? (
        <ConflictNotice
          environment={environment}
          conflicts={conflicts}
          revision={store.draft.revision}
          onContinue={() => {
            save.reset()
            draft.continueOnTop()
          }}
          onGiveUp={draft.giveUp}
        />
      ) : (
        <Effect plan={plan} />
      )}
      <ChangedRoles edits={edits} onDiscard={draft.giveUp} />
      <NoteFields {...notes} onChange={(name) => (value) => setNotes({ ...notes, [name]: value })} />
      {save.isError && !isBlocked && <SaveFailure error={save.error} />}
      <SaveBar
        isReady={plan.data !== undefined && !plan.isFetching && !isBlocked}
        isSaving={save.isPending}
        onSave={() => plan.data !== undefined && save.mutate(plan.data)}
        onDiscard={() => store.edit(NO_EDITS, policy.revision)}
      />
    </div>
  )
}

/** Whether someone else has to apply what is saved here. */
const useIsProposing = (): boolean => useEnvironment().data?.require_approval === true

/** The plan of the draft, and saving or proposing what it says. */
function useSaving(environment: string, policy: Policy, { edits, roles, conflicts, store }: PolicyDraft, notes: Notes) {
  const path = useEnvironmentPath()
  const isProposing = useIsProposing()
  const navigate = useNavigate({ from: FROM })
  const client = useQueryClient()
  const changes = useMemo(() => listChanges(edits), [edits])
  const canPlan = changes.length > 0 && conflicts.length === 0
  const plan = useQuery({ ...planQuery(path, environment, changes), enabled: canPlan })
  const save = useMutation({
    mutationFn: async ({ fingerprints, policy: pairs, access }: Plan) => {
      const headers = reasonHeaders(notes)
      if (isProposing) {
        const body = { changes: [...changes] }
        await read(api.POST('/v2/projects/{p}/envs/{e}/proposals', { params: { path }, body, headers }))
        return undefined
      }
      const body = { changes: [...changes], fingerprints, expected: { policy: pairs, access } }
      return (await read(api.POST('/v2/projects/{p}/envs/{e}/apply', { params: { path }, body, headers }))).revision
    },
    onSuccess: (revision) => {
      if (revision === undefined) {
        store.clear()
        notifyDone('Proposed. Someone else applies or rejects it.')
        void navigate({ to: '/$project/$environment/policy' })
        return
      }
      // what was saved here is no change of others
      client.setQueryData(policyQuery(path, environment).queryKey, { ...policy, roles })
      store.clear()
      void navigate({ to: '/$project/$environment/policy', search: { saved: revision } })
    },
    onError: () => void plan.refetch(),
  })
  return { plan, save }
}

function Effect({ plan }: { readonly plan: UseQueryResult<Plan> }) {
  return (
    <section aria-label="Effect" aria-live="polite" className={classes.effect}>
      <h2>Who gains and loses access</h2>
      {plan.isFetching ? (
        <LoadingState label="Checking who gains and loses access" rows={4} />
      ) : (
        <QueryState query={plan}>
          {({ policy, access, cascade }) => (
            <>
              <AccessDiff diff={{ policy, access }} nothing="No one gains or loses access." />
              {cascade.length > 0 && <Text size="sm">Also deleted: {countsText(cascade)}</Text>}
            </>
          )}
        </QueryState>
      )}
    </section>
  )
}

interface ChangedRolesProps {
  readonly edits: Edits
  readonly onDiscard: (role: string) => void
}

function ChangedRoles({ edits, onDiscard }: ChangedRolesProps) {
  return (
    <section aria-label="Changes">
      <h2>{counted(edits.size, 'role change')}</h2>
      <ul className={classes.changes}>
        {[...edits].slice(0, SHOWN).map(([key, { base, now }]) => (
          <li key={key}>
            <div className={classes.changeHead}>
              <h3>{(now ?? base)?.name}</h3>
              <code>{key}</code>
              <DiscardButton
                variant="subtle"
                color="gray"
                size="compact-xs"
                aria-label={`Discard changes of ${key}`}
                question={`Discard your changes to ${key}?`}
                onDiscard={() => onDiscard(key)}
              />
            </div>
            <RoleDifference before={base} after={now} />
          </li>
        ))}
        {edits.size > SHOWN && <li>and {edits.size - SHOWN} more</li>}
      </ul>
    </section>
  )
}

function SaveFailure({ error }: { readonly error: unknown }) {
  const isOutdated = error instanceof ApiError && error.status === 409
  return (
    <div role="alert" className={classes.conflicts}>
      {isOutdated ? (
        <p>
          Not saved: something changed since your review. {error.message} The effect above is up to date. Please review
          it again.
        </p>
      ) : (
        <ErrorState error={error} refused="Couldn't save" />
      )}
    </div>
  )
}

interface SaveBarProps {
  readonly isReady: boolean
  readonly isSaving: boolean
  readonly onSave: () => void
  readonly onDiscard: () => void
}

function SaveBar({ isReady, isSaving, onSave, onDiscard }: SaveBarProps) {
  const canWrite = useMay('write')
  const action = useIsProposing() ? 'Propose' : 'Save'
  return (
    <div className={classes.saveBar}>
      <Button component={Link} from={FROM} to="/$project/$environment/policy" variant="default">
        Back to policy
      </Button>
      <DiscardButton variant="subtle" color="red" question="Discard the draft?" onDiscard={onDiscard}>
        Discard draft
      </DiscardButton>
      {canWrite && (
        <Button onClick={onSave} loading={isSaving} disabled={!isReady}>
          {action}
        </Button>
      )}
    </div>
  )
}

/** @param onUndo undefined where nothing was done */
function NothingToReview({ onUndo }: { readonly onUndo: (() => void) | undefined }) {
  return (
    <EmptyState
      icon="table2"
      title="Nothing to review"
      text="Role changes appear here before you save them."
      action={
        <Group gap={8}>
          <Button component={Link} from={FROM} to="/$project/$environment/policy" variant="default">
            Back to policy
          </Button>
          {onUndo && <Button onClick={onUndo}>Undo</Button>}
        </Group>
      }
    />
  )
}
