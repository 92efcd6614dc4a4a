// A filter of a list by the key of something: chosen from suggestions, or typed and confirmed with Enter.
import { useEffect, useState } from 'react'
import type { Suggest } from '../api/suggestions.ts'
import { KeyField } from './key-field.tsx'

interface FilterFieldProps {
  readonly label: string
  /** empty: no filter */
  readonly value: string
  readonly suggest: Suggest
  readonly onChange: (key: string) => void
}

export function FilterField({ label, value, suggest, onChange }: FilterFieldProps) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  const send = (key: string) => {
    if (key.trim() !== value) onChange(key.trim())
  }
  return (
    <KeyField
      label={label}
      isLabelHidden
      placeholder={label}
      value={typed}
      onChange={(key) => {
        setTyped(key)
        if (key === '') send('')
      }}
      onCommit={send}
      suggest={suggest}
    />
  )
}
