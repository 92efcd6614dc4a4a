// The columns of a list of access requests, and the dialogs that its buttons open: on the page Requests, and on the page
// of a tenant.
import { Button, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { type AccessRequest, type RequestPlace, type Step, useActing } from '../api/requests.ts'
import type { Column } from './data-table.tsx'
import { Instant } from './instant.tsx'
import { AskedTime, nameOfStep, RequestDetails, StepDialog } from './request-dialogs.tsx'
import classes from './request-list.module.css'
import { formatPlace, formatRequest, listSteps, STATE_WORDS, STEP_WORDS } from './request-words.ts'
import { Tag } from './tag.tsx'

interface Listed {
  readonly columns: readonly Column<AccessRequest>[]
  /** what is open over the list */
  readonly dialogs: React.ReactNode
}

interface Open {
  readonly id: string | undefined
  readonly show: (id: string | undefined) => void
}

/** @param open which request is open, where the address says it */
export function useRequestList(place: RequestPlace, open: Open): Listed {
  const acting = useActing()
  const [taken, setTaken] = useState<{ readonly step: Step; readonly request: AccessRequest }>()
  const columns: readonly Column<AccessRequest>[] = [
    {
      header: 'User',
      width: '18%',
      cell: (request) => <Opener request={request} onOpen={() => open.show(request.id)} />,
    },
    { header: 'Role', cell: (request) => <Role request={request} /> },
    { header: 'Why', cell: (request) => <Why request={request} /> },
    { header: 'Time', cell: (request) => <Time request={request} /> },
    { header: 'State', cell: (request) => <State request={request} /> },
    {
      header: 'Decide',
      isHeaderHidden: true,
      align: 'right',
      width: '210px',
      cell: (request) => (
        <div className={classes.steps}>
          {listSteps(request, acting).map((step) => (
            <Button
              key={step}
              variant={step === 'approve' ? 'default' : 'subtle'}
              size="compact-xs"
              color={step === 'approve' ? undefined : 'gray'}
              aria-label={nameOfStep(step, request)}
              onClick={() => setTaken({ step, request })}
            >
              {STEP_WORDS[step]}
            </Button>
          ))}
        </div>
      ),
    },
  ]
  const dialogs = (
    <>
      {open.id !== undefined && taken === undefined && (
        <RequestDetails
          place={place}
          id={open.id}
          acting={acting}
          onStep={(step, request) => setTaken({ step, request })}
          onClose={() => open.show(undefined)}
        />
      )}
      {taken !== undefined && (
        <StepDialog {...taken} place={place} acting={acting} onClose={() => setTaken(undefined)} />
      )}
    </>
  )
  return { columns: acting.is === 'nobody' ? columns.slice(0, -1) : columns, dialogs }
}

function Opener({ request, onOpen }: { readonly request: AccessRequest; readonly onOpen: () => void }) {
  return (
    <UnstyledButton className={classes.open} aria-label={`Open request: ${formatRequest(request)}`} onClick={onOpen}>
      {request.user}
    </UnstyledButton>
  )
}

function Role({ request }: { readonly request: AccessRequest }) {
  return (
    <>
      <Tag>{request.role}</Tag>
      <div className={classes.note}>{formatPlace(request)}</div>
    </>
  )
}

function Why({ request: { reason, ticket } }: { readonly request: AccessRequest }) {
  return (
    <>
      {reason !== undefined && <div className={classes.text}>{reason}</div>}
      {ticket !== undefined && <div className={classes.note}>{ticket}</div>}
    </>
  )
}

/** How long the role is asked for, and until when it is given. */
function Time({ request }: { readonly request: AccessRequest }) {
  const { state, valid_until: until, created_at } = request
  return (
    <>
      {state !== 'approved' || until === undefined ? (
        <AskedTime {...request} />
      ) : (
        <>
          until <Instant value={until} hasZone />
        </>
      )}
      <div className={classes.note}>
        requested <Instant value={created_at} />
      </div>
    </>
  )
}

function State({ request }: { readonly request: AccessRequest }) {
  const { state, expires_at, auto, approved_by, decided_by, decided_at, decision_reason } = request
  const by = state === 'approved' && auto ? 'at once' : `by ${decided_by ?? approved_by ?? 'the system'}`
  return (
    <>
      <Tag>{STATE_WORDS[state]}</Tag>
      <div className={classes.note}>
        {state === 'pending' && expires_at !== undefined && (
          <>
            expires <Instant value={expires_at} />
          </>
        )}
        {decided_at !== undefined && state !== 'expired' && (
          <>
            {by}, <Instant value={decided_at} />
          </>
        )}
        {decision_reason !== undefined && <div>{decision_reason}</div>}
      </div>
    </>
  )
}
