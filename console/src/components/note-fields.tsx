// Why a role is given, as fields of a form.
import { TextInput } from '@mantine/core'

interface NoteFieldsProps {
  readonly reason: string
  readonly ticket: string
  readonly onChange: (name: 'reason' | 'ticket') => (value: string) => void
}

export function NoteFields({ reason, ticket, onChange }: NoteFieldsProps) {
  const setFrom = (name: 'reason' | 'ticket') => (event: { readonly currentTarget: { readonly value: string } }) =>
    onChange(name)(event.currentTarget.value)
  return (
    <>
      <TextInput label="Reason" value={reason} onChange={setFrom('reason')} />
      <TextInput label="Ticket" value={ticket} onChange={setFrom('ticket')} />
    </>
  )
}
