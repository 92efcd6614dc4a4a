// Changes a part of something in a dialog. When somebody else has changed a field meanwhile that would be overwritten,
// that is said first, and what was typed stays.
import '@mantine/core/styles/Alert.layer.css'
import { Alert } from '@mantine/core'
import { useState } from 'react'
import { type Edit, ifSame, isOvertaken } from '../api/precondition.ts'
import { useWrite } from '../api/write.ts'
import { Dialog } from './dialog.tsx'
import { type Field, findProblems, makeBody, makeDraft, rebased, type Stored } from './object-draft.ts'
import { errorBeside, ObjectFields } from './object-fields.tsx'

/** Times that others may be faster. */
const TURNS_MAX = 3

type Result = Promise<{ readonly error?: unknown; readonly response: Response }>

interface EditObjectDialogProps {
  /** what it is, in the singular: `action` */
  readonly kind: string
  readonly name: string
  readonly fields: readonly Field[]
  readonly stored: Stored
  /** reads it anew; undefined when it is gone */
  readonly readAgain: () => Promise<Stored | undefined>
  readonly send: (edit: Edit) => Result
  /** puts what the server said at a field that it does not name */
  readonly placed?: (error: unknown) => unknown
  /** false where no revert brings the old fields back */
  readonly isUndoable?: boolean
  readonly onClose: () => void
}

export function EditObjectDialog({
  kind,
  name,
  fields,
  stored,
  readAgain,
  send,
  placed = (error) => error,
  isUndoable = true,
  onClose,
}: EditObjectDialogProps) {
  const [base, setBase] = useState(stored)
  const [draft, setDraft] = useState(() => makeDraft(fields, stored))
  const [wasSent, setSent] = useState(false)
  const [theirs, setTheirs] = useState<readonly string[]>([])
  const problems = findProblems(fields, draft)
  const heading = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${name}`
  const save = useWrite({ send, done: () => `${heading} saved`, isUndoable: () => isUndoable, onDone: onClose })
  const error = isOvertaken(save.error) ? undefined : placed(save.error)
  const submit = async (turn = 1) => {
    setSent(true)
    if (Object.keys(problems).length > 0) return
    const now = (await readAgain()) ?? base
    const [was, is] = [makeDraft(fields, base), makeDraft(fields, now)]
    const changed = makeBody(fields, draft, base)
    const lost = fields.filter((field) => field.name in changed && was[field.name] !== is[field.name])
    setBase(now)
    setDraft(rebased(fields, draft, base, now))
    setTheirs(lost.map(({ label }) => label))
    if (lost.length > 0) return
    if (Object.keys(changed).length === 0) onClose()
    else
      save.mutate(
        { body: changed, ...ifSame(now) },
        // someone else was faster: what they changed is compared as well
        { onError: (refused) => void (isOvertaken(refused) && turn < TURNS_MAX && submit(turn + 1)) },
      )
  }
  return (
    <Dialog
      title={heading}
      action="Save"
      isBusy={save.isPending}
      error={errorBeside(error, fields)}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {theirs.length > 0 && (
        <Alert color="yellow" role="alert" styles={{ message: { color: 'var(--console-note)' } }}>
          Someone else changed this in the meantime: {theirs.join(', ')}. Save again to overwrite it.
        </Alert>
      )}
      <ObjectFields
        fields={fields}
        draft={draft}
        onChange={setDraft}
        problems={wasSent ? problems : {}}
        error={error}
        rows={3}
      />
    </Dialog>
  )
}
