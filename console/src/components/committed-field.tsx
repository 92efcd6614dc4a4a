// A text field whose text counts when it is confirmed with Enter, or when the field is left.
import { TextInput, type TextInputProps } from '@mantine/core'
import { useEffect, useState } from 'react'

interface CommittedFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  readonly value: string
  /** gets the text without spaces around it, when it is another one than `value` */
  readonly onChange: (value: string) => void
}

export function CommittedField({ value, onChange, ...props }: CommittedFieldProps) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  const commit = () => {
    if (typed.trim() !== value) onChange(typed.trim())
  }
  return (
    <TextInput
      {...props}
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={commit}
      onKeyDown={({ key }) => {
        if (key === 'Enter') commit()
      }}
      autoComplete="off"
    />
  )
}
