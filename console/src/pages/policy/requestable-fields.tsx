// How a role can be requested, as a part of the form of a role: who asks, who approves, for how long.
import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useEnvironmentPath } from '../../api/environments.ts'
import { type Suggestion, suggestAmong } from '../../api/suggestions.ts'
import { KeyField } from '../../components/key-field.tsx'
import { RemovableTag, Tag, Tags } from '../../components/tag.tsx'
import classes from './policy-page.module.css'
import type { RequestableForm } from './requestable.ts'

interface RequestableFieldsProps {
  readonly form: RequestableForm
  /** what is wrong with the longest time */
  readonly problem: string | undefined
  readonly canEdit: boolean
  /** the roles that there are */
  readonly roles: readonly Suggestion[]
  readonly onChange: (form: RequestableForm) => void
}

export function RequestableFields({ form, problem, canEdit, roles, onChange }: RequestableFieldsProps) {
  const set = (fields: Partial<RequestableForm>) => onChange({ ...form, ...fields })
  return (
    <fieldset className={classes.requestable}>
      <Checkbox
        label="Can be requested"
        description="Users ask for the role for a time, and approvers decide on the page Requests."
        checked={form.isRequestable}
        onChange={({ currentTarget }) => set({ isRequestable: currentTarget.checked })}
        disabled={!canEdit}
      />
      {form.isRequestable && (
        <>
          <NativeSelect
            label="Who can request it"
            value={form.by}
            data={[
              { value: 'members', label: 'Users of the tenant' },
              { value: 'everybody', label: 'Every user, in any tenant' },
            ]}
            onChange={({ currentTarget }) => set({ by: currentTarget.value as RequestableForm['by'] })}
            disabled={!canEdit}
          />
          <TextInput
            label="Longest time"
            description="Such as 90m, 4h or 7d."
            value={form.longest}
            onChange={({ currentTarget }) => set({ longest: currentTarget.value })}
            error={problem}
            readOnly={!canEdit}
            autoComplete="off"
            spellCheck={false}
          />
          <Approvers form={form} canEdit={canEdit} roles={roles} onChange={set} />
          <Checkbox
            label="Requires a reason"
            checked={form.needsReason || form.isAuto}
            onChange={({ currentTarget }) => set({ needsReason: currentTarget.checked })}
            disabled={!canEdit || form.isAuto}
          />
          <Checkbox
            label="Given at once"
            description="For emergencies: no one approves. Approvers can revoke it."
            checked={form.isAuto}
            onChange={({ currentTarget }) => set({ isAuto: currentTarget.checked })}
            disabled={!canEdit}
          />
        </>
      )}
    </fieldset>
  )
}

interface ApproversProps extends Pick<RequestableFieldsProps, 'form' | 'canEdit' | 'roles'> {
  readonly onChange: (fields: Partial<RequestableForm>) => void
}

function Approvers({ form: { approvers, isAuto }, canEdit, roles, onChange }: ApproversProps) {
  const path = useEnvironmentPath()
  const [typed, setTyped] = useState('')
  const choices = roles.filter(({ key }) => !approvers.includes(key))
  const add = (text: string) => {
    const key = text.trim()
    if (!choices.some((choice) => choice.key === key)) return
    onChange({ approvers: [...approvers, key] })
    setTyped('')
  }
  return (
    <div className={classes.parents}>
      {canEdit && (
        <KeyField
          label="Approvers"
          description={
            approvers.length === 0 && !isAuto
              ? 'Roles whose holders decide. Without one, no one can approve.'
              : 'Roles whose holders decide.'
          }
          value={typed}
          onChange={setTyped}
          onCommit={add}
          suggest={(text) => suggestAmong(path, 'approvers', choices, text)}
        />
      )}
      <Tags>
        {approvers.map((role) =>
          canEdit ? (
            <RemovableTag
              key={role}
              label={`Remove approver ${role}`}
              onRemove={() => onChange({ approvers: approvers.filter((each) => each !== role) })}
            >
              {role}
            </RemovableTag>
          ) : (
            <Tag key={role}>{role}</Tag>
          ),
        )}
      </Tags>
    </div>
  )
}
