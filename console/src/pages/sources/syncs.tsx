// The syncs of the environment: when each ran last, whether one runs at present, and how many facts it claims. They are
// run by `zerohop sync`, and only looked at here.
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { kindText, plural } from 'zerohop/change-words'
import { useEnvironmentPath } from '../../api/environments.ts'
import type { Column } from '../../components/data-table.tsx'
import { Instant } from '../../components/instant.tsx'
import { NamedRow } from '../../components/named-row.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import { EmptyState, ErrorState } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { type Sync, syncQuery, syncsQuery } from './source-queries.ts'
import classes from './sources.module.css'

/** A count that stands for so many or more (`SYNC_FACTS_COUNTED_MAX`). */
const COUNTED_MAX = 100_000

export function Syncs() {
  const { page = 1 } = useSearch({ from: '/$project/$environment/sources' })
  const syncs = useQuery(syncsQuery(useEnvironmentPath(), page))
  return (
    <PagedList
      label="Syncs"
      query={syncs}
      columns={COLUMNS}
      page={page}
      kind="sync"
      found="nothing"
      isFiltered={false}
      isStacked
      empty={
        <EmptyState
          icon="refreshCw"
          title="No syncs yet"
          text={
            <>
              <code>zerohop sync apply</code> keeps users, tenants and roles in step with your own database. Each sync
              that has run here is listed, with what it claims.
            </>
          }
        />
      }
    />
  )
}

const isHeld = ({ lease }: Sync): boolean => lease !== null && Date.parse(lease.until) > Date.now()

const COLUMNS: readonly Column<Sync>[] = [
  {
    header: 'Sync',
    cell: (sync) => (
      <NamedRow name={`source ${sync.source.slice(0, 8)}`}>
        <span>
          {sync.key} {isHeld(sync) && <Tag>running</Tag>}
        </span>
      </NamedRow>
    ),
  },
  { header: 'Facts', width: '40%', cell: ({ key }) => <Facts sync={key} /> },
  { header: 'Last run', width: '180px', isNamed: true, cell: ({ updated_at }) => <Instant value={updated_at} /> },
  { header: 'Runs', width: '80px', isNamed: true, cell: ({ runs }) => runs.toLocaleString('en-US') },
]

function Facts({ sync }: { readonly sync: string }) {
  const one = useQuery(syncQuery(useEnvironmentPath(), sync))
  if (one.error !== null && one.data === undefined) return <ErrorState error={one.error} />
  if (one.data === undefined) return <span className={classes.dimmed}>Counting…</span>
  const counts = Object.entries(one.data.facts ?? {})
  return counts.length === 0 ? 'none' : counts.map(([kind, count]) => factsText(kind, count)).join(', ')
}

function factsText(kind: string, count: number): string {
  const more = count === COUNTED_MAX ? ' or more' : ''
  return `${count.toLocaleString('en-US')}${more} ${plural(count, kindText(kind))}`
}
