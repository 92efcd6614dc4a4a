// Makes an environment: empty, or rather with the roles that every new one has.
import { api } from '../../api/client.ts'
import { NewObjectDialog } from '../../components/new-object-dialog.tsx'
import type { Field } from '../../components/object-draft.ts'

const FIELDS: readonly Field[] = [
  {
    name: 'key',
    label: 'Key',
    placeholder: 'staging',
    description: 'The identifier your programs use: letters, digits, - and _.',
    isRequired: true,
  },
  { name: 'name', label: 'Name', placeholder: 'Staging', isRequired: true },
  { name: 'description', label: 'Description' },
]

interface NewEnvironmentDialogProps {
  readonly project: string
  readonly onClose: () => void
}

export function NewEnvironmentDialog({ project, onClose }: NewEnvironmentDialogProps) {
  return (
    <NewObjectDialog
      kind="environment"
      fields={FIELDS}
      send={(body) =>
        api.POST('/v2/projects/{p}/envs', {
          params: { path: { p: project } },
          body: body as typeof body & { name: string },
        })
      }
      onDone={onClose}
      onClose={onClose}
    />
  )
}
