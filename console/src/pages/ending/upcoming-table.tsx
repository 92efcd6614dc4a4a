// Suspensions and relations that start or end by themselves, in the order of their instants.

import { KIND_WORDS } from 'zerohop/history-words'
import { useEnvironmentPath } from '../../api/environments.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Instant } from '../../components/instant.tsx'
import { TextLink } from '../../components/links.tsx'
import { Tag, Tags } from '../../components/tag.tsx'
import type { UpcomingTurn } from './upcoming-turns.ts'

/** Permissions of a row that are named. */
const SHOWN = 5

interface UpcomingTableProps {
  readonly turns: readonly UpcomingTurn[]
  /** so many more that are not listed, of any kind */
  readonly more: number
}

export function UpcomingTable({ turns, more }: UpcomingTableProps) {
  if (turns.length === 0) return null
  return (
    <section>
      <h2>Suspensions and relations</h2>
      <DataTable
        label="Suspensions and relations that start or end"
        columns={COLUMNS}
        rows={turns}
        rowKey={({ id }) => id}
        isStacked
      />
      {more > 0 && <p>What starts or ends later isn't listed.</p>}
    </section>
  )
}

const COLUMNS: readonly Column<UpcomingTurn>[] = [
  { header: 'When', width: '210px', cell: ({ at }) => <Instant value={at} hasZone /> },
  { header: 'What', cell: (turn) => <What turn={turn} /> },
  { header: 'Access', width: '45%', cell: (turn) => <Access {...turn} /> },
]

function What({ turn: { user, key, is } }: { readonly turn: UpcomingTurn }) {
  const { p, e } = useEnvironmentPath()
  if (user === undefined)
    return (
      <>
        Relation {is}: {KIND_WORDS.relationship_tuple.name?.(key) ?? key}
      </>
    )
  return (
    <>
      Suspension of{' '}
      <TextLink
        to="/$project/$environment/users/$user"
        params={{ project: p, environment: e, user }}
        underline="always"
      >
        {user}
      </TextLink>{' '}
      {is}
    </>
  )
}

function Access({ user, is, access }: UpcomingTurn) {
  if (user === undefined || access.length === 0) return null
  return (
    <Tags>
      {is === 'starts' ? 'Loses' : 'Gains'}
      {access.slice(0, SHOWN).map((what) => (
        <Tag key={what}>{what}</Tag>
      ))}
      {access.length > SHOWN && <span>and {access.length - SHOWN} more</span>}
    </Tags>
  )
}
