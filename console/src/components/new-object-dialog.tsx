// Makes an object that has a key: its fields, and whatever else the page adds below them.
import { type ReactNode, useState } from 'react'
import { useWrite } from '../api/write.ts'
import { Dialog } from './dialog.tsx'
import { type Field, findProblems, makeBody, makeDraft } from './object-draft.ts'
import { errorBeside, ObjectFields } from './object-fields.tsx'

export interface NewObject extends Readonly<Record<string, unknown>> {
  readonly key: string
}

interface NewObjectDialogProps {
  /** what is made: `tenant` */
  readonly kind: string
  /** one of them is the key */
  readonly fields: readonly Field[]
  readonly send: (body: NewObject) => Promise<{ readonly error?: unknown; readonly response: Response }>
  readonly onDone: (body: NewObject) => void
  readonly onClose: () => void
  /** sent beside the fields */
  readonly more?: Readonly<Record<string, unknown>>
  /** what keeps it from being sent, beside the fields */
  readonly isIncomplete?: boolean
  /** fields above and below those of the object */
  readonly above?: ReactNode
  readonly below?: ReactNode
  readonly onTry?: () => void
  /** puts what the server said at a field that it does not name */
  readonly placed?: (error: unknown) => unknown
}

export function NewObjectDialog(props: NewObjectDialogProps) {
  const { kind, fields, send, onDone, onClose, more = {}, isIncomplete = false, above, below, onTry, placed } = props
  const [draft, setDraft] = useState(() => makeDraft(fields))
  const [wasSent, setSent] = useState(false)
  const problems = findProblems(fields, draft)
  const name = kind.charAt(0).toUpperCase() + kind.slice(1)
  const create = useWrite({ send, done: ({ key }) => `${name} ${key} created`, onDone })
  const error = placed === undefined ? create.error : placed(create.error)
  const submit = () => {
    setSent(true)
    onTry?.()
    if (Object.keys(problems).length > 0 || isIncomplete) return
    create.mutate({ ...makeBody(fields, draft), ...more, key: draft.key?.trim() ?? '' })
  }
  return (
    <Dialog
      title={`New ${kind}`}
      action={`Create ${kind}`}
      isBusy={create.isPending}
      error={errorBeside(error, fields)}
      onSubmit={submit}
      onClose={onClose}
    >
      {above}
      <ObjectFields
        fields={fields}
        draft={draft}
        onChange={setDraft}
        problems={wasSent ? problems : {}}
        error={error}
        rows={3}
      />
      {below}
    </Dialog>
  )
}
