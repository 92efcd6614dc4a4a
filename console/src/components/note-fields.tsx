// Why a role is given or a change is made, as fields of a form.
import { TextInput } from '@mantine/core'

/** Why something is done, and what for. */
export interface Notes {
  readonly reason: string
  readonly ticket: string
}
export const NO_NOTES: Notes = { reason: '', ticket: '' }

interface NoteFieldsProps extends Notes {
  readonly onChange: (name: 'reason' | 'ticket') => (value: string) => void
  readonly errors?: Partial<Readonly<Record<'reason' | 'ticket', string | undefined>>>
}

export function NoteFields({ reason, ticket, onChange, errors = {} }: NoteFieldsProps) {
  const setFrom = (name: 'reason' | 'ticket') => (event: { readonly currentTarget: { readonly value: string } }) =>
    onChange(name)(event.currentTarget.value)
  return (
    <>
      <TextInput label="Reason" value={reason} onChange={setFrom('reason')} error={errors.reason} />
      <TextInput label="Ticket" value={ticket} onChange={setFrom('ticket')} error={errors.ticket} />
    </>
  )
}
