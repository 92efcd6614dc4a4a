// Dialogs about API keys: making one, its secret, which is shown once, another secret, and deleting it.
import { Button, Modal, NativeSelect, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, read } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { useSession } from '../../api/use-session.ts'
import { Dialog } from '../../components/dialog.tsx'
import { notifyDone } from '../../components/notify.ts'
import { CopyLine } from './copy-line.tsx'
import { type ApiKey, type NewKey, useKeyWrite } from './key-queries.ts'
import { ACCESS_WORDS, nameOfKey, pdpLines, reachOfKey } from './key-words.ts'
import classes from './keys.module.css'

const LEVELS = ['env', 'project', 'org'] as const
type Level = (typeof LEVELS)[number]
type Access = keyof typeof ACCESS_WORDS

interface NewKeyProps {
  readonly onDone: (key: ApiKey) => void
  readonly onClose: () => void
}

export function NewKeyDialog({ onDone, onClose }: NewKeyProps) {
  const { p, e } = useEnvironmentPath()
  const { organization_id, object_type: own } = useSession().access
  const [name, setName] = useState('')
  const [level, setLevel] = useState<Level>('env')
  const [access, setAccess] = useState<Access>('read')
  const [wasSent, setSent] = useState(false)
  const { create } = useKeyWrite(onDone)
  const words: Record<Level, string> = {
    env: `This environment (${p}/${e})`,
    project: `The project ${p}, with all of its environments`,
    org: 'The organization, with all projects',
  }
  const submit = () => {
    setSent(true)
    if (name.trim() === '') return
    const place = {
      ...(level === 'org' ? {} : { project_id: p }),
      ...(level === 'env' ? { environment_id: e } : {}),
    }
    create.mutate({
      ...{ organization_id, ...place, object_type: level, access_level: access, name: name.trim() },
    } satisfies NewKey)
  }
  return (
    <Dialog
      title="New API key"
      action="Create key"
      isBusy={create.isPending}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="What uses it: history and decisions show this name."
        placeholder="shop back end"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={wasSent && name.trim() === '' ? 'Name is missing' : undefined}
        autoComplete="off"
        data-autofocus
      />
      <NativeSelect
        label="Reaches"
        value={level}
        onChange={({ currentTarget }) => setLevel(currentTarget.value as Level)}
        data={LEVELS.slice(0, LEVELS.indexOf(own) + 1).map((value) => ({ value, label: words[value] }))}
      />
      <NativeSelect
        label="May"
        description="A PDP needs Read, and Write to send its decisions here."
        value={access}
        onChange={({ currentTarget }) => setAccess(currentTarget.value as Access)}
        data={Object.entries(ACCESS_WORDS).map(([value, label]) => ({ value, label }))}
      />
    </Dialog>
  )
}

/** The secret of a key that was just made, or has another one. */
export function SecretDialog({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const secret = apiKey.secret ?? ''
  return (
    <Modal
      opened
      onClose={onClose}
      title={`The secret of ${nameOfKey(apiKey)}`}
      size="lg"
      lockScroll={false}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
      centered
    >
      <div className={classes.secret}>
        <p>Copy it now: it is not shown here again.</p>
        <CopyLine label="Secret" text={secret} />
        {apiKey.object_type === 'env' && (
          <>
            <h3>Start a PDP with it</h3>
            {pdpLines(location.origin, secret).map(({ by, line }) => (
              <CopyLine key={by} label={by} text={line} />
            ))}
          </>
        )}
        <Button onClick={onClose}>I have copied it</Button>
      </div>
    </Modal>
  )
}

interface KeyDialogProps {
  readonly apiKey: ApiKey
  /** who is signed in is signed in with it */
  readonly isOwn: boolean
  readonly onClose: () => void
}

export function RotateDialog({ apiKey, isOwn, onClose, onDone }: KeyDialogProps & Pick<NewKeyProps, 'onDone'>) {
  const { rotate } = useKeyWrite(onDone)
  return (
    <Dialog
      title={`Give ${nameOfKey(apiKey)} another secret?`}
      action="Rotate key"
      isDanger
      isBusy={rotate.isPending}
      error={rotate.error}
      onSubmit={() => rotate.mutate(apiKey.id)}
      onClose={onClose}
    >
      <Consequences apiKey={apiKey} isOwn={isOwn} />
    </Dialog>
  )
}

export function DeleteKeyDialog({ apiKey, isOwn, onClose }: KeyDialogProps) {
  const remove = useMutation({
    mutationFn: () => read(api.DELETE('/v2/api-key/{key}', { params: { path: { key: apiKey.id } } })),
    onSuccess: () => {
      notifyDone(`Key ${nameOfKey(apiKey)} deleted`)
      onClose()
    },
  })
  return (
    <Dialog
      title={`Delete ${nameOfKey(apiKey)}?`}
      action="Delete key"
      isDanger
      isBusy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      <Consequences apiKey={apiKey} isOwn={isOwn} />
    </Dialog>
  )
}

function Consequences({ apiKey, isOwn }: Pick<KeyDialogProps, 'apiKey' | 'isOwn'>) {
  return (
    <>
      <p>
        {reachOfKey(apiKey)}. Its secret is refused from the next request on, and this cannot be undone. Back ends with
        it are refused, sessions of the console with it end, and PDPs with it answer nothing until they are started with
        another secret.
      </p>
      {isOwn && (
        <p>
          <strong>You are signed in with this key: you will be signed out.</strong>
        </p>
      )}
    </>
  )
}
