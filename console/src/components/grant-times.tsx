// From when and until when a role is given: in a column of a list, and as fields of a form. Times are those of the reader,
// whose time zone is named.
import { TextInput } from '@mantine/core'
import type { components } from 'zerohop/client'
import classes from './grant-times.module.css'
import { Instant } from './instant.tsx'

export type RoleAssignment = components['schemas']['RoleAssignment']
type Times = Pick<RoleAssignment, 'valid_from' | 'valid_until'>

export const endedAt = ({ valid_until: until }: Times, now: number): boolean =>
  until !== undefined && Date.parse(until) <= now
export const startsAfter = ({ valid_from: from }: Times, now: number): boolean =>
  from !== undefined && Date.parse(from) > now

/** Until when a role is given, or from when it will be. */
export function GrantTimes(times: Times) {
  const { valid_from: from, valid_until: until } = times
  const now = Date.now()
  const end = until === undefined ? undefined : <Instant value={until} hasZone />
  if (endedAt(times, now)) return <>Ended {end}</>
  if (from === undefined || !startsAfter(times, now)) return end ?? <>No end</>
  return (
    <>
      Starts <Instant value={from} hasZone />
      {end !== undefined && <>, ends {end}</>}
    </>
  )
}

/** The same in the tag of a role: nothing where the role has no times, and `until` before an end. */
export function TagTimes(times: Times) {
  const { valid_from: from, valid_until: until } = times
  const now = Date.now()
  const isEnding = until !== undefined && !endedAt(times, now) && !startsAfter(times, now)
  if (!isEnding && (from === undefined || !startsAfter(times, now))) return null
  return (
    <span className={classes.times}>
      {' '}
      {isEnding && 'until '}
      <GrantTimes {...times} />
    </span>
  )
}

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()

interface TimeFieldProps {
  readonly label: 'Starts' | 'Ends'
  /** as the field has it: local, without a zone */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error?: string | undefined
}

export function TimeField({ label, value, onChange, error }: TimeFieldProps) {
  return (
    <TextInput
      type="datetime-local"
      label={`${label} (${timeZone})`}
      value={value}
      error={error}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

/** What a field of a time says, for the API; null where it is empty. */
export const toInstant = (typed: string): string | null => (typed === '' ? null : new Date(typed).toISOString())

/** The same as a field has it, to the minute. */
export function toTyped(instant: string | number | undefined): string {
  if (instant === undefined) return ''
  const date = new Date(instant)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
