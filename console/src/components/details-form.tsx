// The stored fields of an object, to be changed. When somebody else changes the object meanwhile, that is said before
// anything is overwritten, and what was typed stays.
import '@mantine/core/styles/Alert.layer.css'
import { Alert, Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { describeError } from '../api/api-error.ts'
import { type Edit, ifSame, isOvertaken as isRefusedAsOvertaken } from '../api/precondition.ts'
import classes from './details-form.module.css'
import { DiscardButton } from './discard-button.tsx'
import { type Field, findProblems, isChanged, makeBody, makeDraft, rebased, type Stored } from './object-draft.ts'
import { errorBeside, ObjectFields } from './object-fields.tsx'
import { UnsavedGuard } from './unsaved-guard.tsx'

interface DetailsFormProps {
  readonly fields: readonly Field[]
  /** the object as it was read last, with `updated_at` */
  readonly stored: Stored
  /** reads it anew; returns when it was changed last */
  readonly readAgain: () => Promise<unknown>
  readonly write: {
    readonly mutate: (edit: Edit) => void
    readonly isPending: boolean
    readonly error: unknown
  }
  readonly canWrite: boolean
}

export function DetailsForm({ fields, stored, readAgain, write, canWrite }: DetailsFormProps) {
  const [base, setBase] = useState(stored)
  const [draft, setDraft] = useState(() => makeDraft(fields, stored))
  const [wasSent, setSent] = useState(false)
  const isDirty = isChanged(fields, draft, base) || Object.keys(findProblems(fields, draft)).length > 0
  const isOvertaken = stored.updated_at !== base.updated_at
  const take = () => {
    setBase(stored)
    setDraft(makeDraft(fields, stored))
    setSent(false)
  }
  const keep = () => {
    setBase(stored)
    setDraft(rebased(fields, draft, base, stored))
  }
  useEffect(() => {
    // what was sent is there, or nothing was typed that could be lost
    if (isOvertaken && (!isDirty || !isChanged(fields, draft, stored))) take()
  })
  const [was, is] = [makeDraft(fields, base), makeDraft(fields, stored)]
  const theirs = fields.filter(({ name }) => was[name] !== is[name]).map(({ label }) => label)
  const problems = findProblems(fields, draft)
  const save = async () => {
    setSent(true)
    if (Object.keys(problems).length > 0) return
    const precondition = ifSame(base)
    // where nothing else compares it
    const isSame = 'if-match' in precondition.headers || (await readAgain()) === base.updated_at
    if (isSame && !isOvertaken) write.mutate({ body: makeBody(fields, draft, base), ...precondition })
  }
  const beside = isRefusedAsOvertaken(write.error) ? undefined : errorBeside(write.error, fields)

  return (
    <form
      className={classes.form}
      aria-label="Details"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
      noValidate
    >
      <UnsavedGuard isDirty={isDirty} />
      {isOvertaken && isDirty && (
        <Alert
          color="yellow"
          role="alert"
          title="Someone else changed this in the meantime"
          styles={{ title: { color: 'var(--console-note)' } }}
        >
          <p className={classes.theirs}>
            {theirs.length > 0 && `They changed: ${theirs.join(', ')}. `}
            Nothing of yours is saved yet. To save it over theirs, choose Keep mine, then Save.
          </p>
          <div className={classes.choices}>
            <Button variant="default" onClick={take}>
              Show theirs
            </Button>
            <Button variant="default" onClick={keep}>
              Keep mine
            </Button>
          </div>
        </Alert>
      )}
      <ObjectFields
        fields={fields}
        draft={draft}
        onChange={setDraft}
        problems={wasSent ? problems : {}}
        error={write.error}
        isReadOnly={!canWrite}
        rows={10}
      />
      {beside !== undefined && beside !== null && (
        <Alert color="red" role="alert">
          {describeError(beside).text}
        </Alert>
      )}
      {canWrite && (
        <div className={classes.actions}>
          <Button type="submit" disabled={!isDirty} loading={write.isPending}>
            Save
          </Button>
          <DiscardButton disabled={!isDirty} onDiscard={take} />
        </div>
      )}
    </form>
  )
}
