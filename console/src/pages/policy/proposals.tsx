// The open proposals of the environment: what each would change now, who would gain and lose access, and applying or
// rejecting it. The one who proposed it withdraws it on the command line.
import { Button } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countsText } from 'zerohop/change-words'
import { type components, reasonHeaders } from 'zerohop/client'
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

type Proposal = components['schemas']['ProposalRow']
type Plan = components['schemas']['Plan']

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

/** Nothing where none is open. */
export function Proposals() {
  const query = useQuery(proposalsQuery(useEnvironmentPath()))
  const [shown, setShown] = useState<Proposal>()
  const open = query.data?.data ?? []
  if (open.length === 0) return null
  return (
    <section aria-label="Open proposals">
      <h2>Open proposals</h2>
      <ul className={classes.changes}>
        {open.map((proposal) => (
          <li key={proposal.id}>
            <div className={classes.changeHead}>
              <h3>{proposal.summary}</h3>
              <Button variant="default" size="compact-sm" onClick={() => setShown(proposal)}>
                Review proposal
              </Button>
            </div>
            <About proposal={proposal} />
          </li>
        ))}
      </ul>
      {shown !== undefined && <ProposalDialog proposal={shown} onClose={() => setShown(undefined)} />}
    </section>
  )
}

function About({ proposal }: { readonly proposal: Proposal }) {
  const { actor_display_name, created_at, reason, ticket, outdated } = proposal
  return (
    <p>
      By {actor_display_name}, <Instant value={created_at} />
      {ticket !== null && `. Ticket: ${ticket}`}
      {reason !== null && `. Reason: ${reason}`}
      {outdated && '. Outdated: something that it changes is not as it was. It can no longer be applied.'}
    </p>
  )
}

function ProposalDialog({ proposal, onClose }: { readonly proposal: Proposal; readonly onClose: () => void }) {
  const path = useEnvironmentPath()
  const client = useQueryClient()
  const mayWrite = useMay('write')
  const [notes, setNotes] = useState(NO_NOTES)
  const plan = useQuery(planOfProposal(path, proposal.id))
  const params = { path: { ...path, proposal: proposal.id } }
  const end = async (done: string) => {
    notifyDone(done)
    onClose()
    await client.invalidateQueries()
  }
  const apply = useMutation({
    mutationFn: ({ policy, access }: Plan) => {
      const body = { expected: { policy, access } }
      const headers = reasonHeaders(notes)
      return read(api.POST('/v2/projects/{p}/envs/{e}/proposals/{proposal}/apply', { params, body, headers }))
    },
    onSuccess: () => end('Proposal applied'),
  })
  const reject = useMutation({
    mutationFn: () => {
      const headers = reasonHeaders(notes)
      return read(api.POST('/v2/projects/{p}/envs/{e}/proposals/{proposal}/reject', { params, headers }))
    },
    onSuccess: () => end('Proposal rejected'),
  })
  return (
    <Dialog
      title="Review proposal"
      action="Apply"
      isWide
      isBusy={apply.isPending || plan.isFetching}
      error={apply.error ?? reject.error}
      onSubmit={() => mayWrite && plan.data !== undefined && apply.mutate(plan.data)}
      onClose={onClose}
    >
      <About proposal={proposal} />
      {plan.isFetching ? (
        <LoadingState label="Checking who gains and loses access" rows={4} />
      ) : (
        <QueryState query={plan}>
          {({ changes, more, policy, access, cascade }) => (
            <>
              <ChangeList label="What changes" changes={changes} more={more} isPlan />
              {cascade.length > 0 && <p>Also deleted: {countsText(cascade)}</p>}
              <AccessDiff diff={{ policy, access }} nothing="No one would gain or lose access." />
            </>
          )}
        </QueryState>
      )}
      <NoteFields {...notes} onChange={(name) => (value) => setNotes({ ...notes, [name]: value })} />
      <Button
        variant="subtle"
        color="red"
        loading={reject.isPending}
        disabled={!mayWrite}
        onClick={() => reject.mutate()}
      >
        Reject
      </Button>
    </Dialog>
  )
}
