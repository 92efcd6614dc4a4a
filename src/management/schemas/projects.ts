// Projects in the API: what is sent and what is answered at /v2/projects.
import { closed, later, listOf, maybe, named, nullable, open, type Static, Text } from '../../model/json-schema.ts'
import { EnvironmentCreate } from './environments.ts'
import { Attributes, bodyNames, Id, Key, Null, readNames, sameKey, stamps } from './schema-parts.ts'

const fields = { ...bodyNames, settings: maybe(Attributes), active_policy_repo_id: later() }

export const ProjectCreate = named(
  'ProjectCreate',
  closed({
    key: Key,
    urn_namespace: maybe(Text),
    ...fields,
    initial_environments: maybe(listOf(EnvironmentCreate)),
  }),
)
export type ProjectCreate = Static<typeof ProjectCreate>

export const ProjectReplace = named('ProjectReplace', closed({ ...sameKey, urn_namespace: maybe(Text), ...fields }))
export type ProjectReplace = Static<typeof ProjectReplace>

export const ProjectUpdate = named('ProjectUpdate', closed({ ...sameKey, ...fields }))
export type ProjectUpdate = Static<typeof ProjectUpdate>

export const ProjectRead = named(
  'Project',
  open({
    id: Id,
    key: Text,
    ...readNames,
    urn_namespace: nullable(Text),
    settings: nullable(Attributes),
    active_policy_repo_id: Null,
    organization_id: Id,
    ...stamps,
  }),
)

export type ProjectRead = Static<typeof ProjectRead>
