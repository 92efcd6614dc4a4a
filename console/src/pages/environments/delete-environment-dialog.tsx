// Deletes an environment: says first what goes with it, and has its key typed. There is no way back.
import { TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { counted } from 'zerohop/change-words'
import { api, read } from '../../api/client.ts'
import { nameInAddress, useEnvironment } from '../../api/environments.ts'
import { Dialog } from '../../components/dialog.tsx'
import { notifyDone } from '../../components/notify.ts'
import { contentsQuery, type Environment } from './environment-queries.ts'

interface DeleteEnvironmentDialogProps {
  readonly environment: Environment
  readonly onClose: () => void
}

export function DeleteEnvironmentDialog({ environment, onClose }: DeleteEnvironmentDialogProps) {
  const { key, id, project_id } = environment
  const path = { p: project_id, e: nameInAddress(environment) }
  const open = useEnvironment()
  const navigate = useNavigate()
  const contents = useQuery(contentsQuery(path))
  const [typed, setTyped] = useState('')
  const [wasSent, setSent] = useState(false)
  const remove = useMutation({
    mutationFn: () => read(api.DELETE('/v2/projects/{p}/envs/{e}', { params: { path } })),
    onSuccess: () => {
      notifyDone(`Environment ${key} deleted`)
      onClose()
      if (open.data?.id === id) void navigate({ to: '/', replace: true })
    },
  })
  return (
    <Dialog
      title={`Delete ${key}?`}
      action="Delete environment"
      isDanger
      isBusy={remove.isPending}
      error={remove.error}
      onSubmit={() => {
        setSent(true)
        if (typed.trim() === key) remove.mutate()
      }}
      onClose={onClose}
    >
      <p>{contents.data === undefined ? whatGoes(contents.isError) : sentenceOf(contents.data)}</p>
      <p>Its API keys stop working immediately, and so do the PDPs and programs that use them. This can't be undone.</p>
      <TextInput
        label={`Type ${key} to confirm`}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        error={wasSent && typed.trim() !== key && `Enter the key ${key}`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    </Dialog>
  )
}

const whatGoes = (isUnknown: boolean): string =>
  isUnknown ? 'Everything in it will be deleted.' : 'Counting what will be deleted…'

interface Contents {
  readonly stats: {
    readonly roles: number
    readonly resources: number
    readonly policies: number
    readonly users: number
    readonly tenants: number
    readonly has_decision_logs: boolean
  }
}

function sentenceOf({ stats: { roles, resources, policies, users, tenants, has_decision_logs } }: Contents): string {
  const counts = [
    counted(roles, 'role'),
    counted(resources, 'resource type'),
    counted(policies, 'access rule'),
    counted(users, 'user'),
    counted(tenants, 'tenant'),
  ].join(', ')
  return `This also deletes ${counts} and everything in them: assignments, instances, relationships${has_decision_logs ? ' and its recorded decisions' : ''}.`
}
