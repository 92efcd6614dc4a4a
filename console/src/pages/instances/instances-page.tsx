// The stored instances: searched, by type and by tenant, in pages.
import '@mantine/core/styles/Anchor.layer.css'
import { Anchor, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useEnvironmentPath } from '../../api/environments.ts'
import { suggestResources, suggestTenants } from '../../api/suggestions.ts'
import { useMay } from '../../api/use-session.ts'
import type { Column } from '../../components/data-table.tsx'
import { FilterField } from '../../components/filter-field.tsx'
import { Icon } from '../../components/icon.tsx'
import { Instant } from '../../components/instant.tsx'
import bar from '../../components/list-bar.module.css'
import { Page } from '../../components/page.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { Sources } from '../../components/sources.tsx'
import { EmptyState } from '../../components/states.tsx'
import { type Instance, instanceName, instancesQuery } from './instance-queries.ts'
import type { InstancesSearch } from './instances-search.ts'
import { NewInstanceDialog } from './new-instance-dialog.tsx'

const FROM = '/$project/$environment/instances'

export function InstancesPage() {
  const path = useEnvironmentPath()
  const asked = useSearch({ from: FROM })
  const { search = '', resource = '', tenant = '', page = 1 } = asked
  const navigate = useNavigate({ from: FROM })
  const canWrite = useMay('write')
  const [isNew, setNew] = useState(false)
  const instances = useQuery(instancesQuery(path, asked))
  const narrow = (change: InstancesSearch) => {
    const said = Object.entries({ search, resource, tenant, ...change }).filter(([, text]) => text !== '')
    void navigate({ search: Object.fromEntries(said), replace: true })
  }
  const create = canWrite && (
    <Button leftSection={<Icon name="plus" size={14} />} onClick={() => setNew(true)}>
      New instance
    </Button>
  )
  return (
    <Page
      title="Instances"
      description="Individual stored resources with their own tenant, attributes, relations and roles."
      actions={create}
      isWide
    >
      <div className={bar.bar}>
        <SearchField label="Search instances" value={search} onChange={(text) => narrow({ search: text })} />
        <FilterField
          label="Resource"
          value={resource}
          suggest={(text) => suggestResources(path, text)}
          onChange={(key) => narrow({ resource: key })}
        />
        <FilterField
          label="Tenant"
          value={tenant}
          suggest={(text) => suggestTenants(path, text)}
          onChange={(key) => narrow({ tenant: key })}
        />
      </div>
      <PagedList
        label="Instances"
        query={instances}
        columns={COLUMNS}
        page={page}
        kind="instance"
        found="part of type:key"
        isFiltered={search !== '' || resource !== '' || tenant !== ''}
        empty={<NoInstances action={create || undefined} />}
      />
      {isNew && <NewInstanceDialog resource={resource} tenant={tenant} onClose={() => setNew(false)} />}
    </Page>
  )
}

const NoInstances = ({ action }: { readonly action: ReactNode }) => (
  <EmptyState
    icon="listTree"
    title="No instances yet"
    text="You need instances to give roles on individual resources, or to inherit roles through relations. Roles in tenants don't need them."
    action={action}
  />
)

const COLUMNS: readonly Column<Instance>[] = [
  {
    header: 'Instance',
    width: '40%',
    cell: (instance) => (
      <>
        <Anchor
          component={Link}
          to="./$instance"
          params={{ instance: instanceName(instance) } as never}
          from={FROM}
          size="sm"
        >
          {instanceName(instance)}
        </Anchor>
        <Sources claims={instance.claims} />
      </>
    ),
  },
  {
    header: 'Tenant',
    cell: ({ tenant }) => (
      <Anchor
        component={Link}
        to={'/$project/$environment/tenants/$tenant' as never}
        from={FROM}
        params={{ tenant } as never}
        size="sm"
      >
        {tenant}
      </Anchor>
    ),
  },
  { header: 'Created', cell: ({ created_at }) => <Instant value={created_at} />, width: '180px', isMinor: true },
]
