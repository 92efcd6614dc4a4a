// Which roles and actions the matrix shows. All of it is in the address.
import { Button } from '@mantine/core'
import { useCallback, useRef } from 'react'
import { counted } from 'zerohop/change-words'
import { UseFilter } from '../../components/last-use.tsx'
import { SearchField } from '../../components/search-field.tsx'
import classes from './policy-page.module.css'
import type { PolicySearch } from './policy-search.ts'

interface MatrixFiltersProps {
  readonly search: PolicySearch
  readonly shown: { readonly roles: number; readonly actions: number }
  readonly hasChanges: boolean
  readonly onChange: (search: PolicySearch) => void
}

export function MatrixFilters({ search, shown, hasChanges, onChange }: MatrixFiltersProps) {
  const latest = useRef({ search, onChange })
  latest.current = { search, onChange }
  const set = useCallback((name: 'roles' | 'actions', text: string) => {
    const { [name]: _, saved: __, ...others } = latest.current.search
    latest.current.onChange(text === '' ? others : { ...others, [name]: text })
  }, [])
  const setRoles = useCallback((text: string) => set('roles', text), [set])
  const setActions = useCallback((text: string) => set('actions', text), [set])
  const { changed, saved: _, ...others } = search
  const { unused, ...used } = others
  return (
    <div className={classes.filters}>
      <SearchField label="Find roles" value={search.roles ?? ''} onChange={setRoles} />
      <SearchField label="Find resources and actions" value={search.actions ?? ''} onChange={setActions} />
      <UseFilter
        value={unused}
        onChange={(each) =>
          onChange({ ...used, ...(changed && { changed }), ...(each === undefined ? {} : { unused: each }) })
        }
      />
      {hasChanges && (
        <Button
          variant={changed ? 'light' : 'default'}
          aria-pressed={changed === true}
          onClick={() => onChange(changed ? others : { ...others, changed: true })}
        >
          Only changes
        </Button>
      )}
      <span className={classes.count} role="status">
        {counted(shown.roles, 'role')}, {counted(shown.actions, 'action')}
      </span>
    </div>
  )
}
