// The editor of a set: builder and JSON side by side, and whom or what the conditions match. Both sides stay in step;
// while the JSON cannot be read, the builder keeps what it showed last. Nothing is saved before its effect was shown.
import '@mantine/core/styles/Alert.layer.css'
import { Alert, Button, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { DiscardButton } from '../../components/discard-button.tsx'
import { KeyField } from '../../components/key-field.tsx'
import { PlanDialog, type PlannedChange } from '../../components/plan-dialog.tsx'
import { UnsavedGuard } from '../../components/unsaved-guard.tsx'
import { type AttributeTypes, findProblem } from './attributes.ts'
import { Builder } from './builder.tsx'
import { attributesIn, type Group, readConditions, writeSet } from './condition-model.ts'
import { type MatchContext, matchesQuery, type SetWithParent, suggestParents } from './condition-queries.ts'
import classes from './conditions.module.css'
import { parseText, printText } from './conditions-text.ts'
import { Matches } from './matches.tsx'
import { changedFields, makeDraft, rebased, type SetDraft } from './set-draft.ts'

/** After the last change, before it is asked whom it matches. */
const PAUSE_MS = 400
const ANYBODY: MatchContext = { user: '', resource: '', tenant: '', onlyDifferent: false, after: null }

interface SetEditorProps {
  readonly stored: SetWithParent
  /** reads it anew; returns when it was changed last */
  readonly readAgain: () => Promise<unknown>
  readonly types: AttributeTypes
  readonly canWrite: boolean
}

export function SetEditor({ stored, readAgain, types, canWrite }: SetEditorProps) {
  const path = useEnvironmentPath()
  const [base, setBase] = useState(stored)
  const [draft, setDraft] = useState(() => makeDraft(stored))
  const [root, setRoot] = useState<Group>(() => readConditions(stored.conditions as never))
  const [context, setContext] = useState(ANYBODY)
  const [isReviewing, setReviewing] = useState(false)
  const parsed = parseText(draft.text)
  const problem = 'problem' in parsed ? parsed.problem : undefined
  const fields = 'problem' in parsed ? undefined : changedFields(draft, base, parsed.conditions)
  const isDirty = fields === undefined || !isEmpty(fields)
  const isOvertaken = stored.updated_at !== base.updated_at
  const show = (next: SetDraft) => {
    setBase(stored)
    setDraft(next)
    const read = parseText(next.text)
    if ('conditions' in read) setRoot(readConditions(read.conditions))
  }
  const take = () => show(makeDraft(stored))
  useEffect(() => {
    if (!isOvertaken) return
    // what was sent is there: it stays as it is written here
    if (!('problem' in parsed) && isEmpty(changedFields(draft, stored, parsed.conditions))) setBase(stored)
    else if (!isDirty) take()
  })
  const hasConditions = fields !== undefined && ('conditions' in fields || 'parent_id' in fields)
  const sent =
    'problem' in parsed || !hasConditions
      ? undefined
      : { conditions: parsed.conditions, parent_id: draft.parent.trim() || null }
  const [text] = useDebouncedValue(sent === undefined ? '' : JSON.stringify(sent), PAUSE_MS)
  const asked = useMemo(() => (text === '' ? undefined : (JSON.parse(text) as NonNullable<typeof sent>)), [text])
  const matches = useQuery({
    ...matchesQuery(path, stored.key, asked, asked === undefined ? { ...context, onlyDifferent: false } : context),
    enabled: problem === undefined,
    retry: false,
  })
  const set = (change: Partial<SetDraft>) => setDraft((before) => ({ ...before, ...change }))
  const build = (next: Group) => {
    setRoot(next)
    set({ text: printText(writeSet(next)) })
  }
  const type = (text: string) => {
    set({ text })
    const read = parseText(text)
    if ('conditions' in read) setRoot(readConditions(read.conditions))
  }
  const { above, others } = refusalOf(matches.error)
  const subject = stored.type === 'userset' ? 'user' : 'resource'
  const isInvalid =
    problem !== undefined ||
    (sent !== undefined && above !== undefined) ||
    attributesIn(root).some((attribute) => findProblem(attribute, subject) !== undefined)

  return (
    <form
      aria-label="Conditions"
      className={classes.editor}
      onSubmit={(event) => {
        event.preventDefault()
        // what someone else changed meanwhile is said before anything is reviewed
        if (canWrite && isDirty && !isInvalid) void readAgain().then((now) => setReviewing(now === base.updated_at))
      }}
      noValidate
    >
      <UnsavedGuard isDirty={canWrite && isDirty} />
      {isOvertaken && isDirty && (
        <Alert
          color="yellow"
          role="alert"
          title="Someone else changed this set in the meantime"
          styles={{ title: { color: 'var(--console-note)' } }}
        >
          <div className={classes.row}>
            <Button variant="default" onClick={take}>
              Show theirs
            </Button>
            <Button variant="default" onClick={() => show(rebased(draft, base, stored))}>
              Keep mine
            </Button>
          </div>
        </Alert>
      )}
      <div className={classes.sides}>
        <section aria-label="Builder">
          <h2>Conditions</h2>
          {problem !== undefined && (
            <p className={classes.note}>Shows the last valid version: the JSON can't be read.</p>
          )}
          <Builder
            root={root}
            types={types}
            subject={subject}
            onChange={build}
            isReadOnly={!canWrite}
            isDisabled={problem !== undefined}
          />
        </section>
        <section aria-label="JSON">
          <h2>JSON</h2>
          <Textarea
            aria-label="Conditions as JSON"
            value={draft.text}
            onChange={({ currentTarget }) => type(currentTarget.value)}
            error={problem ?? above}
            rows={Math.min(30, Math.max(8, draft.text.split('\n').length + 1))}
            readOnly={!canWrite}
            resize="vertical"
            spellCheck={false}
            autoComplete="off"
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          />
        </section>
      </div>
      <details className={classes.details}>
        <summary>Name, description, parent</summary>
        <div className={classes.fields}>
          <TextInput
            label="Name"
            value={draft.name}
            onChange={({ currentTarget }) => set({ name: currentTarget.value })}
            readOnly={!canWrite}
          />
          <TextInput
            label="Description"
            value={draft.description}
            onChange={({ currentTarget }) => set({ description: currentTarget.value })}
            readOnly={!canWrite}
          />
          {canWrite && (
            <KeyField
              label="Parent"
              description="A set whose conditions must also hold."
              placeholder="None"
              value={draft.parent}
              onChange={(parent) => set({ parent })}
              suggest={(search) => suggestParents(path, stored.key, search)}
            />
          )}
        </div>
      </details>
      {canWrite && (
        <div className={classes.row}>
          <Button type="submit" disabled={!isDirty || isInvalid}>
            Review and save
          </Button>
          <DiscardButton disabled={!isDirty} onDiscard={take} />
        </div>
      )}
      <Matches
        set={stored}
        matches={matches}
        error={problem === undefined ? others : undefined}
        isChanged={asked !== undefined}
        context={context}
        onContext={setContext}
      />
      {isReviewing && fields !== undefined && (
        <Review set={stored.key} fields={fields} onClose={() => setReviewing(false)} />
      )}
    </form>
  )
}

const isEmpty = (fields: object): boolean => Object.keys(fields).length === 0

interface ReviewProps {
  readonly set: string
  readonly fields: NonNullable<PlannedChange['value']>
  readonly onClose: () => void
}

function Review({ set, fields, onClose }: ReviewProps) {
  return (
    <PlanDialog
      title={`Save ${set}?`}
      action="Save"
      changes={[{ op: 'update', kind: 'condition_set', key: set, value: fields }]}
      done={`Condition set ${set} saved`}
      onDone={onClose}
      onClose={onClose}
    />
  )
}

/** What the server refuses of the conditions, with its place in them, and any other error. */
function refusalOf(error: unknown): { readonly above?: string; readonly others?: unknown } {
  if (!(error instanceof ApiError) || error.status >= 500) return { others: error ?? undefined }
  const about = error.issues.filter(({ path }) => path[0] === 'conditions')
  if (about.length > 0)
    return {
      above: about
        .map(({ path, message }) => [path.slice(1).join(' › '), message].filter(Boolean).join(': '))
        .join('; '),
    }
  return error.status === 400 ? { above: error.message } : { others: error }
}
