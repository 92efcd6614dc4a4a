// PDPs as a table: what is as it should be is quiet, what asks for attention is marked.
import { nameOfPdp, type Pdp } from '../api/pdps.ts'
import { type Column, DataTable } from './data-table.tsx'
import { Icon } from './icon.tsx'
import { Instant } from './instant.tsx'
import classes from './pdp-table.module.css'

const number = new Intl.NumberFormat()

const COLUMNS: readonly Column<Pdp>[] = [
  { header: 'PDP', cell: (pdp) => <span className={classes.name}>{nameOfPdp(pdp)}</span> },
  { header: 'Version', cell: versionOf, width: '110px', isMinor: true },
  { header: 'Revision', cell: revisionOf, width: '100px', align: 'right', isMinor: true },
  { header: 'Behind', cell: behindOf, width: '80px', align: 'right' },
  {
    header: 'Last seen',
    cell: ({ last_seen_at }) => <Instant value={last_seen_at} />,
    width: '200px',
    isMinor: true,
  },
  { header: 'State', cell: stateOf, width: '140px' },
]

export function PdpTable({ pdps }: { readonly pdps: readonly Pdp[] }) {
  return (
    <DataTable
      label="PDPs"
      columns={COLUMNS}
      rows={pdps}
      rowKey={({ instance, first_seen_at }) => instance ?? first_seen_at}
    />
  )
}

function versionOf({ version, api_version }: Pdp) {
  const of = version ?? 'unknown'
  return api_version === 1 ? <span title="Started with --v1, for clients of the first API version">{of}, v1</span> : of
}

function revisionOf({ revision, revision_is }: Pdp) {
  if (revision === null) return ''
  if (revision_is === 'applied') return number.format(revision)
  return <span title="sent; this PDP doesn't report what it applied">{number.format(revision)} sent</span>
}

function behindOf({ lag }: Pdp) {
  if (lag === null) return ''
  return lag === 0 ? <span className={classes.quiet}>0</span> : number.format(lag)
}

function stateOf({ connected, stale, lag_since }: Pdp) {
  if (!stale) return <span className={classes.quiet}>Connected</span>
  return (
    <span
      className={classes.stale}
      title={lag_since === null ? undefined : `Missing changes since ${new Date(lag_since).toLocaleString()}`}
    >
      <Icon name="triangleAlert" size={14} />
      {connected ? 'Stale' : 'Not connected'}
    </span>
  )
}
