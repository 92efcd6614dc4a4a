// Which dialog about a part of a resource type is open.
import { useState } from 'react'

/** The key of the part; none for a new one. */
export type OpenDialog =
  | { readonly is: 'new' }
  | { readonly is: 'edit'; readonly key: string }
  | { readonly is: 'delete'; readonly key: string }

export interface Parts {
  readonly open: OpenDialog | undefined
  readonly show: (dialog: OpenDialog) => void
  readonly close: () => void
}

export function useParts(): Parts {
  const [open, setOpen] = useState<OpenDialog>()
  return { open, show: setOpen, close: () => setOpen(undefined) }
}
