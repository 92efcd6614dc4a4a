// The filters of recorded decisions: by what was asked, by the answer, by time.
import { Button, NativeSelect } from '@mantine/core'
import { useCallback } from 'react'
import { useEnvironmentPath } from '../../api/environments.ts'
import { suggestActions, suggestResources, suggestTenants, suggestUsers } from '../../api/suggestions.ts'
import { DayFields } from '../../components/day-fields.tsx'
import { FilterField } from '../../components/filter-field.tsx'
import { splitResource } from '../why/question.ts'
import classes from './decisions.module.css'
import { type DecisionsSearch, isFiltered } from './decisions-search.ts'

interface DecisionFiltersProps {
  readonly search: DecisionsSearch
  readonly onChange: (search: DecisionsSearch) => void
}

export function DecisionFilters({ search, onChange }: DecisionFiltersProps) {
  const path = useEnvironmentPath()
  const set = useCallback(
    (name: keyof DecisionsSearch, value: string) => {
      const { page: _, [name]: __, ...others } = search
      onChange(value === '' ? others : { ...others, [name]: value })
    },
    [search, onChange],
  )
  const { type } = splitResource(search.resource ?? '')
  const field = (name: 'user' | 'action' | 'resource' | 'tenant') => ({
    value: search[name] ?? '',
    onChange: (value: string) => set(name, value),
  })
  return (
    <search className={classes.filters}>
      <FilterField label="User" {...field('user')} suggest={(text) => suggestUsers(path, text)} />
      <FilterField label="Action" {...field('action')} suggest={(text) => suggestActions(path, type, text)} />
      <FilterField label="Resource" {...field('resource')} suggest={(text) => suggestResources(path, text)} />
      <FilterField label="Tenant" {...field('tenant')} suggest={(text) => suggestTenants(path, text)} />
      <NativeSelect
        size="xs"
        aria-label="Answer"
        value={search.outcome ?? ''}
        onChange={({ currentTarget }) => set('outcome', currentTarget.value)}
        data={[
          { value: '', label: 'Allowed and denied' },
          { value: 'allow', label: 'Allowed' },
          { value: 'deny', label: 'Denied' },
        ]}
      />
      <DayFields value={search} onChange={set} />
      {isFiltered(search) && (
        <Button variant="subtle" onClick={() => onChange({})}>
          Clear filters
        </Button>
      )}
    </search>
  )
}
