// Dialogs for a part of a resource type: changing it, and deleting it. When somebody else has changed a field meanwhile
// that would be overwritten, that is said first, and what was typed stays.
import { Alert } from '@mantine/core'
import { useState } from 'react'
import { useWrite } from '../../api/write.ts'
import { Dialog } from '../../components/dialog.tsx'
import { type Field, findProblems, makeBody, makeDraft, rebased, type Stored } from '../../components/object-draft.ts'
import { errorBeside, ObjectFields } from '../../components/object-fields.tsx'
import { Removal } from './removal.tsx'
import type { RemovedKind } from './resource-queries.ts'

type Result = Promise<{ readonly error?: unknown; readonly response: Response }>

interface EditPartProps {
  /** what it is, in the singular: `action` */
  readonly kind: string
  readonly name: string
  readonly fields: readonly Field[]
  readonly stored: Stored
  /** reads it anew; undefined when it is gone */
  readonly readAgain: () => Promise<Stored | undefined>
  readonly send: (body: Readonly<Record<string, unknown>>) => Result
  readonly onClose: () => void
}

export function EditPart({ kind, name, fields, stored, readAgain, send, onClose }: EditPartProps) {
  const [base, setBase] = useState(stored)
  const [draft, setDraft] = useState(() => makeDraft(fields, stored))
  const [wasSent, setSent] = useState(false)
  const [overtaken, setOvertaken] = useState<readonly string[]>([])
  const problems = findProblems(fields, draft)
  const save = useWrite({ send, done: () => `${title(kind)} ${name} saved`, onDone: onClose })
  const submit = async () => {
    setSent(true)
    if (Object.keys(problems).length > 0) return
    const now = (await readAgain()) ?? base
    const [was, is] = [makeDraft(fields, base), makeDraft(fields, now)]
    const changed = makeBody(fields, draft, base)
    const lost = fields.filter((field) => field.name in changed && was[field.name] !== is[field.name])
    setBase(now)
    setDraft(rebased(fields, draft, base, now))
    setOvertaken(lost.map(({ label }) => label))
    if (lost.length > 0) return
    if (Object.keys(changed).length === 0) onClose()
    else save.mutate(changed)
  }
  return (
    <Dialog
      title={`${title(kind)} ${name}`}
      action="Save"
      isBusy={save.isPending}
      error={errorBeside(save.error, fields)}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {overtaken.length > 0 && (
        <Alert color="yellow" role="alert" styles={{ message: { color: 'var(--console-note)' } }}>
          Someone else changed this in the meantime: {overtaken.join(', ')}. Save again to overwrite it.
        </Alert>
      )}
      <ObjectFields
        fields={fields}
        draft={draft}
        onChange={setDraft}
        problems={wasSent ? problems : {}}
        error={save.error}
        rows={3}
      />
    </Dialog>
  )
}

interface DeletePartProps {
  readonly kind: string
  readonly name: string
  readonly removed: RemovedKind
  /** as a plan names it */
  readonly of: string
  readonly send: () => Result
  readonly onClose: () => void
}

export function DeletePart({ kind, name, removed, of, send, onClose }: DeletePartProps) {
  const remove = useWrite({ send, done: () => `${title(kind)} ${name} deleted`, onDone: onClose })
  return (
    <Dialog
      title={`Delete ${kind} ${name}?`}
      action={`Delete ${kind}`}
      isDanger
      isBusy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      <Removal kind={removed} of={of} />
    </Dialog>
  )
}

const title = (kind: string): string => kind.charAt(0).toUpperCase() + kind.slice(1)
