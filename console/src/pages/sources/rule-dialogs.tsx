// Dialogs about a rule for groups: it is typed, then its plan says who gains and loses what, and then it is saved as it
// was reviewed; deleting one is reviewed, too.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useEnvironmentPath } from '../../api/environments.ts'
import { useWrite } from '../../api/write.ts'
import { Dialog } from '../../components/dialog.tsx'
import { type Plan, PlannedChanges } from '../../components/plan-dialog.tsx'
import { isMoved, sendAsReviewed } from './reviewed-rule.ts'
import { findMissing, RuleFields, startOf, toBody } from './rule-fields.tsx'
import { patternText, placeText, ruleText } from './rule-words.ts'
import { type GroupRule, type PlannedRule, rulePlanQuery } from './source-queries.ts'

interface RuleDialogProps {
  /** changes this one; absent: makes one */
  readonly rule?: GroupRule
  /** which groups a new one is for */
  readonly group?: GroupRule['group'] | undefined
  readonly onClose: () => void
}

export function RuleDialog({ rule, group, onClose }: RuleDialogProps) {
  const [typed, setTyped] = useState(() => startOf(rule, group))
  const [wasSent, setSent] = useState(false)
  const [asked, setAsked] = useState<PlannedRule>()
  const { plan, save } = usePlannedRule(asked, `Rule ${rule === undefined ? 'created' : 'changed'}`, onClose)
  const missing = findMissing(typed)
  const isReview = asked !== undefined && plan.error === null
  const change = (next: typeof typed) => {
    setTyped(next)
    setAsked(undefined) // what was refused is another one
  }
  const preview = () => {
    setSent(true)
    if (Object.keys(missing).length > 0) return
    const next = toAsked(rule, toBody(typed, rule))
    if (JSON.stringify(next) === JSON.stringify(asked)) void plan.refetch()
    else setAsked(next)
  }
  const back = (
    <Button
      variant="default"
      onClick={() => {
        setAsked(undefined)
        save.reset()
      }}
    >
      Back
    </Button>
  )
  return (
    <Dialog
      title={rule === undefined ? 'New group rule' : `Rule ${ruleText(rule)}`}
      action={isReview ? 'Save rule' : 'Preview'}
      isWide
      isBusy={plan.isFetching || save.isPending}
      error={isMoved(save.error) ? undefined : (save.error ?? (asked === undefined ? undefined : plan.error))}
      other={isReview ? back : undefined}
      onSubmit={() => {
        if (!isReview) preview()
        else if (plan.data !== undefined && !plan.isFetching) save.mutate(plan.data)
      }}
      onClose={onClose}
    >
      <div hidden={isReview}>
        <RuleFields typed={typed} onChange={change} missing={wasSent ? missing : {}} />
      </div>
      {isReview && (
        <>
          <p>
            Members of groups whose {typed.by === 'external_id' ? 'external id' : 'display name'}{' '}
            {typed.match === 'prefix' ? 'begins with' : 'is'} <strong>{typed.value.trim()}</strong> get the role{' '}
            <strong>{typed.role.trim()}</strong>{' '}
            {placeText({ tenant: typed.tenant, resource_instance: instanceOf(typed) })}.
          </p>
          {plan.data?.changes.length === 0 && !plan.isFetching && (
            <p>No one gets it now. The rule applies as soon as the directory sends such a group with members.</p>
          )}
          <PlannedChanges plan={plan} isOutdated={isMoved(save.error)} />
        </>
      )}
    </Dialog>
  )
}

const instanceOf = ({ isOnInstance, instance }: ReturnType<typeof startOf>): string | null =>
  isOnInstance ? instance : null

const toAsked = (rule: GroupRule | undefined, body: ReturnType<typeof toBody>): PlannedRule =>
  rule === undefined ? { create: body } : { update: { rule: rule.id, fields: body } }

export function DeleteRuleDialog({ rule, onClose }: { readonly rule: GroupRule; readonly onClose: () => void }) {
  const { plan, save } = usePlannedRule({ delete: rule.id }, 'Rule deleted', onClose)
  return (
    <Dialog
      title={`Delete rule ${ruleText(rule)}?`}
      action="Delete rule"
      isDanger
      isWide
      isBusy={plan.isFetching || save.isPending}
      error={isMoved(save.error) ? undefined : save.error}
      onSubmit={() => plan.data !== undefined && !plan.isFetching && save.mutate(plan.data)}
      onClose={onClose}
    >
      <p>
        Members of {patternText(rule.group)} lose the role {rule.role} {placeText(rule)}, unless another rule, a sync or
        a person gives it to them, too.
      </p>
      <PlannedChanges plan={plan} isOutdated={isMoved(save.error)} />
    </Dialog>
  )
}

/** The plan of what was asked, and the write that carries it out as it was reviewed. */
function usePlannedRule(asked: PlannedRule | undefined, done: string, onDone: () => void) {
  const path = useEnvironmentPath()
  const plan = useQuery({ ...rulePlanQuery(path, asked ?? {}), enabled: asked !== undefined })
  const save = useWrite({
    send: (reviewed: Plan) => sendAsReviewed(path, asked ?? {}, reviewed),
    done: () => done,
    isUndoable: () => false, // a revert does not know of rules
    onDone,
    onFail: () => void plan.refetch(),
  })
  return { plan, save }
}
