// Who has what, and by what: of every user, by role, by resource; as of any revision, compared with another one, as
// CSV.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEnvironmentPath } from '../../api/environments.ts'
import { AccessDiff } from '../../components/access-diff.tsx'
import { Icon } from '../../components/icon.tsx'
import { Page } from '../../components/page.tsx'
import { QueryState } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import classes from './review.module.css'
import { ReviewCounts } from './review-counts.tsx'
import { ReviewFilters } from './review-filters.tsx'
import { ReviewLines } from './review-lines.tsx'
import { changesQuery } from './review-queries.ts'
import { isNarrowed, isOverview, narrowed, toCsvQuery } from './review-query.ts'
import type { ReviewSearch } from './review-search.ts'

const FROM = '/$project/$environment/access-review'

const TABS = [
  { id: 'user', label: 'By user' },
  { id: 'role', label: 'By role' },
  { id: 'resource', label: 'By resource' },
] as const

export function ReviewPage() {
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const { tab = 'user', at, since, after } = search
  const show = (next: ReviewSearch) => void navigate({ search: next, resetScroll: false })
  return (
    <Page
      title="Access review"
      description="Who has access to what, and why."
      actions={<CsvButton search={search} />}
      isWide
    >
      <Tabs label="Access review" tabs={TABS} open={tab} keep={{ ...(at && { at }), ...(since && { since }) }} />
      <ReviewFilters
        key={tab}
        search={search}
        onChange={(change) => show(narrowed(search, change))}
        onClear={() => show(narrowed({}, { tab, at, since }))}
      />
      {since !== undefined && after === undefined && !isNarrowed(search) && <Changes search={search} />}
      {isOverview(search) ? (
        <ReviewCounts key={tab} by={tab === 'role' ? 'role' : 'resource'} search={search} />
      ) : (
        <ReviewLines search={search} />
      )}
    </Page>
  )
}

/** All lines that fit, whatever page is open. The browser writes the file while the server makes it. */
function CsvButton({ search }: { readonly search: ReviewSearch }) {
  const { p, e } = useEnvironmentPath()
  const place = `/console/api/v2/projects/${encodeURIComponent(p)}/envs/${encodeURIComponent(e)}/access`
  return (
    <Button
      component="a"
      variant="default"
      href={`${place}?${toCsvQuery(search)}`}
      download
      leftSection={<Icon name="download" size={14} />}
    >
      Export CSV
    </Button>
  )
}

function Changes({ search }: { readonly search: ReviewSearch }) {
  const changes = useQuery(changesQuery(useEnvironmentPath(), search))
  return (
    <details className={classes.changes} open>
      <summary>
        <h2>What changed{changes.data === undefined ? '' : ` since revision ${changes.data.since}`}</h2>
      </summary>
      <QueryState query={changes}>
        {({ revision, ...diff }) => <AccessDiff diff={diff} nothing="No one gained or lost access." whyAt={revision} />}
      </QueryState>
    </details>
  )
}
