// A field for the key of something, with suggestions from the server while one types. Any text may be entered: what
// does not exist is a question, too.
import { Combobox, TextInput, type TextInputProps, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Suggest } from '../api/suggestions.ts'
import classes from './key-field.module.css'

/** After the last key stroke, before the server is asked. */
const PAUSE_MS = 150

interface KeyFieldProps extends Pick<TextInputProps, 'placeholder' | 'description' | 'error'> {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** what was chosen, or typed and confirmed with Enter or by leaving the field */
  readonly onCommit?: (value: string) => void
  readonly suggest: Suggest
  /** the label is said by screen readers only: the placeholder shows it */
  readonly isLabelHidden?: boolean
}

export function KeyField({ suggest, value, onChange, onCommit, isLabelHidden = false, ...props }: KeyFieldProps) {
  const { label, ...rest } = props
  const [search] = useDebouncedValue(value.trim(), PAUSE_MS)
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const found = useQuery({
    ...suggest(search),
    enabled: combobox.dropdownOpened,
    placeholderData: keepPreviousData,
  })
  const options = found.data ?? []
  const isTyped = options.some(({ key }) => key === value.trim())
  const choose = (key: string) => {
    onChange(key)
    onCommit?.(key)
    combobox.closeDropdown()
  }
  return (
    <Combobox store={combobox} onOptionSubmit={choose} shadow="md">
      <Combobox.Target withExpandedAttribute>
        <TextInput
          {...rest}
          {...(isLabelHidden ? { 'aria-label': label } : { label })}
          value={value}
          onChange={({ currentTarget }) => {
            onChange(currentTarget.value)
            combobox.openDropdown()
            combobox.resetSelectedOption()
          }}
          onClick={() => combobox.openDropdown()}
          onFocus={({ currentTarget }) => {
            // the field on which a dialog opens covers nothing until it is used
            if (!currentTarget.hasAttribute('data-autofocus')) combobox.openDropdown()
          }}
          onBlur={() => {
            combobox.closeDropdown()
            onCommit?.(value)
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || combobox.getSelectedOptionIndex() !== -1 || onCommit === undefined) return
            event.preventDefault() // the form around it is not sent by that
            onCommit(value)
          }}
          autoComplete="off"
          spellCheck={false}
          autoCapitalize="none"
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={options.length === 0 || isTyped}>
        <Combobox.Options aria-label={`Suggestions for ${label}`}>
          {options.map(({ key, about }) => (
            <Combobox.Option key={key} value={key} className={classes.option}>
              <span className={classes.key}>{key}</span>
              <span className={classes.about}>{about}</span>
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
