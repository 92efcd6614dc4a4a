// What an environment requires of writes: a reason, and that someone else approves changes of the policy. What is no longer
// required is asked again.
import { Checkbox } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, read } from '../../api/client.ts'
import { nameInAddress } from '../../api/environments.ts'
import { Dialog } from '../../components/dialog.tsx'
import { notifyDone } from '../../components/notify.ts'
import type { Environment } from './environment-queries.ts'

const REQUIREMENTS = [
  {
    name: 'require_reason',
    label: 'Require a reason',
    about:
      'Every write needs a reason, also those of your app: it has to send the header x-reason. The console asks for one.',
    without: 'Writes no longer need a reason.',
  },
  {
    name: 'require_approval',
    label: 'Require approval',
    about:
      'The policy changes by proposals only, which someone else applies. Users, roles of users and other facts are changed as before.',
    without: 'Everyone with write access can change the policy alone.',
  },
] as const

interface RequirementsDialogProps {
  readonly environment: Environment
  readonly onClose: () => void
}

export function RequirementsDialog({ environment, onClose }: RequirementsDialogProps) {
  const client = useQueryClient()
  const stored = {
    require_reason: environment.require_reason === true,
    require_approval: environment.require_approval === true,
  }
  const [wanted, setWanted] = useState(stored)
  const [isAsking, setAsking] = useState(false)
  const changed = REQUIREMENTS.filter(({ name }) => wanted[name] !== stored[name])
  const dropped = changed.filter(({ name }) => stored[name])
  const save = useMutation({
    mutationFn: () => {
      const params = { path: { p: environment.project_id, e: nameInAddress(environment) } }
      const body = Object.fromEntries(changed.map(({ name }) => [name, wanted[name]]))
      return read(api.PATCH('/v2/projects/{p}/envs/{e}', { params, body }))
    },
    onSuccess: async () => {
      notifyDone(`Requirements of ${environment.key} saved`)
      onClose()
      await client.invalidateQueries()
    },
  })
  const submit = () => {
    if (changed.length === 0) onClose()
    else if (dropped.length > 0 && !isAsking) setAsking(true)
    else save.mutate()
  }
  if (isAsking)
    return (
      <Dialog
        key="asking"
        title={`Require less in ${environment.key}?`}
        action="Require less"
        isDanger
        isBusy={save.isPending}
        error={save.error}
        onSubmit={submit}
        onClose={() => setAsking(false)}
      >
        {dropped.map(({ name, without }) => (
          <p key={name}>{without}</p>
        ))}
      </Dialog>
    )
  return (
    <Dialog
      key="choosing"
      title={`Requirements of ${environment.key}`}
      action="Save"
      isBusy={save.isPending}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {REQUIREMENTS.map(({ name, label, about }) => (
        <Checkbox
          key={name}
          label={label}
          description={about}
          checked={wanted[name]}
          onChange={({ currentTarget }) => setWanted({ ...wanted, [name]: currentTarget.checked })}
        />
      ))}
    </Dialog>
  )
}
