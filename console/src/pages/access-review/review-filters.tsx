// What narrows an access review, when it is of, and what it is compared with.
import '@mantine/core/styles/Checkbox.layer.css'
import '@mantine/core/styles/InlineInput.layer.css'
import { Button, Checkbox } from '@mantine/core'
import { useEnvironmentPath } from '../../api/environments.ts'
import {
  suggestActions,
  suggestHolders,
  suggestInstancesByName,
  suggestResources,
  suggestRoles,
  suggestTenants,
} from '../../api/suggestions.ts'
import { CommittedField } from '../../components/committed-field.tsx'
import { FilterField } from '../../components/filter-field.tsx'
import { UseFilter } from '../../components/last-use.tsx'
import bar from '../../components/list-bar.module.css'
import classes from './review.module.css'
import { isNarrowed, isOverview } from './review-query.ts'
import type { ReviewSearch } from './review-search.ts'

interface ReviewFiltersProps {
  readonly search: ReviewSearch
  readonly onChange: (change: { readonly [N in keyof ReviewSearch]?: unknown }) => void
  readonly onClear: () => void
}

export function ReviewFilters({ search, onChange, onClear }: ReviewFiltersProps) {
  const path = useEnvironmentPath()
  const { resource = '' } = search
  const [type = ''] = resource.split(':')
  const fields = [
    { name: 'user', label: 'User', suggest: (text: string) => suggestHolders(path, text) },
    { name: 'role', label: 'Role, or type#role', suggest: (text: string) => suggestRoles(path, text) },
    {
      name: 'resource',
      label: 'Resource, or type:key',
      suggest: (text: string) =>
        text.includes(':') ? suggestInstancesByName(path, text) : suggestResources(path, text),
    },
    { name: 'action', label: 'Action', suggest: (text: string) => suggestActions(path, type, text) },
    { name: 'tenant', label: 'Tenant', suggest: (text: string) => suggestTenants(path, text) },
  ] as const
  return (
    <search>
      <div className={`${bar.bar} ${classes.bar}`}>
        {!isOverview(search) &&
          fields.map(({ name, label, suggest }) => (
            <FilterField
              key={name}
              label={label}
              value={search[name] ?? ''}
              suggest={suggest}
              onChange={(value) => onChange({ [name]: value })}
            />
          ))}
        <MomentField label="As of" value={search.at ?? ''} onChange={(at) => onChange({ at })} />
        <MomentField label="Compared with" value={search.since ?? ''} onChange={(since) => onChange({ since })} />
        {search.since !== undefined && !isOverview(search) && (
          <Checkbox
            label="Only changes"
            className={classes.check}
            checked={search.changed === true}
            onChange={({ currentTarget }) => onChange({ changed: currentTarget.checked })}
          />
        )}
        {!isOverview(search) && <UseFilter value={search.unused} onChange={(unused) => onChange({ unused })} />}
        {isNarrowed(search) && (
          <Button variant="subtle" onClick={onClear}>
            Clear filters
          </Button>
        )}
      </div>
    </search>
  )
}

interface MomentFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A revision or a date, asked for with Enter or by leaving the field. */
function MomentField({ label, value, onChange }: MomentFieldProps) {
  return (
    <CommittedField
      aria-label={`${label}: revision or date (YYYY-MM-DD)`}
      className={classes.moment}
      leftSection={<span className={classes.prefix}>{label}</span>}
      leftSectionWidth={label.length * 7 + 16}
      placeholder="Revision or date"
      value={value}
      onChange={onChange}
    />
  )
}
