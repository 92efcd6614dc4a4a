// The buttons of a role in a list: change its times, end it, remove it.
import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useEndRole, useTakeRole } from '../api/take-role.ts'
import { GrantDialog } from './grant-dialog.tsx'
import { endedAt, type RoleAssignment, startsAfter } from './grant-times.tsx'
import { useRemovalQuestion } from './removal-question.tsx'

/** Of the column: beside each other, and below each other on a narrow screen. */
export const GRANT_BUTTONS_WIDTH = 'min(160px, 26vw)'

interface GrantButtonsProps {
  readonly grant: RoleAssignment
  /** `editor of ana in acme`, or what of it the list does not say */
  readonly name: string
  /** ends what is in force, so that it stays in the list; else all are removed */
  readonly canEnd?: boolean
}

export function GrantButtons({ grant, name, canEnd = false }: GrantButtonsProps) {
  const [isOpen, setOpen] = useState(false)
  const take = useTakeRole()
  const { ask, question } = useRemovalQuestion()
  const end = useEndRole()
  const now = Date.now()
  const ends = canEnd && !endedAt(grant, now) && !startsAfter(grant, now)
  return (
    <Group gap={4} justify="flex-end">
      <Button
        variant="subtle"
        size="compact-xs"
        color="gray"
        aria-label={`Change times of role ${name}`}
        onClick={() => setOpen(true)}
      >
        Change
      </Button>
      <Button
        variant="subtle"
        size="compact-xs"
        color="gray"
        aria-label={`${ends ? 'End now:' : 'Remove'} role ${name}`}
        loading={take.isPending || end.isPending}
        onClick={() => {
          const remove = () => (ends ? end : take).mutate(grant)
          ask({ name: `Role ${name}`, claims: grant.claims, remove })
        }}
      >
        {ends ? 'End now' : 'Remove'}
      </Button>
      {question}
      {isOpen && <GrantDialog grant={grant} onClose={() => setOpen(false)} />}
    </Group>
  )
}
