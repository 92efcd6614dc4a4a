// One proposal: what it would change now, and for whom. Someone else applies or rejects it; the one who proposed it
// withdraws it, or proposes it again where it no longer fits.
import { Alert, Button } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { countsText } from 'zerohop/change-words'
import { type components, reasonHeaders } from 'zerohop/client'
import { ApiError } from '../../api/api-error.ts'
import { api, read } from '../../api/client.ts'
import { type EnvironmentPath, useEnvironmentPath } from '../../api/environments.ts'
import { useMay } from '../../api/use-session.ts'
import { AccessDiff } from '../../components/access-diff.tsx'
import { ChangeList } from '../../components/change-list.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Instant } from '../../components/instant.tsx'
import { NO_NOTES, NoteFields } from '../../components/note-fields.tsx'
import { notifyDone } from '../../components/notify.ts'
import { LoadingState, QueryState } from '../../components/states.tsx'
import classes from './policy-page.module.css'

export type Proposal = components['schemas']['ProposalRow']
type Plan = components['schemas']['Plan']

const planOfProposal = (path: EnvironmentPath, proposal: string) =>
  queryOptions({
    queryKey: ['plan of a proposal', path.p, path.e, proposal],
    queryFn: ({ signal }) => {
      const params = { path: { ...path, proposal } }
      return read(api.POST('/v2/projects/{p}/envs/{e}/proposals/{proposal}/plan', { params, body: {}, signal }))
    },
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })

export function AboutProposal({ proposal }: { readonly proposal: Proposal }) {
  const { actor_display_name, own, created_at, reason, ticket, outdated } = proposal
  return (
    <>
      <p>
        By {own ? 'you' : actor_display_name}, <Instant value={created_at} />
        {ticket !== null && `. Ticket: ${ticket}`}
        {reason !== null && `. Reason: ${reason}`}
      </p>
      {outdated && (
        <p className={classes.outdated}>
          Outdated: something that it changes is not as it was. It can no longer be applied.
        </p>
      )}
    </>
  )
}

interface ProposalDialogProps {
  readonly proposal: Proposal
  readonly onClose: () => void
}

export function ProposalDialog({ proposal, onClose }: ProposalDialogProps) {
  const path = useEnvironmentPath()
  const client = useQueryClient()
  const mayWrite = useMay('write')
  const [notes, setNotes] = useState(NO_NOTES)
  const plan = useQuery({ ...planOfProposal(path, proposal.id), retry: false })
  const { apply, reject, withdraw, again } = useEnds(path, proposal, notes, onClose)
  const { own, outdated } = proposal
  const main = own ? (outdated ? again : undefined) : apply
  /** it changed, or more access would change, after it was shown */
  const isMoved = apply.error instanceof ApiError && apply.error.status === 409
  const planAgain = () => {
    apply.reset()
    void client.invalidateQueries()
  }
  const canDo = mayWrite && main !== undefined && !(outdated && !own)
  return (
    <Dialog
      title={own ? 'Your proposal' : 'Review proposal'}
      action={!canDo ? 'Close' : own ? 'Propose again' : 'Apply'}
      cancel={canDo ? 'Cancel' : null}
      isWide
      isBusy={main?.isPending === true || plan.isFetching}
      error={isMoved ? reject.error : (main?.error ?? reject.error ?? withdraw.error)}
      onSubmit={() => {
        if (!canDo) onClose()
        else if (main === again) again.mutate()
        else if (plan.data !== undefined && !isMoved) apply.mutate(plan.data)
      }}
      onClose={onClose}
      other={
        mayWrite && (
          <EndButton {...(own ? { end: withdraw, children: 'Withdraw' } : { end: reject, children: 'Reject' })} />
        )
      }
    >
      <AboutProposal proposal={proposal} />
      {isMoved && (
        <Alert color="yellow" role="alert" styles={{ message: { color: 'var(--console-note)' } }}>
          <p>Not applied: something changed since this plan was made. {apply.error?.message}</p>
          <Button variant="default" size="compact-sm" mt={8} onClick={planAgain}>
            Plan again
          </Button>
        </Alert>
      )}
      {plan.isFetching ? (
        <LoadingState label="Checking who gains and loses access" rows={4} />
      ) : (
        <QueryState query={plan}>{(planned) => <Planned plan={planned} />}</QueryState>
      )}
      {own && !outdated && <p>Someone else applies or rejects it.</p>}
      {mayWrite && <NoteFields {...notes} onChange={(name) => (value) => setNotes({ ...notes, [name]: value })} />}
    </Dialog>
  )
}

function Planned({ plan: { changes, more, policy, access, cascade } }: { readonly plan: Plan }) {
  return (
    <>
      <ChangeList label="What changes" changes={changes} more={more} isPlan />
      {cascade.length > 0 && <p>Also deleted: {countsText(cascade)}</p>}
      <AccessDiff diff={{ policy, access }} nothing="No one would gain or lose access." />
    </>
  )
}

interface EndButtonProps {
  readonly end: { readonly mutate: () => void; readonly isPending: boolean }
  readonly children: ReactNode
}

const EndButton = ({ end, children }: EndButtonProps) => (
  <Button variant="subtle" color="red" loading={end.isPending} onClick={() => end.mutate()}>
    {children}
  </Button>
)

/** What ends a proposal. */
function useEnds(path: EnvironmentPath, { id }: Proposal, notes: typeof NO_NOTES, onClose: () => void) {
  const client = useQueryClient()
  const params = { path: { ...path, proposal: id } }
  const headers = reasonHeaders(notes)
  const end = async (done: string) => {
    notifyDone(done)
    onClose()
    await client.invalidateQueries()
  }
  const apply = useMutation({
    mutationFn: ({ policy, access }: Plan) => {
      const body = { expected: { policy, access } }
      return read(api.POST('/v2/projects/{p}/envs/{e}/proposals/{proposal}/apply', { params, body, headers }))
    },
    onSuccess: () => end('Proposal applied'),
  })
  const reject = useMutation({
    mutationFn: () => read(api.POST('/v2/projects/{p}/envs/{e}/proposals/{proposal}/reject', { params, headers })),
    onSuccess: () => end('Proposal rejected'),
  })
  const withdraw = useMutation({
    mutationFn: () => read(api.POST('/v2/projects/{p}/envs/{e}/proposals/{proposal}/withdraw', { params, headers })),
    onSuccess: () => end('Proposal withdrawn'),
  })
  /** The same again, as a proposal of the present policy; the old one is withdrawn after that. */
  const again = useMutation({
    mutationFn: async () => {
      const { request: body } = await read(api.GET('/v2/projects/{p}/envs/{e}/proposals/{proposal}', { params }))
      await read(api.POST('/v2/projects/{p}/envs/{e}/proposals', { params: { path }, body, headers }))
      await read(api.POST('/v2/projects/{p}/envs/{e}/proposals/{proposal}/withdraw', { params, headers }))
    },
    onSuccess: () => end('Proposed again. Someone else applies or rejects it.'),
  })
  return { apply, reject, withdraw, again }
}
