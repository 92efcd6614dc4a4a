// Every revision of the environment, the newest first: what was done, by whom, when. Filters and page are in the
// address.
import { Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { whoText } from 'zerohop/change-words'
import { useEnvironment, useEnvironmentPath } from '../../api/environments.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { DayFields } from '../../components/day-fields.tsx'
import { Instant } from '../../components/instant.tsx'
import { TextLink } from '../../components/links.tsx'
import { Page } from '../../components/page.tsx'
import { Pager } from '../../components/pager.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { EmptyState, QueryState } from '../../components/states.tsx'
import classes from './history.module.css'
import { type HistoryEvent, historyQuery } from './history-queries.ts'
import { HISTORY_ROWS, type HistorySearch, isFiltered } from './history-search.ts'
import { revisionText } from './revision-text.ts'

const FROM = '/$project/$environment/history'

export function HistoryPage() {
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const environment = useEnvironment()
  const id = environment.data?.id
  const history = useQuery({
    ...historyQuery(id ?? '', search),
    enabled: id !== undefined,
    placeholderData: keepPreviousData,
  })
  const show = useCallback(
    (next: HistorySearch) => void navigate({ search: next, replace: true, resetScroll: false }),
    [navigate],
  )
  return (
    <Page title="History" description="Every change to this environment: what changed, who changed it and when." isWide>
      <Filters search={search} onChange={show} />
      <QueryState query={environment.error === null ? history : { ...history, ...failure(environment) }}>
        {({ data, pagination_count }) =>
          data.length === 0 ? (
            <NothingFound search={search} onClear={() => show({})} />
          ) : (
            <>
              <DataTable
                label="Revisions"
                columns={COLUMNS}
                rows={data}
                rowKey={({ id: event }) => event}
                isOld={history.isPlaceholderData}
              />
              <Pager
                page={search.page ?? 1}
                size={HISTORY_ROWS}
                total={pagination_count}
                onChange={(page) => void navigate({ search: { ...search, page } })}
              />
            </>
          )
        }
      </QueryState>
    </Page>
  )
}

/** The history of an environment that cannot be read cannot be read either. */
const failure = ({ error, refetch }: Pick<ReturnType<typeof useEnvironment>, 'error' | 'refetch'>) => ({
  data: undefined,
  isPending: false,
  error,
  refetch,
})

const COLUMNS: readonly Column<HistoryEvent>[] = [
  { header: 'Revision', width: '88px', cell: ({ revision }) => <RevisionLink revision={revision} /> },
  { header: 'Change', cell: (event) => <What event={event} /> },
  { header: 'Who', width: '220px', cell: (event) => <Who event={event} />, isMinor: true },
  { header: 'When', width: '190px', cell: ({ timestamp }) => <Instant value={timestamp} />, isMinor: true },
]

function RevisionLink({ revision }: { readonly revision: number }) {
  const path = useEnvironmentPath()
  return (
    <TextLink
      to="/$project/$environment/history/$revision"
      params={{ project: path.p, environment: path.e, revision: String(revision) }}
      className={classes.link}
    >
      {revision}
    </TextLink>
  )
}

function What({ event }: { readonly event: HistoryEvent }) {
  const { title, objects } = revisionText(event)
  return (
    <>
      <span className={classes.title}>{title}</span> <span className={classes.dim}>{objects}</span>
      <Reason event={event} />
      <div className={classes.narrow}>
        <Who event={event} />, <Instant value={event.timestamp} />
      </div>
    </>
  )
}

/** Why it was done, where somebody said it. */
function Reason({ event: { reason, ticket } }: { readonly event: HistoryEvent }) {
  const text = [ticket, reason].filter((part) => part !== null).join(': ')
  return text === '' ? null : <div className={classes.dim}>{text}</div>
}

const Who = ({ event: { actor_type, actor_id, actor_display_name } }: { readonly event: HistoryEvent }) => (
  <span className={classes.dim}>{whoText(actor_type === 'system' ? null : actor_id, actor_display_name)}</span>
)

interface FiltersProps {
  readonly search: HistorySearch
  readonly onChange: (search: HistorySearch) => void
}

function Filters({ search, onChange }: FiltersProps) {
  const set = useCallback(
    (name: keyof HistorySearch, value: string) => {
      const { page: _, [name]: __, ...others } = search
      onChange(value === '' ? others : { ...others, [name]: value })
    },
    [search, onChange],
  )
  const setWhat = useCallback((value: string) => set('what', value), [set])
  const setWho = useCallback((value: string) => set('who', value), [set])
  return (
    <search className={classes.filters}>
      <SearchField label="Change" value={search.what ?? ''} onChange={setWhat} />
      <SearchField label="Changed by" value={search.who ?? ''} onChange={setWho} />
      <DayFields value={search} onChange={set} />
      {isFiltered(search) && (
        <Button variant="subtle" onClick={() => onChange({})}>
          Clear filters
        </Button>
      )}
    </search>
  )
}

function NothingFound({ search, onClear }: { readonly search: HistorySearch; readonly onClear: () => void }) {
  if (!isFiltered(search))
    return search.page === undefined ? (
      <EmptyState
        icon="history"
        title="No changes yet"
        text="Every change to this environment appears here, whether made in the console, the API or the command line."
      />
    ) : (
      <EmptyState
        icon="history"
        title="This page is empty"
        text="The history doesn't go back that far."
        action={
          <Button variant="default" onClick={onClear}>
            Go to the latest revisions
          </Button>
        }
      />
    )
  return (
    <EmptyState
      icon="filter"
      title="No revisions match these filters"
      text="The latest 10,000 revisions were searched. Try fewer filters or an earlier date."
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    />
  )
}
