// A field for any number of given keys, such as the actions that a role permits: a box for each.

import { TextInput } from '@mantine/core'
import { useId, useState } from 'react'
import { foldCase } from 'zerohop/fold-case'
import classes from './choice-field.module.css'
import { type ChoiceGroup, parseChosen } from './object-draft.ts'

/** With more choices there is a field to find some. */
const FIND_FROM = 24

interface ChoiceFieldProps {
  readonly label: string
  readonly description?: string
  readonly choices: readonly string[]
  /** names and headings of the choices; their keys when absent */
  readonly groups?: readonly ChoiceGroup[] | undefined
  /** what is chosen, one in a line */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error?: string | undefined
}

export function ChoiceField({ label, description, choices, groups, value, onChange, error }: ChoiceFieldProps) {
  const [search, setSearch] = useState('')
  const chosen = new Set(parseChosen(value))
  const set = (choice: string, isChosen: boolean) =>
    onChange(choices.filter((each) => (each === choice ? isChosen : chosen.has(each))).join('\n'))
  if (choices.length === 0) return null
  const all = groups ?? [{ choices: choices.map((key) => ({ key, name: key })) }]
  const shown = narrowed(all, search)
  return (
    <fieldset className={classes.field}>
      <legend>{label}</legend>
      {description !== undefined && <p className={classes.description}>{description}</p>}
      {choices.length > FIND_FROM && (
        <TextInput
          size="xs"
          mt={4}
          type="search"
          aria-label={`Find in ${label}`}
          placeholder="Find"
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      <div className={classes.choices}>
        {shown.map((group) => (
          <Group key={group.heading ?? ''} group={group} chosen={chosen} onChange={set} />
        ))}
        {shown.length === 0 && <p className={classes.description}>No results</p>}
      </div>
      {error !== undefined && (
        <p role="alert" className={classes.error}>
          {error}
        </p>
      )}
    </fieldset>
  )
}

/** The choices with the text in their key, name or heading. */
function narrowed(groups: readonly ChoiceGroup[], search: string): readonly ChoiceGroup[] {
  const wanted = foldCase(search.trim())
  const isFound = (heading: string, { key, name }: { readonly key: string; readonly name: string }) =>
    foldCase(`${heading} ${key} ${name}`).includes(wanted)
  return groups
    .map((group) => ({ ...group, choices: group.choices.filter((each) => isFound(group.heading ?? '', each)) }))
    .filter((group) => group.choices.length > 0)
}

interface GroupProps {
  readonly group: ChoiceGroup
  readonly chosen: ReadonlySet<string>
  readonly onChange: (choice: string, isChosen: boolean) => void
}

function Group({ group: { heading, choices }, chosen, onChange }: GroupProps) {
  const id = useId()
  const boxes = choices.map(({ key, name, about }) => (
    <label key={key} title={name === key ? undefined : key}>
      <input
        type="checkbox"
        checked={chosen.has(key)}
        onChange={({ currentTarget }) => onChange(key, currentTarget.checked)}
      />
      <span>
        {name}
        {about !== undefined && <span className={classes.about}>{about}</span>}
      </span>
    </label>
  ))
  if (heading === undefined) return boxes
  return (
    // biome-ignore lint/a11y/useSemanticElements: the field that it is in is the fieldset
    <div role="group" aria-labelledby={id} className={classes.group}>
      <span id={id} className={classes.heading}>
        {heading}
      </span>
      <div className={classes.boxes}>{boxes}</div>
    </div>
  )
}
