// Lines of an access review, one page of them. Each action opens in Why, at the revision of the review.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useEnvironmentPath } from '../../api/environments.ts'
import { CursorPages } from '../../components/cursor-pages.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Holder } from '../../components/holder.tsx'
import { Icon } from '../../components/icon.tsx'
import { Instant } from '../../components/instant.tsx'
import { KnownUses, LastUse } from '../../components/last-use.tsx'
import { EmptyState, QueryState } from '../../components/states.tsx'
import { Tags, tagLink } from '../../components/tag.tsx'
import classes from './review.module.css'
import { linesQuery } from './review-queries.ts'
import { isNarrowed } from './review-query.ts'
import { type AccessLine, findLastUse, type ReviewRow, sourceText, toRows } from './review-rows.ts'
import type { ReviewSearch } from './review-search.ts'

export function ReviewLines({ search }: { readonly search: ReviewSearch }) {
  const lines = useQuery(linesQuery(useEnvironmentPath(), search))
  return (
    <QueryState query={lines}>
      {({ lines: found, revision, revision_at, since, next, uses }) => (
        <>
          <p className={classes.of}>
            As of revision {revision}, <Instant value={revision_at} />
            {since === null ? '' : `, compared with revision ${since}`}
          </p>
          {uses !== undefined && <KnownUses uses={uses} />}
          {found.length === 0 && next === null ? (
            <NoLines search={search} />
          ) : (
            <LinesTable
              lines={found}
              revision={revision}
              isOld={lines.isPlaceholderData}
              isCompared={since !== null}
              hasUses={uses !== undefined}
            />
          )}
          <CursorPages after={search.after} next={next} />
          <p className={classes.note}>
            Conditional access applies only when the request or the stored resource meets the conditions. Access that a
            request gains from user attributes or relations it sends isn't listed.
          </p>
        </>
      )}
    </QueryState>
  )
}

interface LinesTableProps {
  readonly lines: readonly AccessLine[]
  readonly revision: number
  readonly isOld: boolean
  readonly isCompared: boolean
  readonly hasUses: boolean
}

function LinesTable({ lines, revision, isOld, isCompared, hasUses }: LinesTableProps) {
  const columns = useMemo(
    () => [...columnsOf(revision, isCompared), ...(hasUses ? [LAST_USED] : [])],
    [revision, isCompared, hasUses],
  )
  const rows = useMemo(() => toRows(lines), [lines])
  return <DataTable label="Access" columns={columns} rows={rows} rowKey={({ key }) => key} isOld={isOld} isStacked />
}

const LAST_USED: Column<ReviewRow> = {
  header: 'Last used',
  width: '170px',
  cell: ({ lines }) => <LastUse at={findLastUse(lines)} unknown={lines.find((line) => line.unknown)?.unknown} />,
}

const columnsOf = (revision: number, isCompared: boolean): readonly Column<ReviewRow>[] => [
  {
    header: 'User',
    width: '22%',
    cell: ({ line }) => (
      <span className={classes.user}>
        <Holder user={line.user} />
      </span>
    ),
  },
  ...(isCompared
    ? [{ header: 'Since then', width: '110px', cell: ({ line }: ReviewRow) => <Change of={line.change} /> }]
    : []),
  { header: 'Permissions', cell: (row) => <May row={row} revision={revision} /> },
  { header: 'Where', width: '22%', cell: ({ line }) => <Where line={line} /> },
  { header: 'Source', width: '22%', cell: ({ line }) => <span className={classes.source}>{sourceText(line)}</span> },
]

const NOTES = {
  allowed: undefined,
  conditional: 'Conditional',
  undecided: 'Unknown: the check fails with an error',
  incomplete: 'Too much to list for this user: filter by resource or tenant',
  scheduled: 'Not in force yet',
  ended: 'Has ended',
} as const

function May({ row: { line, lines }, revision }: { readonly row: ReviewRow; readonly revision: number }) {
  const { access, when } = line
  const note = NOTES[access]
  return (
    <>
      <Actions lines={lines} revision={revision} />
      {(note !== undefined || when !== null) && (
        <div className={classes.dim}>
          {note ?? 'Without request data; otherwise'}
          {when === null ? '' : `${note === undefined ? '' : ','} when ${when}`}
        </div>
      )}
    </>
  )
}

/** Actions of a row that are shown before somebody asks for all. */
const ACTIONS_SHOWN = 6

/** The actions by resource; where there are many, the first ones. */
function Actions({ lines, revision }: { readonly lines: readonly AccessLine[]; readonly revision: number }) {
  const [isWhole, setWhole] = useState(false)
  const named = lines.filter(({ action }) => action !== null)
  const isCut = !isWhole && named.length > ACTIONS_SHOWN + 1
  const byResource = Map.groupBy(isCut ? named.slice(0, ACTIONS_SHOWN) : named, ({ resource }) => resource)
  return (
    <>
      {[...byResource].map(([resource, own]) => (
        <Tags key={resource}>
          {own.map((each) => (
            <WhyTag key={whatOf(each)} line={each} revision={revision} />
          ))}
        </Tags>
      ))}
      {isCut && (
        <Button variant="subtle" size="compact-sm" onClick={() => setWhole(true)}>
          +{named.length - ACTIONS_SHOWN} more
        </Button>
      )}
    </>
  )
}

const whatOf = ({ resource, action }: AccessLine): string => `${resource}:${action}`

/** What was removed is not there at the revision: it opens at the newest one. */
function WhyTag({ line, revision }: { readonly line: AccessLine; readonly revision: number }) {
  const { p, e } = useEnvironmentPath()
  const { user, action, resource, resource_instance: key, tenant, change } = line
  const asked = { user, action, resource: key === null ? resource : `${resource}:${key}` }
  const place = { ...(tenant !== null && { tenant }), ...(change !== 'removed' && { at: String(revision) }) }
  return (
    <Link
      className={tagLink}
      to="/$project/$environment/why"
      params={{ project: p, environment: e }}
      search={{ ...asked, ...place } as never}
    >
      {whatOf(line)}
    </Link>
  )
}

function Where({ line: { resource, resource_instance: key, tenant } }: { readonly line: AccessLine }) {
  if (resource === null) return null
  return (
    <>
      {key === null ? '' : `${resource}:${key} `}
      <span className={key === null ? undefined : classes.dim}>{tenant === null ? 'all tenants' : `in ${tenant}`}</span>
    </>
  )
}

function Change({ of }: { readonly of: AccessLine['change'] }) {
  if (of === null) return null
  return (
    <span className={classes.change} data-change={of}>
      <Icon name={of === 'added' ? 'plus' : 'minus'} size={14} />
      {of}
    </span>
  )
}

function NoLines({ search }: { readonly search: ReviewSearch }) {
  if (search.changed)
    return <EmptyState icon="gitCompare" title="No changes" text="Everyone has the same access as then." />
  if (isNarrowed(search))
    return (
      <EmptyState
        icon="filter"
        title="No matching access"
        text="Try fewer filters. Roles without permissions or users give no access."
      />
    )
  return (
    <EmptyState
      icon="users"
      title="No one has access yet"
      text="Assign a role to a user on the Users page to see their access here."
    />
  )
}
