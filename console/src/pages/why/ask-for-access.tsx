// What a user who is denied can do about it: the roles that would allow it and that can be requested.
import { Button } from '@mantine/core'
import { useState } from 'react'
import { formatSeconds } from 'zerohop/durations'
import { useEnvironmentPath } from '../../api/environments.ts'
import { type RequestableRole, useActing } from '../../api/requests.ts'
import { AskDialog } from '../../components/ask-dialog.tsx'
import { TextLink } from '../../components/links.tsx'
import { Tag, Tags } from '../../components/tag.tsx'
import type { Explanation } from './explanation-query.ts'
import classes from './why-page.module.css'

export function AskForAccess({ answer: { why, requestable = [] } }: { readonly answer: Explanation }) {
  const path = useEnvironmentPath()
  const acting = useActing()
  const [isOpen, setOpen] = useState(false)
  const { user, tenant } = why
  if (requestable.length === 0) return <p className={classes.none}>No role that {user} can request would allow this.</p>
  const pending = requestable.filter(({ request }) => request !== undefined)
  const open = requestable.filter(({ request }) => request === undefined)
  const isOwn = acting.is === 'key' || (acting.is === 'user' && acting.user === user)
  return (
    <section className={classes.request} aria-label="Access on request">
      {open.length > 0 && (
        <div>
          <p>{user} can request a role that allows this:</p>
          <Tags>
            {open.map((role) => (
              <Tag key={nameOf(role)}>
                {nameOf(role)}, {role.auto ? 'at once, ' : ''}up to {formatSeconds(role.max_duration)}
              </Tag>
            ))}
          </Tags>
        </div>
      )}
      {pending.map((role) => (
        <p key={nameOf(role)}>
          Requested: {nameOf(role)}.{' '}
          <TextLink
            to="/$project/$environment/requests"
            params={{ project: path.p, environment: path.e }}
            search={{ request: role.request! }}
          >
            Open the request
          </TextLink>
        </p>
      ))}
      {isOwn && open.length > 0 && <Button onClick={() => setOpen(true)}>Ask for access</Button>}
      {isOpen && (
        <AskDialog place={path} acting={acting} denied={{ user, tenant, roles: open }} onClose={() => setOpen(false)} />
      )}
    </section>
  )
}

const nameOf = ({ role, resource_instance: on }: RequestableRole): string => (on === null ? role : `${role} on ${on}`)
