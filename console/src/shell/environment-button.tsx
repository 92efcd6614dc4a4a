// The open environment and its project.
import { UnstyledButton, type UnstyledButtonProps, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ComponentPropsWithRef } from 'react'
import { projectsQuery, useEnvironment, useEnvironmentPath } from '../api/environments.ts'
import { Icon } from '../components/icon.tsx'
import classes from './navigation.module.css'

export function EnvironmentButton(props: UnstyledButtonProps & ComponentPropsWithRef<'button'>) {
  const path = useEnvironmentPath()
  const environment = useEnvironment()
  const projects = useQuery(projectsQuery)
  const project = projects.data?.find(({ key, id }) => key === path.p || id === path.p)
  return (
    <UnstyledButton aria-haspopup="listbox" {...props} className={classes.button}>
      <Icon name="layers" />
      <VisuallyHidden>Environment: </VisuallyHidden>
      <span className={classes.names}>
        <span>{project?.name ?? path.p}</span>
        <span>{environment.data?.name ?? path.e}</span>
      </span>
      <Icon name="chevronsUpDown" size={14} />
    </UnstyledButton>
  )
}
