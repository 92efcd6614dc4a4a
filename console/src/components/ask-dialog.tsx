// Asks for a role: any that can be requested, or one of those that would allow what was denied.
import { NativeSelect, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { DURATION_FORM, formatSeconds, parseDuration } from 'zerohop/durations'
import {
  type AccessRequest,
  type Acting,
  askForRole,
  type RequestableRole,
  type RequestPlace,
} from '../api/requests.ts'
import { suggestRequestableRoles, suggestTenants } from '../api/suggestions.ts'
import { Dialog } from './dialog.tsx'
import { KeyField } from './key-field.tsx'
import { NoteFields } from './note-fields.tsx'
import { notifyDone } from './notify.ts'
import { errorBeside, refusalOf } from './object-fields.tsx'
import { AsUserField } from './request-dialogs.tsx'

const NAMES = ['as', 'role', 'tenant', 'resource_instance', 'duration', 'reason', 'ticket'] as const
type Name = (typeof NAMES)[number]

interface AskDialogProps {
  readonly place: RequestPlace
  readonly acting: Acting
  /** who was denied what: in which tenant, and the roles that would allow it */
  readonly denied?: { readonly user: string; readonly tenant: string; readonly roles: readonly RequestableRole[] }
  readonly onDone?: (request: AccessRequest) => void
  readonly onClose: () => void
}

export function AskDialog({ place, acting, denied, onDone, onClose }: AskDialogProps) {
  const { roles = [] } = denied ?? {}
  const [chosen, setChosen] = useState(0)
  const one = roles[chosen]
  const [typed, setTyped] = useState<Readonly<Record<Name, string>>>({
    ...{ as: denied?.user ?? '', role: '', tenant: denied?.tenant ?? '', resource_instance: '' },
    ...{ duration: one === undefined ? '' : formatSeconds(one.max_duration), reason: '', ticket: '' },
  })
  const [wasSent, setSent] = useState(false)
  const set = (name: Name) => (value: string) => setTyped((before) => ({ ...before, [name]: value }))
  const choose = (at: number) => {
    setChosen(at)
    set('duration')(formatSeconds(roles[at]?.max_duration ?? 0))
  }
  const problems = findProblems(typed, acting, one)
  const ask = useMutation({
    mutationFn: () => askForRole(place, makeBody(typed, acting, one)),
    onSuccess: (request) => {
      notifyDone(request.state === 'pending' ? `Role ${request.role} requested` : `Role ${request.role} given`)
      onDone?.(request)
      onClose()
    },
  })
  const errorAt = (name: Name) => (wasSent ? problems[name] : undefined) ?? refusalOf(ask.error, name)
  return (
    <Dialog
      title={denied === undefined ? 'Request a role' : 'Ask for access'}
      action={one?.auto ? 'Get access now' : 'Request'}
      isBusy={ask.isPending}
      error={errorBeside(
        ask.error,
        NAMES.map((name) => ({ name })),
      )}
      onSubmit={() => {
        setSent(true)
        if (Object.keys(problems).length === 0) ask.mutate()
      }}
      onClose={onClose}
    >
      {acting.is === 'key' && <AsUserField place={place} value={typed.as} onChange={set('as')} error={errorAt('as')} />}
      {denied === undefined ? (
        <TargetFields place={place} typed={typed} set={set} errorAt={errorAt} />
      ) : (
        <NativeSelect
          label="Role"
          value={String(chosen)}
          data={roles.map((role, at) => ({ value: String(at), label: labelOf(role, denied.tenant) }))}
          onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
          error={errorAt('role')}
        />
      )}
      <TextInput
        label="Duration"
        description={
          one === undefined
            ? 'Such as 90m, 8h or 7d, counted from the approval.'
            : `At most ${formatSeconds(one.max_duration)}, counted from the approval.`
        }
        value={typed.duration}
        onChange={({ currentTarget }) => set('duration')(currentTarget.value)}
        error={errorAt('duration')}
        autoComplete="off"
      />
      <NoteFields
        reason={typed.reason}
        ticket={typed.ticket}
        onChange={set}
        errors={{ reason: errorAt('reason'), ticket: errorAt('ticket') }}
      />
      {one?.auto && <p>This role is given at once, without an approval. The request is kept, with your reason.</p>}
    </Dialog>
  )
}

const labelOf = ({ role, resource_instance: on }: RequestableRole, tenant: string): string =>
  on === null ? `${role} in ${tenant}` : `${role} on ${on}`

interface TargetFieldsProps {
  readonly place: RequestPlace
  readonly typed: Readonly<Record<Name, string>>
  readonly set: (name: Name) => (value: string) => void
  readonly errorAt: (name: Name) => string | undefined
}

/** Any role, in a tenant or on an instance. */
function TargetFields({ place, typed, set, errorAt }: TargetFieldsProps) {
  return (
    <>
      <KeyField
        label="Role"
        description="A role that can be requested."
        value={typed.role}
        onChange={set('role')}
        suggest={(text) => suggestRequestableRoles(place, text)}
        error={errorAt('role')}
      />
      <KeyField
        label="Tenant"
        placeholder="default"
        value={typed.tenant}
        onChange={set('tenant')}
        suggest={(text) => suggestTenants(place, text)}
        error={errorAt('tenant')}
      />
      <TextInput
        label="Instance"
        placeholder="type:key"
        description="Only for a role on one instance."
        value={typed.resource_instance}
        onChange={({ currentTarget }) => set('resource_instance')(currentTarget.value)}
        error={errorAt('resource_instance')}
        autoComplete="off"
      />
    </>
  )
}

function makeBody(typed: Readonly<Record<Name, string>>, acting: Acting, one: RequestableRole | undefined) {
  const given = (name: Name) => (typed[name].trim() === '' ? {} : { [name]: typed[name].trim() })
  const target =
    one === undefined
      ? { role: typed.role.trim(), ...given('tenant'), ...given('resource_instance') }
      : {
          role: one.role,
          ...(one.resource_instance === null ? given('tenant') : { resource_instance: one.resource_instance }),
        }
  return {
    ...(acting.is === 'key' ? { as: typed.as.trim() } : {}),
    ...target,
    duration: parseDuration(typed.duration) ?? null,
    ...given('reason'),
    ...given('ticket'),
  }
}

function findProblems(
  typed: Readonly<Record<Name, string>>,
  acting: Acting,
  one: RequestableRole | undefined,
): Partial<Readonly<Record<Name, string>>> {
  return {
    ...(acting.is === 'key' && typed.as.trim() === '' ? { as: 'Name the user who acts' } : {}),
    ...(one === undefined && typed.role.trim() === '' ? { role: 'Name a role' } : {}),
    ...(parseDuration(typed.duration) === undefined ? { duration: DURATION_FORM } : {}),
    ...(one?.reason === 'required' && typed.reason.trim() === '' ? { reason: 'This role needs a reason' } : {}),
  }
}
