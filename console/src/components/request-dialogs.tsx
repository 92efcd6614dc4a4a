// Dialogs of access requests: one request with all that is known of it, and the step that somebody takes with it. What
// the server refuses is said at the field that it is about.
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DURATION_FORM, formatSeconds, parseDuration } from 'zerohop/durations'
import {
  type AccessRequest,
  type Acting,
  type RequestPlace,
  readRequest,
  type Step,
  takeStep,
} from '../api/requests.ts'
import { suggestUsers } from '../api/suggestions.ts'
import { Dialog } from './dialog.tsx'
import { TimeField, toInstant, toTyped } from './grant-times.tsx'
import { Instant } from './instant.tsx'
import { KeyField } from './key-field.tsx'
import { Modal } from './modal.tsx'
import { notifyDone } from './notify.ts'
import { errorBeside, refusalOf } from './object-fields.tsx'
import classes from './request-list.module.css'
import { formatPlace, formatRequest, listSteps, STATE_WORDS, STEP_WORDS } from './request-words.ts'
import { QueryState } from './states.tsx'

const FIELDS = [{ name: 'as' }, { name: 'duration' }, { name: 'until' }, { name: 'reason' }]
const DONE: Readonly<Record<Step, string>> = {
  approve: 'approved',
  deny: 'denied',
  cancel: 'cancelled',
  revoke: 'revoked',
}
const TITLES: Readonly<Record<Step, string>> = {
  approve: 'Approve request?',
  deny: 'Deny request?',
  cancel: 'Cancel request?',
  revoke: 'Revoke access?',
}
const ACTIONS: Readonly<Record<Step, string>> = { ...STEP_WORDS, cancel: 'Cancel request' }

interface AsUserFieldProps {
  readonly place: RequestPlace
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error?: string | undefined
}

/** Whom the holder of a key names as the user who acts. */
export function AsUserField({ place, value, onChange, error }: AsUserFieldProps) {
  const about = { label: 'As user', description: 'The user who acts. An API key can act as any user.', value, error }
  if (place.ref === undefined)
    return <KeyField {...about} onChange={onChange} suggest={(text) => suggestUsers(place, text)} />
  return <TextInput {...about} onChange={({ currentTarget }) => onChange(currentTarget.value)} autoComplete="off" />
}

interface StepDialogProps {
  readonly place: RequestPlace
  readonly request: AccessRequest
  readonly step: Step
  readonly acting: Acting
  readonly onClose: () => void
}

export function StepDialog({ place, request, step, acting, onClose }: StepDialogProps) {
  const { id, user, duration, until } = request
  const asked = { duration: duration === undefined ? '' : formatSeconds(duration), until: toTyped(until) }
  const [typed, setTyped] = useState({ as: step === 'cancel' ? user : '', reason: '', ...asked })
  const [wasSent, setSent] = useState(false)
  const set = (name: keyof typeof typed) => (value: string) => setTyped((before) => ({ ...before, [name]: value }))
  const problems = wasSent ? findProblems(typed, acting, duration !== undefined && step === 'approve') : {}
  const take = useMutation({
    mutationFn: () => {
      const shorter = {
        ...(typed.duration === asked.duration ? {} : { duration: parseDuration(typed.duration) ?? null }),
        ...(typed.until === asked.until ? {} : { until: toInstant(typed.until) }),
      }
      return takeStep(place, id, step, {
        ...(acting.is === 'key' ? { as: typed.as.trim() } : {}),
        ...(typed.reason.trim() === '' ? {} : { reason: typed.reason.trim() }),
        ...(step === 'approve' ? shorter : {}),
      })
    },
    onSuccess: () => {
      notifyDone(`Request of ${user} ${DONE[step]}`)
      onClose()
    },
  })
  const submit = () => {
    setSent(true)
    if (Object.keys(findProblems(typed, acting, duration !== undefined && step === 'approve')).length === 0)
      take.mutate()
  }
  const errorAt = (name: 'as' | 'duration' | 'until' | 'reason') => problems[name] ?? refusalOf(take.error, name)
  return (
    <Dialog
      title={TITLES[step]}
      action={ACTIONS[step]}
      cancel="Close"
      isDanger={step === 'deny' || step === 'revoke'}
      isBusy={take.isPending}
      error={errorBeside(take.error, FIELDS)}
      onSubmit={submit}
      onClose={onClose}
    >
      <Asked request={request} />
      {acting.is === 'key' && <AsUserField place={place} value={typed.as} onChange={set('as')} error={errorAt('as')} />}
      {step === 'approve' && duration !== undefined && (
        <TextInput
          label="Duration"
          description="Counted from now. Shorten it to give less than was requested."
          value={typed.duration}
          onChange={({ currentTarget }) => set('duration')(currentTarget.value)}
          error={errorAt('duration')}
          autoComplete="off"
        />
      )}
      {step === 'approve' && until !== undefined && (
        <TimeField label="Ends" value={typed.until} onChange={set('until')} error={errorAt('until')} />
      )}
      <TextInput
        label="Reason"
        description="Optional. The user sees it."
        value={typed.reason}
        onChange={({ currentTarget }) => set('reason')(currentTarget.value)}
        error={errorAt('reason')}
        autoComplete="off"
      />
    </Dialog>
  )
}

function findProblems(
  typed: { readonly as: string; readonly duration: string },
  acting: Acting,
  hasDuration: boolean,
): { readonly as?: string; readonly duration?: string; readonly until?: string; readonly reason?: string } {
  return {
    ...(acting.is === 'key' && typed.as.trim() === '' ? { as: 'Name the user who acts' } : {}),
    ...(hasDuration && parseDuration(typed.duration) === undefined ? { duration: DURATION_FORM } : {}),
  }
}

/** Who asks for what, in a sentence. */
function Asked({ request }: { readonly request: AccessRequest }) {
  const { user, role, reason, ticket } = request
  return (
    <div>
      <p>
        <strong>{user}</strong> requested role <strong>{role}</strong> {formatPlace(request)} <AskedTime {...request} />
        .
      </p>
      {(reason !== undefined || ticket !== undefined) && (
        <p className={classes.note}>{[reason, ticket].filter(Boolean).join(' · ')}</p>
      )}
    </div>
  )
}

export function AskedTime({ duration, until }: Pick<AccessRequest, 'duration' | 'until'>) {
  if (duration !== undefined) return <>for {formatSeconds(duration)}</>
  return (
    <>
      until <Instant value={until ?? 0} hasZone />
    </>
  )
}

interface RequestDetailsProps {
  readonly place: RequestPlace
  readonly id: string
  readonly acting: Acting
  readonly onStep: (step: Step, request: AccessRequest) => void
  readonly onClose: () => void
}

export function RequestDetails({ place, id, acting, onStep, onClose }: RequestDetailsProps) {
  const query = useQuery({
    queryKey: ['access-request', place, id],
    queryFn: ({ signal }) => readRequest(place, id, signal),
  })
  return (
    <Modal title="Access request" onClose={onClose}>
      <QueryState query={query}>
        {(request) => (
          <>
            <dl className={classes.details}>
              {factsOf(request).map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
            <div className={classes.steps}>
              {listSteps(request, acting).map((step) => (
                <Button key={step} variant="default" size="xs" onClick={() => onStep(step, request)}>
                  {ACTIONS[step]}
                </Button>
              ))}
            </div>
          </>
        )}
      </QueryState>
    </Modal>
  )
}

function factsOf(request: AccessRequest) {
  const { state, user, role, reason, ticket, created_at, expires_at, auto } = request
  const { approved_by, decided_by, decided_at, decision_reason, valid_until } = request
  const at = (instant: string) => <Instant value={instant} hasZone />
  const facts = [
    ['State', STATE_WORDS[state]],
    ['User', user],
    ['Role', `${role} ${formatPlace(request)}`],
    ['Requested', <AskedTime key="time" {...request} />],
    ['On', at(created_at)],
    ['Reason', reason],
    ['Ticket', ticket],
    ['Expires', expires_at && at(expires_at)],
    ['Approved by', auto ? 'The role, at once' : approved_by],
    ['Ends', state === 'approved' && valid_until ? at(valid_until) : undefined],
    ['Decided by', decided_at === undefined || state === 'approved' ? undefined : (decided_by ?? 'System')],
    ['Decided on', decided_at && at(decided_at)],
    ['Decision', decision_reason],
  ] as const
  return facts.filter(([, value]) => value !== undefined && value !== '')
}

/** What a button does, for screen readers. */
export const nameOfStep = (step: Step, request: AccessRequest): string =>
  `${STEP_WORDS[step]}: ${formatRequest(request)}`
