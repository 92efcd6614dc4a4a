// Makes a tenant.
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { NewObjectDialog } from '../../components/new-object-dialog.tsx'
import { TENANT_FIELDS, TENANT_KEY } from './tenant-fields.ts'

const FIELDS = [TENANT_KEY, ...TENANT_FIELDS]

export function NewTenantDialog({ onClose }: { readonly onClose: () => void }) {
  const path = useEnvironmentPath()
  const navigate = useNavigate({ from: '/$project/$environment/tenants' })
  return (
    <NewObjectDialog
      kind="tenant"
      fields={FIELDS}
      send={(body) => api.POST('/v2/facts/{p}/{e}/tenants', { params: { path }, body })}
      onDone={({ key }) => void navigate({ to: './$tenant', params: { tenant: key } as never })}
      onClose={onClose}
    />
  )
}
