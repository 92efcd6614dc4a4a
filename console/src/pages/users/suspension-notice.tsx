// On the page of a user: that the user is suspended or will be, why, and the buttons that change or end it.
import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '../../api/use-session.ts'
import { Icon } from '../../components/icon.tsx'
import { Instant } from '../../components/instant.tsx'
import { PlanDialog } from '../../components/plan-dialog.tsx'
import classes from '../../components/suspension.module.css'
import { findSuspensionState, SuspensionTimes } from '../../components/suspension.tsx'
import { SuspendDialog } from './suspend-dialog.tsx'
import type { User } from './user-queries.ts'

/** What ends it is called, and what is asked before. */
const ENDING = {
  in_force: { action: 'Resume', question: (key: string) => `Resume ${key}?`, done: (key: string) => `${key} resumed` },
  scheduled: {
    action: 'Cancel suspension',
    question: (key: string) => `Cancel the suspension of ${key}?`,
    done: (key: string) => `Suspension of ${key} canceled`,
  },
} as const

export function SuspensionNotice({ user }: { readonly user: User }) {
  const canWrite = useMay('write')
  const [open, setOpen] = useState<'change' | 'end'>()
  const { key, suspension } = user
  if (suspension === undefined) return null
  const state = findSuspensionState(suspension)
  const ending = state === 'ended' ? undefined : ENDING[state]
  const close = () => setOpen(undefined)
  return (
    <section aria-label="Suspension" className={classes.notice} data-state={state}>
      <Icon name="ban" size={16} />
      <div className={classes.about}>
        <h2>
          <SuspensionTimes {...suspension} />
        </h2>
        <p>
          {suspension.reason} · set <Instant value={suspension.suspended_at} />
        </p>
      </div>
      {canWrite && ending && (
        <Group gap={8}>
          <Button variant="default" size="xs" onClick={() => setOpen('change')}>
            Change
          </Button>
          <Button variant="default" size="xs" onClick={() => setOpen('end')}>
            {ending.action}
          </Button>
        </Group>
      )}
      {open === 'change' && <SuspendDialog user={user} onClose={close} />}
      {open === 'end' && ending && (
        <PlanDialog
          title={ending.question(key)}
          action={ending.action}
          changes={[{ op: 'update', kind: 'user', key, value: { suspension: null } }]}
          hasChanges={false}
          done={ending.done(key)}
          onDone={close}
          onClose={close}
        />
      )}
    </section>
  )
}
