// The types of resources: searched, in pages, or as a graph.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useEnvironmentPath } from '../../api/environments.ts'
import { useMay } from '../../api/use-session.ts'
import type { Column } from '../../components/data-table.tsx'
import { FewTags } from '../../components/few-tags.tsx'
import { Icon } from '../../components/icon.tsx'
import { TextLink } from '../../components/links.tsx'
import bar from '../../components/list-bar.module.css'
import { NamedRow } from '../../components/named-row.tsx'
import { Page } from '../../components/page.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { NewResourceDialog } from './new-resource-dialog.tsx'
import { type Resource, resourcesQuery } from './resource-queries.ts'
import { LIST_TABS } from './resources-search.ts'
import { TypesGraph } from './types-graph.tsx'

const FROM = '/$project/$environment/resources'

export function ResourcesPage() {
  const path = useEnvironmentPath()
  const asked = useSearch({ from: FROM })
  const { tab = 'list', search = '', page = 1, around } = asked
  const navigate = useNavigate({ from: FROM })
  const canWrite = useMay('write')
  const [isNew, setNew] = useState(false)
  const resources = useQuery({ ...resourcesQuery(path, asked), enabled: tab === 'list' })
  const create = canWrite && (
    <Button leftSection={<Icon name="plus" size={14} />} onClick={() => setNew(true)}>
      New resource
    </Button>
  )
  const empty = (
    <EmptyState
      icon="shapes"
      title="No resources yet"
      text="A resource is a type of thing in your app, such as document, with the actions users can perform on it."
      action={create || undefined}
    />
  )
  return (
    <Page
      title="Resources"
      description="Types of things in your app: their actions, attributes, roles and relations."
      actions={create}
      isWide
    >
      <Tabs label="Show resources as" tabs={LIST_TABS} open={tab} />
      {tab === 'graph' && <TypesGraph around={around} empty={empty} />}
      {tab === 'list' && (
        <>
          <div className={bar.bar}>
            <SearchField
              label="Search resources"
              value={search}
              onChange={(text) => void navigate({ search: text === '' ? {} : { search: text }, replace: true })}
            />
          </div>
          <PagedList
            label="Resources"
            query={resources}
            columns={COLUMNS}
            page={page}
            kind="resource"
            found="part of the key or name"
            isFiltered={search !== ''}
            empty={empty}
          />
        </>
      )}
      {isNew && <NewResourceDialog onClose={() => setNew(false)} />}
    </Page>
  )
}

const COLUMNS: readonly Column<Resource>[] = [
  {
    header: 'Resource',
    width: '26%',
    cell: ({ key, name }) => (
      <NamedRow name={name === key ? undefined : name}>
        <TextLink to="/$project/$environment/resources/$resource" from={FROM} params={{ resource: key } as never}>
          {key}
        </TextLink>
      </NamedRow>
    ),
  },
  { header: 'Actions', cell: ({ actions }) => <FewTags keys={Object.keys(actions)} /> },
  { header: 'Roles', cell: ({ roles }) => <FewTags keys={Object.keys(roles)} />, isMinor: true },
  {
    header: 'Relations',
    cell: ({ relations }) => (
      <FewTags keys={Object.entries(relations).map(([key, { resource }]) => `${key}: ${resource}`)} />
    ),
    isMinor: true,
  },
]
