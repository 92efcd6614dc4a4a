// Recorded decisions, the newest first: who asked for what, and the answer. Each opens in Why, at its revision and with
// what was recorded of the question. Filters and page are in the address.
import { Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { NOT_RECORDED, reasonText } from 'zerohop/reason-words'
import { api, read } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { askerName } from '../../components/holder-words.ts'
import { Icon } from '../../components/icon.tsx'
import { Instant } from '../../components/instant.tsx'
import { TextLink } from '../../components/links.tsx'
import { Page } from '../../components/page.tsx'
import { Pager } from '../../components/pager.tsx'
import { EmptyState, QueryState } from '../../components/states.tsx'
import { DecisionFilters } from './decision-filters.tsx'
import classes from './decisions.module.css'
import {
  DECISION_ROWS,
  type DecisionsSearch,
  findRevision,
  formatResource,
  isFiltered,
  questionOfDecision,
  type RecordedDecision,
  toDecisionsQuery,
} from './decisions-search.ts'
import { joined, type LiveDecisions, useLiveDecisions } from './live-decisions.ts'

const FROM = '/$project/$environment/decisions'

export function DecisionsPage() {
  const path = useEnvironmentPath()
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const decisions = useQuery({
    queryKey: ['decisions', path.p, path.e, search],
    queryFn: ({ signal }) =>
      read(api.GET('/v2/pdps/{p}/{e}/audit_logs', { params: { path, query: toDecisionsQuery(search) }, signal })),
    placeholderData: keepPreviousData,
  })
  const show = useCallback(
    (next: DecisionsSearch) => void navigate({ search: next, replace: true, resetScroll: false }),
    [navigate],
  )
  const { refetch } = decisions
  const refresh = useCallback(() => void refetch(), [refetch])
  const isLive = search.live === true && search.page === undefined
  const live = useLiveDecisions(path, search, isLive, refresh)
  return (
    <Page
      title="Decisions"
      description="Every access check and its result. Open one to see why."
      actions={
        <>
          <Button
            variant="default"
            aria-pressed={isLive}
            leftSection={<span className={classes.lamp} data-state={live.state} />}
            onClick={() => {
              const { live: _, page: __, ...others } = search
              show(isLive ? others : { ...others, live: true })
            }}
          >
            Live
          </Button>
          <Button
            variant="default"
            leftSection={<Icon name="refreshCw" size={14} />}
            loading={decisions.isFetching}
            onClick={refresh}
          >
            Refresh
          </Button>
        </>
      }
      isWide
    >
      <DecisionFilters search={search} onChange={show} />
      <p role="status" className={classes.status}>
        {isLive && statusOf(live)}
      </p>
      <QueryState query={decisions}>
        {({ data, pagination_count }) =>
          data.length + live.decisions.length === 0 ? (
            <NothingFound search={search} onClear={() => show({})} />
          ) : (
            <>
              <DataTable
                label="Recorded decisions"
                {...tableOf(isLive ? joined(live.decisions, data) : data)}
                rowKey={({ id }) => id}
                isOld={decisions.isPlaceholderData}
              />
              <Pager
                page={search.page ?? 1}
                size={DECISION_ROWS}
                total={Math.max(pagination_count, data.length)}
                onChange={(page) => void navigate({ search: { ...search, page } })}
              />
            </>
          )
        }
      </QueryState>
    </Page>
  )
}

function statusOf({ state, hasMissed, decisions }: LiveDecisions): string {
  if (state === 'lost')
    return 'Live updates stopped: the server ended the connection. Turn Live off and on to reconnect.'
  if (state === 'connecting') return 'Connecting…'
  if (hasMissed) return 'Too many decisions to show live. Click Refresh to list the newest.'
  return decisions.length === 0 ? 'Waiting for decisions' : 'Decisions appear as they are recorded'
}

/** Without a column of reasons where the log records none. */
function tableOf(rows: readonly RecordedDecision[]) {
  const hasReasons = rows.some(({ reason }) => reasonText(reason) !== NOT_RECORDED)
  return { rows, columns: hasReasons ? COLUMNS : COLUMNS.filter(({ header }) => header !== REASON) }
}

const REASON = 'Reason'
const COLUMNS: readonly Column<RecordedDecision>[] = [
  { header: 'Answer', width: '96px', cell: ({ decision }) => <Outcome isAllowed={decision} /> },
  { header: 'Check', cell: (decision) => <Question decision={decision} /> },
  { header: 'Asked by', width: '140px', cell: ({ context }) => <AskedBy name={context.asked_by} />, isMinor: true },
  { header: 'Tenant', width: '120px', cell: ({ tenant }) => tenant, isMinor: true },
  { header: REASON, width: '230px', cell: ({ reason }) => <Reason reason={reason} />, isMinor: true },
  { header: 'Revision', width: '88px', cell: (decision) => findRevision(decision) ?? '', isMinor: true },
  { header: 'When', width: '190px', cell: ({ timestamp }) => <Instant value={timestamp} />, isMinor: true },
]

function Outcome({ isAllowed }: { readonly isAllowed: boolean }) {
  return (
    <span className={classes.outcome} data-allow={isAllowed}>
      <Icon name={isAllowed ? 'check' : 'x'} size={14} />
      {isAllowed ? 'Allowed' : 'Denied'}
    </span>
  )
}

function Question({ decision }: { readonly decision: RecordedDecision }) {
  const path = useEnvironmentPath()
  const { user_key: user, user_name: name, action, tenant, timestamp, reason } = decision
  return (
    <>
      <TextLink
        to="/$project/$environment/why"
        params={{ project: path.p, environment: path.e }}
        search={questionOfDecision(decision)}
      >
        {askerName(user)} {action} {formatResource(decision)}
      </TextLink>{' '}
      <span className={classes.dim}>{name !== user && name}</span>
      <div className={classes.narrow}>
        {tenant}, <Instant value={timestamp} />
        {reasonText(reason) !== NOT_RECORDED && <div>{reasonText(reason)}</div>}
      </div>
    </>
  )
}

/** A key that is gone has no name. */
function AskedBy({ name }: { readonly name: unknown }) {
  return <span className={classes.dim}>{typeof name === 'string' && name}</span>
}

function Reason({ reason }: { readonly reason: string | null }) {
  return <span className={classes.dim}>{reasonText(reason)}</span>
}

function NothingFound({ search, onClear }: { readonly search: DecisionsSearch; readonly onClear: () => void }) {
  if (!isFiltered(search) && search.page === undefined)
    return (
      <EmptyState
        icon="scrollText"
        title="No decisions yet"
        text={
          <>
            <code>zerohop serve</code> records its decisions unless <code>PDP_DECISION_LOG</code> is off. Other PDPs
            send theirs with <code>PDP_DECISION_LOG=api</code>, and need a key of access write.
          </>
        }
      />
    )
  const isFar = !isFiltered(search)
  return (
    <EmptyState
      icon="filter"
      title={isFar ? 'This page is empty' : 'No decisions match these filters'}
      text={isFar ? "There aren't that many decisions." : 'Try other days or fewer filters.'}
      action={
        <Button variant="default" onClick={onClear}>
          {isFar ? 'Go to the latest decisions' : 'Clear filters'}
        </Button>
      }
    />
  )
}
