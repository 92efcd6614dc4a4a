// Who gains and who loses access (docs/access-diff.md): of a plan, a revert, or a past revision. First how many, then by
// which role or rule, then some of the answers by name.
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { components } from 'zerohop/client'
import classes from './access-diff.module.css'
import { Icon } from './icon.tsx'

type Diff = components['schemas']['AccessDiff']
type Change = Diff['access']['gained']
type Source = Change['groups'][number]['source']

const count = new Intl.NumberFormat()
const times = (many: number, one: string, more = `${one}s`): string =>
  `${count.format(many)} ${many === 1 ? one : more}`

/** What a group shows at most, before it says how many more there are. */
const GROUPS_SHOWN = 50
const PAIRS_SHOWN = 100

export function AccessDiff({ policy, access }: Diff) {
  const { gained, lost, conditional, overridable, conditional_complete } = access
  const isNothing = gained.decisions + lost.decisions + conditional.length + overridable.length === 0
  const isComplete = gained.complete && lost.complete && conditional_complete && policy.complete
  return (
    <div className={classes.diff}>
      <div className={classes.columns}>
        <Direction title="Gains access" sign="gained" change={gained} />
        <Direction title="Loses access" sign="lost" change={lost} />
      </div>
      {!isComplete && (
        <p className={classes.note}>
          <Icon name="triangleAlert" size={14} /> There was more to ask than the limits allow: the numbers are at least
          these.
        </p>
      )}
      {isNothing && isComplete && policy.gained.length + policy.lost.length > 0 && (
        <Text size="sm" c="dimmed">
          No user is affected today: nobody has these roles, or everybody who has them is allowed by another one.
        </Text>
      )}
      {conditional.length > 0 && (
        <Fold title={`${times(conditional.length, 'answer')} may change, depending on what is sent with the question`}>
          <ul className={classes.lines}>
            {conditional.slice(0, PAIRS_SHOWN).map(({ resource, action, before, after, users }) => (
              <li key={`${resource}:${action} ${before} ${after}`}>
                <strong>
                  {resource}:{action}
                </strong>{' '}
                for {times(users, 'user')}
                <span className={classes.conditions}>
                  before: {before}
                  <br />
                  after: {after}
                </span>
              </li>
            ))}
          </ul>
          <More shown={PAIRS_SHOWN} of={conditional.length} />
        </Fold>
      )}
      {overridable.length > 0 && (
        <Fold title={`${times(overridable.length, 'rule')} may change for users whose attributes are sent`}>
          <ul className={classes.lines}>
            {overridable.slice(0, PAIRS_SHOWN).map(({ user_set, permission, resource_set, attributes }) => (
              <li key={`${user_set} ${permission} ${resource_set}`}>
                {user_set} may {permission} on {resource_set}: reads {attributes.join(', ')}
              </li>
            ))}
          </ul>
        </Fold>
      )}
      <PolicyPairs policy={policy} />
    </div>
  )
}

interface DirectionProps {
  readonly title: string
  readonly sign: 'gained' | 'lost'
  readonly change: Change
}

function Direction({ title, sign, change }: DirectionProps) {
  const { users, decisions, complete, groups, more_groups, first } = change
  const atLeast = complete ? '' : 'at least '
  return (
    <section className={classes.direction} data-sign={sign} aria-label={title}>
      <h3>
        <Icon name={sign === 'gained' ? 'plus' : 'minus'} size={14} />
        {title}
      </h3>
      <p className={classes.total}>
        {decisions === 0 && complete ? 'Nobody' : `${atLeast}${times(users, 'user')}, ${times(decisions, 'answer')}`}
      </p>
      {groups.length > 0 && (
        <ul className={classes.lines}>
          {groups.slice(0, GROUPS_SHOWN).map(({ source, resource, action, tenant, lifecycle, ...group }) => (
            <li key={`${sourceText(source)} ${resource}:${action} ${tenant} ${lifecycle}`}>
              <strong>
                {resource}:{action}
              </strong>{' '}
              in {tenant} by {sourceText(source)}: {times(group.users, 'user')}
              {lifecycle ? ` (${lifecycle.replace('_', ' ')})` : ''}
            </li>
          ))}
        </ul>
      )}
      <More shown={Math.min(GROUPS_SHOWN, groups.length)} of={groups.length + more_groups} />
      {first.length > 0 && (
        <Fold title={first.length < decisions ? `The first ${count.format(first.length)} answers` : 'Who'}>
          <ul className={classes.lines}>
            {first.map(({ user, action, resource, tenant, because }) => (
              <li key={`${user} ${action} ${resource.type}:${resource.key ?? ''} ${tenant}`}>
                <strong>{user}</strong> {action} {resource.type}
                {resource.key ? `:${resource.key}` : ''} in {tenant}, by {sourceText(because)}
              </li>
            ))}
          </ul>
        </Fold>
      )}
    </section>
  )
}

/** What roles and rules give, whoever has them. */
function PolicyPairs({ policy: { gained, lost, changed } }: { readonly policy: Diff['policy'] }) {
  const total = gained.length + lost.length + changed.length
  if (total === 0) return null
  return (
    <Fold title={`What roles and rules give, whoever has them: ${times(total, 'change')}`}>
      <ul className={classes.lines}>
        {(['gained', 'lost'] as const).flatMap((sign) =>
          (sign === 'gained' ? gained : lost).slice(0, PAIRS_SHOWN).map(({ source, permission, through, when }) => (
            <li key={`${sign} ${sourceText(source)} ${permission} ${through?.join()} ${when}`}>
              {sourceText(source)} {sign === 'gained' ? 'gives' : 'no longer gives'} <strong>{permission}</strong>
              {through && through.length > 0 ? `, through ${through.join(', ')}` : ''}
              {when ? `, when ${when}` : ''}
            </li>
          )),
        )}
        {changed.slice(0, PAIRS_SHOWN).map(({ source, permission, before, after }) => (
          <li key={`changed ${sourceText(source)} ${permission}`}>
            {sourceText(source)} gives <strong>{permission}</strong> when {after}; so far when {before}
          </li>
        ))}
      </ul>
      <More shown={PAIRS_SHOWN} of={Math.max(gained.length, lost.length, changed.length)} />
    </Fold>
  )
}

function Fold({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <details className={classes.fold}>
      <summary>
        <Icon name="chevronRight" size={14} />
        {title}
      </summary>
      {children}
    </details>
  )
}

function More({ shown, of }: { readonly shown: number; readonly of: number }) {
  if (of <= shown) return null
  return (
    <Text size="xs" c="dimmed">
      and {count.format(of - shown)} more
    </Text>
  )
}

const sourceText = ({ role, user_set, resource_set }: Source): string =>
  role ? `role ${role}` : `rule ${user_set ?? ''} × ${resource_set ?? ''}`
