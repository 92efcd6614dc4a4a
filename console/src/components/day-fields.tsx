// Two fields for a range of days, for lists that are filtered by time.
import { TextInput } from '@mantine/core'
import classes from './day-fields.module.css'
import type { Days } from './days.ts'

interface DayFieldsProps {
  readonly value: Days
  readonly onChange: (name: keyof Days, day: string) => void
}

export function DayFields({ value, onChange }: DayFieldsProps) {
  return (['from', 'until'] as const).map((name) => (
    <TextInput
      key={name}
      type="date"
      className={classes.day}
      aria-label={name === 'from' ? 'From date' : 'Until date'}
      leftSection={<span className={classes.prefix}>{name === 'from' ? 'From' : 'Until'}</span>}
      leftSectionWidth={48}
      value={value[name] ?? ''}
      onChange={({ currentTarget }) => onChange(name, currentTarget.value)}
    />
  ))
}
