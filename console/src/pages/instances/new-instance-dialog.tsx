// Stores an instance of a resource in a tenant.
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { suggestResources, suggestTenants } from '../../api/suggestions.ts'
import { KeyField } from '../../components/key-field.tsx'
import { NewObjectDialog } from '../../components/new-object-dialog.tsx'
import { INSTANCE_FIELDS, INSTANCE_KEY } from './instance-fields.ts'
import { instanceName } from './instance-queries.ts'

const FIELDS = [INSTANCE_KEY, ...INSTANCE_FIELDS]

interface NewInstanceDialogProps {
  readonly resource: string
  readonly tenant: string
  readonly onClose: () => void
}

export function NewInstanceDialog({ onClose, ...given }: NewInstanceDialogProps) {
  const path = useEnvironmentPath()
  const navigate = useNavigate({ from: '/$project/$environment/instances' })
  const [resource, setResource] = useState(given.resource)
  const [tenant, setTenant] = useState(given.tenant)
  const [wasTried, setTried] = useState(false)
  const more = { resource: resource.trim(), tenant: tenant.trim() }
  return (
    <NewObjectDialog
      kind="instance"
      fields={FIELDS}
      more={more}
      isIncomplete={more.resource === '' || more.tenant === ''}
      onTry={() => setTried(true)}
      send={(body) =>
        api.POST('/v2/facts/{p}/{e}/resource_instances', { params: { path }, body: { ...body, ...more } })
      }
      onDone={({ key }) =>
        void navigate({
          to: './$instance',
          params: { instance: instanceName({ resource: more.resource, key }) } as never,
        })
      }
      onClose={onClose}
      above={
        <KeyField
          label="Resource"
          placeholder="document"
          value={resource}
          onChange={setResource}
          error={wasTried && more.resource === '' ? 'Resource is required' : undefined}
          suggest={(text) => suggestResources(path, text)}
        />
      }
      below={
        <KeyField
          label="Tenant"
          value={tenant}
          onChange={setTenant}
          error={wasTried && more.tenant === '' ? 'Tenant is missing' : undefined}
          suggest={(text) => suggestTenants(path, text)}
        />
      }
    />
  )
}
