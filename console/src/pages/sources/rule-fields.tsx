// The fields of a rule for groups: which groups, which role where, and from when until when.
import { NativeSelect } from '@mantine/core'
import type { components } from 'zerohop/client'
import { useEnvironmentPath } from '../../api/environments.ts'
import { suggestInstancesByName, suggestResourceRoles, suggestRoles, suggestTenants } from '../../api/suggestions.ts'
import { TimeField, toInstant, toTyped } from '../../components/grant-times.tsx'
import { KeyField } from '../../components/key-field.tsx'
import { BY_WORDS, MATCH_WORDS } from './rule-words.ts'
import { type GroupRule, suggestGroups } from './source-queries.ts'
import classes from './sources.module.css'

type Pattern = GroupRule['group']

export interface TypedRule extends Pattern {
  readonly role: string
  readonly isOnInstance: boolean
  readonly tenant: string
  readonly instance: string
  readonly from: string
  readonly until: string
}

/** What the form begins with. */
export function startOf(rule?: GroupRule, group?: Pattern): TypedRule {
  const { by, match, value } = rule?.group ?? group ?? { by: 'display_name', match: 'exact', value: '' }
  const instance = rule?.resource_instance ?? ''
  return {
    ...{ by, match, value, instance },
    role: rule?.role ?? '',
    isOnInstance: instance !== '',
    tenant: instance === '' ? (rule?.tenant ?? '') : '',
    from: toTyped(rule?.valid_from),
    until: toTyped(rule?.valid_until),
  }
}

/** What has to be typed before it can be sent. */
export function findMissing({ value, role, isOnInstance, tenant, instance }: TypedRule) {
  const missing = (text: string, name: string, what: string) =>
    text.trim() === '' ? { [name]: `${what} is required` } : {}
  return {
    ...missing(value, 'value', 'Group'),
    ...missing(role, 'role', 'Role'),
    ...(isOnInstance ? missing(instance, 'instance', 'Instance') : missing(tenant, 'tenant', 'Tenant')),
  } as Partial<Record<'value' | 'role' | 'tenant' | 'instance', string>>
}

/** As it is sent; times that were not touched stay as they are, to the second. */
export function toBody(typed: TypedRule, rule?: GroupRule): components['schemas']['GroupRuleCreate'] {
  const { by, match, value, role, isOnInstance, tenant, instance, from, until } = typed
  const before = startOf(rule)
  return {
    group: { by, match, value: value.trim() },
    role: role.trim(),
    ...(isOnInstance ? { resource_instance: instance.trim() } : { tenant: tenant.trim() }),
    ...(from === before.from ? {} : { valid_from: toInstant(from) }),
    ...(until === before.until ? {} : { valid_until: toInstant(until) }),
  }
}

interface RuleFieldsProps {
  readonly typed: TypedRule
  readonly onChange: (typed: TypedRule) => void
  readonly missing: ReturnType<typeof findMissing>
}

export function RuleFields({ typed, onChange, missing }: RuleFieldsProps) {
  const path = useEnvironmentPath()
  const set = (name: keyof TypedRule) => (value: string) => onChange({ ...typed, [name]: value })
  const { by, isOnInstance } = typed
  return (
    <div className={classes.fields}>
      <div className={classes.pattern}>
        <NativeSelect
          label="Members of groups whose"
          value={by}
          onChange={({ currentTarget }) => onChange({ ...typed, by: currentTarget.value as Pattern['by'] })}
          data={Object.entries(BY_WORDS).map(([value, label]) => ({ value, label: label.toLowerCase() }))}
        />
        <NativeSelect
          label="Comparison"
          value={typed.match}
          onChange={({ currentTarget }) => onChange({ ...typed, match: currentTarget.value as Pattern['match'] })}
          data={Object.entries(MATCH_WORDS).map(([value, label]) => ({ value, label }))}
        />
        <KeyField
          label="Group"
          value={typed.value}
          onChange={set('value')}
          error={missing.value}
          suggest={(text) => suggestGroups(path, by, text)}
        />
      </div>
      <NativeSelect
        label="Get a role"
        value={isOnInstance ? 'instance' : 'tenant'}
        onChange={({ currentTarget }) => onChange({ ...typed, isOnInstance: currentTarget.value === 'instance' })}
        data={[
          { value: 'tenant', label: 'in a tenant' },
          { value: 'instance', label: 'on an instance' },
        ]}
      />
      <div className={classes.pattern}>
        {isOnInstance ? (
          <KeyField
            label="Instance"
            placeholder="document:plan"
            value={typed.instance}
            onChange={set('instance')}
            error={missing.instance}
            suggest={(text) => suggestInstancesByName(path, text)}
          />
        ) : (
          <KeyField
            label="Tenant"
            value={typed.tenant}
            onChange={set('tenant')}
            error={missing.tenant}
            suggest={(text) => suggestTenants(path, text)}
          />
        )}
        <KeyField
          label="Role"
          value={typed.role}
          onChange={set('role')}
          error={missing.role}
          suggest={(text) =>
            isOnInstance
              ? suggestResourceRoles(path, typed.instance.split(':')[0] ?? '', text)
              : suggestRoles(path, text)
          }
        />
      </div>
      <div className={classes.pattern}>
        <TimeField label="Starts" value={typed.from} onChange={set('from')} />
        <TimeField label="Ends" value={typed.until} onChange={set('until')} />
      </div>
    </div>
  )
}
