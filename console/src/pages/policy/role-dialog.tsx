// A role: its name, description, and the roles that it extends. What is set here goes into the draft.
import { Button, Checkbox, Text, Textarea, TextInput } from '@mantine/core'
import { type ChangeEvent, useState } from 'react'
import { useEnvironmentPath } from '../../api/environments.ts'
import { suggestAmong } from '../../api/suggestions.ts'
import { EVERYBODY_WARNING, EXTENDABLE_ABOUT, TENANTS_ABOUT } from '../../components/holder-words.ts'
import { Icon } from '../../components/icon.tsx'
import { KeyField } from '../../components/key-field.tsx'
import { Modal } from '../../components/modal.tsx'
import { RemovableTag, Tag, Tags } from '../../components/tag.tsx'
import { editedRole } from './draft.ts'
import type { Policy, Role, Roles } from './policy.ts'
import classes from './policy-page.module.css'
import { RequestableFields } from './requestable-fields.tsx'
import {
  keyOfName,
  makeRoleForm,
  parentsFor,
  problemsOfRole,
  type RoleForm,
  type RoleProblems,
  readRoleAbout,
} from './role-form.ts'
import type { PolicyDraft } from './use-policy-draft.ts'

interface RoleDialogProps {
  /** '' for a new one */
  readonly roleKey: string
  readonly policy: Policy
  readonly draft: PolicyDraft
  readonly canEdit: boolean
  readonly onClose: () => void
}

export function RoleDialog({ roleKey, policy, draft, canEdit, onClose }: RoleDialogProps) {
  const isNew = roleKey === ''
  const role = isNew ? null : editedRole(policy.roles, draft.edits, roleKey)
  const isDeleted = !isNew && role === null
  const title = isNew ? 'New role' : (role?.name ?? roleKey)
  const [hasOtherParents, setOtherParents] = useState(false)
  return (
    <Modal title={title} isDirty={hasOtherParents} onClose={onClose}>
      {isDeleted ? (
        <Deleted roleKey={roleKey} draft={draft} onClose={onClose} />
      ) : (
        <RoleFields role={role} draft={draft} canEdit={canEdit} onParents={setOtherParents} onClose={onClose} />
      )}
    </Modal>
  )
}

function Deleted({ roleKey, draft, onClose }: Pick<RoleDialogProps, 'roleKey' | 'draft' | 'onClose'>) {
  return (
    <>
      <Text size="sm" mb="md">
        This role will be deleted when you save the draft. Roles that extend it lose its permissions.
      </Text>
      <Button
        onClick={() => {
          draft.giveUp(roleKey)
          onClose()
        }}
      >
        Keep role
      </Button>
    </>
  )
}

interface RoleFieldsProps extends Pick<RoleDialogProps, 'draft' | 'canEdit' | 'onClose'> {
  /** null for a new one */
  readonly role: Role | null
  /** whether it extends other roles than it did */
  readonly onParents: (areOthers: boolean) => void
}

function RoleFields({ role, draft, canEdit, onParents, onClose }: RoleFieldsProps) {
  const [form, setForm] = useState<RoleForm>(() => makeRoleForm(role))
  const [wasSent, setSent] = useState(false)
  const [hasOwnKey, setOwnKey] = useState(role !== null)
  const problems = wasSent ? problemsOfRole(form, role === null ? draft.roles : undefined) : {}
  const set = (fields: Partial<RoleForm>) => setForm((before) => ({ ...before, ...fields }))
  const changeParents = (parents: readonly string[]) => {
    set({ parents })
    onParents([...parents].sort().join('\n') !== [...(role?.extends ?? [])].sort().join('\n'))
  }
  const save = () => {
    setSent(true)
    if (Object.keys(problemsOfRole(form, role === null ? draft.roles : undefined)).length > 0) return
    const { key, parents } = form
    draft.setRole(key, { key, ...readRoleAbout(form), permissions: role?.permissions ?? [], extends: parents })
    onClose()
  }
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
      noValidate
    >
      <TextInput
        label="Name"
        value={form.name}
        onChange={({ currentTarget: { value } }) =>
          set({ name: value, ...(hasOwnKey ? {} : { key: keyOfName(value) }) })
        }
        readOnly={!canEdit}
        autoComplete="off"
      />
      <TextInput
        label="Key"
        description="The identifier your app and policy files use. Can't be changed later."
        value={form.key}
        onChange={({ currentTarget: { value } }) => {
          setOwnKey(true)
          set({ key: value.trim() })
        }}
        error={problems.key}
        readOnly={role !== null}
        autoComplete="off"
        spellCheck={false}
      />
      <Textarea
        label="Description"
        value={form.description}
        onChange={({ currentTarget: { value } }) => set({ description: value })}
        readOnly={!canEdit}
        rows={2}
        resize="vertical"
      />
      <Durations form={form} problems={problems} canEdit={canEdit} onChange={set} />
      <Flags form={form} canEdit={canEdit} onChange={set} />
      <RequestableFields
        form={form.requestable}
        problem={problems.requestable}
        canEdit={canEdit}
        roles={listApprovers(draft.roles)}
        onChange={(requestable) => set({ requestable })}
      />
      <ExtendedRoles form={form} draft={draft} canEdit={canEdit} onChange={changeParents} />
      {canEdit && (
        <div className={classes.dialogActions}>
          {role !== null && (
            <Button
              variant="subtle"
              color="red"
              leftSection={<Icon name="trash2" size={14} />}
              onClick={() => {
                draft.deleteRole(role.key)
                onClose()
              }}
            >
              Delete role
            </Button>
          )}
          <Button type="submit" ml="auto">
            {role === null ? 'Add to draft' : 'Update draft'}
          </Button>
        </div>
      )}
    </form>
  )
}

const listApprovers = (roles: Roles) =>
  [...roles.values()].map(({ key, name }) => ({ key, about: name === key ? undefined : name }))

const FLAGS = [
  { name: 'isForEverybody', label: 'Can be given to everyone', about: EVERYBODY_WARNING },
  { name: 'isForTenants', label: 'Can be assigned by tenants', about: TENANTS_ABOUT },
  { name: 'isExtendable', label: 'Can be extended by tenants', about: EXTENDABLE_ABOUT },
] as const

/** Who else can give the role, and to whom. */
function Flags({ form, canEdit, onChange }: Omit<DurationsProps, 'problems'>) {
  return FLAGS.map(({ name, label, about }) => (
    <Checkbox
      key={name}
      label={label}
      description={about}
      checked={form[name]}
      onChange={({ currentTarget }) => onChange({ [name]: currentTarget.checked })}
      disabled={!canEdit}
    />
  ))
}

interface DurationsProps {
  readonly form: RoleForm
  readonly problems: RoleProblems
  readonly canEdit: boolean
  readonly onChange: (fields: Partial<RoleForm>) => void
}

/** How long assignments of the role last. */
function Durations({ form, problems, canEdit, onChange }: DurationsProps) {
  const field = (name: 'usual' | 'most') => ({
    value: form[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => onChange({ [name]: event.currentTarget.value }),
    error: problems[name],
    readOnly: !canEdit,
    placeholder: canEdit ? 'No end' : '',
    autoComplete: 'off',
    spellCheck: false,
  })
  return (
    <div className={classes.durations}>
      <TextInput
        label="Default duration"
        description="Applies when no end is set, such as 8h or 7d."
        {...field('usual')}
      />
      <TextInput label="Maximum duration" description="The longest an assignment can last." {...field('most')} />
    </div>
  )
}

interface ExtendedRolesProps extends Pick<RoleDialogProps, 'draft' | 'canEdit'> {
  readonly form: RoleForm
  readonly onChange: (parents: readonly string[]) => void
}

/** The roles that this one extends. */
function ExtendedRoles({ form: { key, parents }, draft, canEdit, onChange }: ExtendedRolesProps) {
  const path = useEnvironmentPath()
  const [typed, setTyped] = useState('')
  const choices = parentsFor(draft.roles, key).filter((choice) => !parents.includes(choice.key))
  const add = (text: string) => {
    const chosen = choices.find((choice) => choice.key === text.trim())
    if (chosen === undefined) return
    onChange([...parents, chosen.key])
    setTyped('')
  }
  return (
    <div className={classes.parents}>
      {canEdit && (
        <KeyField
          label="Extends"
          description="Roles whose permissions this role inherits."
          value={typed}
          onChange={setTyped}
          onCommit={add}
          suggest={(text) => suggestAmong(path, 'parents', choices, text)}
        />
      )}
      {!canEdit && <Text size="sm">Extends{parents.length === 0 ? ' no other roles' : ''}</Text>}
      <Tags>
        {parents.map((parent) =>
          canEdit ? (
            <RemovableTag
              key={parent}
              label={`Stop extending ${parent}`}
              onRemove={() => onChange(parents.filter((each) => each !== parent))}
            >
              {parent}
            </RemovableTag>
          ) : (
            <Tag key={parent}>{parent}</Tag>
          ),
        )}
      </Tags>
    </div>
  )
}
