// The tenants of the environment: searched, in pages.
import '@mantine/core/styles/Anchor.layer.css'
import { Anchor, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useEnvironmentPath } from '../../api/environments.ts'
import { useMay } from '../../api/use-session.ts'
import type { Column } from '../../components/data-table.tsx'
import { Icon } from '../../components/icon.tsx'
import { Instant } from '../../components/instant.tsx'
import bar from '../../components/list-bar.module.css'
import { NamedRow } from '../../components/named-row.tsx'
import { Page } from '../../components/page.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { Sources } from '../../components/sources.tsx'
import { EmptyState } from '../../components/states.tsx'
import { NewTenantDialog } from './new-tenant-dialog.tsx'
import { type Tenant, tenantsQuery } from './tenant-queries.ts'

const FROM = '/$project/$environment/tenants'

export function TenantsPage() {
  const path = useEnvironmentPath()
  const asked = useSearch({ from: FROM })
  const { search = '', page = 1 } = asked
  const navigate = useNavigate({ from: FROM })
  const canWrite = useMay('write')
  const [isNew, setNew] = useState(false)
  const tenants = useQuery(tenantsQuery(path, asked))
  const create = canWrite && (
    <Button leftSection={<Icon name="plus" size={14} />} onClick={() => setNew(true)}>
      New tenant
    </Button>
  )
  return (
    <Page
      title="Tenants"
      description="Your customers. Each role assignment and each instance belongs to a tenant."
      actions={create}
      isWide
    >
      <div className={bar.bar}>
        <SearchField
          label="Search tenants"
          value={search}
          onChange={(text) => void navigate({ search: text === '' ? {} : { search: text }, replace: true })}
        />
      </div>
      <PagedList
        label="Tenants"
        query={tenants}
        columns={COLUMNS}
        page={page}
        kind="tenant"
        found="part of the key or name"
        isFiltered={search !== ''}
        empty={<NoTenants action={create || undefined} />}
      />
      {isNew && <NewTenantDialog onClose={() => setNew(false)} />}
    </Page>
  )
}

const NoTenants = ({ action }: { readonly action: ReactNode }) => (
  <EmptyState
    icon="building2"
    title="No tenants yet"
    text="Your app creates one for each customer. If you don't have customers, use the tenant named default."
    action={action}
  />
)

const COLUMNS: readonly Column<Tenant>[] = [
  {
    header: 'Tenant',
    width: '40%',
    cell: ({ key, name, claims }) => (
      <NamedRow name={name === key ? undefined : name}>
        <span>
          <Anchor component={Link} to="./$tenant" params={{ tenant: key } as never} from={FROM} size="sm">
            {key}
          </Anchor>
          <Sources claims={claims} />
        </span>
      </NamedRow>
    ),
  },
  { header: 'Description', cell: ({ description }) => description, isMinor: true },
  { header: 'Created', cell: ({ created_at }) => <Instant value={created_at} />, width: '180px' },
]
