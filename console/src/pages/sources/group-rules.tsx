// The rules that give roles to members of groups, with how many groups each selects at present.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { counted } from 'zerohop/change-words'
import { useEnvironmentPath } from '../../api/environments.ts'
import type { Column } from '../../components/data-table.tsx'
import { GrantTimes } from '../../components/grant-times.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import { EmptyState, QueryState } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { NoDirectory } from './no-directory.tsx'
import { BY_WORDS, MATCH_WORDS, placeText, ruleText } from './rule-words.ts'
import { type GroupRule, groupsQuery, rulesQuery } from './source-queries.ts'
import classes from './sources.module.css'

interface GroupRulesProps {
  /** the button that makes a rule */
  readonly create: ReactNode
  readonly onEdit: ((rule: GroupRule) => void) | undefined
  readonly onDelete: ((rule: GroupRule) => void) | undefined
}

export function GroupRules({ create, onEdit, onDelete }: GroupRulesProps) {
  const path = useEnvironmentPath()
  const { page = 1 } = useSearch({ from: '/$project/$environment/sources' })
  const rules = useQuery(rulesQuery(path, page))
  const buttons: Column<GroupRule> = {
    header: 'Change',
    isHeaderHidden: true,
    align: 'right',
    width: '130px',
    cell: (rule) => (
      <>
        <Button
          variant="subtle"
          size="compact-xs"
          aria-label={`Edit rule ${ruleText(rule)}`}
          onClick={() => onEdit?.(rule)}
        >
          Edit
        </Button>
        <Button
          variant="subtle"
          color="red"
          size="compact-xs"
          aria-label={`Delete rule ${ruleText(rule)}`}
          onClick={() => onDelete?.(rule)}
        >
          Delete
        </Button>
      </>
    ),
  }
  return (
    <PagedList
      label="Group rules"
      query={rules}
      columns={onEdit === undefined ? COLUMNS : [...COLUMNS, buttons]}
      page={page}
      kind="rule"
      found="nothing"
      isFiltered={false}
      isStacked
      empty={<NoRules create={create} />}
    />
  )
}

function NoRules({ create }: Pick<GroupRulesProps, 'create'>) {
  const groups = useQuery(groupsQuery(useEnvironmentPath(), '', 1))
  return (
    <QueryState query={groups}>
      {({ total_count }) =>
        total_count === 0 ? (
          <NoDirectory />
        ) : (
          <EmptyState
            icon="users"
            title="No rules yet"
            text={`The directory has sent ${counted(total_count, 'group')}. A group by itself allows nothing: a rule gives a role to its members.`}
            action={create}
          />
        )
      }
    </QueryState>
  )
}

const COLUMNS: readonly Column<GroupRule>[] = [
  {
    header: 'Members of groups whose',
    width: '36%',
    cell: ({ group: { by, match, value } }) => (
      <>
        <span className={classes.dimmed}>
          {BY_WORDS[by].toLowerCase()} {MATCH_WORDS[match]}
        </span>{' '}
        {value}
      </>
    ),
  },
  {
    header: 'Get the role',
    cell: (rule) => (
      <>
        <Tag>{rule.role}</Tag> {placeText(rule)}
      </>
    ),
  },
  { header: 'Ends', cell: (rule) => <GrantTimes {...rule} />, isNamed: true },
  {
    header: 'Groups now',
    width: '120px',
    isNamed: true,
    cell: ({ groups }) => (groups === 0 ? <Tag>no group</Tag> : groups.toLocaleString('en-US')),
  },
]
