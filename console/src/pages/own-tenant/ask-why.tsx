// Whether a user of the tenant may do something here, and by which role, or with which role.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { describeError } from '../../api/api-error.ts'
import { api, read } from '../../api/client.ts'
import { type RequestableRole, useActing } from '../../api/requests.ts'
import { AskDialog } from '../../components/ask-dialog.tsx'
import { Instant } from '../../components/instant.tsx'
import classes from './own-tenant-page.module.css'

interface AskWhyProps {
  readonly path: { readonly p: string; readonly e: string; readonly ref: string }
}

export function AskWhy({ path }: AskWhyProps) {
  const resources = useQuery({
    queryKey: ['own-tenant', 'resources', path],
    queryFn: ({ signal }) =>
      read(
        api.GET('/v2/facts/{p}/{e}/tenants/{ref}/resources', { params: { path, query: { per_page: 100 } }, signal }),
      ),
  })
  const choices = (resources.data?.data ?? []).flatMap(({ key, name, actions }) =>
    actions.map((action) => ({ value: `${key}:${action.key}`, label: `${action.name} · ${name}` })),
  )
  const [user, setUser] = useState('')
  const [instance, setInstance] = useState('')
  const [choice, setChoice] = useState('')
  const chosen = choice === '' ? (choices[0]?.value ?? '') : choice
  const why = useMutation({
    meta: { isRead: true },
    mutationFn: () => {
      const [type = '', action = ''] = chosen.split(':')
      const resource = instance.trim() === '' ? type : `${type}:${instance.trim()}`
      const body = { user: user.trim(), action, resource }
      return read(api.POST('/v2/facts/{p}/{e}/tenants/{ref}/why', { params: { path }, body }))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (user.trim() !== '' && chosen !== '') why.mutate()
  }
  return (
    <section className={classes.part}>
      <h2>Why</h2>
      <form className={classes.form} onSubmit={submit}>
        <TextInput
          label="Who"
          size="xs"
          value={user}
          onChange={(event) => setUser(event.currentTarget.value)}
          error={why.isError ? describeError(why.error).text : undefined}
        />
        <NativeSelect
          label="Access"
          size="xs"
          value={chosen}
          data={choices}
          onChange={(event) => setChoice(event.currentTarget.value)}
        />
        <TextInput
          label="On (key, optional)"
          size="xs"
          value={instance}
          onChange={(event) => setInstance(event.currentTarget.value)}
        />
        <Button type="submit" size="xs" variant="default" loading={why.isPending}>
          Ask
        </Button>
      </form>
      <div role="status">{why.data && <Answer why={why.data} path={path} onAsked={() => why.mutate()} />}</div>
    </section>
  )
}

interface AnswerProps {
  readonly why: {
    readonly allow: boolean
    readonly user: string
    readonly reason: keyof typeof REASONS
    readonly because: readonly {
      readonly role: string
      readonly everybody: boolean
      readonly resource_instance: string | null
      readonly valid_until?: string
    }[]
    readonly offered: readonly { readonly role: string; readonly resource: string | null }[]
    readonly tenant: string
    readonly requestable: readonly RequestableRole[]
  }
  readonly path: AskWhyProps['path']
  readonly onAsked: () => void
}

/** What is said beside roles. */
const REASONS = {
  role: '',
  rule: 'A rule of the application allows it.',
  none: '',
  suspended: 'The user is suspended.',
  undecided: "This couldn't be decided within the limits of a check.",
} as const

function Answer({ why: { allow, user, tenant, reason, because, offered, requestable }, path, onAsked }: AnswerProps) {
  const acting = useActing()
  const [isAsking, setAsking] = useState(false)
  const open = requestable.filter(({ request }) => request === undefined)
  const isOwn = acting.is === 'key' || (acting.is === 'user' && acting.user === user)
  return (
    <>
      <p>
        <strong>{allow ? 'Allowed' : 'Denied'}</strong> {REASONS[reason]}
      </p>
      {because.map(({ role, everybody, resource_instance: on, valid_until: until }) => (
        <p key={`${role} ${on}`}>
          {everybody ? 'Everyone' : user} has role {role}
          {on === null ? '' : ` on ${on}`}
          {until !== undefined && (
            <>
              {' until '}
              <Instant value={until} hasZone />
            </>
          )}
        </p>
      ))}
      {reason === 'none' && (
        <p>
          {offered.length === 0
            ? 'None of the roles that you can assign allows it.'
            : `Roles that allow it: ${offered.map(({ role, resource }) => (resource === null ? role : `${role} on ${resource}`)).join(', ')}.`}
        </p>
      )}
      {open.length < requestable.length && <p>A request is pending.</p>}
      {open.length > 0 && (
        <p>
          {user} can request:{' '}
          {open.map(({ role, resource_instance: on }) => (on === null ? role : `${role} on ${on}`)).join(', ')}.
        </p>
      )}
      {isOwn && open.length > 0 && (
        <Button size="xs" variant="default" onClick={() => setAsking(true)}>
          Ask for access
        </Button>
      )}
      {isAsking && (
        <AskDialog
          place={path}
          acting={acting}
          denied={{ user, tenant, roles: open }}
          onDone={onAsked}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
