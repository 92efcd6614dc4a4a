// The groups that the directory has sent, with how many members each has and how many rules select it.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEnvironmentPath } from '../../api/environments.ts'
import type { Column } from '../../components/data-table.tsx'
import { Instant } from '../../components/instant.tsx'
import bar from '../../components/list-bar.module.css'
import { NamedRow } from '../../components/named-row.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { NoDirectory } from './no-directory.tsx'
import { type DirectoryGroup, type GroupRule, groupsQuery } from './source-queries.ts'

const FROM = '/$project/$environment/sources'

interface GroupsProps {
  /** makes a rule for a group */
  readonly onRule: ((group: GroupRule['group']) => void) | undefined
}

export function Groups({ onRule }: GroupsProps) {
  const path = useEnvironmentPath()
  const { search = '', page = 1 } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const groups = useQuery(groupsQuery(path, search, page))
  const buttons: Column<DirectoryGroup> = {
    header: 'Change',
    isHeaderHidden: true,
    align: 'right',
    width: '110px',
    cell: ({ display_name: value }) => (
      <Button
        variant="subtle"
        size="compact-xs"
        aria-label={`New rule for ${value}`}
        onClick={() => onRule?.({ by: 'display_name', match: 'exact', value })}
      >
        New rule
      </Button>
    ),
  }
  return (
    <>
      <div className={bar.bar}>
        <SearchField
          label="Search groups"
          value={search}
          onChange={(text) =>
            void navigate({ search: { tab: 'groups', ...(text === '' ? {} : { search: text }) }, replace: true })
          }
        />
      </div>
      <PagedList
        label="Groups of the directory"
        query={groups}
        columns={onRule === undefined ? COLUMNS : [...COLUMNS, buttons]}
        page={page}
        kind="group"
        found="part of the display name or external id"
        isFiltered={search !== ''}
        keep={{ tab: 'groups' }}
        empty={<NoDirectory />}
      />
    </>
  )
}

const COLUMNS: readonly Column<DirectoryGroup>[] = [
  {
    header: 'Group',
    cell: ({ display_name, external_id }) => <NamedRow name={external_id ?? undefined}>{display_name}</NamedRow>,
  },
  { header: 'Members', width: '100px', cell: ({ members }) => members.toLocaleString('en-US') },
  { header: 'Rules', width: '80px', cell: ({ rules }) => rules },
  { header: 'Changed', width: '180px', cell: ({ updated_at }) => <Instant value={updated_at} />, isMinor: true },
]
