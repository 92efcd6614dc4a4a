// A field that searches while one types. What is searched belongs in the address, so the page keeps it.
import { TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Icon } from './icon.tsx'

/** After the last key stroke, before it is searched. */
const PAUSE_MS = 200

interface SearchFieldProps {
  readonly label: string
  /** what is searched now */
  readonly value: string
  readonly onChange: (value: string) => void
}

/** @public */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(value)
  const searched = useRef(value)
  useEffect(() => {
    if (value === searched.current) return
    searched.current = value // changed by a link, or by the back button
    setTyped(value)
  }, [value])
  useEffect(() => {
    const text = typed.trim()
    if (text === searched.current) return undefined
    const timer = setTimeout(() => {
      searched.current = text
      onChange(text)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, onChange])
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" size={14} />}
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
      w={280}
      maw="100%"
    />
  )
}
