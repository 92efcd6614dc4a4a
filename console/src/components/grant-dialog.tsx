// Changes from when and until when a role is given, and why. What is not changed is not sent.
import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { isByHand, othersText } from '../api/claims.ts'
import { api } from '../api/client.ts'
import { useEnvironmentPath } from '../api/environments.ts'
import { useWrite } from '../api/write.ts'
import { Dialog } from './dialog.tsx'
import { type RoleAssignment, TimeField, toInstant, toTyped } from './grant-times.tsx'
import { EVERYBODY, EVERYBODY_WARNING, holderName } from './holder-words.ts'
import { NoteFields } from './note-fields.tsx'
import { namesOf } from './removal-question.tsx'

const DAY_MS = 86_400_000
const LONGER = [1, 7, 30] as const

interface GrantDialogProps {
  readonly grant: RoleAssignment
  readonly onClose: () => void
}

export function GrantDialog({ grant, onClose }: GrantDialogProps) {
  const path = useEnvironmentPath()
  const { user, role, tenant, resource_instance: instance, reason = '', ticket = '', claims } = grant
  const stored = { from: toTyped(grant.valid_from), until: toTyped(grant.valid_until), reason, ticket }
  const [typed, setTyped] = useState(stored)
  const set = (name: keyof typeof typed) => (value: string) => setTyped((before) => ({ ...before, [name]: value }))
  const save = useWrite({
    send: () => {
      const changed = (name: keyof typeof typed) => typed[name] !== stored[name]
      const body = {
        ...{ user, role },
        ...(instance === null ? { tenant } : { resource_instance: instance }),
        ...(changed('from') ? { valid_from: toInstant(typed.from) } : {}),
        ...(changed('until') ? { valid_until: toInstant(typed.until) } : {}),
        ...(changed('reason') ? { reason: typed.reason || null } : {}),
        ...(changed('ticket') ? { ticket: typed.ticket || null } : {}),
      }
      return api.PUT('/v2/facts/{p}/{e}/role_assignments', { params: { path }, body })
    },
    done: () => `Role ${role} of ${holderName(user)} changed`,
    onDone: onClose,
  })
  const extend = (days: number) => {
    const end = typed.until === '' ? 0 : new Date(typed.until).getTime()
    set('until')(toTyped(Math.max(end, Date.now()) + days * DAY_MS))
  }
  return (
    <Dialog
      title={`Role ${role} of ${holderName(user)}`}
      action="Save"
      isBusy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate(undefined)}
      onClose={onClose}
    >
      {user === EVERYBODY && <p>{EVERYBODY_WARNING}</p>}
      {!isByHand(claims) && (
        <p>
          The role comes from {othersText(namesOf(claims))}. What you save is added by hand as well, and stays when the
          role is removed there.
        </p>
      )}
      <TimeField label="Starts" value={typed.from} onChange={set('from')} />
      <TimeField label="Ends" value={typed.until} onChange={set('until')} />
      <Group gap={8}>
        {LONGER.map((days) => (
          <Button key={days} variant="default" size="compact-xs" onClick={() => extend(days)}>
            {days === 1 ? '1 day more' : `${days} days more`}
          </Button>
        ))}
        <Button variant="default" size="compact-xs" disabled={typed.until === ''} onClick={() => set('until')('')}>
          No end
        </Button>
      </Group>
      <NoteFields reason={typed.reason} ticket={typed.ticket} onChange={set} />
    </Dialog>
  )
}
