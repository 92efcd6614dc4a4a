// The first page of an environment: first steps while something is missing, what is there, what happened lately, and
// what asks for attention.
import { useQuery } from '@tanstack/react-query'
import { counted, plural } from 'zerohop/change-words'
import { useEnvironment, useEnvironmentPath } from '../../api/environments.ts'
import { nameOfPdp, pdpSummaryQuery } from '../../api/pdps.ts'
import { useMay } from '../../api/use-session.ts'
import { Icon } from '../../components/icon.tsx'
import { TextLink } from '../../components/links.tsx'
import { Page } from '../../components/page.tsx'
import { PdpTable } from '../../components/pdp-table.tsx'
import { LoadingState, QueryState } from '../../components/states.tsx'
import { Bars } from './bars.tsx'
import classes from './overview.module.css'
import {
  decisionCountsQuery,
  HOURS,
  revisionDaysQuery,
  roleUsersQuery,
  type Sizes,
  sizesQuery,
} from './overview-queries.ts'

const AT = '/$project/$environment'
const number = new Intl.NumberFormat()
const hour = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' })
/** Unused roles that are named. */
const ROLES_SHOWN = 5

export function OverviewPage() {
  const path = useEnvironmentPath()
  const environment = useEnvironment()
  const sizes = useQuery(sizesQuery(path))
  const isThere = useIsThere(environment.data?.id)
  return (
    <Page title="Overview" description={`What's in ${environment.data?.name ?? path.e} and recent activity.`} isWide>
      <QueryState query={sizes}>
        {(data) =>
          !isThere ? (
            <LoadingState />
          ) : (
            <div className={classes.sections}>
              <FirstSteps sizes={data} />
              <SizesOf sizes={data} />
              <div className={classes.charts}>
                <Decisions />
                {environment.data && <Revisions environment={environment.data.id} />}
              </div>
              <Warnings />
              <Pdps />
            </div>
          )
        }
      </QueryState>
    </Page>
  )
}

/** Whether all parts were read, or failed: they are shown together, so that none moves another one. */
function useIsThere(environment: string | undefined): boolean {
  const path = useEnvironmentPath()
  const roles = useQuery(roleUsersQuery(path))
  const decisions = useQuery(decisionCountsQuery(path))
  const pdps = useQuery(pdpSummaryQuery(path))
  const days = useQuery({ ...revisionDaysQuery(environment ?? ''), enabled: environment !== undefined })
  return [roles, decisions, pdps, days].every(({ isPending }) => !isPending)
}

function useParameters() {
  const { p, e } = useEnvironmentPath()
  return { project: p, environment: e }
}

/** What a new environment needs until it answers, each with the page where it is done. */
function FirstSteps({ sizes }: { readonly sizes: Sizes }) {
  const params = useParameters()
  const path = useEnvironmentPath()
  const canWrite = useMay('write')
  const roles = useQuery({ ...roleUsersQuery(path), enabled: canWrite })
  const decisions = useQuery({ ...decisionCountsQuery(path), enabled: canWrite })
  if (!canWrite || roles.data === undefined || decisions.data === undefined) return null
  const hasRoles = roles.data.counts.some(({ users, everybody }) => users > 0 || everybody)
  const hasDecisions = decisions.data.some(({ allowed, denied }) => allowed + denied > 0)
  const steps = [
    {
      to: `${AT}/resources`,
      text: 'Add a resource and its actions',
      isDone: sizes.resources > 0,
    },
    { to: `${AT}/policy`, text: 'Create a role and choose its permissions', isDone: sizes.roles > 0 },
    { to: `${AT}/users`, text: 'Add a user and assign the role', isDone: sizes.users > 0 && hasRoles },
    { to: `${AT}/why`, text: 'Check what the user can do, and why', isDone: hasDecisions },
    { to: `${AT}/keys`, text: 'Create an API key and check access from your app', isDone: hasDecisions },
  ] as const
  if (steps.slice(0, 3).every(({ isDone }) => isDone)) return null
  return (
    <section>
      <h2>First steps</h2>
      <ol className={classes.list}>
        {steps.map(({ to, text, isDone }) => (
          <li key={text}>
            <Icon name={isDone ? 'circleCheck' : 'arrowRight'} size={14} />
            <span>
              <TextLink to={to} params={params}>
                {text}
              </TextLink>
              {isDone && ' (done)'}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

function SizesOf({ sizes }: { readonly sizes: Sizes }) {
  const params = useParameters()
  const kinds = [
    { to: `${AT}/resources`, label: 'Resources', size: sizes.resources },
    { to: `${AT}/policy`, label: 'Roles', size: sizes.roles },
    { to: `${AT}/users`, label: 'Users', size: sizes.users },
    { to: `${AT}/tenants`, label: 'Tenants', size: sizes.tenants },
    { to: `${AT}/instances`, label: 'Instances', size: sizes.instances },
  ] as const
  return (
    <ul className={classes.sizes} aria-label="Contents">
      {kinds.map(({ to, label, size }) => (
        <li key={label}>
          <TextLink to={to} params={params}>
            <strong>{number.format(size)}</strong> <span>{label}</span>
          </TextLink>
        </li>
      ))}
    </ul>
  )
}

function Decisions() {
  const counts = useQuery(decisionCountsQuery(useEnvironmentPath()))
  return (
    <section>
      <h2>Decisions</h2>
      <QueryState query={counts}>
        {(data) => (
          <Bars
            title={`Last ${HOURS} hours`}
            parts={['allowed', 'denied']}
            bars={data.map(({ time, allowed, denied }) => ({
              label: hour.format(time),
              parts: [allowed, denied],
            }))}
          />
        )}
      </QueryState>
    </section>
  )
}

function Revisions({ environment }: { readonly environment: string }) {
  const days = useQuery(revisionDaysQuery(environment))
  return (
    <section>
      <h2>Revisions</h2>
      <QueryState query={days}>
        {(data) => (
          <Bars
            title={`Last ${data.length} days`}
            parts={['revision']}
            hasPlural
            bars={data.map(({ time, revisions }) => ({ label: day.format(time), parts: [revisions] }))}
          />
        )}
      </QueryState>
    </section>
  )
}

/** The first of the PDPs, stale ones before others. */
function Pdps() {
  const pdps = useQuery(pdpSummaryQuery(useEnvironmentPath()))
  const params = useParameters()
  if (pdps.data === undefined || pdps.data.all.total_count === 0) return null
  const { all, connected } = pdps.data
  return (
    <section>
      <h2>PDPs</h2>
      <p className={classes.note}>
        {number.format(connected)} connected (
        <TextLink to={`${AT}/keys`} params={params} underline="always">
          {all.total_count > all.data.length ? `all ${number.format(all.total_count)}` : 'Keys & PDPs'}
        </TextLink>
        )
      </p>
      <PdpTable pdps={all.data} />
    </section>
  )
}

/** What asks for attention, each with where it is mended. */
function Warnings() {
  const params = useParameters()
  const path = useEnvironmentPath()
  const roles = useQuery(roleUsersQuery(path))
  const decisions = useQuery(decisionCountsQuery(path))
  const unused =
    roles.data?.complete === true
      ? roles.data.counts.filter(({ users, conditional, everybody }) => users + conditional === 0 && !everybody)
      : []
  const stale = useQuery(pdpSummaryQuery(path)).data?.stale
  const isSilent = decisions.data?.every(({ allowed, denied }) => allowed + denied === 0) === true
  const hasStale = stale !== undefined && stale.total_count > 0
  if (unused.length === 0 && !isSilent && !hasStale) return null
  const names = unused.slice(0, ROLES_SHOWN).map(({ key }) => key)
  const more = unused.length - names.length
  return (
    <section>
      <h2>Needs attention</h2>
      <ul className={classes.list}>
        {hasStale && (
          <li>
            <Icon name="triangleAlert" size={14} />
            <span>
              {counted(stale.total_count, 'PDP')} might be using an outdated policy:{' '}
              {stale.data.map(nameOfPdp).join(', ')}
              {stale.total_count > stale.data.length && ` and ${stale.total_count - stale.data.length} more`} (
              <TextLink to={`${AT}/keys`} params={params} underline="always">
                Keys & PDPs
              </TextLink>
              ).
            </span>
          </li>
        )}
        {isSilent && (
          <li>
            <Icon name="info" size={14} />
            <span>
              No decisions in the last {HOURS} hours. Either nothing was checked, or your PDPs log elsewhere (
              <TextLink to={`${AT}/decisions`} params={params} underline="always">
                Decisions
              </TextLink>
              ).
            </span>
          </li>
        )}
        {unused.length > 0 && (
          <li>
            <Icon name="triangleAlert" size={14} />
            <span>
              {counted(unused.length, 'role')} {plural(unused.length, 'is', 'are')} not assigned to anyone:{' '}
              {names.join(', ')}
              {more > 0 && ` and ${more} more`} (
              <TextLink to={`${AT}/access-review`} params={params} search={{ tab: 'role' }} underline="always">
                Access review
              </TextLink>
              ).
            </span>
          </li>
        )}
      </ul>
    </section>
  )
}
