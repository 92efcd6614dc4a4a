// Chooses the environment, opened at once: those of the open project first, then the other projects. The page stays the
// same one.

import { Combobox, useCombobox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { foldCase } from 'zerohop/fold-case'
import {
  environmentsQuery,
  nameInAddress,
  projectsQuery,
  useEnvironment,
  useEnvironmentPath,
} from '../api/environments.ts'
import { Icon } from '../components/icon.tsx'
import { EnvironmentButton } from './environment-button.tsx'
import classes from './navigation.module.css'
import { usePageLinks } from './page-links.ts'

/** So many names or fewer need no search. */
const SEARCH_FROM = 8

export default function EnvironmentMenu() {
  const path = useEnvironmentPath()
  const environment = useEnvironment()
  const projects = useQuery(projectsQuery)
  const [looksInto, lookInto] = useState<string>()
  const [search, setSearch] = useState('')
  const switchTo = useSwitch()
  const combobox = useCombobox({
    defaultOpened: true, // it is loaded for whoever opens it
    onDropdownClose: () => {
      combobox.resetSelectedOption()
      lookInto(undefined)
      setSearch('')
    },
    onDropdownOpen: () => combobox.focusSearchInput(),
  })
  const { focusSearchInput, focusTarget } = combobox
  useEffect(() => {
    focusTarget() // the button that was pressed is gone
    focusSearchInput()
  }, [focusSearchInput, focusTarget])
  const p = looksInto ?? path.p
  const environments = useQuery({ ...environmentsQuery(p), enabled: combobox.dropdownOpened })
  const matches = ({ key, name }: { readonly key: string; readonly name: string }) =>
    foldCase(`${key} ${name}`).includes(foldCase(search.trim()))
  const shownEnvironments = (environments.data ?? []).filter(matches)
  const others = (projects.data ?? []).filter((each) => nameInAddress(each) !== p && each.id !== p).filter(matches)
  const count = (environments.data?.length ?? 0) + (projects.data?.length ?? 0)
  const nameOf = (name: string) => projects.data?.find((each) => nameInAddress(each) === name)?.name ?? name

  const submit = (value: string) => {
    const [kind, name = ''] = value.split(/:(.*)/s)
    if (kind === 'project') {
      lookInto(name)
      setSearch('')
      return
    }
    combobox.closeDropdown()
    switchTo(p, name)
  }

  return (
    <Combobox store={combobox} onOptionSubmit={submit} width={260} position="bottom-start" shadow="md">
      <Combobox.Target targetType="button">
        <EnvironmentButton onClick={() => combobox.toggleDropdown()} />
      </Combobox.Target>
      <Combobox.Dropdown>
        {count > SEARCH_FROM && (
          <Combobox.Search
            value={search}
            onChange={({ currentTarget }) => {
              setSearch(currentTarget.value)
              combobox.selectFirstOption()
            }}
            aria-label="Search environments and projects"
            placeholder="Search"
          />
        )}
        <Combobox.Options aria-label="Environments and projects">
          <div className={classes.options}>
            <Combobox.Group label={`Environments of ${nameOf(p)}`}>
              {shownEnvironments.map((each) => (
                <Combobox.Option
                  key={each.id}
                  value={`environment:${nameInAddress(each)}`}
                  active={p === path.p && each.id === environment.data?.id}
                >
                  <span className={classes.option}>
                    {each.name}
                    {p === path.p && each.id === environment.data?.id && <Icon name="check" size={14} />}
                  </span>
                </Combobox.Option>
              ))}
              {environments.isPending && <Combobox.Empty>Loading</Combobox.Empty>}
              {environments.isSuccess && shownEnvironments.length === 0 && <Combobox.Empty>None</Combobox.Empty>}
            </Combobox.Group>
            {others.length > 0 && (
              <Combobox.Group label="Other projects">
                {others.map((each) => (
                  <Combobox.Option key={each.id} value={`project:${nameInAddress(each)}`}>
                    <span className={classes.option}>
                      {each.name}
                      <Icon name="chevronRight" size={14} />
                    </span>
                  </Combobox.Option>
                ))}
              </Combobox.Group>
            )}
          </div>
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}

/** Goes to the same page of another environment, without what the address says of this one. */
function useSwitch() {
  const navigate = useNavigate()
  const links = usePageLinks()
  const { pathname } = useLocation()
  return (project: string, environment: string) => {
    const page = links.find(({ to }) => to === pathname)
    void navigate({ to: page?.route ?? '/$project/$environment', params: { project, environment } })
  }
}
