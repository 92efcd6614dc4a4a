// The condition sets of the environment, searched and in pages, and beside them the set rules.
import { Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useEnvironmentPath } from '../../api/environments.ts'
import { useMay } from '../../api/use-session.ts'
import type { Column } from '../../components/data-table.tsx'
import { Icon } from '../../components/icon.tsx'
import { TextLink } from '../../components/links.tsx'
import bar from '../../components/list-bar.module.css'
import { NamedRow } from '../../components/named-row.tsx'
import { Page } from '../../components/page.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { type ConditionSet, setsQuery } from './condition-queries.ts'
import classes from './conditions.module.css'
import { CONDITION_TABS, type ConditionsSearch } from './conditions-search.ts'
import { NewSetDialog } from './new-set-dialog.tsx'
import { SetRules } from './set-rules.tsx'
import { subjectText } from './set-words.ts'

const FROM = '/$project/$environment/conditions'

export function ConditionsPage() {
  const { tab = 'sets' } = useSearch({ from: FROM })
  const canWrite = useMay('write', 'policy')
  const [isNew, setNew] = useState(false)
  const create = canWrite && (
    <Button leftSection={<Icon name="plus" size={14} />} onClick={() => setNew(true)}>
      New condition set
    </Button>
  )
  return (
    <Page
      title="Conditions"
      description="Match users and resources by attribute, then grant access between them."
      actions={create}
      isWide
    >
      <Tabs label="Page sections" tabs={CONDITION_TABS} open={tab} />
      {tab === 'sets' ? <Sets action={create || undefined} /> : <SetRules canWrite={canWrite} />}
      {isNew && <NewSetDialog onClose={() => setNew(false)} />}
    </Page>
  )
}

const TYPES = [
  { value: '', label: 'Users and resources' },
  { value: 'userset', label: 'Users' },
  { value: 'resourceset', label: 'Resources' },
]

function Sets({ action }: { readonly action: ReactNode }) {
  const path = useEnvironmentPath()
  const asked = useSearch({ from: FROM })
  const { search = '', type = '', page = 1 } = asked
  const navigate = useNavigate({ from: FROM })
  const sets = useQuery(setsQuery(path, asked))
  const columns: readonly Column<ConditionSet>[] = [
    {
      header: 'Set',
      width: '30%',
      cell: ({ key, name }) => (
        <NamedRow name={name === key ? undefined : name}>
          <TextLink
            to="/$project/$environment/conditions/$set"
            params={{ project: path.p, environment: path.e, set: key }}
            size="sm"
          >
            {key}
          </TextLink>
        </NamedRow>
      ),
    },
    { header: 'Matches', width: '180px', cell: subjectText },
    {
      header: 'Conditions',
      cell: ({ conditions }) => <code className={classes.line}>{JSON.stringify(conditions)}</code>,
      isMinor: true,
    },
  ]
  return (
    <>
      <div className={bar.bar}>
        <SearchField
          label="Search condition sets"
          value={search}
          onChange={(text) => void navigate({ search: withFilter(asked, 'search', text), replace: true })}
        />
        <NativeSelect
          aria-label="Show sets of"
          value={type}
          data={TYPES}
          onChange={({ currentTarget }) => void navigate({ search: withFilter(asked, 'type', currentTarget.value) })}
        />
      </div>
      <PagedList
        label="Condition sets"
        query={sets}
        columns={columns}
        page={page}
        kind="condition set"
        found="part of the key or name"
        isFiltered={search !== '' || type !== ''}
        empty={
          <EmptyState
            icon="filter"
            title="No condition sets yet"
            text="User sets match users; resource sets match instances. Access rules let one act on the other."
            action={action}
          />
        }
      />
    </>
  )
}

function withFilter({ page: _, ...asked }: ConditionsSearch, name: 'search' | 'type', value: string): ConditionsSearch {
  const { [name]: __, ...others } = asked
  return value === '' ? others : { ...others, [name]: value }
}
