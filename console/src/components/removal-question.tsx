// What is said before something is removed that a sync or the directory claims, too: that it stays, or that it cannot be
// removed here at all. What was only added by hand is removed at once.
import { type ReactNode, useState } from 'react'
import { type Claims, isByHand, isFromOthers, keptText, notHereText } from '../api/claims.ts'
import { Dialog } from './dialog.tsx'

interface Removed {
  /** `Role editor of ana` */
  readonly name: string
  readonly claims: Claims
  readonly remove: () => void
}

/** `ask` removes it, after a question where one is due; `question` belongs on the page. */
export function useRemovalQuestion(): { readonly ask: (what: Removed) => void; readonly question: ReactNode } {
  const [asked, setAsked] = useState<Removed>()
  const close = () => setAsked(undefined)
  const ask = (what: Removed) => (isFromOthers(what.claims) ? setAsked(what) : what.remove())
  const question = asked !== undefined && (
    <RemovalQuestion
      {...asked}
      remove={() => {
        asked.remove()
        close()
      }}
      onClose={close}
    />
  )
  return { ask, question }
}

function RemovalQuestion({ name, claims, remove, onClose }: Removed & { readonly onClose: () => void }) {
  if (!isByHand(claims)) return <NotHere name={name} claims={claims} onClose={onClose} />
  return (
    <Dialog
      title={`Remove what was added by hand of ${name}?`}
      action="Remove"
      isDanger
      isBusy={false}
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{keptText(namesOf(claims))}</p>
    </Dialog>
  )
}

/** In the place of a dialog that removes something. */
export function NotHere({ name, claims, onClose }: Omit<Removed, 'remove'> & { readonly onClose: () => void }) {
  return (
    <Dialog
      title={`${name} can't be removed here`}
      action="Close"
      cancel={null}
      isBusy={false}
      onSubmit={onClose}
      onClose={onClose}
    >
      <p>{notHereText(namesOf(claims))}</p>
    </Dialog>
  )
}

export const namesOf = (claims: Claims): readonly string[] => (claims ?? []).map(({ by }) => by)
