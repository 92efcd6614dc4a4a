// The projects and environments that the session reaches. Those of the open project are read at once, those of another
// one when it is opened.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import {
  environmentsQuery,
  nameInAddress,
  type Project,
  projectsQuery,
  useEnvironment,
  useEnvironmentPath,
} from '../../api/environments.ts'
import { useMayInProject } from '../../api/use-session.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Icon } from '../../components/icon.tsx'
import { Instant } from '../../components/instant.tsx'
import { ButtonLink, TextLink } from '../../components/links.tsx'
import bar from '../../components/list-bar.module.css'
import { NamedRow } from '../../components/named-row.tsx'
import { NoRows } from '../../components/no-rows.tsx'
import { Page } from '../../components/page.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { EmptyState, QueryState } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { DeleteEnvironmentDialog } from './delete-environment-dialog.tsx'
import { type Environment, matches } from './environment-queries.ts'
import classes from './environments.module.css'
import { NewEnvironmentDialog } from './new-environment-dialog.tsx'
import { RequirementsDialog } from './requirements-dialog.tsx'

const FROM = '/$project/$environment/environments'

export function EnvironmentsPage() {
  const path = useEnvironmentPath()
  const { search = '' } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const mayCreate = useMayInProject('write')
  const mayCopy = useMayInProject('read')
  const [isNew, setNew] = useState(false)
  const projects = useQuery(projectsQuery)
  return (
    <Page
      title="Environments"
      description={`Each environment has its own policy, users and keys. Compare ${path.e} with others, or copy its policy to them.`}
      actions={
        <>
          <ButtonLink to={`${FROM}/compare`} from={FROM} leftSection={<Icon name="gitCompare" size={14} />}>
            Compare
          </ButtonLink>
          {mayCopy && (
            <ButtonLink to={`${FROM}/copy`} from={FROM} leftSection={<Icon name="copy" size={14} />}>
              Copy
            </ButtonLink>
          )}
          {mayCreate && (
            <Button leftSection={<Icon name="plus" size={14} />} onClick={() => setNew(true)}>
              New environment
            </Button>
          )}
        </>
      }
      isWide
    >
      <div className={bar.bar}>
        <SearchField
          label="Search environments"
          value={search}
          onChange={(text) => void navigate({ search: text === '' ? {} : { search: text }, replace: true })}
        />
      </div>
      <QueryState query={projects}>
        {(data) => (
          <div className={classes.projects}>
            {openFirst(data, path.p).map((project, at) => (
              <ProjectSection key={project.id} project={project} isFirst={at === 0} search={search} />
            ))}
          </div>
        )}
      </QueryState>
      {isNew && <NewEnvironmentDialog project={path.p} onClose={() => setNew(false)} />}
    </Page>
  )
}

const isCalled = ({ key, id }: Project, name: string): boolean => key === name || id === name

const openFirst = (projects: readonly Project[], open: string): readonly Project[] =>
  projects.toSorted((one, other) => Number(isCalled(other, open)) - Number(isCalled(one, open)))

interface ProjectSectionProps {
  readonly project: Project
  readonly isFirst: boolean
  readonly search: string
}

function ProjectSection({ project, isFirst, search }: ProjectSectionProps) {
  const [isOpen, setOpen] = useState(isFirst)
  return (
    <details className={classes.project} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={14} />
        <h2>{project.name}</h2>
        {project.name !== project.key && <code>{project.key}</code>}
      </summary>
      {isOpen && <EnvironmentTable project={project} search={search} />}
    </details>
  )
}

function EnvironmentTable({ project, search }: { readonly project: Project; readonly search: string }) {
  const environments = useQuery(environmentsQuery(nameInAddress(project)))
  const [deleting, setDeleting] = useState<Environment>()
  const [requiring, setRequiring] = useState<Environment>()
  const columns = useColumns(project, setDeleting, setRequiring)
  return (
    <>
      <QueryState query={environments}>
        {(data) => {
          const rows = data.filter(matches(search))
          if (data.length === 0)
            return (
              <EmptyState
                icon="layers"
                title="This project has no environments"
                text="Create one with the zerohop command or the API."
              />
            )
          return rows.length > 0 ? (
            <DataTable
              label={`Environments of ${project.name}`}
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
            />
          ) : (
            <NoRows kind="environment" isBeyond={false} found="part of the key or name" />
          )
        }}
      </QueryState>
      {requiring && <RequirementsDialog environment={requiring} onClose={() => setRequiring(undefined)} />}
      {deleting && <DeleteEnvironmentDialog environment={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  )
}

function useColumns(
  project: Project,
  onDelete: (environment: Environment) => void,
  onRequire: (environment: Environment) => void,
): readonly Column<Environment>[] {
  const path = useEnvironmentPath()
  const open = useEnvironment()
  const mayCopy = useMayInProject('read')
  /** deletes it, and changes what it requires */
  const mayAdminister = useMayInProject('admin')
  const isOpenProject = isCalled(project, path.p)
  return [
    {
      header: 'Environment',
      width: '34%',
      cell: (environment) => (
        <NamedRow name={environment.name === environment.key ? undefined : environment.name}>
          <span className={classes.name}>
            <TextLink
              to="/$project/$environment"
              params={{ project: nameInAddress(project), environment: nameInAddress(environment) }}
            >
              {environment.key}
            </TextLink>
            {environment.id === open.data?.id && <Tag>open</Tag>}
            {environment.require_reason && <Tag>reason required</Tag>}
            {environment.require_approval && <Tag>approval required</Tag>}
          </span>
        </NamedRow>
      ),
    },
    { header: 'Description', cell: ({ description }) => description, isMinor: true },
    { header: 'Created', cell: ({ created_at }) => <Instant value={created_at} />, width: '180px', isMinor: true },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (environment) => {
        const name = nameInAddress(environment)
        const isOpen = environment.id === open.data?.id
        return (
          <span className={classes.buttons}>
            {!isOpen && (
              <ButtonLink
                to={`${FROM}/compare`}
                from={FROM}
                search={{ with: isOpenProject ? name : `${nameInAddress(project)}/${name}` }}
                variant="subtle"
                size="compact-xs"
                aria-label={`Compare with ${environment.key}`}
              >
                Compare
              </ButtonLink>
            )}
            {!isOpen && isOpenProject && mayCopy && (
              <ButtonLink
                to={`${FROM}/copy`}
                from={FROM}
                search={{ to: name }}
                variant="subtle"
                size="compact-xs"
                aria-label={`Copy ${path.e} to ${environment.key}`}
              >
                Copy
              </ButtonLink>
            )}
            {mayAdminister && (
              <Button
                variant="subtle"
                size="compact-xs"
                aria-label={`Requirements of ${environment.key}`}
                onClick={() => onRequire(environment)}
              >
                Requirements
              </Button>
            )}
            {mayAdminister && (
              <Button
                variant="subtle"
                color="gray"
                size="compact-xs"
                aria-label={`Delete ${environment.key}`}
                onClick={() => onDelete(environment)}
              >
                Delete
              </Button>
            )}
          </span>
        )
      },
    },
  ]
}
