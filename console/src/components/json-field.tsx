// A field for a JSON object. What is wrong is said where it is, once one leaves the field; the text stays as it was
// typed.
import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { parseObject } from './json-object.ts'

interface JsonFieldProps {
  readonly label: string
  readonly description?: string
  readonly placeholder?: string
  /** the text, as it was typed */
  readonly value: string
  readonly onChange: (value: string) => void
  /** what else is wrong with the object */
  readonly problem?: string | undefined
  readonly rows?: number
  readonly isReadOnly?: boolean
}

export function JsonField({ value, onChange, problem, rows = 3, isReadOnly = false, ...props }: JsonFieldProps) {
  const [isOpen, setOpen] = useState(false)
  const parsed = parseObject(value)
  const error = isOpen ? undefined : (parsed.problem ?? problem)
  return (
    <Textarea
      {...props}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      onFocus={() => setOpen(true)}
      onBlur={() => setOpen(false)}
      error={error}
      spellCheck={false}
      autoComplete="off"
      rows={rows}
      readOnly={isReadOnly}
      resize="vertical"
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
    />
  )
}
