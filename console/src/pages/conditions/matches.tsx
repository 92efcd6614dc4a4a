// Whom or what the conditions match now, as they are stored and as they are in the editor. The server answers, as
// checks do.
import { Button, Checkbox } from '@mantine/core'
import '@mantine/core/styles/Checkbox.layer.css'
import type { UseQueryResult } from '@tanstack/react-query'
import { counted, plural } from 'zerohop/change-words'
import type { components } from 'zerohop/client'
import { useEnvironmentPath } from '../../api/environments.ts'
import { suggestInstancesByName, suggestTenants, suggestUsers } from '../../api/suggestions.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { FilterField } from '../../components/filter-field.tsx'
import { TextLink } from '../../components/links.tsx'
import { ErrorState, LoadingState } from '../../components/states.tsx'
import type { ConditionSet, MatchContext } from './condition-queries.ts'
import classes from './conditions.module.css'

type Found = components['schemas']['ConditionMatches']
type Match = Found['matches'][number]

interface MatchesProps {
  readonly set: ConditionSet
  readonly matches: UseQueryResult<Found>
  /** why there is no answer, where the editor does not say it */
  readonly error: unknown
  /** the conditions in the editor differ from the stored ones */
  readonly isChanged: boolean
  readonly context: MatchContext
  readonly onContext: (context: MatchContext) => void
}

const count = new Intl.NumberFormat()

export function Matches({ set, matches, error, isChanged, context, onContext }: MatchesProps) {
  const path = useEnvironmentPath()
  const isOfUsers = set.type === 'userset'
  const change = (fields: Partial<MatchContext>) => onContext({ ...context, after: null, ...fields })
  return (
    <section aria-labelledby="matches-title" className={classes.matches}>
      <h2 id="matches-title">{isOfUsers ? 'Who matches now' : 'What matches now'}</h2>
      <div className={classes.row}>
        <FilterField
          label={isOfUsers ? 'In tenant' : 'Of tenant'}
          value={context.tenant}
          onChange={(tenant) => change({ tenant })}
          suggest={(text) => suggestTenants(path, text)}
        />
        {isOfUsers ? (
          <FilterField
            label="For instance"
            value={context.resource}
            onChange={(resource) => change({ resource })}
            suggest={(text) => suggestInstancesByName(path, text)}
          />
        ) : (
          <FilterField
            label="For user"
            value={context.user}
            onChange={(user) => change({ user })}
            suggest={(text) => suggestUsers(path, text)}
          />
        )}
        {isChanged && (
          <Checkbox
            label="Only changes"
            checked={context.onlyDifferent}
            onChange={({ currentTarget }) => change({ onlyDifferent: currentTarget.checked })}
          />
        )}
      </div>
      {error !== undefined ? (
        <ErrorState error={error} onRetry={() => void matches.refetch()} />
      ) : matches.data === undefined ? (
        <LoadingState rows={3} label="Finding matches" />
      ) : (
        <Answer
          set={set}
          found={matches.data}
          isOld={matches.isPlaceholderData}
          isChanged={isChanged}
          isOnlyDifferent={context.onlyDifferent}
          after={context.after}
          onMove={(after) => change({ after })}
        />
      )}
    </section>
  )
}

interface AnswerProps extends Pick<MatchesProps, 'set' | 'isChanged'> {
  readonly found: Found
  /** of conditions that were there before */
  readonly isOld: boolean
  readonly isOnlyDifferent: boolean
  /** where the page begins */
  readonly after: string | null
  readonly onMove: (after: string | null) => void
}

function Answer({ set, found, isOld, isChanged, isOnlyDifferent, after, onMove }: AnswerProps) {
  const path = useEnvironmentPath()
  const { matches: rows, examined, next } = found
  const noun = set.type === 'userset' ? 'user' : 'instance'
  const numberOf = (which: 'stored' | 'sent') => rows.filter((row) => row[which] === 'match').length
  const isShown = isChanged && rows.every(({ sent }) => sent !== null)
  const columns: readonly Column<Match>[] = [
    {
      header: set.type === 'userset' ? 'User' : 'Instance',
      width: '50%',
      cell: ({ key }) =>
        set.type === 'userset' ? (
          <TextLink
            to="/$project/$environment/users/$user"
            params={{ project: path.p, environment: path.e, user: key }}
          >
            {key}
          </TextLink>
        ) : (
          <TextLink
            to="/$project/$environment/instances/$instance"
            params={{ project: path.p, environment: path.e, instance: `${set.resource?.key}:${key}` }}
          >
            {key}
          </TextLink>
        ),
    },
    { header: 'As stored', cell: ({ stored }) => <VerdictText verdict={stored} /> },
    ...(isShown ? [{ header: 'As edited', cell: ({ sent }: Match) => <VerdictText verdict={sent} /> }] : []),
  ]
  return (
    <>
      <p role="status" className={classes.summary}>
        {isShown && isOnlyDifferent
          ? `Of ${counted(examined, noun)}, ${count.format(numberOf('stored'))} would no longer match and ${count.format(numberOf('sent'))} would newly match.`
          : `${count.format(numberOf('stored'))} of ${counted(examined, noun)} ${plural(numberOf('stored'), 'matches', 'match')}${isShown ? `, ${count.format(numberOf('sent'))} as edited` : ''}.`}
        {after === null ? '' : ` Starting after ${after}.`}
        {next === null ? '' : ' There are more to check.'} Only stored data is checked, not request data such as the
        context.
      </p>
      {rows.length > 0 && (
        <DataTable label="Matches" columns={columns} rows={rows} rowKey={({ key }) => key} isOld={isOld} />
      )}
      {(after !== null || next !== null) && (
        <div className={classes.row}>
          <Button variant="default" disabled={after === null} onClick={() => onMove(null)}>
            Back to start
          </Button>
          <Button variant="default" disabled={next === null} onClick={() => onMove(next)}>
            Load more
          </Button>
        </div>
      )}
    </>
  )
}

const WORDS = { match: 'Matches', no_match: 'Does not match', undecided: 'Undecided' } as const

function VerdictText({ verdict }: { readonly verdict: Match['stored'] }) {
  return verdict === null ? null : (
    <span className={classes.verdict} data-is={verdict}>
      {WORDS[verdict]}
    </span>
  )
}
