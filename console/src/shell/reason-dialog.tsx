// Asks for the reason that the environment requires, over the page whose write waits for it.
import { useState } from 'react'
import { giveReason } from '../api/reason.ts'
import { Dialog } from '../components/dialog.tsx'
import { NoteFields } from '../components/note-fields.tsx'

export default function ReasonDialog() {
  const [notes, setNotes] = useState({ reason: '', ticket: '' })
  return (
    <Dialog
      title="Why this change?"
      action="Continue"
      isBusy={false}
      onSubmit={() => notes.reason.trim() !== '' && giveReason(notes)}
      onClose={() => giveReason(undefined)}
    >
      <p>This environment requires a reason for every change. It appears in the history.</p>
      <NoteFields {...notes} onChange={(name) => (value) => setNotes({ ...notes, [name]: value })} />
    </Dialog>
  )
}
