// Asks before one leaves a page, or a part of it, on which something is typed and not saved.
import { useBlocker } from '@tanstack/react-router'
import { Dialog } from './dialog.tsx'

export function UnsavedGuard({ isDirty }: { readonly isDirty: boolean }) {
  const blocker = useBlocker({
    // a page that replaces its own address is not left by a person
    shouldBlockFn: ({ action }) => isDirty && action !== 'REPLACE',
    enableBeforeUnload: isDirty,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog
      title="Leave without saving?"
      action="Discard and leave"
      cancel="Keep editing"
      isDanger
      isBusy={false}
      onSubmit={blocker.proceed}
      onClose={blocker.reset}
    >
      <p>What you changed on this page and have not saved is lost.</p>
    </Dialog>
  )
}
