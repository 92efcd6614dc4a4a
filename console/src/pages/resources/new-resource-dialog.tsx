// Makes a resource type, with its first actions.
import { TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { NewObjectDialog } from '../../components/new-object-dialog.tsx'
import { NEW_RESOURCE } from './resource-fields.ts'

export function NewResourceDialog({ onClose }: { readonly onClose: () => void }) {
  const path = useEnvironmentPath()
  const navigate = useNavigate({ from: '/$project/$environment/resources' })
  const [text, setText] = useState('')
  const actions = Object.fromEntries(
    text
      .split(/[\s,]+/)
      .filter(Boolean)
      .map((key) => [key, {}]),
  )
  return (
    <NewObjectDialog
      kind="resource"
      fields={NEW_RESOURCE}
      more={{ actions }}
      send={(body) => api.POST('/v2/schema/{p}/{e}/resources', { params: { path }, body })}
      onDone={({ key }) =>
        void navigate({ to: '/$project/$environment/resources/$resource', params: { resource: key } as never })
      }
      onClose={onClose}
      below={
        <TextInput
          label="Actions"
          placeholder="read, edit, delete"
          description="Comma-separated keys. You can add more later."
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
      }
    />
  )
}
