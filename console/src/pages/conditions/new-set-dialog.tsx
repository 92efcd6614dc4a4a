// Makes a condition set without conditions, and opens it: no rule uses it yet, so it changes nobody's access.
import { NativeSelect } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { suggestResources } from '../../api/suggestions.ts'
import { KeyField } from '../../components/key-field.tsx'
import { NewObjectDialog } from '../../components/new-object-dialog.tsx'
import type { Field } from '../../components/object-draft.ts'

const FIELDS: readonly Field[] = [
  { name: 'key', label: 'Key', placeholder: 'finance-staff', description: "Can't be changed later.", isRequired: true },
  { name: 'name', label: 'Name' },
  { name: 'description', label: 'Description' },
]

export function NewSetDialog({ onClose }: { readonly onClose: () => void }) {
  const path = useEnvironmentPath()
  const navigate = useNavigate({ from: '/$project/$environment/conditions' })
  const [type, setType] = useState<'userset' | 'resourceset'>('userset')
  const [resource, setResource] = useState('')
  const [wasSent, setSent] = useState(false)
  const isIncomplete = type === 'resourceset' && resource.trim() === ''
  return (
    <NewObjectDialog
      kind="condition set"
      fields={FIELDS}
      send={(body) => api.POST('/v2/schema/{p}/{e}/condition_sets', { params: { path }, body })}
      more={{ type, conditions: {}, ...(type === 'resourceset' ? { resource_id: resource.trim() } : {}) }}
      isIncomplete={isIncomplete}
      onTry={() => setSent(true)}
      onDone={({ key }) => void navigate({ to: './$set', params: { set: key } as never })}
      onClose={onClose}
      below={
        <>
          <NativeSelect
            label="Of"
            value={type}
            data={[
              { value: 'userset', label: 'Users' },
              { value: 'resourceset', label: 'Instances of a resource' },
            ]}
            onChange={({ currentTarget }) => setType(currentTarget.value as typeof type)}
          />
          {type === 'resourceset' && (
            <KeyField
              label="Resource"
              value={resource}
              onChange={setResource}
              error={wasSent && isIncomplete ? 'Resource is required' : undefined}
              suggest={(text) => suggestResources(path, text)}
            />
          )}
        </>
      }
    />
  )
}
