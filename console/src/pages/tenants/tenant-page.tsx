// One tenant: who belongs to it, with which roles, and the stored fields.
import '@mantine/core/styles/Anchor.layer.css'
import { Anchor, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { useMay } from '../../api/use-session.ts'
import { useWrite } from '../../api/write.ts'
import { DetailsForm } from '../../components/details-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { MissingObject } from '../../components/missing-object.tsx'
import { Page } from '../../components/page.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { TENANT_FIELDS } from './tenant-fields.ts'
import { TenantMembers } from './tenant-members.tsx'
import { tenantContentsQuery, tenantQuery } from './tenant-queries.ts'
import { TENANT_TABS } from './tenants-search.ts'

const FROM = '/$project/$environment/tenants/$tenant'
const LIST = '/$project/$environment/tenants'

export function TenantPage() {
  const path = useEnvironmentPath()
  const { tenant: key } = useParams({ from: FROM })
  const { tab = 'members' } = useSearch({ from: FROM })
  const canWrite = useMay('write')
  const [isDeleting, setDeleting] = useState(false)
  const tenant = useQuery(tenantQuery(path, key))
  const save = useWrite({
    send: (body: Readonly<Record<string, unknown>>) =>
      api.PATCH('/v2/facts/{p}/{e}/tenants/{ref}', { params: { path: { ...path, ref: key } }, body }),
    done: () => `Tenant ${key} saved`,
  })
  const name = tenant.data?.name === key ? undefined : tenant.data?.name

  return (
    <Page
      key={key}
      title={key}
      help="Tenants"
      parent={
        <Anchor component={Link} to={LIST} from={FROM} size="sm">
          Tenants
        </Anchor>
      }
      description={[name, tenant.data?.description].filter(Boolean).join(' · ') || undefined}
      actions={
        tenant.data !== undefined && (
          <>
            <Button
              variant="default"
              component={Link}
              to="/$project/$environment/instances"
              from={FROM}
              search={{ tenant: key } as never}
              leftSection={<Icon name="listTree" size={14} />}
            >
              Instances
            </Button>
            {canWrite && (
              <Button variant="default" onClick={() => setDeleting(true)}>
                Delete
              </Button>
            )}
          </>
        )
      }
      isWide
    >
      <MissingObject query={tenant} kind="tenant" name={key} list={{ to: LIST, label: 'All tenants' }}>
        {(found) => (
          <>
            <Tabs label={`About ${key}`} tabs={TENANT_TABS} open={tab} />
            {tab === 'members' ? (
              <TenantMembers tenant={key} />
            ) : (
              <DetailsForm
                key={key}
                fields={TENANT_FIELDS}
                stored={found}
                readAgain={async () => (await tenant.refetch()).data?.updated_at}
                write={save}
                canWrite={canWrite}
              />
            )}
          </>
        )}
      </MissingObject>
      {isDeleting && <DeleteTenant tenant={key} onClose={() => setDeleting(false)} />}
    </Page>
  )
}

const number = new Intl.NumberFormat()

function DeleteTenant({ tenant, onClose }: { readonly tenant: string; readonly onClose: () => void }) {
  const path = useEnvironmentPath()
  const navigate = useNavigate({ from: FROM })
  const contents = useQuery(tenantContentsQuery(path, tenant))
  const remove = useWrite({
    send: () => api.DELETE('/v2/facts/{p}/{e}/tenants/{ref}', { params: { path: { ...path, ref: tenant } } }),
    done: () => `Tenant ${tenant} deleted`,
    onDone: () => void navigate({ to: LIST, replace: true }),
  })
  return (
    <Dialog
      title={`Delete ${tenant}?`}
      action="Delete tenant"
      isDanger
      isBusy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      <p>
        {contents.data === undefined
          ? 'Counting what goes with it…'
          : `${number.format(contents.data.members)} members lose their roles here, and ${number.format(contents.data.instances)} resource instances go with their relations.`}{' '}
        The users themselves stay.
      </p>
    </Dialog>
  )
}
