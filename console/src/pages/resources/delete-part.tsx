// The dialog that deletes a part of a resource type, with what goes with it.
import { useWrite } from '../../api/write.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Removal } from './removal.tsx'
import type { RemovedKind } from './resource-queries.ts'

type Result = Promise<{ readonly error?: unknown; readonly response: Response }>

interface DeletePartProps {
  readonly kind: string
  readonly name: string
  readonly removed: RemovedKind
  /** as a plan names it */
  readonly of: string
  readonly send: () => Result
  readonly onClose: () => void
}

export function DeletePart({ kind, name, removed, of, send, onClose }: DeletePartProps) {
  const remove = useWrite({ send, done: () => `${title(kind)} ${name} deleted`, onDone: onClose })
  return (
    <Dialog
      title={`Delete ${kind} ${name}?`}
      action={`Delete ${kind}`}
      isDanger
      isBusy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      <Removal kind={removed} of={of} />
    </Dialog>
  )
}

const title = (kind: string): string => kind.charAt(0).toUpperCase() + kind.slice(1)
