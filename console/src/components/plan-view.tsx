// What a plan would change, object by object, and who would gain and lose access by it (docs/plan-and-apply.md).
import { countsText, NOTHING_CHANGES, noticeTexts, objectText } from 'zerohop/change-words'
import type { components } from 'zerohop/client'
import { AccessDiff } from './access-diff.tsx'
import { ChangeList } from './change-list.tsx'
import { LongList } from './long-list.tsx'
import classes from './plan-view.module.css'

type Plan = components['schemas']['Plan']

interface PlanViewProps {
  readonly plan: Plan
  /** another plan is being made */
  readonly isOld?: boolean
}

export function PlanView({ plan, isOld = false }: PlanViewProps) {
  const { changes, tenant_roles: roles = [], more, cascade, carried, outside, suggested, policy, access } = plan
  return (
    <div className={classes.sections} aria-busy={isOld}>
      <section>
        <h2>What would change</h2>
        {changes.length === 0 ? (
          <p className={classes.note}>{NOTHING_CHANGES}</p>
        ) : (
          <ChangeList label="What would change" changes={changes} more={more} isPlan />
        )}
        {roles.length > 0 && (
          <>
            <h3>Roles of tenants</h3>
            <ChangeList label="Roles of tenants" changes={roles.map(toChange)} isPlan />
          </>
        )}
        {cascade.length > 0 && <p className={classes.note}>Also deleted: {countsText(cascade)}</p>}
        {carried.length > 0 && <p className={classes.note}>Also moved: {countsText(carried)}</p>}
      </section>
      {outside.length > 0 && (
        <section>
          <h2>Changed by others since this policy was last applied</h2>
          <LongList label="Changed by others" items={outside} itemKey={objectText} className={classes.lines}>
            {(object) => `${objectText(object)}${whoAndWhen(object)}`}
          </LongList>
        </section>
      )}
      {suggested.length > 0 && (
        <section>
          <h2>Renamed?</h2>
          <p className={classes.note}>
            If an object was renamed, add these lines under <code>moved:</code>. Otherwise it is deleted and recreated,
            and loses everything attached to it.
          </p>
          <pre className={classes.code}>
            {suggested.map(({ kind, from, to }) => `- { kind: ${kind}, from: ${from}, to: ${to} }`).join('\n')}
          </pre>
        </section>
      )}
      <section>
        <h2>Who would gain and lose access</h2>
        {noticeTexts(changes).map((text) => (
          <p key={text} className={classes.note}>
            {text}
          </p>
        ))}
        <AccessDiff diff={{ policy, access }} nothing="No one would gain or lose access." />
      </section>
    </div>
  )
}

const toChange = (role: NonNullable<Plan['tenant_roles']>[number]) => ({ kind: 'tenant_role' as const, ...role })

const whoAndWhen = ({ by, revision }: Plan['outside'][number]): string =>
  [by === null ? '' : `, by ${by}`, revision === null ? '' : `, at revision ${revision}`].join('')
