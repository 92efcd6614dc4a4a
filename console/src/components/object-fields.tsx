// The fields of a form that makes or changes an object, with what is wrong beside each: what was typed, or what the
// server said about it.
import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { ApiError } from '../api/api-error.ts'
import { ChoiceField } from './choice-field.tsx'
import { JsonField } from './json-field.tsx'
import type { Draft, Field } from './object-draft.ts'

interface ObjectFieldsProps {
  readonly fields: readonly Field[]
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly problems: Readonly<Record<string, string>>
  /** what the server said */
  readonly error?: unknown
  readonly isReadOnly?: boolean
  /** rows of a field for JSON */
  readonly rows?: number
}

export function ObjectFields(props: ObjectFieldsProps) {
  const { fields, draft, onChange, problems, error, isReadOnly = false, rows = 6 } = props
  return fields.map(({ name, label, placeholder, description, isObject, isFlag, options, choices, groups }) => {
    const change = (text: string) => onChange({ ...draft, [name]: text })
    const shown = {
      label,
      value: draft[name] ?? '',
      ...(placeholder === undefined || isReadOnly ? {} : { placeholder }),
      ...(description === undefined ? {} : { description }),
    }
    const problem = problems[name] ?? refusalOf(error, name)
    if (options)
      return (
        <NativeSelect
          key={name}
          {...shown}
          data={[...options]}
          onChange={({ currentTarget }) => change(currentTarget.value)}
          error={problem}
          disabled={isReadOnly}
        />
      )
    if (isFlag)
      return (
        <Checkbox
          key={name}
          label={label}
          description={description}
          checked={shown.value !== ''}
          onChange={({ currentTarget }) => change(currentTarget.checked ? 'true' : '')}
          error={problem}
          disabled={isReadOnly}
        />
      )
    if (choices) return <ChoiceField key={name} {...shown} {...{ choices, groups }} onChange={change} error={problem} />
    return isObject ? (
      <JsonField key={name} {...shown} onChange={change} problem={problem} rows={rows} isReadOnly={isReadOnly} />
    ) : (
      <TextInput
        key={name}
        {...shown}
        onChange={({ currentTarget }) => change(currentTarget.value)}
        error={problem}
        readOnly={isReadOnly}
        autoComplete="off"
        spellCheck={false}
      />
    )
  })
}

/** What the server said about a field, and about members inside it. */
export function refusalOf(error: unknown, name: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const about = error.issues.filter(({ path }) => path[0] === name)
  const texts = about.map(({ path, message }) => [path.slice(1).join('.'), message].filter(Boolean).join(': '))
  return texts.length === 0 ? undefined : texts.join('; ')
}

/** The error, unless every part of it stands at one of the fields. */
export function errorBeside(error: unknown, fields: readonly Pick<Field, 'name'>[]): unknown {
  if (!(error instanceof ApiError) || error.issues.length === 0) return error
  const names = new Set<unknown>(fields.map(({ name }) => name))
  return error.issues.every(({ path }) => names.has(path[0])) ? undefined : error
}
