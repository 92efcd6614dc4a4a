// Who may do an action on an instance, with what is stored, and by what. The server looks at part of the users at a
// time.
import '@mantine/core/styles/Anchor.layer.css'
import { Anchor, Button } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { capitalize, usersText } from 'zerohop/change-words'
import { useEnvironmentPath } from '../../api/environments.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Holder } from '../../components/holder.tsx'
import { EVERYBODY, holderName } from '../../components/holder-words.ts'
import { EmptyState, ErrorState, LoadingState, QueryState } from '../../components/states.tsx'
import { Tag, Tags, tagLink } from '../../components/tag.tsx'
import { type AuthorizedUser, actionsQuery, whoMayQuery } from './instance-queries.ts'
import classes from './instances.module.css'
import { wayInWords } from './way-in-words.ts'

const FROM = '/$project/$environment/instances/$instance'

interface WhoMayProps {
  /** `type:key` */
  readonly instance: string
  readonly resource: string
}

export function WhoMay({ instance, resource }: WhoMayProps) {
  const path = useEnvironmentPath()
  const { action } = useSearch({ from: FROM })
  const actions = useQuery(actionsQuery(path, resource))
  return (
    <QueryState query={actions}>
      {(found) => {
        const [first] = found
        const open = action ?? (found.includes('read') ? 'read' : first)
        if (open === undefined)
          return (
            <EmptyState
              icon="shieldCheck"
              title={`${resource} has no actions`}
              text="Add actions to the resource first."
            />
          )
        return (
          <>
            <nav aria-label="Actions" className={classes.actions}>
              {found.map((each) => (
                <Link
                  key={each}
                  to="."
                  search={{ tab: 'access', action: each } as never}
                  resetScroll={false}
                  className={tagLink}
                  aria-current={each === open ? 'true' : undefined}
                  data-open={each === open || undefined}
                >
                  {each}
                </Link>
              ))}
            </nav>
            <Users key={open} instance={instance} action={open} />
          </>
        )
      }}
    </QueryState>
  )
}

function Users({ instance, action }: { readonly instance: string; readonly action: string }) {
  const found = useInfiniteQuery(whoMayQuery(useEnvironmentPath(), instance, action))
  if (found.isPending) return <LoadingState />
  if (found.data === undefined) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />
  const rows = found.data.pages.flatMap(({ users }) => users)
  const revision = found.data.pages[0]?.revision
  if (rows.length === 0 && !found.hasNextPage)
    return (
      <EmptyState
        icon="shieldCheck"
        title={`No one can ${action} ${instance}`}
        text="Based on stored data. Attributes your app sends with a check can allow more."
      />
    )
  return (
    <>
      <DataTable
        label={`Who can ${action} ${instance}`}
        columns={columnsOf(instance, action)}
        rows={rows}
        rowKey={({ user }) => user}
      />
      <p className={classes.hint}>
        {capitalize(usersText(countHolders(rows)))}
        {found.hasNextPage ? ' so far' : ''}, as of revision {revision}, based on stored data.
      </p>
      {found.hasNextPage && (
        <Button variant="default" loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          Load more
        </Button>
      )}
    </>
  )
}

/** Users who hold it themselves, and whether everyone does (D16). */
const countHolders = (rows: readonly AuthorizedUser[]) => {
  const users = rows.filter(({ user }) => user !== EVERYBODY).length
  return { users, everybody: users < rows.length }
}

const columnsOf = (instance: string, action: string): readonly Column<AuthorizedUser>[] => [
  {
    header: 'User',
    width: '40%',
    cell: ({ user }) => <Holder user={user} />,
  },
  {
    header: 'Source',
    cell: ({ because }) => (
      <Tags>
        {[...new Set(because.map(wayInWords))].map((way) => (
          <Tag key={way}>{way}</Tag>
        ))}
      </Tags>
    ),
  },
  {
    header: 'Why',
    isHeaderHidden: true,
    align: 'right',
    width: '60px',
    cell: ({ user }) => (
      <Anchor
        component={Link}
        to={'/$project/$environment/why' as never}
        from={FROM}
        search={{ user, action, resource: instance } as never}
        size="sm"
        aria-label={`Why can ${holderName(user)} ${action} ${instance}?`}
      >
        Why
      </Anchor>
    ),
  },
]
