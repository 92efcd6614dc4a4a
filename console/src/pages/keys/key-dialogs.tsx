// Dialogs about API keys: making one, its secret, which is shown once, another secret, ending an old one, and deleting
// the key.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, read } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { suggestTenants } from '../../api/suggestions.ts'
import { useSession } from '../../api/use-session.ts'
import { Dialog } from '../../components/dialog.tsx'
import { KeyField } from '../../components/key-field.tsx'
import { Modal } from '../../components/modal.tsx'
import { notifyDone } from '../../components/notify.ts'
import { CopyLine } from './copy-line.tsx'
import { type ApiKey, type NewKey, useKeyWrite } from './key-queries.ts'
import {
  ACCESS_WORDS,
  END_CHOICES,
  endAfter,
  KEEP_CHOICES,
  nameOfKey,
  pdpLines,
  reachOfKey,
  USER_KEY_WORDS,
} from './key-words.ts'
import classes from './keys.module.css'

const LEVELS = ['directory', 'tenant', 'env', 'project', 'org'] as const
type Level = (typeof LEVELS)[number]
type Access = keyof typeof ACCESS_WORDS
type UserKey = keyof typeof USER_KEY_WORDS
/** What access means, where a key is not for PDPs. */
const ACCESS_HELP: Partial<Record<Level, string>> = {
  tenant: 'Read lists users and their roles there, Write also changes them.',
  directory: 'An identity provider that makes users needs Write.',
}

interface NewKeyProps {
  /** what it opens at first; default the environment */
  readonly level?: Level | undefined
  readonly onDone: (key: ApiKey) => void
  readonly onClose: () => void
}

export function NewKeyDialog({ level: first = 'env', onDone, onClose }: NewKeyProps) {
  const path = useEnvironmentPath()
  const { p, e } = path
  const { organization_id, object_type: own } = useSession().access
  const [name, setName] = useState('')
  const [level, setLevel] = useState<Level>(first)
  const [access, setAccess] = useState<Access>(first === 'directory' ? 'write' : 'read')
  const [userKey, setUserKey] = useState<UserKey>('user_name')
  const [tenant, setTenant] = useState('')
  const [days, setDays] = useState('0')
  const [wasSent, setSent] = useState(false)
  const { create } = useKeyWrite(onDone)
  const words: Record<Level, string> = {
    directory: 'SCIM in this environment: users and groups of an identity provider',
    tenant: 'One tenant of this environment: who has which role there',
    env: `This environment (${p}/${e})`,
    project: `Project ${p} with all its environments`,
    org: 'Organization with all projects',
  }
  const submit = () => {
    setSent(true)
    if (name.trim() === '' || (level === 'tenant' && tenant.trim() === '')) return
    const place = {
      ...(level === 'org' ? {} : { project_id: p }),
      ...(level === 'org' || level === 'project' ? {} : { environment_id: e }),
      ...(level === 'tenant' ? { tenant_id: tenant.trim() } : {}),
      ...(level === 'directory' ? { user_key: userKey } : {}),
    }
    const expires_at = endAfter(Number(days), Date.now())
    create.mutate({
      ...(expires_at === undefined ? {} : { expires_at }),
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
        description="What uses the key. Shown in History and Decisions."
        placeholder="shop back end"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={wasSent && name.trim() === '' ? 'Name is required' : undefined}
        autoComplete="off"
      />
      <NativeSelect
        label="Scope"
        value={level}
        onChange={({ currentTarget }) => setLevel(currentTarget.value as Level)}
        data={LEVELS.slice(0, LEVELS.indexOf(own) + 1).map((value) => ({ value, label: words[value] }))}
      />
      {level === 'tenant' && (
        <KeyField
          label="Tenant"
          value={tenant}
          onChange={setTenant}
          error={wasSent && tenant.trim() === '' ? 'Tenant is required' : undefined}
          suggest={(text) => suggestTenants(path, text)}
        />
      )}
      <NativeSelect
        label="Access"
        description={ACCESS_HELP[level] ?? 'A PDP needs Read, or Write to send its decisions here.'}
        value={access}
        onChange={({ currentTarget }) => setAccess(currentTarget.value as Access)}
        data={Object.entries(ACCESS_WORDS).map(([value, label]) => ({ value, label }))}
      />
      {level === 'directory' && (
        <NativeSelect
          label="Key of new users"
          description="What your app asks checks with. It can't be changed once a user exists."
          value={userKey}
          onChange={({ currentTarget }) => setUserKey(currentTarget.value as UserKey)}
          data={Object.entries(USER_KEY_WORDS).map(([value, label]) => ({ value, label }))}
        />
      )}
      <NativeSelect
        label="Ends"
        description="From then on it is refused. The end cannot be moved."
        value={days}
        onChange={({ currentTarget }) => setDays(currentTarget.value)}
        data={[...END_CHOICES]}
      />
    </Dialog>
  )
}

/** The secret of a key that was just made, or has another one. */
export function SecretDialog({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const secret = apiKey.secret ?? ''
  return (
    <Modal title={`The secret of ${nameOfKey(apiKey)}`} size="lg" isSticky onClose={onClose}>
      <div className={classes.secret}>
        <p>Copy it now. You won't be able to see it again.</p>
        <CopyLine label="Secret" text={secret} />
        {apiKey.object_type === 'directory' && (
          <CopyLine label="Address for the identity provider" text={`${location.origin}/scim/v2`} />
        )}
        {apiKey.object_type === 'env' && (
          <>
            <h3>Start a PDP with it</h3>
            {pdpLines(location.origin).map(({ by, line }) => (
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
  const hasOld = apiKey.old_secret_expires_at !== null
  const [seconds, setSeconds] = useState(hasOld ? '0' : '86400')
  return (
    <Dialog
      title={`Rotate ${nameOfKey(apiKey)}?`}
      action="Rotate key"
      isDanger
      isBusy={rotate.isPending}
      error={rotate.error}
      onSubmit={() => rotate.mutate({ key: apiKey.id, keep_old_seconds: Number(seconds) })}
      onClose={onClose}
    >
      <NativeSelect
        label="The current secret stays valid"
        description={
          hasOld
            ? 'The secret before it is still valid. A key has two at most: end that one first to keep this one.'
            : 'Until then, give the new secret to every program that has this one.'
        }
        value={seconds}
        onChange={({ currentTarget }) => setSeconds(currentTarget.value)}
        data={hasOld ? [KEEP_CHOICES[0]] : [...KEEP_CHOICES]}
      />
      {seconds === '0' ? (
        <Consequences apiKey={apiKey} isOwn={isOwn} />
      ) : (
        <p>
          {reachOfKey(apiKey)}. Nothing is interrupted now. When the current secret ends, programs that still have it
          are refused.
        </p>
      )}
    </Dialog>
  )
}

export function EndOldSecretDialog({ apiKey, onClose }: Omit<KeyDialogProps, 'isOwn'>) {
  const end = useMutation({
    mutationFn: () => read(api.DELETE('/v2/api-key/{key}/old-secret', { params: { path: { key: apiKey.id } } })),
    onSuccess: () => {
      notifyDone(`The old secret of ${nameOfKey(apiKey)} has ended`)
      onClose()
    },
  })
  return (
    <Dialog
      title={`End the old secret of ${nameOfKey(apiKey)}?`}
      action="End old secret"
      isDanger
      isBusy={end.isPending}
      error={end.error}
      onSubmit={() => end.mutate()}
      onClose={onClose}
    >
      <p>
        It is refused from the next request on, and programs and PDPs that still have it stop. The current secret stays
        valid.
      </p>
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
        {reachOfKey(apiKey)}. Its secret stops working immediately. This can't be undone. Back ends that use it are
        refused, console sessions signed in with it end, and PDPs that use it stop answering until you restart them with
        another secret.
      </p>
      {isOwn && (
        <p>
          <strong>You are signed in with this key and will be signed out.</strong>
        </p>
      )}
    </>
  )
}
