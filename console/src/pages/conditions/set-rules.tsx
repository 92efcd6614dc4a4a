// Set rules: the users of a user set may do one action on the resources of a resource set. All of them, or those of one
// set; added and removed with who gains and who loses shown first.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type Claims, isByHand, isFromOthers, keptText } from '../../api/claims.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { PAGE_ROWS } from '../../api/page-of.ts'
import assign from '../../components/assign-role.module.css'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Icon } from '../../components/icon.tsx'
import { KeyField } from '../../components/key-field.tsx'
import { TextLink } from '../../components/links.tsx'
import { PlanDialog, type PlannedChange } from '../../components/plan-dialog.tsx'
import { NotHere, namesOf } from '../../components/removal-question.tsx'
import { Sources } from '../../components/sources.tsx'
import { EmptyState, QueryState } from '../../components/states.tsx'
import { type ConditionSet, rulesQuery, type SetRule } from './condition-queries.ts'
import classes from './conditions.module.css'
import { suggestPermissions, suggestSides } from './rule-suggestions.ts'
import { isWhole, sideText } from './set-words.ts'

interface SetRulesProps {
  /** only the rules of this set */
  readonly set?: ConditionSet
  readonly canWrite: boolean
}

interface Asking {
  readonly title: string
  readonly action: string
  readonly isDanger: boolean
  readonly change: PlannedChange
  readonly done: string
  /** of what is removed */
  readonly claims?: Claims
}

export function SetRules({ set, canWrite }: SetRulesProps) {
  const path = useEnvironmentPath()
  const [page, setPage] = useState(1)
  const [asking, setAsking] = useState<Asking>()
  const of = set === undefined ? {} : { [set.type === 'userset' ? 'user_set' : 'resource_set']: set.key }
  const rules = useQuery(rulesQuery(path, page, of))
  const side = (name: 'user_set' | 'resource_set') => (rule: SetRule) =>
    isWhole(rule[name]) || rule[name] === set?.key ? (
      sideText(rule[name], name)
    ) : (
      <TextLink
        to="/$project/$environment/conditions/$set"
        params={{ project: path.p, environment: path.e, set: rule[name] }}
      >
        {rule[name]}
      </TextLink>
    )
  const columns: readonly Column<SetRule>[] = [
    { header: 'Users', cell: side('user_set') },
    {
      header: 'Can do',
      cell: ({ permission, claims }) => (
        <>
          {permission}
          <Sources claims={claims} />
        </>
      ),
    },
    { header: 'On', cell: side('resource_set') },
    ...(canWrite
      ? [
          {
            header: 'Remove',
            isHeaderHidden: true,
            width: '56px',
            align: 'right' as const,
            cell: (rule: SetRule) => <RemoveRule rule={rule} onAsk={setAsking} />,
          },
        ]
      : []),
  ]
  return (
    <section aria-labelledby="rules-title" className={classes.rules}>
      {set !== undefined && <h2 id="rules-title">Access rules</h2>}
      {canWrite && <AddRule {...(set === undefined ? {} : { set })} onAsk={setAsking} />}
      <QueryState query={rules}>
        {(rows) =>
          rows.length === 0 && page === 1 ? (
            <EmptyState
              icon="filter"
              title={set === undefined ? 'No access rules yet' : 'No access rules use this set'}
              text="An access rule lets the users in a user set perform an action on the resources in a resource set. A set without rules doesn't affect anyone's access."
            />
          ) : (
            <>
              <DataTable
                label="Access rules"
                columns={columns}
                rows={rows}
                rowKey={({ id }) => id}
                isOld={rules.isPlaceholderData}
              />
              {(page > 1 || rows.length === PAGE_ROWS) && (
                <div className={classes.row}>
                  <Button variant="default" disabled={page === 1} onClick={() => setPage(page - 1)}>
                    Previous page
                  </Button>
                  <Button variant="default" disabled={rows.length < PAGE_ROWS} onClick={() => setPage(page + 1)}>
                    Next page
                  </Button>
                </div>
              )}
            </>
          )
        }
      </QueryState>
      {asking && !isByHand(asking.claims) && (
        <NotHere name="This access rule" claims={asking.claims} onClose={() => setAsking(undefined)} />
      )}
      {asking && isByHand(asking.claims) && (
        <PlanDialog
          title={asking.title}
          action={asking.action}
          isDanger={asking.isDanger}
          changes={[asking.change]}
          done={asking.done}
          onDone={() => setAsking(undefined)}
          onClose={() => setAsking(undefined)}
        >
          {isFromOthers(asking.claims) && <p>{keptText(namesOf(asking.claims))}</p>}
        </PlanDialog>
      )}
    </section>
  )
}

function RemoveRule({ rule, onAsk }: { readonly rule: SetRule; readonly onAsk: (asking: Asking) => void }) {
  const { user_set, permission, resource_set } = rule
  const text = ruleText(rule)
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      aria-label={`Remove access rule ${text}`}
      onClick={() =>
        onAsk({
          title: 'Remove this access rule?',
          action: 'Remove access rule',
          isDanger: true,
          change: { op: 'delete', kind: 'set_rule', key: rule.key },
          claims: rule.claims,
          done: `Access rule removed: ${ruleText({ user_set, permission, resource_set })}`,
        })
      }
    >
      <Icon name="trash2" size={14} />
    </Button>
  )
}

type Sides = Pick<SetRule, 'user_set' | 'permission' | 'resource_set'>

const ruleText = ({ user_set, permission, resource_set }: Sides): string =>
  `${sideText(user_set, 'user_set')} can ${permission} on ${sideText(resource_set, 'resource_set')}`

function AddRule({ set, onAsk }: { readonly set?: ConditionSet; readonly onAsk: (asking: Asking) => void }) {
  const path = useEnvironmentPath()
  const [typed, setTyped] = useState({ user_set: '', permission: '', resource_set: '' })
  const [wasSent, setSent] = useState(false)
  const given = set && (set.type === 'userset' ? 'user_set' : 'resource_set')
  const value = (name: keyof Sides) => (name === given && set ? set.key : typed[name].trim())
  const field = (name: keyof Sides, what: string) => ({
    value: typed[name],
    onChange: (text: string) => setTyped((before) => ({ ...before, [name]: text })),
    error: wasSent && value(name) === '' ? `${what} is required` : undefined,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    const sides = { user_set: value('user_set'), permission: value('permission'), resource_set: value('resource_set') }
    if (Object.values(sides).includes('')) return
    // the set of this page, whatever role or resource has the same key
    const said = given && { [given === 'user_set' ? 'is_set' : 'is_resource_set']: true }
    onAsk({
      title: 'Add this access rule?',
      action: 'Add access rule',
      isDanger: false,
      change: { op: 'create', kind: 'set_rule', key: Object.values(sides).join('/'), value: { ...sides, ...said } },
      done: `Access rule added: ${ruleText(sides)}`,
    })
  }
  return (
    <form aria-label="Add an access rule" className={assign.form} onSubmit={submit} noValidate>
      <div className={assign.fields}>
        {given !== 'user_set' && (
          <KeyField
            label="User set or role"
            {...field('user_set', 'User set or role')}
            suggest={(text) => suggestSides(path, 'userset', text)}
          />
        )}
        <KeyField
          label="Can do"
          placeholder="invoice:approve"
          {...field('permission', 'Action')}
          suggest={(text) => suggestPermissions(path, set?.resource?.key, text)}
        />
        {given !== 'resource_set' && (
          <KeyField
            label="Resource set or resource"
            {...field('resource_set', 'Resource set or resource')}
            suggest={(text) => suggestSides(path, 'resourceset', text)}
          />
        )}
        <Button type="submit" variant="default">
          Add rule…
        </Button>
      </div>
    </form>
  )
}
