// Differences between the open environment and another one, object by object, and whose access here would change if
// this one had the policy of the other.
import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { type EnvironmentPath, useEnvironmentPath } from '../../api/environments.ts'
import { useMayInProject } from '../../api/use-session.ts'
import { AccessDiff } from '../../components/access-diff.tsx'
import { ChangeList } from '../../components/change-list.tsx'
import { KeyField } from '../../components/key-field.tsx'
import { ButtonLink, TextLink } from '../../components/links.tsx'
import { Page } from '../../components/page.tsx'
import { EmptyState, LoadingState, QueryState } from '../../components/states.tsx'
import { comparisonQuery, type Plan, suggestEnvironments } from './environment-queries.ts'
import classes from './environments.module.css'
import { type CompareSearch, nameBeside, parseEnvironmentPath } from './environments-search.ts'

const FROM = '/$project/$environment/environments/compare'
const LIST = '/$project/$environment/environments'

export function ComparePage() {
  const path = useEnvironmentPath()
  const { with: name = '', at } = useSearch({ from: FROM })
  const other = parseEnvironmentPath(name, path)
  const comparison = useQuery(comparisonQuery(path, other, at))
  const shown = at === undefined ? name : `${name} as of ${at}`
  return (
    <Page
      title="Compare"
      help="Environments"
      parent={
        <TextLink to={LIST} from={FROM} size="sm">
          Environments
        </TextLink>
      }
      description={`How another policy differs from ${path.e}. Users and other facts aren't compared.`}
    >
      <CompareForm key={`${name} ${at}`} path={path} search={{ ...(name && { with: name }), ...(at && { at }) }} />
      {other === undefined ? (
        <EmptyState
          icon="gitCompare"
          title="Nothing to compare with yet"
          text={`Enter another environment, or ${path.e} itself at an earlier revision.`}
        />
      ) : (
        <QueryState query={comparison} loading={<LoadingState label={`Comparing with ${shown}`} />}>
          {(plan) => <Comparison plan={plan} path={path} other={other} shown={shown} isPast={at !== undefined} />}
        </QueryState>
      )}
    </Page>
  )
}

interface CompareFormProps {
  readonly path: EnvironmentPath
  readonly search: CompareSearch
}

function CompareForm({ path, search }: CompareFormProps) {
  const navigate = useNavigate({ from: FROM })
  const [name, setName] = useState(search.with ?? '')
  const [at, setAt] = useState(search.at ?? '')
  const [wasSent, setSent] = useState(false)
  const isNamed = parseEnvironmentPath(name, path) !== undefined
  const isSame = name.trim() === path.e && at.trim() === ''
  const problem = isNamed
    ? isSame && 'This is the current environment: also enter a revision or time to compare with'
    : 'Enter an environment, or project/environment'
  return (
    <form
      aria-label="Comparison"
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        setSent(true)
        if (problem) return
        const time = at.trim()
        void navigate({ search: { with: name.trim(), ...(time === '' ? {} : { at: time }) } })
      }}
      noValidate
    >
      <KeyField
        label={`Compare ${path.e} with`}
        placeholder="staging"
        value={name}
        onChange={setName}
        error={wasSent && problem}
        suggest={(text) => suggestEnvironments(path, text)}
      />
      <TextInput
        label="As of"
        placeholder="Revision or time; empty is now"
        value={at}
        onChange={({ currentTarget }) => setAt(currentTarget.value)}
        autoComplete="off"
      />
      <Button type="submit">Compare</Button>
    </form>
  )
}

interface ComparisonProps {
  readonly plan: Plan | 'nothing'
  readonly path: EnvironmentPath
  readonly other: EnvironmentPath
  readonly shown: string
  readonly isPast: boolean
}

function Comparison({ plan, path, other, shown, isPast }: ComparisonProps) {
  const mayCopy = useMayInProject('read')
  const copy = mayCopy && !isPast && other.p === path.p && (
    <div>
      <ButtonLink to={`${LIST}/copy`} from={FROM} search={{ to: nameBeside(other, path) }}>
        Copy {path.e} to {shown}…
      </ButtonLink>
    </div>
  )
  if (plan === 'nothing')
    return (
      <EmptyState
        icon="layers"
        title={`${shown} has no policy`}
        text={`Everything in ${path.e} is missing there.`}
        action={copy || undefined}
      />
    )
  const { changes, more, policy, access } = plan
  if (changes.length === 0)
    return (
      <EmptyState icon="circleCheck" title="No differences" text={`${path.e} and ${shown} have the same policy.`} />
    )
  const words = {
    create: `Only in ${shown}`,
    delete: `Only in ${path.e}`,
    update: 'Different',
    move: 'Moved',
  }
  return (
    <div className={classes.sections}>
      <section>
        <h2>Differences</h2>
        <p className={classes.note}>
          Changed fields show the value in {path.e} → the value in {shown}. In lists, − means only in {path.e} and +
          means only in {shown}.
        </p>
        <ChangeList label="Differences" changes={changes} more={more} words={words} />
      </section>
      <section>
        <h2>
          With the policy of {shown}, in {path.e}
        </h2>
        <p className={classes.note}>Calculated for the users of {path.e}. The users themselves aren't compared.</p>
        <AccessDiff diff={{ policy, access }} nothing="No one would gain or lose access." />
      </section>
      {copy}
    </div>
  )
}
