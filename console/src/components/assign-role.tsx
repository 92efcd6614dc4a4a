// Assigns a role to a user, in a tenant or on an instance: whichever of user and instance the page is about is given.
import { Button, NativeSelect } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ApiError, describeError } from '../api/api-error.ts'
import { api, read } from '../api/client.ts'
import { type EnvironmentPath, useEnvironmentPath } from '../api/environments.ts'
import {
  suggestHolders,
  suggestInstancesByName,
  suggestResourceRoles,
  suggestRolesIn,
  suggestTenants,
} from '../api/suggestions.ts'
import { useWrite } from '../api/write.ts'
import classes from './assign-role.module.css'
import { Dialog } from './dialog.tsx'
import { TimeField, toInstant } from './grant-times.tsx'
import { EVERYBODY, EVERYBODY_WARNING, holderName } from './holder-words.ts'
import { Instant } from './instant.tsx'
import { KeyField } from './key-field.tsx'
import { NoteFields } from './note-fields.tsx'

interface AssignRoleProps {
  readonly user?: string
  readonly tenant?: string
  /** `type:key` */
  readonly instance?: string
  /** the tenant that is meant when nothing else is typed */
  readonly usualTenant?: string | undefined
}

interface Assignment {
  readonly user: string
  readonly role: string
  readonly tenant?: string
  readonly resource_instance?: string
  readonly valid_from?: string
  readonly valid_until?: string
  readonly reason?: string
  readonly ticket?: string
}

/** What is said of a role beside who has it where. */
const NO_DETAILS = { from: '', until: '', reason: '', ticket: '' }

export function AssignRole(given: AssignRoleProps) {
  const path = useEnvironmentPath()
  const [isOnInstance, setOnInstance] = useState(given.instance !== undefined)
  const [typed, setTyped] = useState({ user: '', role: '', tenant: given.usualTenant ?? '', instance: '' })
  const [details, setDetails] = useState(NO_DETAILS)
  const [hasDetails, setHasDetails] = useState(false)
  const [wasSent, setSent] = useState(false)
  /** what is asked again before everyone gets it */
  const [asked, setAsked] = useState<Assignment | null>(null)
  const set = (name: keyof typeof typed) => (value: string) => setTyped((before) => ({ ...before, [name]: value }))
  const user = given.user ?? typed.user.trim()
  const instance = given.instance ?? typed.instance.trim()
  const tenant = given.tenant ?? typed.tenant.trim()
  const role = typed.role.trim()
  const assign = useWrite({
    send: (body: Assignment) => (body.role === '' ? join(path, body) : give(path, body)),
    done: (sent) =>
      sent.role === '' ? `${sent.user} added` : `Role ${sent.role} assigned to ${holderName(sent.user)}`,
    isUndoable: ({ role: sent }) => sent !== '', // who is a member already stays one, without a revision
    onDone: () => {
      setTyped((before) => ({ ...before, role: '', user: '' }))
      setDetails(NO_DETAILS)
      setSent(false)
      setAsked(null)
    },
  })
  const isDetailed = Object.values(details).some((value) => value.trim() !== '')
  /** to a tenant one may also belong without a role, which has no times */
  const isJoining = given.tenant !== undefined
  const needsRole = !isJoining || isDetailed
  const setDetail = (name: keyof typeof details) => (value: string) =>
    setDetails((before) => ({ ...before, [name]: value }))
  const missing = (value: string, what: string) => (wasSent && value === '' ? `${what} is required` : undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (user === '' || (role === '' && needsRole) || (isOnInstance ? instance === '' : tenant === '')) return
    const where = isOnInstance ? { resource_instance: instance } : { tenant }
    const body = { user, role, ...where, ...toSent(details) }
    if (user === EVERYBODY && role !== '') setAsked(body)
    else assign.mutate(body)
  }
  const isChoosable = given.tenant === undefined && given.instance === undefined
  const type = instance.split(':')[0] ?? ''
  return (
    <form
      aria-label={isJoining ? 'Add a member' : 'Assign a role'}
      className={classes.form}
      onSubmit={submit}
      noValidate
    >
      {isChoosable && (
        <NativeSelect
          size="xs"
          aria-label="Where the role applies"
          value={isOnInstance ? 'instance' : 'tenant'}
          onChange={({ currentTarget }) => setOnInstance(currentTarget.value === 'instance')}
          data={[
            { value: 'tenant', label: 'In a tenant' },
            { value: 'instance', label: 'On an instance' },
          ]}
        />
      )}
      <div className={classes.fields}>
        {given.user === undefined && (
          <KeyField
            label="User"
            value={typed.user}
            onChange={set('user')}
            error={missing(user, 'The user')}
            suggest={(text) => suggestHolders(path, text)}
          />
        )}
        {isOnInstance && given.instance === undefined && (
          <KeyField
            label="Instance"
            placeholder="document:plan"
            value={typed.instance}
            onChange={set('instance')}
            error={missing(instance, 'The instance')}
            suggest={(text) => suggestInstancesByName(path, text)}
          />
        )}
        <KeyField
          label="Role"
          {...(isJoining ? { placeholder: 'None' } : {})}
          value={typed.role}
          onChange={set('role')}
          error={needsRole ? missing(role, 'The role') : undefined}
          suggest={(text) =>
            isOnInstance ? suggestResourceRoles(path, type, text) : suggestRolesIn(path, tenant, text)
          }
        />
        {!isOnInstance && given.tenant === undefined && (
          <KeyField
            label="Tenant"
            value={typed.tenant}
            onChange={set('tenant')}
            error={missing(tenant, 'The tenant')}
            suggest={(text) => suggestTenants(path, text)}
          />
        )}
        <TimeField label="Ends" value={details.until} onChange={setDetail('until')} />
        <Button type="submit" loading={assign.isPending}>
          {isJoining ? 'Add' : 'Assign role'}
        </Button>
      </div>
      <Button
        variant="subtle"
        size="compact-xs"
        aria-expanded={hasDetails}
        onClick={() => {
          setHasDetails(!hasDetails)
          setDetails(({ until }) => ({ ...NO_DETAILS, until }))
        }}
      >
        {hasDetails ? 'Without a start or reason' : 'Set a start or reason'}
      </Button>
      {hasDetails && (
        <div className={classes.fields}>
          <TimeField label="Starts" value={details.from} onChange={setDetail('from')} />
          <NoteFields reason={details.reason} ticket={details.ticket} onChange={setDetail} />
        </div>
      )}
      {asked !== null && (
        <Dialog
          title={`Give role ${asked.role} to everyone?`}
          action="Give to everyone"
          isDanger
          isBusy={assign.isPending}
          error={assign.error}
          onSubmit={() => assign.mutate(asked)}
          onClose={() => setAsked(null)}
        >
          <p>
            What the role allows {isOnInstance ? `on ${instance}` : `in ${tenant}`} will be allowed to everyone
            {asked.valid_from !== undefined && (
              <>
                {' '}
                from <Instant value={asked.valid_from} hasZone />
              </>
            )}
            {asked.valid_until !== undefined && (
              <>
                {' '}
                until <Instant value={asked.valid_until} hasZone />
              </>
            )}
            . {EVERYBODY_WARNING}
          </p>
        </Dialog>
      )}
      {assign.isError && asked === null && (
        <p role="alert" className={classes.error}>
          {isThereAlready(assign.error) ? 'The user already has this role.' : describeError(assign.error).text}
        </p>
      )}
    </form>
  )
}

/** What was typed of the details, as the API takes it. */
function toSent({ from, until, reason, ticket }: typeof NO_DETAILS): Partial<Assignment> {
  const [start, end] = [toInstant(from), toInstant(until)]
  return {
    ...(start === null ? {} : { valid_from: start }),
    ...(end === null ? {} : { valid_until: end }),
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    ...(ticket.trim() === '' ? {} : { ticket: ticket.trim() }),
  }
}

const give = (path: EnvironmentPath, body: Assignment) =>
  api.POST('/v2/facts/{p}/{e}/role_assignments', { params: { path }, body })

/** A user who does not exist is an error, and not made: the key may be typed wrong. */
async function join(path: EnvironmentPath, { user, tenant = '' }: Assignment) {
  await read(api.GET('/v2/facts/{p}/{e}/users/{ref}', { params: { path: { ...path, ref: user } } }))
  const params = { path: { ...path, ref: tenant } }
  return api.POST('/v2/facts/{p}/{e}/tenants/{ref}/users', { params, body: { key: user } })
}

const isThereAlready = (error: unknown): boolean => error instanceof ApiError && error.status === 409
