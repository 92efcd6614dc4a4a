// From which roles on related instances a role follows: the rules, to be added and removed.
import { Button, NativeSelect } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { describeError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { useEnvironmentPath } from '../../api/environments.ts'
import { suggestResourceRoles } from '../../api/suggestions.ts'
import { useWrite } from '../../api/write.ts'
import form from '../../components/assign-role.module.css'
import { KeyField } from '../../components/key-field.tsx'
import { notifyFailure } from '../../components/notify.ts'
import { RemovableTag, Tag, Tags } from '../../components/tag.tsx'
import type { DerivationRule, Resource, ResourceRole } from './resource-queries.ts'
import classes from './resources.module.css'

interface DerivedFromProps {
  readonly role: ResourceRole
  readonly resource: Resource
  readonly canWrite: boolean
}

type Rule = Pick<DerivationRule, 'role' | 'on_resource' | 'linked_by_relation' | 'when'>

const GRANTS = '/v2/schema/{p}/{e}/resources/{resource}/roles/{ref}/implicit_grants'
const ruleText = ({ role, on_resource, linked_by_relation }: Rule): string =>
  `${role} on the ${linked_by_relation} ${on_resource}`

export function DerivedFrom({ role, resource, canWrite }: DerivedFromProps) {
  const path = useEnvironmentPath()
  const [isAdding, setAdding] = useState(false)
  const rules = role.granted_to?.users_with_role ?? []
  const unlessOwn = role.granted_to?.when.no_direct_roles_on_object === true
  const params = { path: { ...path, resource: resource.key, ref: role.key } }
  const remove = useWrite({
    send: ({ role: from, on_resource, linked_by_relation }: Rule) =>
      api.DELETE(GRANTS, { params, body: { role: from, on_resource, linked_by_relation } }),
    done: (rule) => `${role.key} is no longer derived from ${ruleText(rule)}`,
    onFail: (error) => notifyFailure("Couldn't remove the derivation", error),
  })
  const limit = useWrite({
    send: (no_direct_roles_on_object: boolean) =>
      api.PUT(`${GRANTS}/conditions`, { params, body: { no_direct_roles_on_object } }),
    done: () => `Role ${role.key} saved`,
    onFail: (error) => notifyFailure("Couldn't save the setting", error),
  })
  return (
    <>
      {rules.length === 0 && <span className={classes.more}>Not derived – assigned directly </span>}
      <Tags>
        {rules.map((rule) => {
          const text = `${ruleText(rule)}${rule.when.no_direct_roles_on_object ? ', unless the user has a direct role' : ''}`
          return canWrite ? (
            <RemovableTag
              key={ruleText(rule)}
              label={`Stop deriving ${role.key} from ${ruleText(rule)}`}
              onRemove={() => remove.mutate(rule)}
            >
              {text}
            </RemovableTag>
          ) : (
            <Tag key={ruleText(rule)}>{text}</Tag>
          )
        })}
      </Tags>
      {(rules.length > 0 || unlessOwn) && (
        <label className={classes.check}>
          <input
            type="checkbox"
            checked={unlessOwn}
            disabled={!canWrite || limit.isPending}
            onChange={({ currentTarget }) => limit.mutate(currentTarget.checked)}
          />
          Skip if the user has a direct role on the {resource.key}
        </label>
      )}
      {canWrite && Object.keys(resource.relations).length > 0 && !isAdding && (
        <Button
          variant="subtle"
          size="compact-xs"
          aria-label={`Add a derivation of ${role.key}`}
          onClick={() => setAdding(true)}
        >
          Add a derivation
        </Button>
      )}
      {isAdding && <AddDerivation role={role} resource={resource} onClose={() => setAdding(false)} />}
    </>
  )
}

interface AddDerivationProps {
  readonly role: ResourceRole
  readonly resource: Resource
  readonly onClose: () => void
}

function AddDerivation({ role, resource, onClose }: AddDerivationProps) {
  const path = useEnvironmentPath()
  const relations = Object.entries(resource.relations)
  const [relation, setRelation] = useState(relations[0]?.[0] ?? '')
  const [from, setFrom] = useState('')
  const [unlessOwn, setUnlessOwn] = useState(false)
  const [wasSent, setSent] = useState(false)
  const on = resource.relations[relation]?.resource ?? ''
  const add = useWrite({
    send: (body: Rule) =>
      api.POST(GRANTS, { params: { path: { ...path, resource: resource.key, ref: role.key } }, body }),
    done: (rule) => `${role.key} is now derived from ${ruleText(rule)}`,
    onDone: onClose,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (from.trim() === '') return
    const when = { no_direct_roles_on_object: unlessOwn }
    add.mutate({ role: from.trim(), on_resource: on, linked_by_relation: relation, when })
  }
  return (
    <form aria-label={`Add a derivation of ${role.key}`} className={form.form} onSubmit={submit} noValidate>
      <div className={form.fields}>
        <NativeSelect
          label="Relation"
          value={relation}
          data={relations.map(([value, { resource: subject }]) => ({ value, label: `${value} (${subject})` }))}
          onChange={({ currentTarget }) => setRelation(currentTarget.value)}
        />
        <KeyField
          label={`Role on the ${on}`}
          placeholder="owner"
          value={from}
          onChange={setFrom}
          error={wasSent && from.trim() === '' ? 'Role is required' : undefined}
          suggest={(text) => suggestResourceRoles(path, on, text)}
        />
        <Button type="submit" loading={add.isPending}>
          Add
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
      <label className={classes.check}>
        <input
          type="checkbox"
          checked={unlessOwn}
          onChange={({ currentTarget }) => setUnlessOwn(currentTarget.checked)}
        />
        Skip if the user has a direct role on the {resource.key}
      </label>
      {add.isError && (
        <p role="alert" className={form.error}>
          {describeError(add.error).text}
        </p>
      )}
    </form>
  )
}
