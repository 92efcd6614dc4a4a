// Suspends a user, or changes the suspension: why, from when and until when; with what will be denied. What is not changed
// is not sent.
import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { useWrite } from '../../api/write.ts'
import { AccessDiff } from '../../components/access-diff.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TimeField, toInstant, toTyped } from '../../components/grant-times.tsx'
import { usePlan } from '../../components/plan-dialog.tsx'
import { LoadingState, QueryState } from '../../components/states.tsx'
import { findSuspensionState } from '../../components/suspension.tsx'
import type { User } from './user-queries.ts'
import classes from './users.module.css'

const DAY_MS = 86_400_000
const FOR_DAYS = [1, 7, 30] as const

interface SuspendDialogProps {
  readonly user: User
  readonly onClose: () => void
}

export function SuspendDialog({ user, onClose }: SuspendDialogProps) {
  const path = useEnvironmentPath()
  const { key, suspension } = user
  /** one that has ended is no beginning of another */
  const stored = suspension !== undefined && findSuspensionState(suspension) !== 'ended' ? suspension : undefined
  const before = {
    reason: stored?.reason ?? '',
    from: toTyped(stored?.valid_from),
    until: toTyped(stored?.valid_until),
  }
  const [typed, setTyped] = useState(before)
  const [wasSent, setSent] = useState(false)
  const set = (name: keyof typeof typed) => (value: string) => setTyped((other) => ({ ...other, [name]: value }))
  const save = useWrite({
    send: () => {
      const isSent = (name: 'from' | 'until') => stored === undefined || typed[name] !== before[name]
      const body = {
        reason: typed.reason.trim(),
        ...(isSent('from') ? { valid_from: toInstant(typed.from) } : {}),
        ...(isSent('until') ? { valid_until: toInstant(typed.until) } : {}),
      }
      return api.PUT('/v2/facts/{p}/{e}/users/{ref}/suspension', { params: { path: { ...path, ref: key } }, body })
    },
    done: () => (stored === undefined ? `${key} suspended` : `Suspension of ${key} changed`),
    onDone: onClose,
  })
  const submit = () => {
    setSent(true)
    if (typed.reason.trim() !== '') save.mutate(undefined)
  }
  const start = typed.from === '' ? 0 : new Date(typed.from).getTime()
  const endAfter = (days: number) => set('until')(toTyped(Math.max(start, Date.now()) + days * DAY_MS))
  return (
    <Dialog
      title={stored === undefined ? `Suspend ${key}?` : `Suspension of ${key}`}
      action={stored === undefined ? 'Suspend' : 'Save'}
      isDanger={stored === undefined}
      isBusy={save.isPending}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className={classes.effect}>
        While suspended, every check for this user is denied. Roles, memberships and attributes are kept and apply again
        afterwards.
      </p>
      <TextInput
        label="Reason"
        value={typed.reason}
        error={wasSent && typed.reason.trim() === '' ? 'Reason is required' : undefined}
        onChange={({ currentTarget }) => set('reason')(currentTarget.value)}
      />
      <div className={classes.times}>
        <TimeField label="Starts" value={typed.from} onChange={set('from')} />
        <TimeField label="Ends" value={typed.until} onChange={set('until')} />
      </div>
      <Group gap={8}>
        {FOR_DAYS.map((days) => (
          <Button key={days} variant="default" size="compact-xs" onClick={() => endAfter(days)}>
            {days === 1 ? 'For 1 day' : `For ${days} days`}
          </Button>
        ))}
        <Button variant="default" size="compact-xs" disabled={typed.until === ''} onClick={() => set('until')('')}>
          No end
        </Button>
      </Group>
      {stored === undefined && <Denied user={key} />}
    </Dialog>
  )
}

/** What the user can do now, and cannot while suspended. */
function Denied({ user }: { readonly user: string }) {
  const plan = usePlan([{ op: 'update', kind: 'user', key: user, value: { suspension: { reason: 'suspended' } } }])
  return (
    <QueryState query={plan} loading={<LoadingState label="Checking what will be denied" rows={2} />}>
      {({ policy, access }) => (
        // what a request sends does not matter while the user is suspended
        <AccessDiff
          diff={{ policy, access: { ...access, overridable: [] } }}
          nothing="This user has no access based on stored data."
        />
      )}
    </QueryState>
  )
}
