// The form of a question. What is sent beside it, and another time, stay folded until they are wanted.
import { Button, TextInput } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { useEnvironmentPath } from '../../api/environments.ts'
import {
  suggestActions,
  suggestInstances,
  suggestResources,
  suggestTenants,
  suggestUsers,
} from '../../api/suggestions.ts'
import { Icon } from '../../components/icon.tsx'
import { JsonField } from '../../components/json-field.tsx'
import { KeyField } from '../../components/key-field.tsx'
import {
  type Draft,
  findProblems,
  makeDraft,
  type ObjectName,
  type QuestionSearch,
  searchOfDraft,
  splitResource,
} from './question.ts'
import classes from './why-page.module.css'

const OBJECT_FIELDS: readonly { readonly name: ObjectName; readonly label: string; readonly placeholder: string }[] = [
  { name: 'user_attributes', label: 'Attributes of the user', placeholder: '{"department": "finance"}' },
  { name: 'attributes', label: 'Attributes of the resource', placeholder: '{"amount": 120}' },
  { name: 'relations', label: 'Relations of the resource', placeholder: '{"parent": ["folder:f1"]}' },
  { name: 'context', label: 'Context', placeholder: '{"ip": "10.0.0.1"}' },
]

interface QuestionFormProps {
  readonly search: QuestionSearch
  readonly isAsking: boolean
  readonly onAsk: (search: QuestionSearch) => void
}

export function QuestionForm({ search, isAsking, onAsk }: QuestionFormProps) {
  const path = useEnvironmentPath()
  const [draft, setDraft] = useState(() => makeDraft(search))
  const [wasAsked, setAsked] = useState(false)
  const [isMore, setMore] = useState(() => OBJECT_FIELDS.some(({ name }) => draft[name] !== '') || draft.at !== '')
  const problems = wasAsked ? findProblems(draft) : {}
  const set = (name: keyof Draft) => (value: string) => setDraft((before) => ({ ...before, [name]: value }))
  const { type, key } = splitResource(draft.resource)

  const ask = () => {
    setAsked(true)
    const found = findProblems(draft)
    if (Object.keys(found).length === 0) onAsk(searchOfDraft(draft))
    else if (OBJECT_FIELDS.some(({ name }) => found[name] !== undefined) || found.at !== undefined) setMore(true)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      ask()
    }
  }

  return (
    <form
      aria-label="Question"
      className={classes.form}
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault()
        ask()
      }}
      noValidate
    >
      <KeyField
        label="User"
        placeholder="ana"
        value={draft.user}
        onChange={set('user')}
        error={problems.user}
        suggest={(text) => suggestUsers(path, text)}
      />
      <KeyField
        label="Action"
        placeholder="read"
        value={draft.action}
        onChange={set('action')}
        error={problems.action}
        suggest={(text) => suggestActions(path, type, text)}
      />
      <KeyField
        label="Resource"
        description="A type, or type:key for one instance"
        placeholder="invoice:18"
        value={draft.resource}
        onChange={set('resource')}
        error={problems.resource}
        suggest={(text) => {
          const typed = splitResource(text)
          return key === undefined || typed.key === undefined
            ? suggestResources(path, typed.type)
            : instancesAsResources(path, typed.type, typed.key)
        }}
      />
      <KeyField
        label="Tenant"
        placeholder="The instance's tenant, or default"
        value={draft.tenant}
        onChange={set('tenant')}
        suggest={(text) => suggestTenants(path, text)}
      />
      <details open={isMore} onToggle={({ currentTarget }) => setMore(currentTarget.open)}>
        <summary className={classes.fold}>
          <Icon name={isMore ? 'chevronDown' : 'chevronRight'} size={14} />
          Attributes, context, time
        </summary>
        <div className={classes.more}>
          {OBJECT_FIELDS.map(({ name, ...field }) => (
            <JsonField key={name} {...field} value={draft[name]} onChange={set(name)} problem={problems[name]} />
          ))}
          <TextInput
            label="As of"
            description="Revision or time; empty is now"
            placeholder="118 or 2026-11-20T08:30:00Z"
            value={draft.at}
            onChange={({ currentTarget }) => set('at')(currentTarget.value)}
            error={problems.at}
            autoComplete="off"
          />
        </div>
      </details>
      <Button type="submit" loading={isAsking} rightSection={<kbd className={classes.shortcut}>Ctrl ↵</kbd>}>
        Ask
      </Button>
    </form>
  )
}

/** Instances as one types them here: `type:key`. */
function instancesAsResources(path: { readonly p: string; readonly e: string }, type: string, search: string) {
  return {
    ...suggestInstances(path, type, search),
    select: (found: readonly { readonly key: string; readonly about?: string | undefined }[]) =>
      found.map((each) => ({ ...each, key: `${type}:${each.key}` })),
  }
}
